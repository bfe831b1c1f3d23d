#pragma once
// A table of texts, as authors release them: columns by name.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "papers/papers.h"

namespace minpair::papers {

class Frame {
 public:
  // All files of a source, joined and paired; `folder` is where they are. `tables` keeps what was
  // read before.
  using Tables = std::map<std::string, Frame>;
  static Frame read(const Source& source, const std::filesystem::path& folder, Tables& tables);

  size_t rows() const { return rows_; }
  const std::string& text(size_t column, size_t row) const;  // throws where its file has none
  size_t column(const std::string& name) const;              // throws with what there is
  // NaN where the text is no number. True and False are 1 and 0.
  const std::vector<double>& numbers(size_t column) const;
  const std::string& where() const { return where_.file; }
  std::string place(size_t row) const;  // "scores/a.csv:17"
  // Rows that a join found no partner for, in words.
  const std::vector<std::string>& alone() const { return alone_; }

  void add_column(const std::string& name);  // the first of a name counts
  void names_stand_at(uint64_t line) { where_.line = line; }
  void add_row(const std::vector<std::string>& cells, uint64_t line = 0);
  void add_constant(const std::string& name, const std::string& value);
  // What a paper's file names so is meant, whatever else the authors' tables have.
  void add_own(const std::string& name, std::vector<std::string> cells);

 private:
  size_t rows_ = 0;
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> columns_;
  std::map<std::string, size_t> place_;
  Where where_;  // the last file and the line of its columns' names, for messages
  struct Origin {
    std::shared_ptr<const std::string> file;
    uint64_t line = 0;
  };
  std::vector<Origin> origins_;  // of the rows
  std::vector<std::string> alone_;
  mutable std::map<size_t, std::vector<double>> numbers_;

  void comes_from(const std::filesystem::path& file);
  void do_step(const Step& step, const std::filesystem::path& folder, Tables& tables);
  Frame worded(const Words& words) const;
  void add_before(const Before& before);
  static const Frame& table(const std::filesystem::path& path, const Source& as, Tables& tables);
  void append(const Frame& other);
  void take(const Frame& from, const std::vector<size_t>& rows, const std::string& prefix);
  Frame paired() const;
  Frame joined(const Frame& other, const Join& join) const;
  std::vector<std::string> keys(const std::vector<std::string>& on, bool alike) const;
  std::vector<std::string> fitting(const std::string& pattern) const;
  Frame stacked(const Stack& stack) const;
  Frame repeated(const std::string& column) const;
  void derive(const Derived& derived);
};

struct Found {
  std::filesystem::path path;
  std::string star;  // what the first * stands for
};
// "scores/*/a_*.csv": all that fit, in order of their names.
std::vector<Found> files_of(const std::string& name, const std::filesystem::path& folder);
// The same without .xz or .gz.
std::filesystem::path unpacked_name(const std::filesystem::path& path);
// The text with the row's key for {row}.
std::string with_row(std::string text, const std::string& key);
// "{prefix} {construction}": texts of the row's columns. Those that are `needed` say something.
std::string filled(const std::string& pattern, const Frame& frame, size_t row, bool needed = false);
// A regression over the frame's rows: one row with its estimates.
Frame fitted(const Frame& frame, const Fit& fit);
// One file, or a folder where the format is `items`; .xz and .gz are unpacked.
Frame read_table(const std::filesystem::path& path, const Source& source);

}  // namespace minpair::papers
