#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "tokenizer/make.h"
#include "train/bfloat16.h"
#include "train/blas.h"
#include "train/export.h"
#include "train/optimizer.h"
#include "train/run.h"
#include "train/state_file.h"
#include "train/train.h"

namespace minpair::train {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kReportSteps = 100;
constexpr const char* kEnd = "<eos>";
constexpr const char* kUnknown = "<unk>";

// Sentences as word numbers, each closed by <eos>.
struct WordText {
  std::vector<int32_t> words;
  std::vector<uint64_t> starts{0};
  size_t size() const { return starts.size() - 1; }
};

class WordIds {
 public:
  WordIds(const std::vector<std::string>& vocab, bool pieces) {
    if (pieces) tokenizer_ = tokenizer::make_wordpiece(vocab, {});
    for (size_t i = 0; i < vocab.size(); ++i) ids_.emplace(vocab[i], static_cast<int32_t>(i));
    if (!ids_.contains(kEnd) || !(pieces || ids_.contains(kUnknown)))
      throw bad_input("the vocabulary lacks <eos> or <unk>")
          .hint("prepare the corpus with 'minpair corpus'");
  }
  int32_t operator[](const std::string& word) const {
    const auto it = ids_.find(word);
    return it == ids_.end() ? ids_.at(kUnknown) : it->second;
  }

  WordText read(const fs::path& path) const {
    WordText text;
    LineReader lines(path);
    std::string_view line;
    while (lines.next(line)) {
      add(line, text.words);
      text.words.push_back((*this)[kEnd]);
      text.starts.push_back(text.words.size());
    }
    if (text.size() == 0) throw bad_input("there is no sentence").at(path.string());
    return text;
  }

 private:
  void add(std::string_view line, std::vector<int32_t>& out) const {
    if (tokenizer_)
      for (const tokenizer::Token& token : tokenizer_->encode(line, false).tokens)
        out.push_back(token.id);
    else
      for (const std::string_view word : split(line, ' '))
        out.push_back((*this)[std::string(word)]);
  }

  std::unordered_map<std::string, int32_t> ids_;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer_;  // of pieces; none: words are between spaces
};

// The vocabulary of the corpus; pieces lack the end of a sentence.
std::vector<std::string> lstm_vocabulary(const TrainLstmOptions& options) {
  if (!options.pieces) return read_vocabulary(options.corpus / "vocab.txt");
  std::vector<std::string> vocab = read_vocabulary(options.corpus / "wordpiece.txt");
  vocab.emplace_back(kEnd);
  return vocab;
}

bool truecased(const fs::path& corpus) {
  const fs::path summary = corpus / "corpus.json";
  if (!fs::exists(summary)) return false;
  const auto json = nlohmann::json::parse(read_file(summary), nullptr, false);
  return json.is_object() && json.value("truecase", false);
}

// All sentences in one order, cut into `batch` parallel streams: [time, batch].
torch::Tensor streams(const WordText& text, const std::vector<uint32_t>& order, int32_t end,
                      int64_t batch) {
  std::vector<int64_t> all{end};
  all.reserve(text.words.size() + 1);
  for (const uint32_t i : order)
    all.insert(all.end(), text.words.begin() + static_cast<long>(text.starts[i]),
               text.words.begin() + static_cast<long>(text.starts[i + 1]));
  const int64_t length = static_cast<int64_t>(all.size()) / batch;
  if (length < 2) throw bad_input("too little text for this batch size");
  return torch::tensor(all, torch::kInt64)
      .narrow(0, 0, length * batch)
      .view({batch, length})
      .t()
      .contiguous();
}

class LstmTraining {
 public:
  explicit LstmTraining(const TrainLstmOptions& options)
      : options_(options),
        plan_(0, options.hours),
        vocab_(lstm_vocabulary(options)),
        ids_(vocab_, options.pieces),
        train_(ids_.read(options.corpus / "train.txt")),
        valid_(ids_.read(options.corpus / "valid.txt")),
        net_(shape(), options.seed),
        optimizer_(net_.parameters(), adam_options(options)),
        random_(options.seed),
        sampler_(shares(train_, vocab_.size()), options.sampled),
        divergence_(vocab_.size()),
        rate_(full_rate(options)) {
    plan_.set_total(options.tokens > 0 ? options.tokens
                                       : double(options.epochs) * double(train_.words.size()));
    at::manual_seed(options.seed);
  }

  TrainResult run() {
    fs::create_directories(options_.out);
    start_epoch();
    resume();
    Reports reports(options_, step(), seen_, plan_, "words");
    Curve& curve = reports.curve();
    Stopwatch since_checkpoint;
    while (!finished()) {
      const double rate = options_.adam ? rate_ * adam_scale() : rate_;
      const double before = seen_;
      train_step();
      if (step() == options_.stop_at_step) return {step(), seen_, 0, false};
      if (step() % kReportSteps == 0) reports.report(step(), seen_, rate, losses_);
      if (const auto folder = stage_folder(options_, before, seen_, plan_.total()))
        keep_stage(*folder, curve);
      if (at_ + 1 >= stream_.size(0)) end_epoch(curve);
      if (checkpoint_due(since_checkpoint)) {
        // Epochs are long when the clock is short.
        if (plan_.by_clock()) keep_if_best(curve);
        save();
        since_checkpoint.restart();
      }
    }
    if (ends_within_epoch()) keep_if_best(curve);
    save();
    return {step(), seen_, best_valid_, true};
  }

