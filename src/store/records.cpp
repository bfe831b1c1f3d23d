#include "store/records.h"

#include "base/text.h"
#include "store/checksum.h"
#include "store/sqlite.h"

namespace minpair::store {

const char* const kSuiteAndModel =
    "suites.suite, suites.name, suites.fingerprint, suites.items, suites.manifest, models.model, "
    "models.name, models.fingerprint, models.tokenizer, models.precision, models.kind, "
    "models.architecture, models.parameters, models.notes";

SuiteRecord suite_in(const Statement& row, int first, const std::string& file_for_messages) {
  return {row.integer(first), row.string(first + 1), row.string(first + 2),
          uint64_t(row.integer(first + 3)),
          suite::parse_manifest(row.text(first + 4), file_for_messages)};
}

ModelRecord model_in(const Statement& row, int first) {
  std::vector<std::string> notes;
  if (!row.text(first + 13).empty())
    for (std::string_view line : split(row.text(first + 13), '\n')) notes.emplace_back(line);
  return {row.integer(first + 5), row.string(first + 6),
          row.string(first + 7),  row.string(first + 8),
          row.string(first + 9),  row.string(first + 10),
          row.string(first + 11), uint64_t(row.integer(first + 12)),
          std::move(notes)};
}

std::string suite_and_model_are_whole() {
  return is_whole("suites") + " AND " + is_whole("models");
}

}  // namespace minpair::store
