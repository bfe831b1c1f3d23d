#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/model_options.h"
#include "engine/texts.h"

namespace minpair::cli {
namespace {

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

std::vector<Cell> token_column(const query::Model& model, const engine::ScoredText& s) {
  bool surprisal = !s.complete.empty();
  auto numbers = [&](double logprob) {
    return surprisal ? fmt::format("{:10.4f} {:9.4f}", logprob, judge::bits(logprob))
                     : fmt::format("{:.4f}", logprob);
  };
  std::vector<Cell> cells{{"token", surprisal ? "  log-prob      bits" : "log-prob"}};
  for (const judge::TokenScore& t : s.score.tokens)
    cells.push_back({model.tokenizer().piece(t.id) + (t.in_locus ? " *" : ""), numbers(t.logprob)});
  cells.push_back({"sum", numbers(s.score.value({judge::Unit::sum}).value())});
  cells.push_back({"mean", numbers(s.score.value({judge::Unit::token}).value())});
  return cells;
}

std::vector<Cell> word_column(const query::Model& model, const engine::ScoredText& s) {
  std::vector<Cell> cells{{"word", "      bits  complete"}};
  const std::vector<judge::ScoredWord> words = judge::words_of(s.score.tokens);
  const std::vector<judge::ScoredWord> complete = judge::words_of(s.complete);
  for (size_t w = 0; w < words.size(); ++w)
    cells.push_back({engine::text_of(model, s, words[w]) + (words[w].in_locus ? " *" : ""),
                     fmt::format("{:10.4f} {:9.4f}", judge::bits(words[w].logprob),
                                 judge::bits(complete[w].logprob))});
  return cells;
}

void print_scores(const query::Model& model, const std::vector<engine::ScoredText>& texts) {
  std::vector<std::vector<Cell>> tokens, words;
  for (const engine::ScoredText& s : texts) {
    if (!s.has_score()) continue;
    tokens.push_back(token_column(model, s));
    if (!s.complete.empty()) words.push_back(word_column(model, s));
  }
  // Sentences of different lengths end in the same row.
  size_t rows = 0;
  for (const std::vector<Cell>& column : tokens) rows = std::max(rows, column.size());
  for (std::vector<Cell>& column : tokens)
    column.insert(column.end() - 2, rows - column.size(), Cell{});
  print_columns(tokens);
  if (words.empty()) return;
  fmt::print("\n");
  print_columns(words);
  fmt::print(
      "\nlog-prob is natural, bits are surprisal; complete: that of the whole word, followed by "
      "a space or the end\n");
}

void print_preference(const method::Method& method, const std::vector<engine::ScoredText>& texts) {
  const std::string norm = judge::name_of(method.view());
  auto [first, by] = engine::preference(texts, method);
  const auto scored = std::ranges::count_if(texts, &engine::ScoredText::has_score);
  if (first)
    fmt::print("\nprefers \"{}\" by {:.4f} ({}, {} of the log-probabilities)\n",
               texts[*first].text.text, by, method.name(), norm);
  else if (scored > 1)
    fmt::print("\nno preference: both have the same {} ({})\n", norm, method.name());
  else
    fmt::print("\nno preference: only one text has a score\n");
}

void score(query::Model& model, const Options& options, const std::vector<suite::Text>& texts) {
  const method::Method& method = method::find_method(options.method, model.info());
  engine::ScoredTexts scored = engine::score_texts(model, method, texts, {.words = true});
  if (std::ranges::none_of(scored.texts, &engine::ScoredText::has_score))
    throw bad_input(fmt::format("'{}' has no score for {}: {}", method.name(),
                                plural(texts.size(), "this text", "these texts"),
                                explanation_of(scored.texts[0].excluded)));
  engine::mark_differences(scored.texts);
  if (options.as_json) {
    fmt::print("{}\n", engine::scored_json(model, method, scored, 1));
    return;
  }
  print_scores(model, scored.texts);
  for (const engine::ScoredText& s : scored.texts)
    if (!s.has_score())
      fmt::print("\"{}\" has no score: {}\n", s.text.text, explanation_of(s.excluded));
  if (scored.texts.size() > 1) print_preference(method, scored.texts);
}

void print_gaps(const std::vector<std::vector<engine::Prediction>>& gaps) {
  for (size_t gap = 0; gap < gaps.size(); ++gap) {
    if (gaps.size() > 1) fmt::print("mask {}\n", gap + 1);
    for (const engine::Prediction& p : gaps[gap])
      fmt::print("{}  {:>10.4f}  {:>6.2f} %\n", padded(p.piece, 20), p.logprob,
                 100 * std::exp(p.logprob));
  }
}

void show_predictions(query::Model& model, const Options& options,
                      const std::vector<suite::Text>& texts) {
  const std::vector<engine::Predictions> all =
      engine::predictions(model, texts, uint32_t(options.top));
  if (options.as_json) {
    fmt::print("{}\n", engine::predictions_json(all, 1));
    return;
  }
  for (const engine::Predictions& p : all) {
    if (all.size() > 1) fmt::print("{}\n", p.text.text);
    print_gaps(p.gaps);
  }
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
      "  minpair score -m DIR --context \"Peter war da.\" --top 10 \"Er [MASK].\"\n");
  static Options o;
  app.add_option("-m,--model", o.model, kModelHelp).required();
  app.add_option("TEXT", o.texts, "sentences; '-': the lines of standard input").required();
  Option& method =
      app.add_option("--method", o.method, "how to score; 'minpair list methods' shows them");
  app.add_option("--context", o.context, "text that is read before each sentence and not scored");
  app.add_option("--top", o.top, "the best N pieces at each [MASK] instead")
      .between(1, 1000000)
      .excludes(method);
  add_load_options(app, o.load);
  app.add_flag("--json", o.as_json, "print JSON");
  app.work = [] {
    std::vector<suite::Text> texts;
    for (std::string& text : typed(o.texts, o.model)) texts.push_back({std::move(text), o.context});
    std::unique_ptr<query::Model> model = load_and_say(o.model, o.load, false);
    o.top ? show_predictions(*model, o, texts) : score(*model, o, texts);
  };
}

const Cli::Entry score_command{50, add_score};

}  // namespace
}  // namespace minpair::cli
