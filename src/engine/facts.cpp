#include <fmt/format.h>

#include <algorithm>

#include "base/paths.h"
#include "base/text.h"
#include "engine/command.h"

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
  CommandLine line("run", suite, model);
  if (!options.name.empty()) line.add("--name", options.name);
  std::vector<std::string> names;
  for (const method::Method* m : methods) names.push_back(m->name());
  line.add("--method", join(names, ",")).add(options.selection);
  if (!options.lexicon.empty()) line.add("--lexicon", options.lexicon.string());
  if (options.min_words != RunOptions{}.min_words)
    line.add("--min-words", std::to_string(options.min_words));
  if (!options.context_file.empty()) line.add("--context", options.context_file);
  return line.add(options.load, model).text();
}

}  // namespace

CommandLine::CommandLine(const std::string& verb, const SuiteSource& suite,
                         const query::Model& model)
    : line_("minpair " + verb) {
  add("-s", suite.called.empty() ? suite.manifest.name : suite.called);
  if (!suite.columns.empty()) add("--columns", suite.columns);
  add("-m", model.info().name);
}

CommandLine& CommandLine::add(const std::string& option, const std::string& value) {
  line_ += fmt::format(" {} {}", option, quoted(value));
  return *this;
}

CommandLine& CommandLine::add(const Selection& selection) {
  for (const std::string& test : selection.tests) add("--test", test);
  for (const std::string& condition : selection.conditions) add("--condition", condition);
  for (const std::string& language : selection.languages) add("--language", language);
  if (!selection.where.empty()) add("--where", selection.where);
  if (selection.sample > 0) {
    add("--sample", std::to_string(selection.sample));
    if (!selection.per.empty()) add("--per", selection.per);
    add("--seed", std::to_string(selection.seed));
  }
  if (selection.limit > 0) add("--limit", std::to_string(selection.limit));
  return *this;
}

CommandLine& CommandLine::add(const model::LoadOptions& load, const query::Model& model) {
  if (!load.vocabulary.empty()) add("--vocab", load.vocabulary.string());
  if (load.start != "auto") add("--start", load.start);
  if (load.end != "auto") add("--end", load.end);
  if (load.as != "auto") add("--as", load.as);
  // Always said: what "auto" gives depends on the machine.
  const std::string& precision = model.info().precision;
  return add("--precision", precision.substr(0, precision.find("-emulated")));
}

store::Facts facts_of(const SuiteSource& suite, const query::Model& model,
                      const std::vector<const method::Method*>& methods,
                      const RunOptions& options) {
  const query::ModelInfo& info = model.info();
  store::Facts facts = {{"command", command(suite, model, methods, options)},
                        {"version", version()}};
  if (!info.notes.empty()) facts["notes"] = join(info.notes, "; ");
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
