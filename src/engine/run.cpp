#include "base/counts.h"
#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.h"
#include "base/progress.h"
#include "engine/journal.h"
#include "engine/pass.h"
#include "engine/plan.h"
#include "method/words.h"

namespace minpair::engine {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::unique_ptr<method::VocabularyWords> words_for(
    const SuiteSource& suite, const query::Model& model,
    const std::vector<const method::Method*>& methods, const RunOptions& options) {
  bool wanted = std::any_of(methods.begin(), methods.end(),
                            [](const method::Method* m) { return m->info().cloze; });
  const std::filesystem::path& file = options.lexicon.empty() ? suite.lexicon : options.lexicon;
  if (!wanted || file.empty()) return nullptr;
  return std::make_unique<method::VocabularyWords>(file, model.tokenizer(), model.info().vocabulary,
                                                   options.min_words);
}

// Scores of clozes depend on the words as well.
judge::MethodInfo with_words(const method::Method& method, const method::VocabularyWords* words) {
  judge::MethodInfo info = method.info();
  if (info.cloze && words) info.words = words->fingerprint();
  return info;
}

class Run {
 public:
  Run(store::Store* store, const SuiteSource& suite, query::Model& model,
      const std::vector<const method::Method*>& methods, const RunOptions& options,
      Executor* executor)
      : store_(store),
        suite_(suite),
        model_(model),
        executor_(executor),
        record_(record_of(model)),
        options_(options),
        pass_{suite,
              options.selection,
              options.context.empty() ? suite.manifest.context : options.context,
              {}},
        words_(words_for(suite, model, methods, options)),
        planner_(model, methods, plan_options(store, options), words_.get()) {
    report_.suite = suite.manifest.name;
    if (!options.name.empty()) take_name(options.name);
    report_.model = record_.name;
    for (const method::Method* m : methods) {
      report_.methods.push_back(m->name());
      infos_.push_back(with_words(*m, words_.get()));
    }
  }

  RunReport go() {
    Clock::time_point start = Clock::now();
    plan();
    if (options_.dry_run) {
      report_.counts = planner_.counts();
      report_.estimated_seconds = planner_.estimate_seconds();
    } else {
      answer_and_store();
    }
    report_.seconds = seconds_since(start);
    return report_;
  }

 private:
  static PlanOptions plan_options(store::Store* store, const RunOptions& options) {
    PlanOptions plan = options.plan;
    if (store && store->path().has_parent_path()) plan.scratch = store->path().parent_path();
    return plan;
  }

  // Every shard plans the whole, to find its own part of it.
  void plan_shards() {
    Planner whole(model_, planner_.methods(), plan_options(store_, options_), words_.get());
    whole.plan([&](const EachItem& each) { pass_.each(each, true); });
    pass_.shard = whole.items_of(options_.shard);
    whole_plan_ = hex_of(whole.key());
  }

  // Methods for clozes judge nothing else, except lemma-pairs, given a list of words; the others
  // judge no clozes. Who asks for what would exclude every item is told so before all of them are
  // planned. The first item that can be judged ends the search.
  void check_clozes() const {
    if (!options_.lexicon.empty()) return;
    const bool for_clozes = infos_.front().cloze;
    for (const judge::MethodInfo& info : infos_)
      if (info.cloze != for_clozes) return;
    std::unique_ptr<suite::ItemStream> stream = suite_.open();
    uint64_t items = 0;
    for (suite::Item item; stream->next(item); ++items)
      if (bool(item.cloze) == for_clozes) return;
    if (items == 0) return;
    const std::string& method = infos_.front().name;
    if (for_clozes)
      throw bad_input(
          fmt::format("no item of '{}' ({} in all) is a cloze, and '{}' judges no others",
                      suite_.manifest.name, count_text(items), method))
          .hint("without --method, the default for sentences is taken");
    throw bad_input(fmt::format("every item of '{}' ({} in all) is a cloze, and '{}' judges none",
                                suite_.manifest.name, count_text(items), method))
        .hint("--method lemma-pairs does with any model, feature-class with masked ones");
  }

