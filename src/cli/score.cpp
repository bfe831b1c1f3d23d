#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/model_options.h"
#include "model/predict.h"
#include "serve/bench.h"

namespace minpair::cli {
namespace {

using json = nlohmann::ordered_json;

struct Options {
  std::string model, method, context;
  std::vector<std::string> texts;
  model::LoadOptions load;
  size_t top = 0;
  bool as_json = false;
};

std::string padded(const std::string& text, size_t width) {
  size_t n = count_characters(text);
  return text + std::string(n < width ? width - n : 0, ' ');
}

using Cell = std::pair<std::string, std::string>;

// Sentences side by side: each is a column of cells.
void print_columns(const std::vector<std::vector<Cell>>& columns) {
  size_t rows = 0, width = 8, numbers = 10;
  for (const std::vector<Cell>& column : columns) {
    rows = std::max(rows, column.size());
    for (const auto& [name, value] : column) {
      width = std::max(width, count_characters(name));
      numbers = std::max(numbers, value.size());
    }
  }
  for (size_t i = 0; i < rows; ++i) {
    std::string line;
    for (const std::vector<Cell>& column : columns) {
      auto [name, value] = i < column.size() ? column[i] : Cell{};
      line += fmt::format("{}{}  {:>{}}", line.empty() ? "" : "    ", padded(name, width), value,
                          numbers);
    }
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

std::vector<Cell> token_column(const query::Model& model, const serve::TypedSentence& s) {
  bool surprisal = !s.words.empty();
  auto numbers = [&](double logprob) {
    return surprisal ? fmt::format("{:10.4f} {:9.4f}", logprob, serve::bits(logprob))
                     : fmt::format("{:.4f}", logprob);
  };
  std::vector<Cell> cells{{"token", surprisal ? "  log-prob      bits" : "log-prob"}};
  for (const judge::TokenScore& t : s.score.tokens)
    cells.push_back({model.tokenizer().piece(t.id) + (t.in_locus ? " *" : ""), numbers(t.logprob)});
  cells.push_back({"sum", numbers(s.sum())});
  cells.push_back({"mean", numbers(s.mean())});
  return cells;
}

std::vector<Cell> word_column(const serve::TypedSentence& s) {
  std::vector<Cell> cells{{"word", "      bits  complete"}};
  for (const serve::TypedWord& w : s.words)
    cells.push_back({w.text + (w.in_locus ? " *" : ""),
                     fmt::format("{:10.4f} {:9.4f}", w.surprisal, w.complete)});
  return cells;
}

void print_table(const query::Model& model, const method::Method& method,
                 const std::vector<serve::TypedSentence>& columns) {
  std::vector<std::vector<Cell>> tokens, words;
  for (const serve::TypedSentence& c : columns) {
    tokens.push_back(token_column(model, c));
    if (!c.words.empty()) words.push_back(word_column(c));
  }
  // Sentences of different lengths end in the same row.
  size_t rows = 0;
  for (const std::vector<Cell>& column : tokens) rows = std::max(rows, column.size());
  for (std::vector<Cell>& column : tokens)
    column.insert(column.end() - 2, rows - column.size(), Cell{});
  print_columns(tokens);
  if (!words.empty()) {
    fmt::print("\n");
    print_columns(words);
    fmt::print(
        "\nlog-prob is natural, bits are surprisal; complete: that of the whole word, followed by "
        "a space or the end\n");
  }
  if (columns.size() < 2) return;
  const std::string norm = judge::name_of(method.view());
  auto [first, by] = serve::preference(columns, method);
  if (by == 0)
    fmt::print("\nno preference: both have the same {} ({})\n", norm, method.name());
  else
    fmt::print("\nprefers \"{}\" by {:.4f} ({}, {} of the log-probabilities)\n",
               columns[first].text, by, method.name(), norm);
}

void score(query::Model& model, const Options& options) {
  const method::Method& method = method::find_method(options.method, model.info());
  std::vector<serve::TypedSentence> columns =
      serve::score_typed(model, method, options.texts, options.context);
  if (options.as_json)
    fmt::print("{}\n", serve::typed_json(model, method, columns, 1));
  else
    print_table(model, method, columns);
}

void show_predictions(query::Model& model, const Options& options) {
  json out = json::array();
  for (const std::string& text : options.texts) {
    auto gaps = model::predict(model, text, options.top);
    for (size_t gap = 0; gap < gaps.size(); ++gap) {
      if (!options.as_json) {
        if (options.texts.size() > 1 && gap == 0) fmt::print("{}\n", text);
        if (gaps.size() > 1) fmt::print("mask {}\n", gap + 1);
      }
      json best = json::array();
      for (const model::Prediction& p : gaps[gap]) {
        best.push_back({{"piece", p.piece}, {"id", p.id}, {"logprob", p.logprob}});
        if (!options.as_json)
          fmt::print("{}  {:>10.4f}  {:>6.2f} %\n", padded(p.piece, 20), p.logprob,
                     100 * std::exp(p.logprob));
      }
      out.push_back({{"text", text}, {"gap", gap}, {"best", best}});
    }
  }
  if (options.as_json) fmt::print("{}\n", json_text(out, 1));
}

// '-' is every line of standard input. The name of a file is hardly meant as a sentence.
std::vector<std::string> typed(const std::vector<std::string>& given, const std::string& model) {
  std::vector<std::string> texts;
  for (const std::string& text : given) {
    std::error_code ignored;
    if (text != "-" && std::filesystem::is_regular_file(text, ignored))
      throw wrong_call("this is a file, and 'score' takes the sentences themselves")
          .at(text)
          .hint(fmt::format("every word of it: minpair surprisal -m {0} {1}\n"
                            "  its lines as rivals of each other: minpair score -m {0} - < {1}",
                            model, text));
    if (text != "-") {
      texts.push_back(text);
      continue;
    }
    LineReader lines("-");
    for (std::string_view line; lines.next(line);)
      if (!trim(line).empty()) texts.emplace_back(trim(line));
  }
  if (texts.empty()) throw bad_input("there is no sentence on standard input");
  return texts;
}

void add_score(Cli& cli) {
  Command& app = cli.command(
      "score", Group::scoring, "Look at sentences, token by token: which one wins, by how much",
      "  minpair score -m DIR \"Der Autor lacht.\" \"Der Autor lachen.\"\n"
      "  minpair score -m DIR --method pll \"Der Autor lacht.\" \"Der Autor lachen.\"\n"
      "  minpair score -m model.gguf \"Der Autor lacht.\"\n"
      "  minpair score -m DIR --context \"Peter war da.\" \"Er ging.\" \"Ihn ging.\"\n"
      "  minpair score -m DIR --top 10 \"Der Autor [MASK].\"\n");
  static Options o;
  app.add_option("-m,--model", o.model, kModelHelp).required();
  app.add_option("TEXT", o.texts, "sentences; '-': the lines of standard input").required();
  app.add_option("--method", o.method, "how to score; 'minpair list methods' shows them");
  app.add_option("--context", o.context, "text that is read before each sentence and not scored");
  app.add_option("--top", o.top, "the best N pieces at each [MASK] instead").between(1, 1000000);
  add_load_options(app, o.load);
  app.add_flag("--json", o.as_json, "print JSON");
  app.work = [] {
    o.texts = typed(o.texts, o.model);
    std::unique_ptr<query::Model> model = load_and_say(o.model, o.load, false);
    o.top ? show_predictions(*model, o) : score(*model, o);
  };
}

const Cli::Entry score_command{50, add_score};

}  // namespace
}  // namespace minpair::cli
