#pragma once
// What is changed inside a network while it answers a batch.
//
// A changed input is its unchanged twin up to the lowest layer that is changed in it, and costs
// nothing below. Twins, and the inputs that values are taken from, are computed with the batch
// where nobody asked for them: an answer depends on its query alone.
//
//   Interventions changes(inputs, info);
//   ... lay out changes.inputs(), and changes.late() as they say ...
//   changes.place(row_of);
//   network.forward(batch, rows, changes.watch(taps.watch()));

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "model/architecture.h"
#include "query/logits.h"

namespace minpair::model {

// Whether a value is what a query calls by this site and layer, or has it among others.
bool shows(const Value& value, query::Site site, uint32_t layer);

// Which columns of a value a site is: all of them, but of gates, which stand side by side.
struct Slice {
  size_t first = 0, width = 0;
};
Slice slice_of(const Value& value, query::Site site, const query::ModelInfo& info);

class Interventions {
 public:
  Interventions(std::span<const query::Input> asked, const query::ModelInfo& info);
  Interventions(const Interventions&) = delete;  // the watch knows its place

  // Those that were asked, in their order, then the unchanged ones that they need.
  std::span<const query::Input> inputs() const { return late_.empty() ? asked_ : inputs_; }
  std::span<const Changed> late() const { return late_; }  // by layer

  void place(const std::function<uint32_t(size_t input, uint32_t position)>& row_of);
  // Rows that others take values from: they are needed to the end.
  void add_sources(std::vector<uint32_t>& rows) const;
  // Changes what it sees, then shows it to `next`. Just `next` where nothing is to be changed.
  Watch watch(const Watch& next);

 private:
  struct Edit {
    const query::Change* change = nullptr;
    size_t input = 0, source = 0;
    std::vector<uint32_t> rows, source_rows;
    struct Taken {
      std::vector<float> sum;
      float rows = 0;  // of the source that have such a part
    };
    std::vector<Taken> taken;  // by part
  };
  uint32_t unchanged(std::span<const tokenizer::TokenId> ids);
  void add(size_t input);
  void see(const Value& value);
  void take(Edit& edit, const Value& value) const;
  void put(const Edit& edit, const Value& value) const;
  Slice one_of(const query::Place& place, const Value& value) const;

  std::span<const query::Input> asked_;
  const query::ModelInfo& info_;
  std::vector<query::Input> inputs_;
  std::map<std::vector<tokenizer::TokenId>, uint32_t> unchanged_;
  std::vector<Changed> late_;
  std::vector<Edit> edits_;
};

// What the layers of a network give on the way, taken where a batch asks for it: hidden states, and
// what the head would say if a layer were the last.
//
//   Taps taps(inputs, info, token_of);
//   network.forward(batch, rows, taps.watch());
//   taps.read(runtime, width, decoder, cap, answers, head);

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
