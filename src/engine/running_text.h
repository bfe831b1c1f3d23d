#pragma once
// Texts that a model reads from left to right, one after the other or each on its own: what stands
// before, between and behind them is decided here, for surprisal and perplexity alike.
//
//   RunningText running(model, by_line);
//   const method::Encoded text = running.next(line, windows);   // adds what stands before it
//   for (tokenizer::TokenId id : text.ids) windows.add(id);
//   if (running.end() >= 0) windows.add(running.end());
//   if (running.alone()) windows.finish();

#include "engine/windows.h"
#include "method/text.h"

namespace minpair::engine {

class RunningText {
 public:
  RunningText(const query::Model& model, bool by_line);

  bool alone() const { return alone_; }            // is every text one of its own?
  tokenizer::TokenId end() const { return end_; }  // of a text; negative: none
  // The text's tokens, their spans in the text, without edges.
  method::Encoded next(std::string_view text, Windows& windows);

 private:
  const query::Model& model_;
  bool alone_, first_ = true;
  tokenizer::TokenId end_;
};

}  // namespace minpair::engine
