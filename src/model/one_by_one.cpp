#include "model/one_by_one.h"

namespace minpair {
namespace {

class OneByOne : public Model {
 public:
  explicit OneByOne(std::unique_ptr<Model> model) : model_(std::move(model)) {}
  const ModelInfo& info() const override { return model_->info(); }
  const Tokenizer& tokenizer() const override { return model_->tokenizer(); }

  std::vector<Answer> answer(std::span<const Query> queries) override {
    std::vector<Answer> answers;
    for (const Query& query : queries)
      answers.push_back(std::move(model_->answer({&query, 1}).at(0)));
    return answers;
  }

 private:
  std::unique_ptr<Model> model_;
};

}  // namespace

std::unique_ptr<Model> one_by_one(std::unique_ptr<Model> model) {
  return std::make_unique<OneByOne>(std::move(model));
}

}  // namespace minpair
