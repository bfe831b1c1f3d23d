#pragma once
// Long work that can be killed: the model's answers are kept in a journal beside the output until
// it is complete, and the same command gets them back.
//
//   JobKey key{content, hash128("all that will be asked"), "the suite 'x'"};
//   JournaledModel journaled(model, journal_file("results.db", "what was asked for"), key);
//   std::vector<query::Answer> answers = journaled.answer(queries);
//   journaled.remove();

#include <filesystem>
#include <memory>
#include <string>

#include "base/hash.h"
#include "query/query.h"

namespace minpair::engine {

// What a journal's answers belong to. Its file is named by what was asked for, so that the same
// command finds it again. If what was read has other content then, that is an error: answers to
// two versions of the input are never put together.
struct JobKey {
  Hash128 content;    // of everything that was read
  Hash128 plan;       // of all that will be asked, in its order
  std::string input;  // what was read, for messages: "the suite 'x'"
};

// The journal beside an output, by all that was asked for.
std::filesystem::path journal_file(const std::filesystem::path& output, const std::string& asked);
// Is there work on the output that was interrupted?
bool has_journal(const std::filesystem::path& output);
// Of work that was killed when all was stored; one that is in use stays.
void remove_left_over(const std::filesystem::path& journal);

class AnswerJournal;

class JournaledModel : public query::Model {
 public:
  JournaledModel(query::Model& model, const std::filesystem::path& file, const JobKey& key);
  ~JournaledModel() override;
  void remove();                                   // all is stored
  uint64_t answered() const { return answered_; }  // queries, from the journal

  const query::ModelInfo& info() const override { return model_.info(); }
  const tokenizer::Tokenizer& tokenizer() const override { return model_.tokenizer(); }
  query::AskSet asks() const override { return model_.asks(); }
  query::SiteSet sites() const override { return model_.sites(); }
  // Hidden states are large, and computed again.
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override;

 private:
  query::Model& model_;
  std::unique_ptr<AnswerJournal> journal_;
  uint64_t answered_ = 0;
};

}  // namespace minpair::engine
