#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/paths.h"
#include "report/report.h"

namespace minpair::report {
namespace {

using Json = nlohmann::ordered_json;

Json key_of(const Table& table, const Row& row, const std::string& name) {
  for (size_t i = 0; i < table.by.size(); ++i)
    if (table.by[i] == name && !row.keys[i].empty()) return row.keys[i];
  return nullptr;
}

Json published_of(const Table& table, const Row& row) {
  Json all = Json::array();
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Cell& cell = row.cells[c];
    if (!table.columns[c].published || !cell.present) continue;
    Json one = {{"model", table.columns[c].model}, {"accuracy", cell.accuracy}};
    if (cell.tally.pairs > 0) one["pairs"] = cell.tally.pairs;
    if (!cell.source.empty()) one["source"] = cell.source;
    all.push_back(one);
  }
  return all;
}

Json result_of(const Table& table, const Row& row, size_t c) {
  const Column& column = table.columns[c];
  const Cell& cell = row.cells[c];
  Json j = {{"model", column.model},
            {"method", column.method},
            {"norm", column.norm},
            {"lengths", column.lengths.empty() ? Json(nullptr) : Json(column.lengths)},
            {"suite", table.suite},
            {"test", key_of(table, row, "test")},
            {"condition", key_of(table, row, "condition")}};
  for (const std::string& name : table.by)
    if (name != "test" && name != "condition") j[name] = key_of(table, row, name);
  j["items"] = cell.tally.items;
  j["pairs"] = cell.tally.pairs;
  j["correct"] = cell.tally.correct;
  j["ties"] = cell.tally.ties;
  j["accuracy"] = cell.tally.pairs ? Json(cell.accuracy) : Json(nullptr);
  j["ci_low"] = std::isnan(cell.interval.low) ? Json(nullptr) : Json(cell.interval.low);
  j["ci_high"] = std::isnan(cell.interval.high) ? Json(nullptr) : Json(cell.interval.high);
  j["ci_method"] = name_of(cell.method);
  j["clusters"] = cell.clusters;
  if (column.seeds > 0) {
    j["seeds"] = column.seeds;
    j["sd"] = cell.deviation;
  }
  j["excluded"] = Json::object();
  for (const auto& [reason, n] : cell.tally.excluded)
    j["excluded"][std::string(key_of(reason))] = n;
  j["published"] = published_of(table, row);
  return j;
}

}  // namespace

std::string json_tables(const std::vector<Table>& tables) {
  Json all = {{"minpair", version()},    {"policies", Json::array()}, {"results", Json::array()},
              {"totals", Json::array()}, {"account", Json::array()},  {"notes", Json::array()},
              {"runs", Json::array()}};
  for (const Table& t : tables) {
    for (const std::string& p : t.policies)
      if (std::find(all["policies"].begin(), all["policies"].end(), p) == all["policies"].end())
        all["policies"].push_back(p);
    for (size_t c = 0; c < t.columns.size(); ++c) {
      if (t.columns[c].published) continue;
      for (const Row& row : t.rows)
        if (row.cells[c].present) all["results"].push_back(result_of(t, row, c));
      all["totals"].push_back(result_of(t, t.total, c));
    }
    for (const std::string& line : t.account) all["account"].push_back(line);
    for (const std::string& line : t.notes) all["notes"].push_back(line);
    for (const Table::Run& r : t.runs)
      all["runs"].push_back(
          {{"suite", t.suite}, {"model", r.model}, {"method", r.method}, {"facts", r.facts}});
  }
  return json_text(all, 1) + "\n";
}

}  // namespace minpair::report
