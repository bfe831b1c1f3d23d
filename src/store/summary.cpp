#include "store/summary.h"

#include "store/sqlite.h"

namespace minpair::store {

std::vector<SummaryRow> read_summary(Database& database, int64_t run) {
  Statement s(database,
              "SELECT test, condition, language, excluded, equal_lengths, norm, first_ordinal, "
              "items, correct, ties, unavailable, pairs_right, pairs_tied FROM summary "
              "WHERE run = ?");
  s.bind(run);
  std::vector<SummaryRow> rows;
  while (s.step()) {
    SummaryRow r;
    r.test = s.string(0);
    r.condition = s.string(1);
    r.language = s.string(2);
    r.excluded = s.string(3);
    r.equal_lengths = s.integer(4) != 0;
    r.norm = judge::find_norm(s.text(5));
    r.first_ordinal = uint64_t(s.integer(6));
    r.items = uint64_t(s.integer(7));
    r.correct = uint64_t(s.integer(8));
    r.ties = uint64_t(s.integer(9));
    r.unavailable = uint64_t(s.integer(10));
    r.pairs_right = s.real(11);
    r.pairs_tied = s.real(12);
    rows.push_back(std::move(r));
  }
  return rows;
}

void SummaryTable::load(Database& database, int64_t run) {
  for (SummaryRow& r : read_summary(database, run)) {
    Key key{r.test, r.condition, r.language, r.excluded, r.equal_lengths, judge::index_of(r.norm)};
    rows_[key] = std::move(r);
  }
}

void SummaryTable::add(const suite::Item& item, uint64_t ordinal, const std::string& excluded,
                       bool equal, const std::vector<judge::Norm>& views,
                       const std::array<judge::Verdict, judge::kNorms>& verdicts) {
  for (const judge::Norm& view : views) {
    size_t n = judge::index_of(view);
    Key key{item.test, item.condition, item.language, excluded, equal, n};
    auto [at, fresh] = rows_.try_emplace(std::move(key));
    SummaryRow& r = at->second;
    if (fresh) {
      r = {item.test, item.condition, item.language, excluded, equal, view, ordinal};
    }
    r.first_ordinal = std::min(r.first_ordinal, ordinal);
    ++r.items;
    if (!excluded.empty()) continue;
    const judge::Verdict& v = verdicts[n];
    r.correct += v.outcome == judge::Outcome::right;
    r.ties += v.outcome == judge::Outcome::tie;
    r.unavailable += v.outcome == judge::Outcome::unavailable;
    r.pairs_right += v.pairs_right;
    r.pairs_tied += v.pairs_tied;
  }
}

void SummaryTable::save(Database& database, int64_t run) const {
  Statement(database, "DELETE FROM summary WHERE run = ?").bind(run).run();
  Statement insert(database, "INSERT INTO summary VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (const auto& [key, r] : rows_)
    insert.bind(run)
        .bind(r.test)
        .bind(r.condition)
        .bind(r.language)
        .bind(r.excluded)
        .bind(int64_t{r.equal_lengths})
        .bind(judge::norm_name(r.norm))
        .bind(int64_t(r.first_ordinal))
        .bind(int64_t(r.items))
        .bind(int64_t(r.correct))
        .bind(int64_t(r.ties))
        .bind(int64_t(r.unavailable))
        .bind(r.pairs_right)
        .bind(r.pairs_tied)
        .run();
}

}  // namespace minpair::store
