#include "stimuli/grammar/design.h"

#include "base/text.h"
#include "stimuli/grammar/walker.h"

namespace minpair::stimuli {
namespace {

void write_sentence(suite::Sentence& s, const Style& style) {
  std::string marked = std::move(s.text);
  s.text.clear();
  bool opened = true;  // no space before the next word
  for (std::string_view word : words(marked)) {
    if (word.front() == kRegionMark) {
      s.regions.push_back({std::string(word.substr(1)), {s.text.size(), s.text.size()}});
      continue;
    }
    bool first = s.text.empty();
    if (!opened && !(style.attach && closes(word))) s.text += ' ';
    // A region begins with its first word, not with the space before it.
    if (!s.regions.empty() && s.regions.back().span.empty())
      s.regions.back().span.begin = s.text.size();
    s.text += first && style.capitalize ? capitalize_first(word) : std::string(word);
    opened = style.attach && opens(word);
    if (!s.regions.empty()) s.regions.back().span.end = s.text.size();
  }
  if (style.period) s.text += style.attach ? "." : " .";
  if (style.eos) s.text += " <eos>";
  if (!s.regions.empty() && (style.period || style.eos)) s.regions.back().span.end = s.text.size();
}

}  // namespace

void make_design(suite::Item& item, const std::vector<std::string>& names, const Style& style) {
  item.design = true;
  for (size_t i = 0; i < item.sentences.size(); ++i) {
    suite::Sentence& s = item.sentences[i];
    s.name = names[i];
    s.locus = {};
    s.grammatical = false;
    s.regions.clear();
    write_sentence(s, style);
  }
}

}  // namespace minpair::stimuli
