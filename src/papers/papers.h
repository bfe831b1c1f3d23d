#pragma once
// What papers printed, beside what their released files give. A paper is data:
// published/papers/NAME.json says which files its authors released, every number, and the formula
// that gives it. docs/papers.md explains the notation.
//
//   papers::Paper paper = papers::find_paper("zorro");
//   for (const papers::Checked& c : papers::check(paper, "data/zorro")) fmt::print("{} {}\n",
//   c.row, c.ours);

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace minpair::papers {

struct Join {
  std::string file;
  std::vector<std::string> on;  // columns of both
  std::string prefix;           // of its columns here
  // A column here that is one of these columns there; PREFIXby says which, or "both".
  std::string column;
  std::vector<std::string> either;
  bool alike = false;     // capitals and spaces at the ends do not count
  bool in_order = false;  // where several fit: the next one after that of the row before
  std::string format;     // of the file, as in Source
  std::vector<std::string> names;
};
// Several columns become several rows: {"vote": "annotator_#"} over 1, 3, 5.
struct Stack {
  std::vector<std::string> over;  // the column `over` says which; empty: all that fit the first
  std::vector<std::pair<std::string, std::string>> columns;
};
// A column from another one: what the (POSIX extended) regular expression finds is replaced.
// Without one, `from` is a text with {columns}.
struct Derived {
  std::string name, from, pattern, with;
};
// Pieces become words: one begins with white space or where the text changes. What is left are the
// columns `text`, `position` (from 1), `word`, `pieces` and these sums, empty where one is missing.
struct Words {
  std::string token, text;
  std::vector<std::string> sums;
};
// before.X: the column in the row whose `position` is one less within the same text.
struct Before {
  std::string text, position;
  std::vector<std::string> columns;
};
// A regression instead of rows: one row with its estimates. docs/papers.md.
struct Fit {
  std::string model;   // y ~ a + b * c + (1 + a | group) + (1 | other:group)
  std::string trials;  // a column: y counts right answers of so many; logit link
  std::string where;
  bool restricted = false;           // REML
  std::vector<std::string> without;  // fixed terms, each left out in turn and compared
  std::vector<std::pair<std::string, std::string>> reference;  // of a column of texts
};
// Whatever of these is said, in this order.
struct Step {
  std::optional<Words> words;
  std::string where;  // which rows stay
  std::vector<Derived> derived;
  std::vector<std::pair<std::string, std::string>> computed;  // a name and a formula, row by row
  std::vector<Join> joins;
  std::optional<Before> before;
  std::optional<Fit> fit;
};
// What a table is computed from. In names and formulas {row} stands for the row's key.
struct Source {
  std::vector<std::string> files;  // one below the other, * for any; the column `file` names each
  // csv, tsv, tsv-plain (quotes are text), jsonl, json, scored-lines, items; empty: by the file's
  // name
  std::string format;
  std::string rows;                // of json: "tasks.*.predictions.*"; the columns *1, *2 say which
  std::vector<std::string> names;  // of columns, for files without a head
  bool pairs = false;              // two lines are one row: first.X, second.X
  Stack stack;
  std::string repeat;  // a column: each row so often, with the column `number` from 1
  std::vector<Derived> derived;
  std::vector<Join> joins;
  std::vector<Step> then;
  std::string print;  // instead of files: this paper's own table of that title, as printed
};

// What a model is asked to answer a column: with this method, over items of the authors' files.
struct Asked {
  std::string suite;  // a file or folder below the paper's
  std::string method, lengths = "all", ties = "half";
  std::string where;  // which items are a row's: "test = \"{row}\""
  std::string model;  // the paper's own, on the hub
};
struct Column {
  std::string title;
  std::string formula;         // empty: cannot be computed from files
  std::optional<Asked> asked;  // for `reproduce --run` and `-m`; docs/papers.md
};
struct Row {
  std::string title, key;           // the key is the title unless it says otherwise
  std::vector<std::string> values;  // as they stand in print, parallel to the columns; "" for none
  std::vector<std::string>
      differs;  // why print and release disagree, parallel; "" where they should not
};
struct PaperTable {
  std::string title;
  std::string needs;  // what it would take, where the files are not enough
  // The files are enough where so many have this name.
  std::string wanted;
  size_t wanted_files = 0;
  Source source;
  std::vector<Column> columns;
  std::vector<Row> rows;
};
// Scores, choices or judgments in released files, for `convert --from PAPER FOLDER results.db`.
// Texts have {columns} of the row in them; rows with the same id are one item. What a model has in
// several of these is one run, where suite, method and norm are the same.
struct Released {
  Source source;
  std::string suite;   // its name; empty: the paper's
  std::string model;   // "{star}"
  std::string method;  // of the scores: lp, ce, word-lp, choice, rating
  std::string norm;    // sum or mean: what the scores are
  std::string id, test, condition, language, cluster, context;
  struct Part {
    std::string role;  // good or bad
    std::string text;
    std::string value;  // a formula, row by row: higher is better
  };
  std::vector<Part> sentences;
  std::string choice;   // instead of values: 1 where the good one was chosen, 0 where the other
  bool people = false;  // these are people's answers,
  std::string person;   // and whose; empty where nobody knows
  std::string where;    // which rows count
};

struct Paper {
  std::string name, title, citation, source, licence;
  std::string folder;              // where the files are usually kept, below MINPAIR_DATA
  std::vector<std::string> notes;  // what a reader of its numbers should know
  std::string no_items;            // why `convert --from` has nothing to read
  std::vector<PaperTable> tables;
  std::vector<Released> released;
  size_t numbers() const;
  size_t recomputed() const;  // those that the files are enough for
};

std::vector<Paper> all_papers();  // by name
Paper find_paper(const std::string& name);
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
// formulas expect.
std::vector<Checked> check(const Paper& paper, const std::filesystem::path& folder,
                           const std::string& table = "");

struct Stored {
  std::vector<std::pair<std::string, size_t>> items;  // by model
  size_t left_out = 0;                                // rows that are no minimal set
  size_t judgments = 0;                               // of people
  std::vector<std::string> notes;                     // what was found nowhere, with its place
};
// What the paper's files have of scores and judgments, into a results file.
Stored store_released(const std::filesystem::path& results, const Paper& paper,
                      const std::filesystem::path& folder);

// docs/fidelity.md: every number of these papers with its status, as Markdown.
struct CheckedPaper {
  Paper paper;
  std::vector<Checked> numbers;
};
std::string fidelity_page(const std::vector<CheckedPaper>& papers);

}  // namespace minpair::papers
