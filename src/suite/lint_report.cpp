#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/counts.h"
#include "base/json.h"
#include "suite/lint.h"

namespace minpair::suite {
namespace {

constexpr size_t kPlacesShown = 12;

const char* name_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    default:
      return "note";
  }
}

std::string place_of(const Finding& f) {
  std::string place = f.test;
  if (!f.condition.empty()) place += " " + f.condition;
  if (!f.other.empty()) place += fmt::format(" and {}", f.other);
  if (!f.file.empty() && f.file != f.test + "_" + f.condition)
    place += fmt::format(" (file {})", f.file);
  return place;
}

// All findings of one check: what it is, where, how often, and one example.
std::string kind_text(const std::vector<const Finding*>& same, uint64_t all_items) {
  uint64_t items = 0;
  for (const Finding* f : same) items += f->items;
  std::string text = fmt::format("{}: {}", name_of(same[0]->severity), same[0]->message);
  bool everywhere = items == all_items && same.size() > 1;
  if (everywhere)
    text += ", in all items";
  else if (items > 0)
    text += fmt::format(", {}", counted(items, "item"));
  text += '\n';
  for (size_t i = 0; i < same.size() && !everywhere; ++i) {
    if (i == kPlacesShown) {
      text += fmt::format("    and {}\n", counted(same.size() - i, "more place"));
      break;
    }
    const Finding& f = *same[i];
    if (f.items > 0)
      text += fmt::format("    {:>7} of {:<7} {}\n", count_text(f.items), count_text(f.of),
                          place_of(f));
    else
      text += fmt::format("    {}: {}\n", place_of(f), f.example);
  }
  if (!same[0]->example_id.empty())
    text += fmt::format("    e.g. {}: {}\n", same[0]->example_id, same[0]->example);
  return text;
}

// What the tables' intervals will stand on, where that is little.
std::string clusters_text(const LintReport& report) {
  std::string text;
  if (!report.states_clusters && report.items > 1)
    text =
        "\nclusters: the suite states none; tables take items with the same words at the locus as "
        "one\n";
  if (report.few_clusters.empty()) return text;
  text += "\nfew clusters\n";
  for (size_t i = 0; i < report.few_clusters.size() && i < kPlacesShown; ++i) {
    const LintReport::FewClusters& few = report.few_clusters[i];
    text += fmt::format("    {}: {}: no p below {}\n", few.test, counted(few.clusters, "cluster"),
                        few.smallest_p());
  }
  if (report.few_clusters.size() > kPlacesShown)
    text += fmt::format("    and {} more\n", report.few_clusters.size() - kPlacesShown);
  return text +
         "    add words, or say what varies: 'subject:' in a grammar, a column or field 'cluster' "
         "elsewhere\n";
}

}  // namespace

std::string lint_text(const LintReport& report, const std::string& name) {
  std::string text = fmt::format("{}: {} in {}\n", name, counted(report.items, "item"),
                                 counted(report.tests, "test"));
  for (size_t i = 0; i < report.findings.size();) {
    std::vector<const Finding*> same;
    const std::string& check = report.findings[i].check;
    for (; i < report.findings.size() && report.findings[i].check == check; ++i)
      same.push_back(&report.findings[i]);
    text += "\n" + kind_text(same, report.items);
  }
  if (!report.single_piece.empty()) {
    text += "\nminimal sets whose focus words are all single pieces\n";
    bool several = false;
    for (const SinglePieceSets& s : report.single_piece)
      several |= s.language != report.single_piece[0].language;
    for (const SinglePieceSets& s : report.single_piece)
      text += fmt::format("    {:>7} of {:<7} {}{}\n", count_text(s.single), count_text(s.sets),
                          several ? s.language + " " : "", s.test);
  }
  text += clusters_text(report);
  if (report.findings.empty()) text += "nothing found\n";
  return text;
}

std::string lint_json(const LintReport& report, const std::string& name) {
  nlohmann::ordered_json root = {{"suite", name},
                                 {"items", report.items},
                                 {"tests", report.tests},
                                 {"items_with_errors", report.items_with_errors},
                                 {"states_clusters", report.states_clusters},
                                 {"few_clusters", nlohmann::ordered_json::array()}};
  for (const LintReport::FewClusters& few : report.few_clusters)
    root["few_clusters"].push_back(
        {{"test", few.test}, {"clusters", few.clusters}, {"smallest_p", few.smallest_p()}});
  root["findings"] = nlohmann::ordered_json::array();
  for (const Finding& f : report.findings) {
    nlohmann::ordered_json one = {{"check", f.check},
                                  {"severity", name_of(f.severity)},
                                  {"message", f.message},
                                  {"test", f.test},
                                  {"condition", f.condition}};
    if (!f.file.empty()) one["file"] = f.file;
    if (!f.other.empty()) one["other_test"] = f.other;
    one["items"] = f.items;
    one["of"] = f.of;
    one["example"] = {{"id", f.example_id}, {"text", f.example}};
    root["findings"].push_back(std::move(one));
  }
  if (!report.single_piece.empty())
    for (const SinglePieceSets& s : report.single_piece)
      root["single_piece"].push_back(
          {{"test", s.test}, {"language", s.language}, {"sets", s.sets}, {"single", s.single}});
  return json_text(root, 2) + "\n";
}

}  // namespace minpair::suite
