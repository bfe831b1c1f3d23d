#include "introspect/states_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/error.h"
#include "base/file.h"
#include "engine/query_batch.h"
#include "method/text.h"
#include "model/states.h"
#include "suite/json_text.h"

namespace minpair::introspect {
namespace {

// More than that no reader of safetensors takes.
constexpr size_t kLongestHeader = 100'000'000;

struct Text {
  uint64_t line = 0;
  std::string text;
  std::vector<tokenizer::TokenId> ids;
};

std::vector<Text> read_texts(const query::Model& model, const std::filesystem::path& file) {
  std::vector<Text> texts;
  LineReader reader(file);
  for (std::string_view line; reader.next(line);) {
    if (trim(line).empty()) continue;
    try {
      Text text{reader.line_number(), std::string(line), {}};
      text.ids = method::encoded({text.text}, model.tokenizer(), model.info(), {.end = false}).ids;
      check({text.ids, {}, {}}, model);
      texts.push_back(std::move(text));
    } catch (Error& e) {
      e.at(reader.name(), reader.line_number());
      throw;
    }
  }
  if (texts.empty()) throw bad_input("there are no texts").at(reader.name());
  return texts;
}

void write_metadata(suite::JsonWriter& json, const query::Model& model,
                    const std::vector<Text>& texts, const std::vector<uint32_t>& layers) {
  const query::ModelInfo& info = model.info();
  json.open('{').key("format").text("pt").key("made_by").text("minpair states");
  json.key("model").text(info.name).key("fingerprint").text(info.fingerprint);
  json.key("precision").text(info.precision);
  json.key("layers").text(fmt::format("{}", fmt::join(layers, ",")));
  for (const Text& t : texts) {
    // Values are texts in a safetensors file: JSON within JSON.
    std::string value;
    suite::JsonWriter inner(value);
    inner.open('{').key("text").text(t.text).key("ids").open('[');
    for (tokenizer::TokenId id : t.ids) inner.whole(uint64_t(id));
    inner.close(']').key("tokens").open('[');
    for (tokenizer::TokenId id : t.ids) inner.text(model.tokenizer().piece(id));
    inner.close(']').close('}');
    json.key(fmt::format("text.{}", t.line)).text(value);
  }
  json.close('}');
}

std::string header_of(const query::Model& model, const std::vector<Text>& texts,
                      const std::vector<uint32_t>& layers, const std::vector<size_t>& widths) {
  std::string text;
  suite::JsonWriter json(text);
  write_metadata(json.open('{').key("__metadata__"), model, texts, layers);
  uint64_t offset = 0;
  for (const Text& t : texts)
    for (size_t l = 0; l < layers.size(); ++l) {
      const uint64_t end = offset + t.ids.size() * widths[l] * sizeof(float);
      json.key(fmt::format("text.{}.layer.{}", t.line, layers[l])).open('{');
      json.key("dtype").text("F32");
      json.key("shape").open('[').whole(t.ids.size()).whole(widths[l]).close(']');
      json.key("data_offsets").open('[').whole(offset).whole(end).close(']').close('}');
      offset = end;
    }
  json.close('}');
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kLongestHeader)
    throw bad_input("these are too many texts for one safetensors file")
        .hint("split them, for example with: split -l 100000");
  return text;
}

}  // namespace

std::vector<uint32_t> find_layers(const std::string& list, const query::ModelInfo& info) {
  std::vector<uint32_t> layers;
  if (list == "all") {
    for (uint32_t l = 0; l <= info.layers; ++l) layers.push_back(l);
    return layers;
  }
  for (std::string_view name : split(list, ',')) {
    name = trim(name);
    uint32_t layer = 0;
    auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
    if (error != std::errc() || end != name.data() + name.size() || layer > info.layers)
      throw wrong_call(fmt::format("'{}' is not a layer of {}", name, info.name))
          .hint(fmt::format("0 (the embeddings) to {}, with commas; or 'all'", info.layers));
    if (std::ranges::count(layers, layer) == 0) layers.push_back(layer);
  }
  return layers;
}

StatesDone write_states(query::Model& model, const std::filesystem::path& texts_file,
                        const std::vector<uint32_t>& layers, const std::filesystem::path& output,
                        const std::function<void(uint64_t, uint64_t)>& tick) {
  static_assert(std::endian::native == std::endian::little);
  const std::vector<Text> texts = read_texts(model, texts_file);
  StatesDone done;
  AtomicFile file(output);
  auto write = [&](const query::Answer& answer) {
    const std::vector<model::States> all = model::states_of(answer, layers.size());
    if (done.texts == 0) {  // the embeddings of a recurrent model may be of another width
      std::vector<size_t> widths;
      for (const model::States& s : all) widths.push_back(s.width);
      const std::string header = header_of(model, texts, layers, widths);
      const uint64_t length = header.size();
      file.write({reinterpret_cast<const char*>(&length), sizeof length});
      file.write(header);
    }
    for (const model::States& s : all)
      file.write({reinterpret_cast<const char*>(s.values.data()), s.values.size() * sizeof(float)});
    done.tokens += all[0].tokens;
    ++done.texts;
    if (tick) tick(done.texts, texts.size());
  };
  engine::QueryStream stream(model);
  for (const Text& text : texts) stream.add(model::states_question(model, text.ids, layers), write);
  stream.finish();
  file.commit();
  return done;
}

}  // namespace minpair::introspect
