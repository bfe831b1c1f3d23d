#pragma once
// What the layers of a network give on the way, taken where a batch asks for it: hidden states, and
// what the head would say if a layer were the last.
//
//   Taps taps(inputs, info, token_of);
//   network.forward(batch, rows, taps.watch());
//   taps.read(runtime, width, decoder, cap, answers, head);

#include <functional>
#include <span>
#include <vector>

#include "model/architecture.h"
#include "query/logits.h"

namespace minpair::model {

class Taps {
 public:
  // `token_of`: which token of the batch stands at a position of a query.
  Taps(std::span<const query::Input> inputs, const query::ModelInfo& info,
       const std::function<uint32_t(size_t query, uint32_t position)>& token_of);
  Taps(const Taps&) = delete;  // the watch knows its place

  bool empty() const { return taps_.empty(); }
  const Watch& watch() const { return watch_; }  // none where nothing is to be taken

  // Puts what was taken into the answers. `head`: from streams of this width to what the decoder
  // multiplies.
  void read(const nn::Runtime& runtime, size_t width, const nn::Linear& decoder, float cap,
            std::vector<std::vector<query::Logits>>& answers,
            const std::function<nn::View(nn::Matrix&)>& head);

 private:
  struct Tap {
    const query::Read* read = nullptr;
    size_t query = 0, number = 0;  // whose answer
    uint32_t token = 0;
    std::vector<float> values, memory;  // of an LSTM's unit
  };
  void take(const Value& value);
  bool is_told(const Value& value, const query::Read& read) const;

  const query::ModelInfo& info_;
  std::vector<Tap> taps_;
  Watch watch_;
};

}  // namespace minpair::model
