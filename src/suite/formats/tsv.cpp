// Two columns, nothing else: the good and the bad sentence. The file's name is the test.

#include "base/rows.h"
#include "suite/formats/formats.h"
#include "suite/formats/list.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

class TsvWriter : public TestFileWriter {
 public:
  explicit TsvWriter(const fs::path& path) : TestFileWriter(path, ".tsv", false) {}

  std::string write(const Item& item) override {
    if (std::string why = why_no_pair(item); !why.empty()) return why;
    const std::string &good = good_sentence(item).text, &bad = bad_sentence(item).text;
    if (!fits_row(good, '\t') || !fits_row(bad, '\t')) return "a tab or a line end in the text";
    files_.of(item).write(good + "\t" + bad + "\n");
    return {};
  }
};

}  // namespace

Format tsv_format() {
  return {"tsv",
          "two columns: good and bad sentence; the file's name is the test",
          "pairs: test, sentences",
          {".tsv", ".txt", ".tab"},
          [](const FileHead& head) { return has_columns(head, 2); },
          [](const fs::path& path, const ReadOptions& options) {
            return read_files(files_under(path, {".tsv"}), options, read_two_columns);
          },
          writes<TsvWriter>()};
}

}  // namespace minpair::suite
