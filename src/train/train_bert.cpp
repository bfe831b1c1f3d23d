#include <fmt/format.h>

#include <cmath>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "corpus/endings.h"
#include "tokenizer/make.h"
#include "train/bfloat16.h"
#include "train/blas.h"
#include "train/export.h"
#include "train/masking.h"
#include "train/optimizer.h"
#include "train/run.h"
#include "train/state_file.h"
#include "train/train.h"

namespace minpair::train {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kReportSteps = 50;
constexpr const char* kLowerRates = "--adam-rate, --muon-rate";

PieceText encode_file(const fs::path& path, const tokenizer::Tokenizer& cutter, size_t longest) {
  PieceText text;
  LineReader lines(path);
  std::string_view line;
  while (lines.next(line)) {
    for (const tokenizer::Token& token : cutter.encode(line, false).tokens)
      text.ids.push_back(token.id);
    const size_t length = text.ids.size() - text.starts.back();
    if (length == 0 || length > longest)
      text.ids.resize(text.starts.back());  // too long for a row
    else
      text.starts.push_back(text.ids.size());
  }
  if (text.size() == 0)
    throw bad_input("there is no sentence to train on")
        .at(path.string())
        .hint("prepare the corpus again with 'minpair corpus'");
  return text;
}

class BertTraining {
 public:
  explicit BertTraining(const TrainBertOptions& options)
      : options_(options),
        plan_(options.tokens, options.hours),
        vocab_(read_vocabulary(wordpiece_file())),
        tokenizer_(tokenizer::make_wordpiece(vocab_, {})),
        train_(encode_file(options.corpus / "train.txt", *tokenizer_, row_room())),
        valid_(encode_file(options.corpus / "valid.txt", *tokenizer_, row_room())),
        masker_(vocab_, train_, corpus_endings(), options.masking),
        net_(shape(), options.seed),
        optimizer_(net_.parameters(), optimizer_options(options)),
        random_(options.seed),
        sampler_(piece_shares(train_, vocab_.size()), options.sampled),
        divergence_(vocab_.size()) {}

  TrainResult run() {
    fs::create_directories(options_.out);
    resume();
    Reports reports(options_, step(), seen_, plan_, "tokens");
    Curve& curve = reports.curve();
    Stopwatch since_checkpoint;
    while (!plan_.done(seen_) && !out_of_patience()) {
      const double scale = rate_scale(seen_, plan_.total(), options_.warmup, options_.decay_from);
      const double before = seen_;
      train_step(scale);
      if (step() == options_.stop_at_step) return {step(), seen_, 0, false};
      if (step() % kReportSteps == 0) reports.report(step(), seen_, scale, losses_);
      if (checkpoint_due(since_checkpoint)) {
        checkpoint(curve);
        since_checkpoint.restart();
      }
      if (const auto folder = stage_folder(options_, before, seen_, plan_.total()))
        keep_stage(*folder, curve);
    }
    checkpoint(curve);
    write_bert_folder(options_.out, net_, vocab_, options_.half, card(last_valid_));
    return {step(), seen_, last_valid_, true};
  }

 private:
  uint64_t step() const { return static_cast<uint64_t>(optimizer_.steps()); }
  size_t row_room() const { return static_cast<size_t>(options_.width - 2); }

  static OptimizerOptions optimizer_options(const TrainBertOptions& options) {
    OptimizerOptions o = options.optimizer;
    o.bf16 = options.bf16;
    return o;
  }

  fs::path wordpiece_file() const {
    const fs::path path = options_.corpus / "wordpiece.txt";
    if (!fs::exists(path))
      throw bad_input("the corpus has no WordPiece vocabulary")
          .at(path.string())
          .hint("prepare it with 'minpair corpus ... --wordpiece 12000'");
    return path;
  }

  corpus::Endings corpus_endings() const {
    const fs::path path = options_.corpus / "endings.tsv";
    return fs::exists(path) ? corpus::read_endings(path) : corpus::Endings{};
  }

  BertShape shape() const {
    BertShape s = options_.shape;
    s.vocab = static_cast<int64_t>(vocab_.size());
    if (s.hidden % s.heads != 0)
      throw wrong_call(
          fmt::format("{} hidden units do not divide into {} heads", s.hidden, s.heads));
    if (options_.width > s.positions)
      throw wrong_call(fmt::format("rows of {} pieces need as many positions", options_.width));
    return s;
  }

  void train_step(double scale) {
    if (order_.empty()) order_ = epoch_order(train_.size(), options_.seed, epoch_);
    if (at_ >= order_.size()) {
      at_ = 0;
      order_ = epoch_order(train_.size(), options_.seed, ++epoch_);
    }
    const PackedBatch packed =
        pack_batch(train_, order_, at_, options_.rows, options_.width, masker_, random_);
    torch::Tensor loss;
    {
      const Autocast autocast(options_.bf16);
      torch::Tensor targets = packed.batch.targets;
      const Candidates candidates = sampler_.sample(targets, random_);
      loss = net_.loss(packed.batch, targets, candidates);
    }
    loss.backward();
    const double value = loss.item<double>();
    if (divergence_.seen(value)) throw diverged(step(), value, saved_step_, kLowerRates);
    optimizer_.step(scale);
    losses_.add(value);
    seen_ += double(packed.pieces);
  }

  void checkpoint(Curve& curve) {
    const Stopwatch watch;
    validate(curve);
    if (divergence_.lost(last_valid_))
      throw diverged(step(), last_valid_, saved_step_, kLowerRates);
    save();
    plan_.reserve(watch.seconds());
  }

