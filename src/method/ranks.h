#pragma once
// The rank of each token among all that could stand there, for any method that asks about tokens.
//
//   const Ranks ranks(find_method("pll"));
//   fmt::print("{}\n", ranks.name());

#include "method/method.h"

namespace minpair::method {

// Asks about the tokens that `of` asks about. Instead of log-probabilities, the scores have
// ranks: 1 is the best.
class Ranks : public Method {
 public:
  explicit Ranks(const Method& of) : of_(of) {}
  const judge::MethodInfo& info() const override { return of_.info(); }
  bool supports(const query::ModelInfo& model) const override { return of_.supports(model); }

  Questions questions(const suite::Item& item, std::vector<SentenceTokens> sentences,
                      const MethodContext& context) const override;
  std::vector<judge::SentenceScore> score(
      const Questions& questions, const std::vector<const query::Answer*>& answers) const override;

 private:
  const Method& of_;
};

}  // namespace minpair::method