  void plan() {
    check_clozes();
    if (!options_.shard.whole()) plan_shards();
    int64_t model = store_ ? store_->find_model(record_) : 0;
    std::vector<bool> known;
    for (const judge::MethodInfo& info : infos_)
      known.push_back(model != 0 && store_->has_scores(model, info));
    planner_.plan(
        [&](const EachItem& each) {
          pass_.each(
              [&](uint64_t ordinal, const suite::Item& item) {
                report_.retokenized += method::retokenized_by_context(item, model_.tokenizer());
                each(ordinal, item);
              },
              true);
        },
        [&](uint64_t, const suite::Item& item, size_t m) {
          bool stored = known[m] && store_->has_score(model, infos_[m], item);
          report_.stored_before += stored;
          return stored;
        });
    if (pass_.selected == 0) throw nothing_selected(pass_);
    report_.suite_items = pass_.all;
    report_.selected = pass_.selected;
  }

  void answer_and_store() {
    std::unique_ptr<AnswerJournal> journal;
    if (planner_.counts().asked > 0) {
      journal = std::make_unique<AnswerJournal>(
          journal_path(), JobKey{hash128(pass_.content.text()), planner_.key(),
                                 fmt::format("the suite '{}'", suite_.manifest.name)});
      answer(*journal);
    } else {
      remove_left_over(journal_path());
    }
    report_.counts = planner_.counts();
    Clock::time_point start = Clock::now();
    store_all();
    if (journal) journal->remove();
    report_.store_seconds = seconds_since(start);
  }

  // Named by what the command asks for, neither by what it reads nor by what is left to do: the
  // same command finds the journal, also when the suite has changed or everything was stored.
  std::filesystem::path journal_path() const {
    std::string wanted = suite_.called + '\n' + suite_.manifest.name + '\n' +
                         options_.context_file + '\n' + shard_text(options_.shard);
    for (const std::string& name : {record_.fingerprint, record_.precision, record_.tokenizer})
      wanted += '\n' + name;
    for (const judge::MethodInfo& info : infos_)
      wanted += fmt::format("\n{} {} {}", info.name, info.version, info.words);
    for (const auto* names :
         {&options_.selection.tests, &options_.selection.conditions, &options_.selection.languages})
      wanted += '\n' + join(*names, "\t");
    wanted +=
        fmt::format("\n{} {} {} {}\n{}", options_.selection.limit, options_.selection.sample,
                    options_.selection.per, options_.selection.seed, options_.selection.where);
    return journal_file(store_->path(), wanted);
  }

  void answer(AnswerJournal& journal) {
    Clock::time_point start = Clock::now();
    Progress progress(fmt::format("{}: {}", record_.name, suite_.manifest.name),
                      planner_.counts().tokens, options_.quiet);
    const uint64_t total = planner_.counts().tokens;
    auto tick = [&](uint64_t tokens) {
      progress.set(tokens, "tokens");
      if (options_.tick) options_.tick(tokens, total);
    };
    planner_.answer(tick, &journal, executor_);
    report_.resumed = planner_.answered_from_journal();
    report_.model_seconds = seconds_since(start);
  }

  // A results file has each model once, under the name it came with.
  void take_name(const std::string& name) {
    record_.name = name;
    const int64_t known = store_ ? store_->find_model(record_) : 0;
    if (known == 0) return;
    for (const store::RunRecord& run : store_->runs())
      if (run.model.id == known && run.model.name != name)
        throw wrong_call(
            fmt::format("these results already have this model, as '{}'", run.model.name))
            .hint("leave --name out, or write to another file with -o");
  }

  void store_all() {
    std::string fingerprint = pass_.content.text();
    uint64_t all = pass_.all;
    store::Store::Transaction transaction(*store_);
    int64_t suite = store_->add_suite({0, suite_.manifest.name, fingerprint, all, suite_.manifest});
    int64_t model = store_->add_model(record_);
    std::vector<int64_t> runs;
    store::Facts facts = facts_of(suite_, model_, planner_.methods(), options_);
    if (words_) facts["words"] = words_->fingerprint().substr(0, 16);
    for (const judge::MethodInfo& info : infos_)
      runs.push_back(store_->add_run(suite, model, info, facts));
    std::optional<uint32_t> distance;
    planner_.assemble([&](const EachItem& each) { pass_.each(each, false); },
                      [&](Scored& s) {
                        // The methods of an item come one after the other.
                        if (s.method == 0)
                          distance = method::distance_in_pieces(s.item, model_.tokenizer());
                        if (s.skipped)
                          return store_->copy_score(runs[s.method], s.ordinal, s.item, distance);
                        report_.excluded += s.excluded != judge::Reason::none;
                        judge::measure(s.item, infos_[s.method].scope, s.sentences);
                        store_->add_score(runs[s.method], s.ordinal, s.item, s.excluded,
                                          s.sentences, distance);
                      });
    for (int64_t run : runs) {
      store_->finish_run(run);
      if (!options_.shard.whole())
        store_->add_shard(run, {options_.shard.number, options_.shard.of, whole_plan_});
    }
    check_unchanged(inputs_.files());
    check_unchanged(model_.files);
    transaction.commit();
    report_.runs = runs;
  }

