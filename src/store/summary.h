#pragma once
// Counts by test, condition, language, reason and lengths, under every view: reports of
// any size of run read only this.

#include <map>
#include <tuple>

#include "judge/criterion.h"
#include "store/pack.h"
#include "store/store.h"

namespace minpair::store {

class Database;

// Of one item.
struct Judged {
  Verdicts verdicts;
  bool equal_lengths = true;
};
Judged judge_all(const judge::Judge& judge, const suite::Item& item,
                 const std::vector<judge::SentenceScore>& sentences,
                 const std::vector<judge::View>& views);

class SummaryTable {
 public:
  void load(Database& database, int64_t run);
  // Counted under `views` alone.
  void add(const suite::Item& item, uint64_t ordinal, judge::Reason excluded, bool equal,
           const std::vector<judge::View>& views, const Verdicts& verdicts);
  void save(Database& database, int64_t run) const;
  bool says_the_same(const SummaryTable& other) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string, judge::Reason, bool, size_t>;
  std::map<Key, SummaryRow> rows_;
};

std::vector<SummaryRow> read_summary(Database& database, int64_t run);

}  // namespace minpair::store
