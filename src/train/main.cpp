// minpair-train: what `minpair train` runs. A program of its own because libtorch is slow to load
// and not everybody has it.

#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "base/counts.h"
#include "base/error.h"
#include "base/paths.h"
#include "base/streams.h"
#include "train/blas.h"
#include "train/library_error.h"
#include "train/run.h"
#include "train/train.h"

namespace minpair::train {

namespace {

CLI::Validator positive() {
  return {[](std::string& text) {
            double number = 0;
            return CLI::detail::lexical_cast(text, number) && number > 0
                       ? std::string()
                       : "'" + text + "' is not a number above 0";
          },
          "", "positive"};
}

// Zero is not a size, a rate or a time.
template <class Number>
void add_number(CLI::App& app, const std::string& name, Number& number, const std::string& help) {
  app.add_option(name, number, help)->check(positive())->capture_default_str();
}

template <class Number>
void add_share(CLI::App& app, const std::string& name, Number& share, const std::string& help) {
  app.add_option(name, share, help)->check(CLI::Range(0.0, 1.0))->capture_default_str();
}

void add_run_options(CLI::App& app, RunOptions& o) {
  app.add_option("corpus", o.corpus, "Folder made by 'minpair corpus'")->required();
  app.add_option("-o,--out", o.out, "Folder of the model; if there is one, its training continues")
      ->required();
  app.add_option("--seed", o.seed, "Seed of the weights and the order")->capture_default_str();
  add_number(app, "--threads", o.threads, "Same threads, same bits");
  app.add_flag("--fp16", o.half, "Store the finished model in half precision");
  add_number(app, "--checkpoint-minutes", o.checkpoint_minutes, "Between checkpoints");
  app.add_option("--checkpoint-steps", o.checkpoint_steps, "Checkpoints by steps, not minutes");
  app.add_option("--patience", o.patience,
                 "Stop after this many validations without improvement (0: never)")
      ->capture_default_str();
  app.add_option("--stages", o.stages,
                 "Also keep this many earlier models, after a half, a quarter, ... of the training")
      ->check(CLI::Range(0, 20))
      ->capture_default_str();
  app.add_flag("-q,--quiet", o.quiet, "No progress");
}

void print(const TrainResult& r, const std::filesystem::path& out) {
  fmt::print("{}: {}, {}, validation loss {:.4f}, perplexity {}\n", out.string(),
             counted(r.steps, "step"), counted(static_cast<uint64_t>(r.tokens), "token"),
             r.valid_loss, perplexity_text(r.valid_loss));
}

void say_blas(const RunOptions& options) {
  if (!options.quiet) fmt::print(stderr, "{}\n", blas_text(measured_blas()));
}

void add_bf16(CLI::App& app, std::string& bf16) {
  app.add_option("--bf16", bf16, "Products in bfloat16: auto, on, off")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
}

bool wants_bf16(const std::string& bf16) {
  return bf16 == "on" || (bf16 == "auto" && has_fast_bf16());
}

struct BertCall {
  TrainBertOptions options;
  std::string bf16 = "auto";
};

void add_bert(CLI::App& parent) {
  auto call = std::make_shared<BertCall>();
  CLI::App& app = *parent.add_subcommand("bert", "A small BERT, saved as Hugging Face does");
  TrainBertOptions& o = call->options;
  add_run_options(app, o);
  app.add_option("--from", o.from, "Begin with the weights of this model: to read the text again")
      ->check(CLI::ExistingDirectory);
  add_number(app, "--layers", o.shape.layers, "Layers");
  add_number(app, "--hidden", o.shape.hidden, "Width of a layer");
  add_number(app, "--heads", o.shape.heads, "Attention heads; they share the width");
  add_number(app, "--inner", o.shape.inner, "Width of the feed-forward layer");
  add_number(app, "--positions", o.shape.positions, "Longest input");
  add_number(app, "--tokens", o.tokens, "Pieces to train on");
  app.add_option("--hours", o.hours, "Plan the end by the clock instead")
      ->check(positive())
      ->excludes("--stages");
  add_number(app, "--rows", o.rows, "Rows of a batch");
  add_number(app, "--width", o.width, "Pieces in a row; longer sentences are left out");
  add_share(app, "--mask", o.masking.words, "Share of words that are hidden");
  add_share(app, "--whole-words", o.masking.whole, "Of these, the share hidden with all pieces");
  add_share(app, "--mask-endings", o.masking.endings,
            "Share of other words' endings hidden (see 'minpair corpus --endings')");
  add_number(app, "--adam-rate", o.optimizer.adam_rate, "Embeddings, biases, norms");
  add_number(app, "--muon-rate", o.optimizer.muon_rate, "Matrices of the layers");
  app.add_option("--warmup", o.warmup, "Tokens until the full rate")->capture_default_str();
  add_share(app, "--decay-from", o.decay_from, "When the rate begins to fall (share)");
  app.add_option("--sampled", o.sampled, "Random output pieces per step (0: all pieces)")
      ->capture_default_str();
  add_bf16(app, call->bf16);
  app.callback([call] {
    call->options.bf16 = wants_bf16(call->bf16);
    say_blas(call->options);
    print(train_bert(call->options), call->options.out);
  });
}

struct LstmCall {
  TrainLstmOptions options;
  int seeds = 1;
  std::string bf16 = "off";  // the paper's recipe is in single precision
};

void run_lstm(const LstmCall& call) {
  say_blas(call.options);
  if (call.seeds <= 1) {
    print(train_lstm(call.options), call.options.out);
    return;
  }
  for (int i = 0; i < call.seeds; ++i) {
    TrainLstmOptions o = call.options;
    o.seed = call.options.seed + static_cast<uint64_t>(i);
    o.out = call.options.out / fmt::format("seed{}", o.seed);
    print(train_lstm(o), o.out);
  }
}

void add_lstm(CLI::App& parent) {
  auto call = std::make_shared<LstmCall>();
  CLI::App& app = *parent.add_subcommand("lstm", "A word-level LSTM; CLAMS's recipe by default");
  TrainLstmOptions& o = call->options;
  add_run_options(app, o);
  add_number(app, "--seeds", call->seeds, "Train so many, in seed1, seed2, ...");
  add_number(app, "--layers", o.shape.layers, "Layers");
  add_number(app, "--hidden", o.shape.hidden, "Width of a layer");
  add_number(app, "--embedding", o.shape.embedding, "Width of the word vectors");
  app.add_flag("--pieces", o.pieces, "Pieces of words (the corpus's WordPiece), not whole words");
  app.add_flag("--tied", o.shape.tied, "One matrix for input and output words");
  add_number(app, "--epochs", o.epochs, "Times through the text");
  app.add_option("--tokens", o.tokens, "Words or pieces to train on, instead of --epochs")
      ->check(positive())
      ->excludes("--epochs");
  app.add_option("--hours", o.hours, "Plan the end by the clock instead")
      ->check(positive())
      ->excludes("--stages")
      ->excludes("--tokens");
  add_number(app, "--batch", o.batch, "Streams of text side by side");
  add_number(app, "--bptt", o.bptt, "Words a gradient flows back");
  add_share(app, "--dropout", o.dropout, "Share of activations dropped");
  app.add_flag("--adam", o.adam, "Adam with linear decay instead of annealed SGD");
  app.add_option("--rate", o.rate, "Learning rate; absent: 20 for SGD, 0.002 for Adam")
      ->check(positive());
  add_number(app, "--anneal", o.anneal, "Divide the rate when validation does not improve");
  add_number(app, "--clip", o.clip, "Largest norm of the gradient");
  app.add_option("--sampled", o.sampled, "Random output words per step (0: all words)")
      ->capture_default_str();
  add_bf16(app, call->bf16);
  app.callback([call] {
    call->options.bf16 = wants_bf16(call->bf16);
    run_lstm(*call);
  });
}

int run(int argc, char** argv) {
  CLI::App app("Train a language model on a prepared corpus.", "minpair train");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(
      "\nExamples:\n"
      "  minpair train lstm corpus/ -o lstm-de/ --seeds 5\n"
      "  minpair train bert corpus/ -o bert-de-mini/ --layers 4 --hidden 256\n");
  add_bert(app);
  add_lstm(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    fmt::print(stderr, "minpair train: {}\n  'minpair train --help' shows what there is\n",
               e.what());
    return 2;
  }
  return 0;
}

// Every step asks for the same large pieces of memory. Given back to the system each time, they
// come with page faults that took a seventh of an LSTM's training.
void keep_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that there is
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  ::mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace

}  // namespace minpair::train

int main(int argc, char** argv) {
  minpair::train::keep_memory();
  minpair::guard_standard_streams();
  try {
    int status = minpair::train::run(argc, argv);
    minpair::finish_standard_output();
    return status;
  } catch (const minpair::Error& e) {
    fmt::print(stderr, "minpair train: {}\n", e.what());
    return e.exit_status();
  } catch (const c10::Error& e) {
    fmt::print(stderr, "minpair train: {}\n", minpair::train::library_error(e).what());
    return 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "minpair train: {}\n", e.what());
    return 1;
  }
}
