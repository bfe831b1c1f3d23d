#include "introspect/typed.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/counts.h"
#include "base/error.h"
#include "engine/query_batch.h"
#include "introspect/contrast.h"
#include "introspect/page_json.h"
#include "introspect/roles.h"
#include "introspect/word.h"
#include "model/direct.h"

namespace minpair::introspect {
namespace {

using Clock = std::chrono::steady_clock;

struct TooLate {};

suite::Item pair_of(const std::string& right, const std::string& wrong) {
  suite::Item item;
  item.id = "typed";
  item.sentences = {{{right}, {}, true}, {{wrong}, {}, false}};
  suite::align_loci(item.sentences);
  return item;
}

// The sentence with another subject or attractor, paired with what it would be with the other form.
// It ends as one of the two does from the locus on: that says which form is right in it.
std::optional<suite::Item> pair_with_other(const suite::Item& item, const std::string& other) {
  for (size_t right : {1u, 0u}) {
    const suite::Sentence &own = item.sentences[right], &not_own = item.sentences[1 - right];
    const std::string end = own.text.substr(own.locus.begin);
    if (!other.ends_with(end)) continue;
    return pair_of(other, other.substr(0, other.size() - end.size()) +
                              not_own.text.substr(not_own.locus.begin));
  }
  return {};
}

// A sentence as the model reads it, word by word.
struct Read {
  suite::Item item;
  Contrast contrast;
  std::vector<Word> words;
};

Read read_of(suite::Item item, const query::Model& model) {
  Read read{std::move(item), {}, {}};
  read.contrast = contrast_of(read.item, model);
  Reason why = read.contrast.excluded;
  if (why == Reason::none) {
    const std::vector<Span> spans = spans_of(read.item, read.contrast, model);
    read.words = words_of(right_of(read.item), spans);
    if (spans.empty())
      why = Reason::retokenized;
    else if (read.words.empty())
      why = Reason::no_other_words;
  }
  if (why != Reason::none)
    throw bad_input(
        fmt::format("'{}' is not asked about pairs {}", model.info().name, text_of(why)));
  return read;
}

class Looking {
 public:
  Looking(query::Model& model, const TypedPair& pair, const TypedLimits& limits)
      : model_(model),
        limits_(limits),
        until_(Clock::now() + limits.time),
        here_(read_of(pair_of(pair.right, pair.wrong), model)) {
    if (here_.words.size() > limits.words)
      throw bad_input(
          fmt::format("a pair with up to {} around the locus is looked into; "
                      "this one has {}",
                      counted(limits.words, "word"), here_.words.size()));
    if (!pair.other.empty()) read_other(pair.other);
  }

  std::string json() {
    const Contrast& c = here_.contrast;
    const std::vector<double> lens = lens_margins(lens_of(c));
    margin_ = lens.back();
    std::string out;
    suite::JsonWriter json(out);
    json.open('{').key("model").text(model_.info().name);
    json.key("good").text(model_.tokenizer().piece(c.good));
    json.key("bad").text(model_.tokenizer().piece(c.bad)).key("margin").rounded(margin_);
    write_list(json.key("lens"), lens);
    json.key("words").open('[');
    const bool in_time = is_in_time([&] {
      erasure(json);
      alti(json);
    });
    json.close(']');
    if (!in_time || !is_in_time([&] { patches(json); }))
      json.key("left_out")
          .text(fmt::format(
              "after {} seconds nothing new is begun; 'minpair introspect' takes the time it needs",
              std::chrono::duration_cast<std::chrono::seconds>(limits_.time).count()));
    json.close('}');
    return out;
  }

 private:
  // False: the time was over before all was written.
  template <class Write>
  static bool is_in_time(const Write& write) try {
    write();
    return true;
  } catch (const TooLate&) {
    return false;
  }

  void read_other(const std::string& text) {
    const std::optional<suite::Item> pair = pair_with_other(here_.item, text);
    if (!pair)
      throw bad_input(
          "the third sentence does not end as the first or the second does from the locus on");
    other_ = read_of(*pair, model_);
    if (other_->words.size() != here_.words.size())
      throw bad_input("the third sentence has another number of words");
    if (other_->contrast.ids == here_.contrast.ids)
      throw bad_input("the model reads the same in the third sentence");
    auto asked = [](const Contrast& c) { return std::minmax({c.good, c.bad}); };
    if (asked(other_->contrast) != asked(here_.contrast))
      throw bad_input("the third sentence is asked about other tokens");
  }

  query::Answer lens_of(const Contrast& contrast) {
    const query::Query query = lens_question(contrast, model_.info().layers);
    return std::move(model_.answer({&query, 1})[0]);
  }

  // The margins of many questions.
  std::vector<double> margins_of(std::vector<query::Query> queries) {
    std::vector<double> margins;
    engine::QueryBatch batch(model_, [&](uint64_t, uint64_t) {
      if (Clock::now() > until_) throw TooLate();
    });
    for (const query::Query& query : queries)
      batch.add(query, [&](const query::Answer& answer) { margins.push_back(margin_of(answer)); });
    batch.answer();
    return margins;
  }

