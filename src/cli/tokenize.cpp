#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/character_index.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/model_options.h"

namespace minpair::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::string model;
  std::vector<std::string> texts;
  bool ids = false, json = false, no_special = false;
};

std::string ids_line(const tokenizer::Encoding& encoding) {
  std::string line;
  for (const tokenizer::Token& t : encoding.tokens)
    line += (line.empty() ? "" : " ") + std::to_string(t.id);
  return line + "\n";
}

std::string json_line(const tokenizer::Tokenizer& tokenizer, std::string_view text,
                      const tokenizer::Encoding& encoding) {
  const CharacterIndex places(text);
  nlohmann::ordered_json tokens = nlohmann::ordered_json::array();
  for (const tokenizer::Token& t : encoding.tokens)
    tokens.push_back({{"id", t.id},
                      {"piece", tokenizer.piece(t.id)},
                      {"span", {places.character(t.span.begin), places.character(t.span.end)}},
                      {"special", t.special}});
  nlohmann::ordered_json line = {{"text", text}, {"tokens", std::move(tokens)}};
  return json_text(line) + "\n";
}

// A token a line: id, piece, first character, character after the last, what it stands for.
std::string table(const tokenizer::Tokenizer& tokenizer, std::string_view text,
                  const tokenizer::Encoding& encoding) {
  std::string lines;
  const CharacterIndex places(text);
  for (const tokenizer::Token& t : encoding.tokens)
    fmt::format_to(std::back_inserter(lines), "{}\t{}\t{}\t{}\t{}\n", t.id, tokenizer.piece(t.id),
                   places.character(t.span.begin), places.character(t.span.end),
                   slice(text, t.span));
  return lines + "\n";
}

void run(const Options& options) {
  std::vector<std::string> notes;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer = open_tokenizer(options.model, notes);
  for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", note);
  auto show = [&](std::string_view text) {
    tokenizer::Encoding encoding = tokenizer->encode(text, !options.no_special);
    std::string out = options.ids    ? ids_line(encoding)
                      : options.json ? json_line(*tokenizer, text, encoding)
                                     : table(*tokenizer, text, encoding);
    std::fwrite(out.data(), 1, out.size(), stdout);
  };
  for (const std::string& text : options.texts) show(text);
  if (!options.texts.empty()) return;
  LineReader reader("-");
  for (std::string_view line; reader.next(line);) {
    try {
      show(line);
    } catch (Error& e) {
      e.at(reader.name(), reader.line_number());
      throw;
    }
  }
}

void add_tokenize(Cli& cli) {
  Command& app = cli.command("tokenize", Group::scoring, "Show how a model cuts text into tokens",
                             "  minpair tokenize -m bert-base-german-cased \"Der Autor lacht.\"\n"
                             "  minpair tokenize -m model.gguf --ids < sentences.txt\n");
  auto options = std::make_shared<Options>();
  app.add_option("-m,--model", options->model, "a folder, a .gguf file, or a model's name")
      .required();
  app.add_option("text", options->texts, "texts; without any, every line of standard input is one");
  Option& ids = app.add_flag("--ids", options->ids, "only the ids, one text per line");
  app.add_flag("--json", options->json, "a JSON object per text; spans count characters")
      .excludes(ids);
  app.add_flag("--no-special", options->no_special,
               "without the tokens that the model puts around a sentence");
  app.work = [options] { run(*options); };
}

const Cli::Entry tokenize_command{150, add_tokenize};

}  // namespace
}  // namespace minpair::cli