  RecordedInputs inputs_;  // first: all that is read from here on
  store::Store* store_;
  SuiteSource suite_;
  query::Model& model_;
  Executor* executor_;
  store::ModelRecord record_;
  RunOptions options_;
  Pass pass_;
  std::string whole_plan_;  // names what is split into shards
  std::unique_ptr<method::VocabularyWords> words_;
  std::vector<judge::MethodInfo> infos_;  // parallel to the planner's methods
  Planner planner_;
  RunReport report_;
};

}  // namespace

store::ModelRecord record_of(const query::Model& model) {
  const query::ModelInfo& info = model.info();
  return {0,
          info.name,
          info.fingerprint,
          model.tokenizer().fingerprint(),
          info.precision,
          std::string(query::key_of(info.kind)),
          info.architecture,
          info.parameters,
          info.notes};
}

RunReport run_suite(store::Store* store, const SuiteSource& suite, query::Model& model,
                    const std::vector<const method::Method*>& methods, const RunOptions& options,
                    Executor* executor) {
  for (bool waited = false;; waited = true) try {
      return Run(store, suite, model, methods, options, executor).go();
    } catch (const JournalInUse& busy) {
      // The same command, begun twice: what the other one stores is then there.
      if (!waited && !options.quiet)
        fmt::print(stderr, "{}: another minpair works on this run; waiting for it\n",
                   suite.manifest.name);
      wait_until_free(busy.file, [&] {
        if (options.tick) options.tick(0, 0);
      });
    }
}

void self_test(query::Model& model) {
  uint32_t vocabulary = model.info().vocabulary;
  auto broken = [](const std::string& what) {
    return cannot("the self-test failed: " + what)
        .hint("this build or this machine computes wrong numbers; nothing was scored");
  };
  std::vector<tokenizer::TokenId> ids =
      method::encoded({"The cat sleeps ."}, model.tokenizer(), {}).ids;
  if (ids.empty() || vocabulary == 0) throw broken("the tokenizer gives nothing");
  query::Targets all;
  for (uint32_t t = 0; t < vocabulary; ++t) all.ids.push_back(tokenizer::TokenId(t));
  // In the middle, and of a mask: some models say nothing about a sentence's first token, some
  // masked ones nothing about a token that they see.
  const uint32_t middle = uint32_t(ids.size() / 2);
  if (tokenizer::TokenId mask = model.tokenizer().special().mask;
      mask >= 0 && model.info().kind == query::ModelInfo::Kind::masked)
    ids[middle] = mask;
  query::Query shorter{
      {ids.begin(), ids.begin() + middle + 1}, {{middle, query::Targets{{ids[0]}}}}, {}};
  query::Query whole{std::move(ids), {{middle, std::move(all)}}, {}};
  query::Answer alone = model.answer({&whole, 1}).at(0);
  std::vector<query::Answer> batch =
      model.answer(std::vector<query::Query>{shorter, whole, shorter});
  if (batch.at(1) != alone) throw broken("an answer depends on the batch it is in");
  double sum = 0;
  for (uint32_t t = 0; t < vocabulary; ++t) sum += std::exp(logits_of(alone[0]).logprob(t));
  if (std::fabs(sum - 1) < 1e-3) return;
  // An ARPA file says its probabilities itself: nothing is computed that could be wrong.
  if (model.info().kind == query::ModelInfo::Kind::ngram)
    throw bad_input(fmt::format("the probabilities after a word sum to {} instead of 1", sum))
        .at(model.info().name)
        .hint(
            "the ARPA file is damaged, or its back-off weights do not belong to it; make it again");
  throw broken(fmt::format("probabilities sum to {} instead of 1", sum));
}

}  // namespace minpair::engine
