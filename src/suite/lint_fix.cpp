#include <algorithm>

#include "suite/formats/support.h"
#include "suite/lint.h"

namespace minpair::suite {
namespace {

// One space between words, none at the ends; ideographic spaces stay.
std::string tidy_spaces(std::string_view text) {
  std::string out;
  bool pending = false;
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    char32_t c = next_character(text, at);
    if (is_space(c) && c != 0x3000) {
      pending = true;
      continue;
    }
    if (pending && !out.empty()) out += ' ';
    pending = false;
    out += text.substr(begin, at - begin);
  }
  return out;
}

// Changes the text and keeps the locus and the regions: the parts before, at and after each are
// changed each by itself, and the whole must come out the same.
bool change(Sentence& s, std::string (*how)(std::string_view)) {
  std::string whole = how(s.text);
  if (whole == s.text) return false;
  std::string_view text = s.text;
  auto move = [&](Span& span) {
    size_t from_front = how(text.substr(0, span.end)).size();
    size_t from_back = how(text.substr(span.begin)).size();
    span.end = std::min(from_front, whole.size());
    span.begin = std::min(whole.size() - std::min(from_back, whole.size()), span.end);
  };
  move(s.locus);
  for (Region& r : s.regions) move(r.span);
  s.text = std::move(whole);
  return true;
}

bool fix_mask_index(Item& item) {
  for (auto& [name, value] : item.features) {
    double* stated = std::get_if<double>(&value);
    if (name != "indexMASK" || !stated) continue;
    double place = double(locus_word(item.sentences[0]));
    double count = double(words(item.sentences[0].text).size());
    if (place < 0 || (*stated < 0 ? count + *stated : *stated) == place) return false;
    *stated = place;
    return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> fix_item(Item& item) {
  std::vector<std::string> done;
  bool normalised = false, tidied = false;
  for (Sentence& s : item.sentences) {
    normalised |= change(s, nfc);
    tidied |= change(s, tidy_spaces);
  }
  if (normalised) done.push_back("normalised to NFC");
  if (tidied) done.push_back("stray spaces removed");
  if (item.sentences.size() > 1 && !item.design && differs_outside_locus(item)) {
    align_loci(item.sentences);
    done.push_back("locus aligned");
  }
  if (fix_mask_index(item)) done.push_back("indexMASK corrected");
  return done;
}

}  // namespace minpair::suite