  Shown shown() const {
    Shown all{{}, {}, {}, margin_};
    for (const Word& word : here_.words) {
      all.names.emplace_back(slice(right_of(here_.item).text, word.span));
      all.spans.push_back(word.span);
    }
    return all;
  }
  void write_words(suite::JsonWriter& json, std::string_view how, const Shown& s) const {
    write_sentence(json, how, right_of(here_.item).text, s);
  }

  void erasure(suite::JsonWriter& json) {
    const tokenizer::TokenId mask = stand_in(model_);
    // Without its only word nothing is left to be read.
    if (mask < 0 && here_.words[0].positions.size() == here_.contrast.ids.size()) return;
    std::vector<query::Query> queries;
    for (const Word& word : here_.words) queries.push_back(without(word, here_.contrast, mask));
    Shown all = shown();
    for (double left : margins_of(std::move(queries))) all.effects.push_back({margin_ - left});
    write_words(json, mask < 0 ? "left out" : "masked", all);
  }

  void alti(suite::JsonWriter& json) {
    try {
      model::check_token_effects(model_);
    } catch (const Error&) {
      return;
    }
    const Contrast& c = here_.contrast;
    const model::TokenEffects said = model::token_effects(model_, c.ids, c.position, c.good, c.bad);
    Shown all = shown();
    for (const Word& word : here_.words) {
      double effect = 0;
      for (uint32_t position : word.positions) effect += said.tokens[position];
      all.effects.push_back({effect});
    }
    write_words(json, "alti", all);
  }

  // What is put after a layer at each token of a place.
  using Places = std::vector<std::vector<uint32_t>>;
  std::vector<query::Change> changes(uint16_t layer, size_t place, const Places& here,
                                     const Places& there) const {
    std::vector<query::Change> all;
    const tokenizer::TokenId mask = stand_in(model_);
    std::vector<tokenizer::TokenId> source = other_ ? other_->contrast.ids : here_.contrast.ids;
    if (!other_ && mask >= 0)
      for (uint32_t p : here[place]) source[p] = mask;
    for (size_t i = 0; i < here[place].size(); ++i) {
      query::Change change{{query::Site::residual, layer, 0, here[place][i]}, query::Zero{}};
      // As many pieces here as there: each has its own. Otherwise each gets their mean.
      if (other_ || mask >= 0)
        change.how = query::From{source, here[place].size() == there[place].size()
                                             ? std::vector{there[place][i]}
                                             : there[place]};
      all.push_back(std::move(change));
    }
    return all;
  }

  void patches(suite::JsonWriter& json) {
    if (!model_.sites().test(size_t(query::Site::residual)))
      return void(json.key("left_out").text("nothing can be changed in this model"));
    auto places_of = [&](const Read& read) {
      Places places;
      for (const Word& word : read.words) places.push_back(word.positions);
      // Without another sentence nothing else can stand there.
      if (model_.info().kind == query::ModelInfo::Kind::masked && other_)
        places.push_back({asked_at(read.contrast, model_)});
      return places;
    };
    const Places here = places_of(here_), there = places_of(other_ ? *other_ : here_);
    Shown all = shown();
    if (here.size() > all.names.size()) {
      all.names.emplace_back("locus");
      all.spans.push_back(right_of(here_.item).locus);
    }
    std::vector<uint16_t> layers(model_.info().layers + 1);
    std::iota(layers.begin(), layers.end(), uint16_t{0});
    for (size_t p = 0; p < here.size(); ++p) {
      std::vector<query::Query> queries;
      for (uint16_t layer : layers) {
        queries.push_back(margin_question(here_.contrast));
        queries.back().changes = changes(layer, p, here, there);
      }
      std::vector<double>& effects = all.effects.emplace_back();
      for (double changed : margins_of(std::move(queries))) effects.push_back(margin_ - changed);
    }
    const std::string_view how = other_ ? "other" : stand_in(model_) >= 0 ? "masked" : "zero";
    const double total = total_effect();
    json.key("layers").open('[');
    for (uint16_t layer : layers) json.whole(layer);
    write_words(json.close(']').key("patch"), how, all);
    if (!other_) return;
    json.key("total").rounded(total);
    json.key("shifted").boolean(other_->contrast.ids.size() != here_.contrast.ids.size());
  }

  // What all of the other sentence does.
  double total_effect() {
    if (!other_) return 0;
    Contrast there = other_->contrast;
    there.good = here_.contrast.good, there.bad = here_.contrast.bad;
    return margin_ - margins_of({margin_question(there)})[0];
  }

  query::Model& model_;
  const TypedLimits& limits_;
  Clock::time_point until_;
  Read here_;
  std::optional<Read> other_;
  double margin_ = 0;
};

}  // namespace

std::string inside_json(query::Model& model, const TypedPair& pair, const TypedLimits& limits) {
  check_layers(model);
  return Looking(model, pair, limits).json();
}

}  // namespace minpair::introspect
