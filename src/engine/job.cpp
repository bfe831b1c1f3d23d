#include "engine/job.h"

#include <algorithm>

#include "engine/journal.h"

namespace minpair::engine {
namespace {

bool is_small(const query::Query& query) {
  return std::ranges::none_of(query.asks, [](const query::Ask& ask) {
    return std::holds_alternative<query::Hidden>(ask.what);
  });
}

}  // namespace

JournaledModel::JournaledModel(query::Model& model, const std::filesystem::path& file,
                               const JobKey& key)
    : model_(model), journal_(std::make_unique<AnswerJournal>(file, key)) {
  files = model.files;
}

JournaledModel::~JournaledModel() = default;

void JournaledModel::remove() { journal_->remove(); }

std::vector<query::Answer> JournaledModel::answer(std::span<const query::Query> queries) {
  std::vector<query::Answer> answers(queries.size());
  std::vector<query::Query> rest;
  std::vector<size_t> places;
  for (size_t i = 0; i < queries.size(); ++i)
    if (is_small(queries[i]) && journal_->next(queries[i].asks, answers[i])) {
      ++answered_;
    } else {
      rest.push_back(queries[i]);
      places.push_back(i);
    }
  std::vector<query::Answer> fresh, kept;
  if (!rest.empty()) fresh = model_.answer(rest);
  check_unchanged(files);  // before they are kept
  for (size_t i = 0; i < fresh.size(); ++i) {
    if (is_small(rest[i])) kept.push_back(fresh[i]);
    answers[places[i]] = std::move(fresh[i]);
  }
  if (!kept.empty()) journal_->append(kept);
  return answers;
}

}  // namespace minpair::engine
