#pragma once
// What papers printed, beside what their released files give. A paper is a file of SQL:
// published/papers/NAME.sql names the files that its authors released, has every printed number,
// and the queries that compute them. docs/papers.md explains it.
//
//   papers::Paper paper = papers::find_paper("zorro");
//   for (const papers::Checked& c : papers::check(paper, "data/zorro"))
//     fmt::print("{} {}\n", c.row, c.ours);

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"

namespace minpair::papers {

// Statements, and the line where they begin in the paper's file.
struct Sql {
  std::string text;
  uint64_t line = 0;
};

// How a model answers a column: with this method, over items of the authors' files.
struct ModelRun {
  std::string model;  // the paper's own, on the hub
  std::string suite;  // a file or folder below the paper's
  std::string method, lengths = "all", ties = "half";
  std::vector<std::string> rows;  // SQL over the columns of an item: the keys of its rows
};
struct Column {
  std::string title;
  std::optional<ModelRun> run = {};  // for `reproduce --run` and `-m`
};
struct Printed {
  std::string text;     // as in print; "" for nothing
  std::string differs;  // why print and release disagree; "" where they should not
};
struct Row {
  std::string title, key;  // the key is the title unless it says otherwise
  std::vector<Printed> values;
};
struct PaperTable {
  std::string title;
  std::string needs;        // what it would take, where the files are not enough
  std::string wanted;       // a name with a *: the files are enough
  double wanted_files = 0;  // where there are this many
  Sql query;                // empty: cannot be computed from files
  std::vector<Column> columns;
  std::vector<Row> rows;
  size_t numbers() const;
};
// Scores, choices or judgments in released files, for `convert --from PAPER FOLDER results.db`.
struct Released {
  std::string suite;   // its name; empty: the paper's
  std::string method;  // of the scores: lp, ce, word-lp, choice, rating
  std::string norm;    // sum or mean: what the scores are
  Sql query;           // a row for each item, or each answer
};

struct Paper {
  std::string name, title, citation, source, licence;
  std::string folder;              // where the files are usually kept, below MINPAIR_DATA
  std::vector<std::string> notes;  // what a reader of its numbers should know
  std::string no_items;            // why `convert --from` has nothing to read
  std::filesystem::path file;
  std::vector<Sql> setup;  // its files and views
  std::vector<PaperTable> tables;
  std::vector<Released> released;
  size_t numbers() const;
  size_t recomputed() const;  // those that the files are enough for
};

std::vector<Paper> all_papers();                    // by name
Paper find_paper(const std::string& name_or_file);  // a file ends in .sql
Paper read_paper(const std::filesystem::path& file);

enum class Verdict { same, differs, known, needs };
std::string_view text_of(Verdict verdict);

struct Checked {
  std::string table, row, column, printed;
  double ours = 0;  // NaN where it cannot be computed
  Verdict verdict = Verdict::same;
  std::string why;  // of `known` and `needs`
};
// "0.94": is ours the same, to the printed digits?
bool rounds_to(double ours, const std::string& printed);
// Of all tables, or of the one of that title. Throws where a file is missing or not what the
// queries expect.
std::vector<Checked> check(const Paper& paper, const std::filesystem::path& folder,
                           const std::string& table = "");

struct Stored {
  std::vector<std::pair<std::string, size_t>> items;  // by model
  size_t left_out = 0;                                // rows that are no minimal set
  size_t judgments = 0;                               // of people
  std::vector<std::string> notes;                     // rows without sentences, with a place
};
// What the paper's files have of scores and judgments, into a results file.
Stored store_released(const std::filesystem::path& results, const Paper& paper,
                      const std::filesystem::path& folder);

// docs/fidelity.md: every number of these papers with its status, as Markdown.
struct CheckedPaper {
  Paper paper;
  std::vector<Checked> numbers;
};
report::Grid summary_grid(const std::vector<CheckedPaper>& papers, bool linked);
std::string fidelity_page(const std::vector<CheckedPaper>& papers);

}  // namespace minpair::papers
