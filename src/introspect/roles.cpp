#include "introspect/roles.h"

#include <fmt/format.h>

#include <set>

#include "base/names.h"
#include "engine/selected.h"
#include "introspect/introspect.h"
#include "method/method.h"
#include "stimuli/stimuli.h"

namespace minpair::introspect {
namespace {

Part missing(Reason why) { return {{}, {}, why}; }

Span last_word(std::string_view text, Span span) {
  size_t space = slice(text, span).find_last_of(" \t");
  return space == std::string_view::npos ? span : Span{span.begin + space + 1, span.end};
}

Part region_part(const suite::Item& item, const std::vector<Span>& spans, std::string_view role) {
  const suite::Sentence& sentence = right_of(item);
  const Span span = span_of_role(item, role);
  if (span.empty()) return missing(Reason::no_place);
  const Span word = last_word(sentence.text, span);
  if (word.end > sentence.locus.begin && word.begin < sentence.locus.end)
    return missing(Reason::place_is_locus);
  Part part{{}, std::string(slice(sentence.text, word))};
  for (uint32_t i = 0; i < spans.size(); ++i)
    if (spans[i].begin < word.end && word.begin < spans[i].end) part.positions.push_back(i);
  if (!part.positions.empty()) return part;
  return missing(Reason::place_after);
}

}  // namespace

uint32_t asked_at(const Contrast& contrast, const query::Model& model) {
  return contrast.position - (model.info().answers_before && contrast.position > 0);
}

const suite::Sentence& right_of(const suite::Item& item) {
  return item.sentences[item.sentences[0].grammatical ? 0 : 1];
}

Span span_of_role(const suite::Item& item, std::string_view role) {
  if (const suite::Region* region = suite::find_region(right_of(item), role)) return region->span;
  if (role != "other" || &right_of(item) != &item.sentences[0]) return {};
  return method::other_word(item).value_or(Span{});
}

void check_role(const std::string& role, const engine::SuiteSource& suite,
                const engine::Selection& selection) {
  std::set<std::string> known{"subject", "attractor", "locus", "last", "other"};
  if (known.contains(role)) return;
  engine::each_selected(suite, selection, [&](uint64_t, const suite::Item& item) {
    for (const suite::Sentence& s : item.sentences)
      for (const suite::Region& r : s.regions) known.insert(r.name);
  });
  if (!known.contains(role))
    throw unknown_name(
        fmt::format("no sentence of {} has a region '{}'", suite.manifest.name, role), role,
        {known.begin(), known.end()});
}

engine::SuiteSource suite_with_roles(const suite::Suite& suite) {
  engine::SuiteSource source = engine::suite_source(suite);
  if (suite.path != "-" && stimuli::from_grammars(suite))
    source.open = [suite] { return stimuli::open_items(suite, {.roles = true}); };
  return source;
}

std::vector<Span> spans_of(const suite::Item& item, const Contrast& contrast,
                           const query::Model& model) {
  const method::Encoded read = method::encoded(right_of(item), model.tokenizer(), model.info());
  const bool masked = model.info().kind == query::ModelInfo::Kind::masked;
  if (masked ? read.ids.size() != contrast.ids.size() : read.ids.size() < contrast.ids.size())
    return {};
  std::vector<Span> spans;
  for (size_t i = 0; i < contrast.ids.size(); ++i) {
    if (read.ids[i] != contrast.ids[i] && contrast.ids[i] != model.tokenizer().special().mask)
      return {};
    spans.push_back(read.tokens[i].span);
  }
  return spans;
}

Part part_of(const suite::Item& item, const Contrast& contrast, const query::Model& model,
             std::string_view role) {
  if (role == "locus") return {{asked_at(contrast, model)}, {}};
  const std::vector<Span> spans = spans_of(item, contrast, model);
  if (spans.empty()) return missing(Reason::retokenized);
  const suite::Sentence& sentence = right_of(item);
  if (role != "last") return region_part(item, spans, role);
  for (uint32_t i = uint32_t(spans.size()); i-- > 0;)
    if (!spans[i].empty() && spans[i].end <= sentence.locus.begin)
      return {{i}, std::string(slice(sentence.text, spans[i]))};
  return missing(Reason::nothing_before_locus);
}

}  // namespace minpair::introspect
