#include "stimuli/stimuli.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/folder.h"
#include "suite/formats/format.h"

namespace minpair::stimuli {
namespace {

// One test after the other, by rank: nothing is kept.
class GrammarItems : public suite::ItemStream {
 public:
  explicit GrammarItems(std::vector<Derivations> tests) : tests_(std::move(tests)) {}

  bool next(suite::Item& item) override {
    while (rank_ == count_) {
      if (at_ == tests_.size()) return false;
      const Derivations& derivations = tests_[at_++];
      items_ = std::make_unique<DerivedItems>(derivations);
      rank_ = 0;
      count_ = derivations.count();
    }
    items_->at(rank_++, item);
    return true;
  }

 private:
  std::vector<Derivations> tests_;
  std::unique_ptr<DerivedItems> items_;
  size_t at_ = 0;
  Count rank_ = 0, count_ = 0;
};

const suite::Format& list() { return suite::find_format("pairs"); }

std::unique_ptr<suite::ItemStream> open_list(const suite::Suite& suite,
                                             const std::string& language) {
  // Columns with names of one's own are in no format that could be recognised, and those without
  // names in one that is told by their number.
  const suite::Format* known = suite.path == "-" ? nullptr : suite::guess_format(suite.path);
  const std::string extension = suite.path.extension().string();
  const bool table = extension == ".tsv" || extension == ".csv" || extension == ".tab" ||
                     extension == ".txt" || extension.empty();
  if (suite.path == "-" || suite.is_folder() || (known && known != &list() && !table))
    throw wrong_call(fmt::format("--columns is for lists, and this is {}",
                                 known ? "in the format '" + known->name + "'" : "none"))
        .at(suite.path.string());
  return list().read(suite.path, {language, suite.columns});
}

}  // namespace

bool from_grammars(const suite::Suite& suite) {
  if (!suite.columns.empty()) return false;
  if (!suite.files.empty()) return suite.files.size() == 1 && is_grammar(suite.files[0]);
  for (const std::filesystem::path& entry : entries_of(suite.path))
    if (is_grammar(entry)) return true;
  return !suite::guess_format(suite.path);
}

suite::Manifest manifest_of(const suite::Suite& suite) {
  suite::Manifest manifest = suite.manifest;
  if (suite.path == "-" || !from_grammars(suite)) return manifest;
  for (suite::Criterion& c : criteria_of_grammars(suite.path))
    manifest.criteria.push_back(std::move(c));
  return manifest;
}

std::unique_ptr<suite::ItemStream> open_items(const suite::Suite& suite,
                                              const GrammarOptions& options) {
  if (!suite.columns.empty()) return open_list(suite, options.language);
  if (from_grammars(suite))
    return std::make_unique<GrammarItems>(load_derivations(suite.path, options));
  return suite::read_items(suite.files.empty() ? std::vector{suite.path} : suite.files,
                           options.language);
}

std::string read_as(const suite::Suite& suite, suite::ItemStream& items) {
  if (suite.path == "-" || from_grammars(suite)) return {};
  const suite::Format* format = suite.columns.empty() ? suite::guess_format(suite.path) : &list();
  if (!format || format->name == "suite") return {};
  const std::string said = items.columns();
  return format->name + (said.empty() ? "" : ": " + said);
}

}  // namespace minpair::stimuli
