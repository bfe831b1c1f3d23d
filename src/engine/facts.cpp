#include <fmt/format.h>

#include <algorithm>

#include "base/paths.h"
#include "engine/engine.h"

namespace minpair::engine {
namespace {

// As a shell would read it back.
std::string quoted(const std::string& word) {
  auto plain = [](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 ||
           std::string_view("-_./:,=+@%").find(char(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command(const SuiteSource& suite, const query::Model& model,
                    const std::vector<const method::Method*>& methods, const RunOptions& options) {
  std::string line = "minpair run";
  auto add = [&](const char* option, const std::string& value) {
    line += fmt::format(" {} {}", option, quoted(value));
  };
  add("-s", suite.called.empty() ? suite.manifest.name : suite.called);
  if (!suite.columns.empty()) add("--columns", suite.columns);
  add("-m", model.info().name);
  if (!options.name.empty()) add("--name", options.name);
  std::vector<std::string> names;
  for (const method::Method* m : methods) names.push_back(m->name());
  add("--method", join(names, ","));
  for (const std::string& test : options.selection.tests) add("--test", test);
  for (const std::string& condition : options.selection.conditions) add("--condition", condition);
  for (const std::string& language : options.selection.languages) add("--language", language);
  if (options.selection.sample > 0) {
    add("--sample", std::to_string(options.selection.sample));
    add("--seed", std::to_string(options.selection.seed));
  }
  if (options.selection.limit > 0) add("--limit", std::to_string(options.selection.limit));
  if (!options.lexicon.empty()) add("--lexicon", options.lexicon.string());
  if (options.min_words != RunOptions{}.min_words)
    add("--min-words", std::to_string(options.min_words));
  if (!options.context_file.empty()) add("--context", options.context_file);
  if (!options.load.vocabulary.empty()) add("--vocab", options.load.vocabulary.string());
  if (options.load.start != "auto") add("--start", options.load.start);
  if (options.load.end != "auto") add("--end", options.load.end);
  // Always said: what "auto" gives depends on the machine.
  std::string precision = model.info().precision;
  add("--precision", precision.substr(0, precision.find("-emulated")));
  return line;
}

}  // namespace

store::Facts facts_of(const SuiteSource& suite, const query::Model& model,
                      const std::vector<const method::Method*>& methods,
                      const RunOptions& options) {
  const query::ModelInfo& info = model.info();
  store::Facts facts = {{"command", command(suite, model, methods, options)},
                        {"version", version()}};
  if (info.kind == query::ModelInfo::Kind::masked) return facts;
  auto edge = [&](tokenizer::TokenId id, query::EdgeFrom from) {
    std::string what = id < 0 ? "none" : model.tokenizer().piece(id);
    return from == query::EdgeFrom::nobody ? what : fmt::format("{} ({})", what, text(from));
  };
  facts["start"] = edge(info.start, info.start_from);
  facts["end"] = edge(info.end, info.end_from);
  return facts;
}

}  // namespace minpair::engine
