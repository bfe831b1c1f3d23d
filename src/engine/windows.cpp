#include "engine/windows.h"

#include <algorithm>

namespace minpair::engine {
namespace {

constexpr uint32_t kWindow =
    1024;  // of models without a limit of their own: states are carried within it

}  // namespace

Windows::Windows(query::Model& model, uint32_t overlap, Answered answered)
    : answered_(std::move(answered)), stream_(model) {
  const query::ModelInfo& info = model.info();
  size_ = info.max_tokens ? info.max_tokens : kWindow;
  overlap_ = overlap ? std::min(overlap, size_ - 1) : size_ / 2;
}

void Windows::add(tokenizer::TokenId id, std::vector<query::What> asked) {
  if (ids_.empty()) asked.clear();
  ids_.push_back(id);
  asked_.push_back(std::move(asked));
  // One more than a window: the last one is only asked about.
  if (ids_.size() == size_ + 1) cut();
}

void Windows::finish() {
  if (ids_.size() > 1) cut();
  ids_.clear();
  asked_.clear();
}

void Windows::cut() {
  query::Query query;
  query.ids.assign(ids_.begin(), ids_.end() - 1);
  std::vector<size_t> records;  // of each token
  for (size_t i = 1; i < ids_.size(); ++i) {
    if (asked_[i].empty()) continue;
    records.push_back(asked_[i].size());
    for (query::What& what : asked_[i]) query.asks.push_back({uint32_t(i - 1), std::move(what)});
    asked_[i].clear();
  }
  size_t keep = std::min<size_t>(overlap_ + 1, ids_.size());
  ids_.erase(ids_.begin(), ids_.end() - ptrdiff_t(keep));
  asked_.erase(asked_.begin(), asked_.end() - ptrdiff_t(keep));
  if (query.asks.empty()) return;
  stream_.add(std::move(query), [this, records = std::move(records)](query::Answer&& answer) {
    size_t at = 0;
    for (size_t count : records) {
      answered_({answer.data() + at, count});
      at += count;
    }
  });
}

}  // namespace minpair::engine
