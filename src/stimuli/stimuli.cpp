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

}  // namespace

bool from_grammars(const suite::Suite& suite) {
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
  if (from_grammars(suite))
    return std::make_unique<GrammarItems>(load_derivations(suite.path, options));
  return suite.files.empty() ? suite::read_items(suite.path) : suite::read_items(suite.files);
}

std::unique_ptr<suite::ItemStream> open_list(const suite::Suite& suite,
                                             const std::string& columns) {
  const suite::Format& list = suite::find_format("pairs");
  // Columns with names of one's own are in no format that could be recognised.
  const suite::Format* known = suite.path == "-" ? nullptr : suite::guess_format(suite.path);
  if (suite.path == "-" || (known && known != &list) || (!known && suite.is_folder()))
    throw wrong_call(fmt::format("--columns is for lists, and this is {}",
                                 known ? "in the format '" + known->name + "'" : "none"))
        .at(suite.path.string());
  return list.read(suite.path, {"", columns});
}

}  // namespace minpair::stimuli
