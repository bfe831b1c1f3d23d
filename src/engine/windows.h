#pragma once
// A text of any length for a model that reads from left to right: cut into windows that fit, every
// token asked about once, given what its window has before it. Memory does not grow with the text.

#include <functional>
#include <span>
#include <vector>

#include "engine/query_batch.h"

namespace minpair::engine {

class Windows {
 public:
  // Called for every token that something is asked about, in order.
  using Answered = std::function<void(std::span<const query::Record>)>;

  // `overlap`: how many tokens of context a window keeps from the one before; 0: half of them.
  Windows(query::Model& model, uint32_t overlap, Answered answered);

  // The next token, and what is asked where it is predicted; nothing may be asked of the first.
  void add(tokenizer::TokenId id, std::vector<query::What> asked);
  void add(tokenizer::TokenId id) { add(id, {query::Targets{{id}}}); }
  // Is there nothing yet that the next token could be predicted from?
  bool at_start() const { return ids_.empty(); }
  void finish();                    // ends a text: what comes next has no context
  void ask() { stream_.finish(); }  // what is still waiting

 private:
  void cut();

  Answered answered_;
  uint32_t size_, overlap_;
  std::vector<tokenizer::TokenId> ids_;
  std::vector<std::vector<query::What>> asked_;  // parallel to `ids_`
  QueryStream stream_;
};

}  // namespace minpair::engine
