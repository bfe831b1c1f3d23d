#include "tokenizer/pre_tokenizer.h"

#include <algorithm>
#include <functional>

#include "tokenizer/characters.h"
#include "tokenizer/normalizer.h"

namespace minpair::tokenizer {
namespace {

// A word cut at delimiters: every byte is in one section.
struct Section {
  Span span;
  bool delimiter;
};

void merge_with_previous(const std::vector<Section>& sections, std::vector<Span>& to) {
  bool after_delimiter = true;
  for (const Section& s : sections) {
    if (s.delimiter && !after_delimiter)
      to.back().end = s.span.end;
    else
      to.push_back(s.span);
    after_delimiter = s.delimiter;
  }
}

void merge_with_next(const std::vector<Section>& sections, std::vector<Span>& to) {
  size_t begin = to.size();
  bool before_delimiter = true;
  for (auto s = sections.rbegin(); s != sections.rend(); ++s) {
    if (s->delimiter && !before_delimiter)
      to.back().begin = s->span.begin;
    else
      to.push_back(s->span);
    before_delimiter = s->delimiter;
  }
  std::reverse(to.begin() + long(begin), to.end());
}

void assemble(const std::vector<Section>& sections, Delimiter delimiter, std::vector<Span>& to) {
  switch (delimiter) {
    case Delimiter::removed:
      for (const Section& s : sections)
        if (!s.delimiter) to.push_back(s.span);
      break;
    case Delimiter::isolated:
      for (const Section& s : sections) to.push_back(s.span);
      break;
    case Delimiter::contiguous: {
      const Section* previous = nullptr;
      for (const Section& s : sections) {
        if (previous && previous->delimiter == s.delimiter)
          to.back().end = s.span.end;
        else
          to.push_back(s.span);
        previous = &s;
      }
      break;
    }
    case Delimiter::merged_with_previous:
      merge_with_previous(sections, to);
      break;
    case Delimiter::merged_with_next:
      merge_with_next(sections, to);
      break;
  }
}

// Finds the delimiters in one word as spans relative to it.
using Finder = std::function<std::vector<Span>(std::string_view)>;

class Splitter : public PreTokenizer {
 public:
  Splitter(Finder find, Delimiter delimiter, bool invert)
      : find_(std::move(find)), delimiter_(delimiter), invert_(invert) {}

  void apply(Words& words) const override {
    std::vector<Span> cut;
    std::vector<Section> sections;
    for (const Span& word : words.spans) {
      sections.clear();
      size_t done = word.begin;
      for (const Span& hit : find_(slice(words.text.bytes, word))) {
        Span at{word.begin + hit.begin, word.begin + hit.end};
        if (done < at.begin) sections.push_back({{done, at.begin}, invert_});
        sections.push_back({at, !invert_});
        done = at.end;
      }
      if (done < word.end) sections.push_back({{done, word.end}, invert_});
      assemble(sections, delimiter_, cut);
    }
    words.spans = std::move(cut);
  }

 private:
  Finder find_;
  Delimiter delimiter_;
  bool invert_;
};

PreTokenizerPtr splitter(Finder find, Delimiter delimiter, bool invert = false) {
  return std::make_shared<Splitter>(std::move(find), delimiter, invert);
}

// Every character of one of these classes by itself.
Finder characters_of(uint8_t classes) {
  return [classes](std::string_view text) {
    std::vector<Span> found;
    for (size_t at = 0; at < text.size();) {
      size_t begin = at;
      if (class_of(next_character(text, at)) & classes) found.push_back({begin, at});
    }
    return found;
  };
}

// Runs of what `kind` gives the same non-zero answer for.
template <typename Kind>
Finder runs_of(Kind kind) {
  return [kind](std::string_view text) {
    std::vector<Span> found;
    int before = 0;
    for (size_t at = 0; at < text.size();) {
      size_t begin = at;
      int now = kind(next_character(text, at));
      if (now != 0 && now == before)
        found.back().end = at;
      else if (now != 0)
        found.push_back({begin, at});
      before = now;
    }
    return found;
  };
}

class Sequence : public PreTokenizer {
 public:
  explicit Sequence(std::vector<PreTokenizerPtr> steps) : steps_(std::move(steps)) {}
  void apply(Words& words) const override {
    for (const PreTokenizerPtr& s : steps_) s->apply(words);
  }

