#pragma once
// A table of texts, as authors release them: columns by name.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "papers/papers.h"

namespace minpair::papers {

class Frame {
 public:
  // All files of a source, joined and paired; `folder` is where they are.
  static Frame read(const Source& source, const std::filesystem::path& folder);

  size_t rows() const { return rows_; }
  const std::string& text(size_t column, size_t row) const { return columns_[column][row]; }
  size_t column(const std::string& name) const;  // throws with what there is
  const std::string& where() const { return where_; }

  void add_column(const std::string& name);  // the first of a name counts
  void add_row(const std::vector<std::string>& cells);

 private:
  size_t rows_ = 0;
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> columns_;
  std::map<std::string, size_t> place_;
  std::string where_;  // the files, for messages

  void append(const Frame& other);
  Frame paired() const;
  Frame joined(const Frame& other, const Join& join) const;
};

}  // namespace minpair::papers