  void keep_stage(const fs::path& folder, Curve& curve) {
    const double loss = validation_loss();
    curve.valid(step(), seen_, loss);
    write_bert_folder(folder, net_, vocab_, options_.half, card(loss));
  }

  void validate(Curve& curve) {
    last_valid_ = validation_loss();
    curve.valid(step(), seen_, last_valid_);
    since_best_ = last_valid_ < best_valid_ ? 0 : since_best_ + 1;
    best_valid_ = std::min(best_valid_, last_valid_);
  }

  // The same sentences with the same pieces hidden every time.
  double validation_loss() const {
    torch::NoGradGuard no_grad;
    Random random(7);
    const auto order = epoch_order(valid_.size(), 7, 0);
    double sum = 0, n = 0;
    size_t at = 0;
    for (int i = 0; i < 16 && at < order.size(); ++i) {
      const PackedBatch packed =
          pack_batch(valid_, order, at, options_.rows, options_.width, masker_, random);
      const double targets = double(packed.batch.targets.size(0));
      sum += targets * net_.loss(packed.batch, packed.batch.targets, {}).item<double>();
      n += targets;
    }
    return sum / n;
  }

  bool out_of_patience() const { return options_.patience > 0 && since_best_ >= options_.patience; }

  bool checkpoint_due(const Stopwatch& watch) const {
    if (options_.checkpoint_steps > 0) return step() % options_.checkpoint_steps == 0;
    return watch.seconds() > 60 * options_.checkpoint_minutes;
  }

  fs::path checkpoint_file() const { return options_.out / "checkpoint.pt"; }

  void save() {
    TrainingState state;
    keep_tensors(state, "p.", net_.parameters());
    keep_tensors(state, "s.", optimizer_.state());
    state.tensors["random"] = random_tensor(random_);
    state.numbers = {{"step", double(step())},  {"seen", seen_},
                     {"at", double(at_)},       {"epoch", double(epoch_)},
                     {"best", best_valid_},     {"since_best", double(since_best_)},
                     {"loss_sum", losses_.sum}, {"loss_n", double(losses_.n)}};
    save_state(checkpoint_file(), state);
    saved_step_ = step();
  }

  void resume() {
    if (!fs::exists(checkpoint_file())) {
      if (!options_.from.empty()) read_bert_folder(options_.from, net_, vocab_);
      return;
    }
    const TrainingState state = load_state(checkpoint_file());
    restore_tensors(state, "p.", net_.parameters(), checkpoint_file());
    restore_tensors(state, "s.", optimizer_.state(), checkpoint_file());
    random_ = random_from(state.tensors.at("random"));
    optimizer_.set_steps(static_cast<int64_t>(state.numbers.at("step")));
    saved_step_ = step();
    seen_ = state.numbers.at("seen");
    at_ = static_cast<size_t>(state.numbers.at("at"));
    epoch_ = static_cast<uint64_t>(state.numbers.at("epoch"));
    best_valid_ = state.numbers.at("best");
    since_best_ = static_cast<int>(state.numbers.at("since_best"));
    losses_ = {state.numbers.at("loss_sum"), static_cast<uint64_t>(state.numbers.at("loss_n"))};
    order_ = epoch_order(train_.size(), options_.seed, epoch_);
    plan_.measure(seen_, 1000);
    if (!options_.quiet) fmt::print(stderr, "resumed after {}\n", counted(step(), "step"));
  }

  std::string trained_on() const {
    const std::string tokens = count_text(static_cast<uint64_t>(seen_)) + " tokens";
    return options_.from.empty() ? tokens
                                 : tokens + ", beginning with " + options_.from.filename().string();
  }

  CardRows card(double valid_loss) const {
    const BertShape& s = net_.shape();
    int64_t parameters = 0;
    for (const auto& [name, p] : net_.parameters()) parameters += p.numel();
    return {
        {"architecture", fmt::format("BERT, {}, {} hidden, {}, {} pieces",
                                     counted(static_cast<uint64_t>(s.layers), "layer"), s.hidden,
                                     counted(static_cast<uint64_t>(s.heads), "head"), s.vocab)},
        {"parameters", count_text(static_cast<uint64_t>(parameters))},
        {"sentences", count_text(train_.size())},
        {"trained on", trained_on()},
        {"masking", fmt::format("{} of the words, {} of other words' endings",
                                options_.masking.words, options_.masking.endings)},
        {"validation loss", fmt::format("{:.3f} nats per masked piece", valid_loss)},
        {"stored as", options_.half ? "fp16" : "fp32"},
        {"seed", std::to_string(options_.seed)}};
  }

  const TrainBertOptions& options_;
  Plan plan_;  // first: reading the text takes its time, too
  std::vector<std::string> vocab_;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer_;
  PieceText train_, valid_;
  Masker masker_;
  Bert net_;
  Optimizer optimizer_;
  Random random_;
  CandidateSampler sampler_;
  Divergence divergence_;
  std::vector<uint32_t> order_;
  size_t at_ = 0;
  uint64_t epoch_ = 0, saved_step_ = 0;
  double seen_ = 0, best_valid_ = 1e9, last_valid_ = 0;
  int since_best_ = 0;
  MeanLoss losses_;
};

}  // namespace

TrainResult train_bert(const TrainBertOptions& options) {
  set_threads(options.threads);
  return BertTraining(options).run();
}

}  // namespace minpair::train
