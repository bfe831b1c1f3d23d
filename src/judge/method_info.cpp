#include "judge/method_info.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"

namespace minpair::judge {
namespace {

constexpr std::string_view kFeature = "feature:";

void append_text(std::string& to, std::string_view text) {
  append_number(to, text.size());
  to += text;
}

}  // namespace

std::string text_of(const Reads& reads) {
  std::vector<std::string> words;
  if (reads.grammatical) words.emplace_back("grammatical");
  if (reads.language) words.emplace_back("language");
  for (const std::string& name : reads.features) words.push_back(std::string(kFeature) + name);
  return join(words, " ");
}

Reads parse_reads(std::string_view text) {
  Reads reads;
  if (text.empty()) return reads;
  for (std::string_view word : split(text, ' '))
    if (word == "grammatical")
      reads.grammatical = true;
    else if (word == "language")
      reads.language = true;
    else if (word.starts_with(kFeature))
      reads.features.emplace_back(word.substr(kFeature.size()));
    else
      throw bad_input(fmt::format("a method reads an unknown part of items: '{}'", word))
          .hint("were the results made by a later minpair?");
  return reads;
}

Hash128 content_of(const suite::Item& item, const Reads& reads) {
  std::string bytes;
  append_number(bytes, item.cloze);
  append_number(bytes, item.sentences.size());
  for (const suite::Sentence& s : item.sentences) {
    append_text(bytes, s.text);
    append_text(bytes, s.context);
    append_number(bytes, s.locus.begin);
    append_number(bytes, s.locus.end);
    if (reads.grammatical) append_number(bytes, s.grammatical);
  }
  if (reads.language) append_text(bytes, item.language);
  for (const std::string& name : reads.features) {
    const suite::FeatureValue* value = suite::find_feature(item, name);
    append_number(bytes, value ? 1 + value->index() : 0);
    if (!value) continue;
    const auto* text = std::get_if<std::string>(value);
    text ? append_text(bytes, *text) : append_raw(bytes, std::get<double>(*value));
  }
  return hash128(bytes);
}

}  // namespace minpair::judge
