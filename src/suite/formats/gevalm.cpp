// gevalm (Zaczynska et al. 2020): a folder per test, a JSON Lines file per condition.
//   {"text": ..., "text_masked": "... [MASK] .", "candidates": [good, bad], "indexMASK": -2,
//    "case": "SVPP_sgpl"}
// The released output adds "probs" (mean cross-entropy per candidate, lower is better) and
// "tokenized".
//
// File names and "case" disagree in four published files. The condition is taken from "case", as
// the paper's tables do; what the file said stays in the item's features, so that lint can tell.

#include <fmt/format.h>
#include <simdjson.h>

#include "base/outgoing.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"
#include "suite/json_text.h"

namespace minpair::suite {
namespace {

using simdjson::dom::element;

constexpr std::string_view kMask = "[MASK]";

// "SVPP" and "SVPP_sgpl" give "sgpl"; "RA_acc" and "ReflVerbs_simple_acc" give "simple".
std::string condition_of(std::string_view test, std::string_view stated_case) {
  if (stated_case == test) return {};
  if (stated_case.starts_with(test) && stated_case.substr(test.size()).starts_with("_"))
    return std::string(stated_case.substr(test.size() + 1));
  constexpr std::string_view reflexive = "ReflVerbs_";
  if (test.starts_with("RA_") && stated_case.starts_with(reflexive)) {
    std::string_view kind = test.substr(2);  // "_acc"
    stated_case.remove_prefix(reflexive.size());
    if (stated_case.ends_with(kind) && stated_case != kind) stated_case.remove_suffix(kind.size());
  }
  return std::string(stated_case);
}

std::string text_of(element line, const char* key) {
  std::string_view text;
  if (line[key].get(text)) throw bad_input(fmt::format("\"{}\" must be there, as a string", key));
  return std::string(text);
}

class GevalmItems : public FileItemStream {
 public:
  explicit GevalmItems(const fs::path& file) : lines_(file) {
    file_ = file.stem().string();
    if (file_.starts_with("out_")) file_.erase(0, 4);
    fs::path whole = fs::weakly_canonical(file);
    test_ = whole.parent_path().filename().string();
  }

  bool next(Item& item) override {
    std::string_view line;
    do
      if (!lines_.next(line)) return false;
    while (trim(line).empty());
    try {
      element root;
      if (auto error = parser_.parse(line.data(), line.size(), true).get(root))
        throw not_json(simdjson::error_message(error));
      read(root, item);
    } catch (Error& e) {
      throw e.at(where());
    }
    return true;
  }

  Where where() const override { return {lines_.name(), lines_.line_number(), 0, {}}; }
  const PublishedScores* published() const override {
    return scores_.sentences.empty() ? nullptr : &scores_;
  }

 private:
  void read(element root, Item& item) {
    std::string text = text_of(root, "text"), masked = text_of(root, "text_masked"),
                stated_case = text_of(root, "case");
    simdjson::dom::array candidates;
    std::string_view forms[2];
    if (root["candidates"].get(candidates) || candidates.size() != 2 ||
        candidates.at(0).get(forms[0]) || candidates.at(1).get(forms[1]))
      throw bad_input("\"candidates\" must be two strings, the right one first");
    double index;
    if (root["indexMASK"].get(index)) throw bad_input("\"indexMASK\" must be a number");
    size_t at = masked.find(kMask);
    if (at == std::string::npos || masked.find(kMask, at + 1) != std::string::npos)
      throw bad_input("\"text_masked\" must have [MASK] once");

    clear_item(item);
    bool of_this_folder = stated_case.starts_with(test_ + "_") || test_.starts_with("RA_");
    size_t cut = stated_case.rfind('_');
    item.test =
        of_this_folder || cut == 0 || cut == std::string::npos ? test_ : stated_case.substr(0, cut);
    item.condition = condition_of(item.test, stated_case);
    item.language = "de";
    item.id = number_id(stated_case.empty() ? item.test : stated_case, lines_.line_number());
    set_forms(item, text, masked, at, forms);
    item.features.emplace_back("indexMASK", index);
    item.features.emplace_back("case", stated_case);
    item.features.emplace_back("file", file_);
    read_scores(root, forms);
  }