 private:
  static double full_rate(const TrainLstmOptions& options) {
    return options.rate.value_or(options.adam ? 0.002 : 20);
  }

  static OptimizerOptions adam_options(const TrainLstmOptions& options) {
    OptimizerOptions o;
    o.adam_rate = full_rate(options);
    o.beta2 = 0.99;
    o.decay = 0;
    return o;
  }

  uint64_t step() const { return static_cast<uint64_t>(optimizer_.steps()); }

  LstmShape shape() const {
    LstmShape s = options_.shape;
    s.vocab = static_cast<int64_t>(vocab_.size());
    if (s.tied && s.embedding != s.hidden)
      throw wrong_call("tied weights need embeddings as wide as the hidden layer")
          .hint(fmt::format("use --embedding {} --hidden {}", s.hidden, s.hidden));
    return s;
  }

  bool finished() const {
    if (options_.patience > 0 && since_best_ >= options_.patience) return true;
    if (ends_within_epoch()) return plan_.done(seen_);
    return epoch_ >= static_cast<uint64_t>(options_.epochs);
  }

  bool ends_within_epoch() const { return plan_.by_clock() || options_.tokens > 0; }

  void start_epoch() {
    stream_ = streams(train_, epoch_order(train_.size(), options_.seed, epoch_), ids_[kEnd],
                      options_.batch);
    state_ = net_.zero_state(options_.batch);
    at_ = 0;
  }

  void end_epoch(Curve& curve) {
    const double before = last_valid_;
    keep_if_best(curve);
    // As in the paper: worse than after the previous epoch.
    if (!options_.adam && last_valid_ >= before) rate_ /= options_.anneal;
    ++epoch_;
    start_epoch();
  }

  void keep_if_best(Curve& curve) {
    const Stopwatch watch;
    last_valid_ = validation_loss();
    if (divergence_.lost(last_valid_)) throw diverged(step(), last_valid_, saved_step_, "--rate");
    plan_.reserve(watch.seconds());
    curve.valid(step(), seen_, last_valid_);
    since_best_ = last_valid_ < best_valid_ ? 0 : since_best_ + 1;
    if (since_best_ > 0) return;
    best_valid_ = last_valid_;
    write_model(options_.out, best_valid_);
  }

  // Beside what decides about rates and the end: a stage must not change the training.
  void keep_stage(const fs::path& folder, Curve& curve) {
    const double loss = validation_loss();
    curve.valid(step(), seen_, loss);
    write_model(folder, loss);
  }

  void write_model(const fs::path& folder, double valid_loss) const {
    write_lstm_folder(folder, net_, vocab_, {options_.pieces, truecased(options_.corpus)},
                      options_.half, card(valid_loss));
  }

  // A short training has no time for a long start.
  double adam_scale() const {
    return rate_scale(seen_, plan_.total(), std::min(200e3, plan_.total() / 20), 0.5);
  }

  void train_step() {
    const int64_t time = std::min<int64_t>(options_.bptt, stream_.size(0) - 1 - at_);
    const auto words = stream_.narrow(0, at_, time);
    auto targets = stream_.narrow(0, at_ + 1, time).reshape({-1});
    at_ += time;
    const Candidates candidates = sampler_.sample(targets, random_);
    const auto hidden = net_.hidden(words, state_, {options_.dropout, options_.bf16});
    const auto loss = [&] {
      const Autocast autocast(options_.bf16);
      return net_.loss(hidden, targets, candidates);
    }();
    const double value = loss.item<double>();
    if (divergence_.seen(value)) throw diverged(step(), value, saved_step_, "--rate");
    loss.backward();
    clip();
    if (options_.adam)
      optimizer_.step(adam_scale());
    else
      optimizer_.plain_step(rate_);
    losses_.add(value);
    seen_ += double(time * options_.batch);
  }

  void clip() {
    torch::NoGradGuard no_grad;
    double squares = 0;
    for (const auto& [name, p] : net_.parameters())
      if (p.grad().defined()) squares += std::pow(p.grad().norm().item<double>(), 2);
    const double norm = std::sqrt(squares);
    if (norm <= options_.clip) return;
    for (const auto& [name, p] : net_.parameters())
      if (p.grad().defined()) p.grad().mul_(options_.clip / norm);
  }

  static std::vector<double> shares(const WordText& text, size_t vocabulary) {
    std::vector<double> out(vocabulary, 0.0);
    for (const int32_t word : text.words)
      out[static_cast<size_t>(word)] += 1.0 / double(text.words.size());
    return out;
  }

