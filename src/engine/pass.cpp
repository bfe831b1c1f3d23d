#include "engine/pass.h"

#include <fmt/format.h>

#include <queue>

#include "base/names.h"
#include "base/random.h"
#include "engine/selected.h"

namespace minpair::engine {

bool Pass::wants(const suite::Item& item) {
  return filter.holds(item) && all_or_among(selection.tests, item.test) &&
         all_or_among(selection.conditions, item.condition) &&
         all_or_among(selection.languages, item.language);
}

// An item's place alone decides its number, so that a larger sample contains the smaller one.
uint64_t Pass::number(uint64_t ordinal) const {
  return Random(selection.seed * 0x9e3779b97f4a7c15 + ordinal).next();
}

std::string Pass::drawn_for(const suite::Item& item) const {
  if (selection.per.empty()) return {};
  return selection.per == "test" ? item.test : item.test + '\0' + item.condition;
}

void Pass::draw() {
  drawn = true;
  if (selection.sample == 0) return;
  std::map<std::string, std::priority_queue<uint64_t>> smallest;
  std::unique_ptr<suite::ItemStream> stream = suite.open();
  uint64_t ordinal = 0;
  for (suite::Item item; stream->next(item); ++ordinal) {
    if (!wants(item)) continue;
    std::priority_queue<uint64_t>& own = smallest[drawn_for(item)];
    own.push(number(ordinal));
    if (own.size() > selection.sample + 1) own.pop();
  }
  for (const auto& [name, own] : smallest)
    drawn_below[name] = own.size() > selection.sample ? own.top() : UINT64_MAX;
}

bool Pass::is_drawn(const suite::Item& item) const {
  return selection.sample == 0 || number(all) < drawn_below.at(drawn_for(item));
}

void Pass::each(const EachItem& item_wanted, bool naming) {
  if (!drawn) draw();
  all = selected = 0;
  if (naming) content = {};
  std::unique_ptr<suite::ItemStream> stream = suite.open();
  std::string line;
  for (suite::Item item; stream->next(item); ++all) {
    for (suite::Sentence& s : item.sentences)
      if (s.context.empty()) s.context = context;
    if (naming) {
      tests.insert(item.test);
      conditions.insert(item.condition);
      languages.insert(item.language);
      line.clear();
      suite::append_json_line(line, item);
      content.add(line);
    }
    const bool wanted = wants(item);
    if (selection.limit > 0 && selected >= selection.limit) {
      if (naming) continue;
      return;
    }
    if (!wanted || !is_drawn(item)) continue;
    if (shard.empty() || shard.at(selected)) item_wanted(all, item);
    ++selected;
  }
  if (naming && all > 0) filter.check();
  // The same items under other criteria are another suite: they get other verdicts.
  if (naming && !suite.manifest.criteria.empty()) {
    suite::Manifest criteria;
    criteria.criteria = suite.manifest.criteria;
    content.add(suite::manifest_json(criteria));
  }
}

Error nothing_selected(const Pass& pass) {
  if (pass.all == 0)
    return bad_input(fmt::format("the suite '{}' is empty", pass.suite.manifest.name));
  auto check = [](const char* what, const std::vector<std::string>& asked,
                  const std::set<std::string>& known) {
    for (const std::string& name : asked)
      if (!known.contains(name))
        throw unknown_name(fmt::format("the suite has no {} '{}'", what, name), name,
                           {known.begin(), known.end()});
  };
  check("test", pass.selection.tests, pass.tests);
  check("condition", pass.selection.conditions, pass.conditions);
  check("language", pass.selection.languages, pass.languages);
  return wrong_call("no item of the suite has all that is asked for")
      .hint("'minpair generate SUITE --count' lists its tests and conditions");
}

SuiteContent each_selected(const SuiteSource& suite, const Selection& selection,
                           const std::function<void(uint64_t, const suite::Item&)>& use) {
  Pass pass{suite, selection, suite.manifest.context, {}};
  pass.each(use, true);
  if (pass.selected == 0) throw nothing_selected(pass);
  return {pass.content.text(), pass.all};
}

}  // namespace minpair::engine
