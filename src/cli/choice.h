#pragma once
// Which of the results are meant, and under which views: the same in `report` and `export`.

#include "cli/cli.h"
#include "introspect/kept.h"
#include "report/report.h"

namespace minpair::cli {

inline std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (std::string_view name : split(list, ','))
    if (!trim(name).empty()) names.emplace_back(trim(name));
  return names;
}

inline void set_views(report::ReportOptions& options, const std::string& norm) {
  options.all_views = norm == "all";
  if (!options.all_views)
    for (const std::string& name : names_in(norm)) options.views.push_back(judge::find_view(name));
}

inline introspect::EffectView effect_view(const report::ReportOptions& o) {
  return {o.wanted.suites, o.wanted.models, o.tests, o.conditions, o.languages};
}

inline void add_norm_option(Arguments& app, std::string& norm) {
  app.add_option("--norm", norm,
                 "sum, mean, word, char, byte, each also with -no-special; for clozes probability, "
                 "logit, equal-weight, model-weight; several with commas; 'all'; absent: each "
                 "method's own");
}

inline void add_choice_options(Arguments& app, judge::Wanted& wanted,
                               std::vector<std::string>& tests,
                               std::vector<std::string>& conditions,
                               std::vector<std::string>& languages) {
  app.add_option("-s,--suite", wanted.suites, "only this suite (repeatable)");
  app.add_option("-m,--model", wanted.models, "only this model (repeatable)");
  app.add_option("--method", wanted.methods, "only this method (repeatable)");
  app.add_option("--test", tests, "only this test (repeatable)");
  app.add_option("--condition", conditions, "only this condition (repeatable)");
  app.add_option("--language", languages, "only this language (repeatable)");
}

}  // namespace minpair::cli