 private:
  std::vector<PreTokenizerPtr> steps_;
};

// Rebuilds the text word by word: `each(word's span, to)` appends what becomes of the word.
template <typename F>
void rebuild(Words& words, F each) {
  Words to;
  for (const Span& word : words.spans) {
    size_t begin = to.text.size();
    each(word, to.text);
    if (to.text.size() > begin) to.spans.push_back({begin, to.text.size()});
  }
  words = std::move(to);
}

class ByteLevel : public PreTokenizer {
 public:
  ByteLevel(bool add_prefix_space, bool use_regex)
      : add_prefix_space_(add_prefix_space), regex_(use_regex ? split_gpt2() : nullptr) {}

  void apply(Words& words) const override {
    if (add_prefix_space_)
      rebuild(words, [&](Span word, AlignedText& to) {
        if (words.text.bytes[word.begin] != ' ')
          to.append(" ", words.text.origin({word.begin, word.begin}));
        to.append(words.text, word);
      });
    if (regex_) regex_->apply(words);
    rebuild(words, [&](Span word, AlignedText& to) {
      for (size_t i = word.begin; i < word.end; ++i)
        to.append(byte_level_character(static_cast<unsigned char>(words.text.bytes[i])),
                  words.text.from[i]);
    });
  }

 private:
  bool add_prefix_space_;
  PreTokenizerPtr regex_;
};

class Metaspace : public PreTokenizer {
 public:
  Metaspace(const std::string& replacement, Prepend prepend, bool split)
      : replacement_(replacement), prepend_(prepend) {
    if (split) split_ = split_string(replacement, Delimiter::merged_with_next, false);
  }

  void apply(Words& words) const override {
    rebuild(words, [&](Span word, AlignedText& to) {
      std::string_view bytes = slice(words.text.bytes, word);
      AlignedText::From start = words.text.origin({word.begin, word.begin});
      bool marked = bytes.starts_with(replacement_) || bytes.starts_with(' ');
      if (!marked &&
          (prepend_ == Prepend::always || (prepend_ == Prepend::first && start.begin == 0)))
        to.append(replacement_, start);
      for (size_t i = 0; i < bytes.size(); ++i)
        if (bytes[i] == ' ')
          to.append(replacement_, words.text.from[word.begin + i]);
        else
          to.append(bytes.substr(i, 1), words.text.from[word.begin + i]);
    });
    if (split_) split_->apply(words);
  }

 private:
  std::string replacement_;
  Prepend prepend_;
  PreTokenizerPtr split_;
};

}  // namespace

PreTokenizerPtr split_bert() {
  return split_sequence({splitter(characters_of(kSpace), Delimiter::removed),
                         split_punctuation(Delimiter::isolated)});
}

PreTokenizerPtr split_whitespace() { return splitter(characters_of(kSpace), Delimiter::removed); }

PreTokenizerPtr split_whitespace_words() {
  auto kind = [](char32_t c) {
    uint8_t k = class_of(c);
    return (k & kWord) ? 1 : (k & kSpace) ? 0 : 2;
  };
  return splitter(runs_of(kind), Delimiter::removed, true);
}

PreTokenizerPtr split_punctuation(Delimiter delimiter) {
  return splitter(characters_of(kPunctuation), delimiter);
}

PreTokenizerPtr split_digits(bool individual) {
  return splitter(characters_of(kNumber), individual ? Delimiter::isolated : Delimiter::contiguous);
}

PreTokenizerPtr split_regex(const std::string& pattern, Delimiter delimiter, bool invert) {
  auto regex = std::make_shared<const Regex>(pattern);
  return splitter([regex](std::string_view text) { return regex->matches(text); }, delimiter,
                  invert);
}

PreTokenizerPtr split_string(std::string what, Delimiter delimiter, bool invert) {
  auto find = [what = std::move(what)](std::string_view text) {
    std::vector<Span> found;
    for (size_t at = what.empty() ? std::string_view::npos : text.find(what);
         at != std::string_view::npos; at = text.find(what, at + what.size()))
      found.push_back({at, at + what.size()});
    return found;
  };
  return splitter(find, delimiter, invert);
}

PreTokenizerPtr split_byte_level(bool add_prefix_space, bool use_regex) {
  return std::make_shared<ByteLevel>(add_prefix_space, use_regex);
}

PreTokenizerPtr split_metaspace(const std::string& replacement, Prepend prepend, bool split) {
  return std::make_shared<Metaspace>(replacement, prepend, split);
}

PreTokenizerPtr split_sequence(std::vector<PreTokenizerPtr> steps) {
  return std::make_shared<Sequence>(std::move(steps));
}

}  // namespace minpair::tokenizer
