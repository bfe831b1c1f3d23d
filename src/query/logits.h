#pragma once
// Queries as the numbers that must be computed for them: logits at positions. Everything that can
// be asked of an output is made from these, in the same way for all models.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "query/query.h"

namespace minpair::query {

struct Read {
  uint32_t position = 0;
  std::span<const tokenizer::TokenId> targets;
  bool normalized = true;  // with the sum over the vocabulary
  // Instead of the output: what this layer gives (0: the embeddings), read by the head as if it
  // were the last; or what stands at one of its sites. No numbers where the head reads another
  // width.
  std::optional<uint16_t> layer = {};
  std::optional<Site> state = {};
};

// One query: refers to what the query and its reducers hold.
struct Input {
  std::span<const tokenizer::TokenId> ids;
  std::vector<Read> reads;  // one per ask
  std::span<const Change> changes = {};
};

// Checks the queries, has all their numbers computed at once, and makes the records from them.
using Compute = std::function<std::vector<std::vector<Logits>>(std::span<const Input>)>;
std::vector<Answer> answer_by_logits(const Model& model, std::span<const Query> queries,
                                     const Compute& compute);

}  // namespace minpair::query
