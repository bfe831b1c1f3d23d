#pragma once
// A model whose answers are kept in a file until the work is done: a program that was killed and
// asks the same questions in the same order gets them back.
//
//   JournaledModel journaled(model, "results.db-1.answers", hash128("what is asked"));
//   std::vector<query::Answer> answers = journaled.answer(queries);
//   journaled.remove();

#include <filesystem>
#include <memory>

#include "query/query.h"

namespace minpair::engine {

class AnswerJournal;

class JournaledModel : public query::Model {
 public:
  // `plan` names all that will be asked.
  JournaledModel(query::Model& model, const std::filesystem::path& file, Hash128 plan);
  ~JournaledModel() override;
  void remove();  // all is stored
  // Removes what is left of work that was killed after everything was stored.
  static void remove_left_over(const std::filesystem::path& file);

  const query::ModelInfo& info() const override { return model_.info(); }
  const tokenizer::Tokenizer& tokenizer() const override { return model_.tokenizer(); }
  query::AskSet asks() const override { return model_.asks(); }
  query::SiteSet sites() const override { return model_.sites(); }
  // Hidden states are large, and computed again.
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override;

 private:
  query::Model& model_;
  std::unique_ptr<AnswerJournal> journal_;
};

}  // namespace minpair::engine