  // The mask says where the locus is. Should "text" not be what the mask and the right candidate
  // make, the three are aligned instead.
  static void set_forms(Item& item, const std::string& text, const std::string& masked, size_t at,
                        const std::string_view (&forms)[2]) {
    item.sentences.resize(2);
    for (size_t i = 0; i < 2; ++i) {
      Sentence& s = item.sentences[i];
      s.text = masked.substr(0, at);
      s.text += forms[i];
      s.text += std::string_view(masked).substr(at + kMask.size());
      s.locus = {at, at + forms[i].size()};
      s.grammatical = i == 0;
    }
    if (item.sentences[0].text != text) {
      item.sentences[0].text = text;
      align_loci(item.sentences);
    }
  }

  void read_scores(element root, const std::string_view (&forms)[2]) {
    scores_.sentences.clear();
    scores_.tokens.clear();
    simdjson::dom::object probs;
    if (root["probs"].get(probs)) return;
    scores_.higher_is_better = false;
    scores_.what = "mean cross-entropy";
    for (std::string_view form : forms) {
      double score;
      if (probs[form].get(score))
        throw bad_input(fmt::format("\"probs\" has no number for '{}'", form));
      scores_.sentences.push_back(score);
    }
    simdjson::dom::array sentences;
    if (root["tokenized"].get(sentences) || sentences.size() != 2) return;
    for (element sentence : sentences) {
      std::vector<std::string>& tokens = scores_.tokens.emplace_back();
      simdjson::dom::array list;
      if (sentence.at(0).get(list)) continue;
      for (element token : list) {
        std::string_view piece;
        if (!token.get(piece)) tokens.emplace_back(piece);
      }
    }
  }

  LineReader lines_;
  simdjson::dom::parser parser_;
  std::string file_, test_;
  PublishedScores scores_;
};

// [MASK]'s place among the words of the masked text, counted as the published data counts it.
double mask_index(const std::string& masked) {
  std::vector<std::string_view> all = words(masked);
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].find(kMask) != std::string_view::npos) return double(i);
  return 0;
}

class GevalmWriter : public ItemWriter {
 public:
  explicit GevalmWriter(const fs::path& folder) : folder_(folder) {}

  std::string write(const Item& item) override {
    if (std::string why = why_no_pair(item); !why.empty()) return why;
    const Sentence &good = good_sentence(item), &bad = bad_sentence(item);
    std::string masked = masked_text(good, kMask);
    if (masked_text(bad, kMask) != masked) return "differs outside the locus";
    if (good.text.find(kMask) != std::string::npos) return "has [MASK] in the text";
    std::string stated_case = feature_text(item, "case");
    if (stated_case.empty())
      stated_case = item.condition.empty() ? item.test : item.test + "_" + item.condition;
    std::string file = feature_text(item, "file");
    if (file.empty()) file = stated_case;
    const FeatureValue* index = find_feature(item, "indexMASK");
    const double* stated = index ? std::get_if<double>(index) : nullptr;

    line_.clear();
    JsonWriter json(line_, true);
    json.open('{').key("text").text(good.text).key("text_masked").text(masked);
    json.key("candidates").open('[');
    json.text(slice(good.text, good.locus)).text(slice(bad.text, bad.locus)).close(']');
    json.key("indexMASK").number(stated ? *stated : mask_index(masked));
    json.key("case").text(stated_case).close('}');
    line_ += '\n';
    files_.open(folder_ / safe(item.test) / (safe(file) + ".jsonl")).write(line_);
    return {};
  }

  void commit() override { files_.commit(); }

 private:
  static std::string safe(std::string_view name) { return outgoing(name, Medium::file_name); }

  fs::path folder_;
  FileSet files_;
  std::string line_;
};

}  // namespace

Format gevalm_format() {
  return {"gevalm",
          "Zaczynska et al. 2020: a folder per test, JSON Lines per condition, input and output",
          "pairs with test, condition and locus",
          {".jsonl"},
          [](const FileHead& head) {
            return has_keys(head, {"text_masked", "candidates", "case"});
          },
          reads<GevalmItems>({".jsonl"}),
          writes<GevalmWriter>()};
}

}  // namespace minpair::suite
