#include "store/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "store/checksum.h"
#include "store/sqlite.h"

namespace minpair::store {

std::vector<SummaryRow> read_summary(Database& database, int64_t run) {
  Statement s(database,
              "SELECT test, condition, language, excluded, equal_lengths, norm, first_ordinal, "
              "items, correct, ties, unavailable, pairs_right, pairs_tied, " +
                  is_whole("summary") + " FROM summary WHERE run = ?");
  s.bind(run);
  std::vector<SummaryRow> rows;
  while (s.step()) {
    if (!s.integer(13))
      throw damaged(database, fmt::format("the summary of run {}, test '{}',", run, s.text(0)));
    SummaryRow r;
    r.test = s.string(0);
    r.condition = s.string(1);
    r.language = s.string(2);
    r.excluded = judge::find_reason(s.text(3));
    r.equal_lengths = s.integer(4) != 0;
    r.view = judge::find_view(s.text(5));
    r.first_ordinal = uint64_t(s.integer(6));
    r.counts = {uint64_t(s.integer(7)),
                uint64_t(s.integer(8)),
                uint64_t(s.integer(9)),
                uint64_t(s.integer(10)),
                s.real(11),
                s.real(12),
                graded(r.view)};
    rows.push_back(std::move(r));
  }
  return rows;
}

Judged judge_all(const judge::Judge& judge, const suite::Item& item,
                 const std::vector<judge::SentenceScore>& sentences,
                 const std::vector<judge::View>& views) {
  Judged judged;
  for (const judge::View& view : views)
    judged.verdicts[index_of(view)] = judge.verdict(item, sentences, view);
  // The sentences of a design are not to be of one length.
  judged.equal_lengths = item.design || judge::equal_lengths(sentences);
  return judged;
}

// Sums of shares depend on the order in which items were added, in their last bits.
bool SummaryTable::says_the_same(const SummaryTable& other) const {
  auto close = [](double a, double b) { return std::fabs(a - b) <= 1e-9 * (1 + std::fabs(a)); };
  return std::equal(rows_.begin(), rows_.end(), other.rows_.begin(), other.rows_.end(),
                    [&](const auto& a, const auto& b) {
                      const judge::Counts &x = a.second.counts, &y = b.second.counts;
                      return a.first == b.first &&
                             a.second.first_ordinal == b.second.first_ordinal &&
                             x.items == y.items && x.right == y.right && x.ties == y.ties &&
                             x.undefined == y.undefined && close(x.pairs_right, y.pairs_right) &&
                             close(x.pairs_tied, y.pairs_tied);
                    });
}

void SummaryTable::load(Database& database, int64_t run) {
  for (SummaryRow& r : read_summary(database, run)) {
    Key key{r.test, r.condition, r.language, r.excluded, r.equal_lengths, index_of(r.view)};
    rows_[key] = std::move(r);
  }
}

void SummaryTable::add(const suite::Item& item, uint64_t ordinal, judge::Reason excluded,
                       bool equal, const std::vector<judge::View>& views,
                       const Verdicts& verdicts) {
  for (const judge::View& view : views) {
    Key key{item.test, item.condition, item.language, excluded, equal, index_of(view)};
    auto [at, fresh] = rows_.try_emplace(std::move(key));
    SummaryRow& r = at->second;
    if (fresh) r = {item.test, item.condition, item.language, excluded, equal, view, ordinal};
    r.first_ordinal = std::min(r.first_ordinal, ordinal);
    if (excluded == judge::Reason::none)
      r.counts.add(verdicts[index_of(view)]);
    else
      ++r.counts.items;
  }
}

void SummaryTable::save(Database& database, int64_t run) const {
  Statement(database, "DELETE FROM summary WHERE run = ?").bind(run).run();
  Statement insert(database, "INSERT INTO summary " + values_with_checksum(14));
  for (const auto& [key, r] : rows_)
    insert.bind(run)
        .bind(r.test)
        .bind(r.condition)
        .bind(r.language)
        .bind(key_of(r.excluded))
        .bind(int64_t{r.equal_lengths})
        .bind(name_of(r.view))
        .bind(int64_t(r.first_ordinal))
        .bind(int64_t(r.counts.items))
        .bind(int64_t(r.counts.right))
        .bind(int64_t(r.counts.ties))
        .bind(int64_t(r.counts.undefined))
        .bind(r.counts.pairs_right)
        .bind(r.counts.pairs_tied)
        .run();
}

}  // namespace minpair::store
