#pragma once
// RWKV 5, 6 and 7 as folders of the hub, in the terms of GGUF files; those of version 5, which has
// no such files, are those of version 6 where they are the same.

#include <memory>

#include "checkpoint/checkpoint.h"
#include "model/config.h"

namespace minpair::model {

// What neither names nor shapes of tensors say.
struct RwkvSettings {
  size_t head = 0, inner = 0, halved_every = 0;
  double epsilon = 1e-5, last_epsilon = 1e-5, heads_epsilon = 64e-5;
};
// Throws where a configuration asks for what is not computed.
RwkvSettings rwkv_settings(const Config& config, int version);

// The tensors of versions 5 and 6 as the classes Rwkv5ForCausalLM and Rwkv6ForCausalLM save them,
// of version 7 as the library flash-linear-attention does.
std::unique_ptr<checkpoint::Checkpoint> rwkv_tensors(const checkpoint::Checkpoint& folder,
                                                     int version);

}  // namespace minpair::model
