#include "store/check.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "store/checksum.h"
#include "store/judgments.h"
#include "store/pack.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "store/summary.h"
#include "store/sweeps.h"

namespace minpair::store {
namespace {

constexpr size_t kMostFindings = 100;

class Check {
 public:
  explicit Check(Database& database) : database_(database) {}

  Checked run() {
    try {
      pages();
      rows();
      const CheckedEffects effects =
          check_effects(database_, [&](std::string what) { find(std::move(what)); });
      found_.sweeps = effects.sweeps, found_.effects = effects.items;
      // What is computed from damaged rows would only say the same again.
      if (found_.findings.empty()) meanings();
    } catch (const Error& e) {
      find(e.message());
    }
    return std::move(found_);
  }

 private:
  void find(std::string what) {
    if (found_.findings.size() < kMostFindings) found_.findings.push_back(std::move(what));
  }

  void pages() {
    Statement s(database_, "PRAGMA integrity_check(20)");
    while (s.step())
      if (s.text(0) != "ok") find("SQLite: " + s.string(0));
  }

  void rows() {
    try {
      read_judgments(database_.path());
    } catch (const Error& e) {
      find(e.message());
    }
    for (const CheckedTable& table : checked_tables()) {
      Statement s(database_, fmt::format("SELECT {} FROM {} WHERE NOT ({}) LIMIT {}", table.key,
                                         table.name, is_whole(table.name), kMostFindings));
      while (s.step()) {
        if (table.name == "scores") {
          find(score_called(database_, s.integer(0), uint64_t(s.integer(1))) + " is damaged");
          continue;
        }
        std::vector<std::string> key;
        for (int i = 0; i < s.columns(); ++i) key.push_back(s.string(i));
        find(fmt::format("the {} {} ({}) is damaged", table.what, join(key, ", "), table.key));
      }
    }
  }

  void meanings() {
    Statement s(database_,
                "SELECT run, runs.suite, norm, manifest, reads FROM runs JOIN suites ON suites.suite "
                "= runs.suite ORDER BY run");
    for (; s.step(); ++found_.runs) {
      judge_ = judge::Judge(suite::parse_manifest(s.text(3), database_.path().string()));
      reads_ = judge::parse_reads(s.text(4));
      meaning_of(s.integer(0), s.integer(1), judge::family_of(judge::find_view(s.text(2))));
    }
  }

  void meaning_of(int64_t run, int64_t suite, const std::vector<judge::View>& views) {
    Statement s(database_,
                "SELECT scores.ordinal, excluded, equal_lengths, outcomes, tokens, content, item "
                "FROM scores LEFT JOIN items ON items.suite = ? AND items.ordinal = "
                "scores.ordinal WHERE run = ? ORDER BY scores.ordinal");
    s.bind(suite).bind(run);
    SummaryTable counted, stored;
    for (; s.step(); ++found_.scores) {
      auto ordinal = uint64_t(s.integer(0));
      try {
        count(s, ordinal, views, counted);
      } catch (const Error& e) {
        find(score_called(database_, run, ordinal) + ": " + e.message());
      }
    }
    stored.load(database_, run);
    if (!counted.says_the_same(stored))
      find(fmt::format("the summary of run {} does not say what its scores say", run));
  }

  void count(const Statement& s, uint64_t ordinal, const std::vector<judge::View>& views,
             SummaryTable& counted) {
    if (s.is_null(6)) throw bad_input("its item is missing");
    parser_.parse(s.text(6), {}, item_);
    if (s.text(5) != bytes_of(judge::content_of(item_, reads_)))
      throw bad_input("it belongs to other sentences");
    judge::Reason excluded = judge::find_reason(s.text(1));
    Judged judged;
    if (excluded == judge::Reason::none) {
      std::vector<judge::SentenceScore> scores = unpack_scores(s.text(4));
      for (const judge::SentenceScore& sentence : scores)
        for (const judge::TokenScore& t : sentence.tokens)
          if (std::isnan(t.logprob)) throw bad_input("a log-probability is not a number");
      judged = judge_all(judge_, item_, scores, views);
      if (pack_outcomes(judged.verdicts, views) != uint32_t(s.integer(3)) ||
          judged.equal_lengths != (s.integer(2) != 0))
        throw bad_input("the stored verdict is not that of its log-probabilities");
    }
    counted.add(item_, ordinal, excluded, judged.equal_lengths, views, judged.verdicts);
  }

  Database& database_;
  Checked found_;
  suite::ItemParser parser_;
  suite::Item item_;
  judge::Judge judge_;  // of the run at hand
  judge::Reads reads_;  // of its method
};

}  // namespace

Checked check_results(const std::filesystem::path& path) {
  std::unique_ptr<Database> database = open_to_read(path);
  return Check(*database).run();
}

}  // namespace minpair::store
