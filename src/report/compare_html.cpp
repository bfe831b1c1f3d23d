#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/paths.h"
#include "report/html_parts.h"
#include "report/labels.h"
#include "report/views.h"

namespace minpair::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json test_json(const ComparedTest& t) {
  return {{"test", t.test},
          {"items", t.items},
          {"clusters", t.clusters},
          {"first", t.first},
          {"second", t.second},
          {"difference", t.difference.value},
          {"low", number(t.difference.interval.low)},
          {"high", number(t.difference.interval.high)},
          {"only_first", t.pairs.only_first},
          {"only_second", t.pairs.only_second},
          {"mcnemar", t.mcnemar},
          {"p", t.difference.p},
          {"smallest_p", stats::smallest_p(t.clusters)},
          {"holm", t.holm},
          {"benjamini_hochberg", t.benjamini_hochberg},
          {"detectable", number(t.detectable)}};
}

Json sentences_json(const std::vector<suite::Sentence>& sentences) {
  Json all = Json::array();
  for (const suite::Sentence& s : sentences)
    all.push_back({s.text, utf16_of_byte(s.text, s.locus.begin), utf16_of_byte(s.text, s.locus.end),
                   s.grammatical ? 1 : 0});
  return all;
}

Json flip_json(const Flip& f) {
  return {{"id", f.item.id},
          {"test", f.item.test},
          {"condition", f.item.condition},
          {"first", f.first_right},
          {"margins", {number(f.first_margin), number(f.second_margin)}},
          {"sentences", sentences_json(f.item.sentences)},
          {"other", sentences_json(f.second)}};
}

Json comparison_json(const Comparison& c) {
  Json j = {{"title", c.title}, {"first", c.first}, {"second", c.second}};
  j["titles"] = c.titles;
  j["tests"] = Json::array();
  for (const ComparedTest& t : c.tests) j["tests"].push_back(test_json(t));
  j["total"] = test_json(c.total);
  j["flips"] = Json::array();
  for (const Flip& f : c.flips) j["flips"].push_back(flip_json(f));
  j["notes"] = grids_of(c, 0).front().notes;
  return j;
}

}  // namespace

void write_comparisons(const std::vector<Comparison>& comparisons,
                       const std::filesystem::path& file) {
  Json all = {{"made", "minpair " + version()}, {"comparisons", Json::array()}};
  for (const Comparison& c : comparisons) all["comparisons"].push_back(comparison_json(c));
  std::string block = base64(deflated(json_text(all)));
  write_file(file, page_with(page_script("comparison", block)));
}

}  // namespace minpair::report