  double validation_loss() {
    torch::NoGradGuard no_grad;
    const int64_t batch = std::min<int64_t>(10, static_cast<int64_t>(valid_.words.size()) / 8 + 1);
    const auto stream = streams(valid_, epoch_order(valid_.size(), 7, 0), ids_[kEnd], batch);
    LstmState state = net_.zero_state(batch);
    double sum = 0, n = 0;
    for (int64_t at = 0; at + 1 < stream.size(0) && n < 2e5; at += options_.bptt) {
      const int64_t time = std::min<int64_t>(options_.bptt, stream.size(0) - 1 - at);
      const auto scores =
          torch::log_softmax(net_.logits(net_.hidden(stream.narrow(0, at, time), state)), 1);
      sum += torch::nll_loss(scores, stream.narrow(0, at + 1, time).reshape({-1}), {},
                             at::Reduction::Sum)
                 .item<double>();
      n += double(time * batch);
    }
    return sum / n;
  }

  bool checkpoint_due(const Stopwatch& watch) const {
    if (options_.checkpoint_steps > 0) return step() % options_.checkpoint_steps == 0;
    return watch.seconds() > 60 * options_.checkpoint_minutes;
  }

  fs::path checkpoint() const { return options_.out / "checkpoint.pt"; }

  void save() {
    TrainingState state;
    keep_tensors(state, "p.", net_.parameters());
    keep_tensors(state, "s.", optimizer_.state());
    state.tensors["h"] = state_.h;
    state.tensors["c"] = state_.c;
    state.tensors["random"] = random_tensor(random_);
    state.tensors["dropout"] = at::detail::getDefaultCPUGenerator().get_state();
    state.numbers = {{"step", double(step())},
                     {"seen", seen_},
                     {"at", double(at_)},
                     {"epoch", double(epoch_)},
                     {"rate", rate_},
                     {"full_rate", full_rate(options_)},
                     {"best", best_valid_},
                     {"last", last_valid_},
                     {"since_best", double(since_best_)},
                     {"loss_sum", losses_.sum},
                     {"loss_n", double(losses_.n)}};
    save_state(checkpoint(), state);
    saved_step_ = step();
  }

  void resume() {
    if (!fs::exists(checkpoint())) return;
    const TrainingState state = load_state(checkpoint());
    restore_tensors(state, "p.", net_.parameters(), checkpoint());
    restore_tensors(state, "s.", optimizer_.state(), checkpoint());
    const auto number = [&](const char* name) { return state.numbers.at(name); };
    optimizer_.set_steps(static_cast<int64_t>(number("step")));
    epoch_ = static_cast<uint64_t>(number("epoch"));
    start_epoch();
    state_ = {state.tensors.at("h").detach(), state.tensors.at("c").detach()};
    random_ = random_from(state.tensors.at("random"));
    at::Generator dropout = at::detail::getDefaultCPUGenerator();
    dropout.set_state(state.tensors.at("dropout").to(torch::kUInt8));
    saved_step_ = step();
    seen_ = number("seen");
    at_ = static_cast<int64_t>(number("at"));
    // Another rate was asked for than before: it counts, whatever the old one had become.
    const auto before = state.numbers.find("full_rate");
    if (before == state.numbers.end() || before->second == full_rate(options_))
      rate_ = number("rate");
    best_valid_ = number("best");
    last_valid_ = number("last");
    since_best_ = static_cast<int>(number("since_best"));
    losses_ = {number("loss_sum"), static_cast<uint64_t>(number("loss_n"))};
    plan_.measure(seen_, 1000);
    if (!options_.quiet) fmt::print(stderr, "resumed after {}\n", counted(step(), "step"));
  }

  CardRows card(double valid_loss) const {
    const LstmShape& s = net_.shape();
    return {{"architecture", fmt::format("LSTM, {}, {} hidden, {}-dimensional embeddings{}",
                                         counted(static_cast<uint64_t>(s.layers), "layer"),
                                         s.hidden, s.embedding, s.tied ? ", tied" : "")},
            {"vocabulary", count_text(vocab_.size()) + (options_.pieces ? " pieces" : " words")},
            {"sentences", count_text(train_.size())},
            {"trained on", count_text(static_cast<uint64_t>(seen_)) + " words"},
            {"validation perplexity", perplexity_text(valid_loss)},
            {"stored as", options_.half ? "fp16" : "fp32"},
            {"seed", std::to_string(options_.seed)}};
  }

  const TrainLstmOptions& options_;
  Plan plan_;  // first: reading the text takes its time, too
  std::vector<std::string> vocab_;
  WordIds ids_;
  WordText train_, valid_;
  Lstm net_;
  Optimizer optimizer_;
  Random random_;
  CandidateSampler sampler_;
  Divergence divergence_;
  torch::Tensor stream_;
  LstmState state_;
  int64_t at_ = 0;
  uint64_t epoch_ = 0, saved_step_ = 0;
  double rate_, seen_ = 0, best_valid_ = 1e9, last_valid_ = 1e9;
  int since_best_ = 0;
  MeanLoss losses_;
};

}  // namespace

TrainResult train_lstm(const TrainLstmOptions& options) {
  set_threads(options.threads);
  return LstmTraining(options).run();
}

}  // namespace minpair::train
