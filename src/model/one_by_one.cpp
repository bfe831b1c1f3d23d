#include "model/one_by_one.h"

namespace minpair::model {
namespace {

class OneByOne : public query::Model {
 public:
  explicit OneByOne(std::shared_ptr<query::Model> model) : model_(std::move(model)) {
    files = model_->files;
  }
  const query::ModelInfo& info() const override { return model_->info(); }
  const tokenizer::Tokenizer& tokenizer() const override { return model_->tokenizer(); }

  query::AskSet asks() const override { return model_->asks(); }
  query::SiteSet sites() const override { return model_->sites(); }

  std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
    std::vector<query::Answer> answers;
    for (const query::Query& query : queries)
      answers.push_back(std::move(model_->answer({&query, 1}).at(0)));
    return answers;
  }

 private:
  std::shared_ptr<query::Model> model_;
};

}  // namespace

std::unique_ptr<query::Model> one_by_one(std::shared_ptr<query::Model> model) {
  return std::make_unique<OneByOne>(std::move(model));
}

}  // namespace minpair::model
