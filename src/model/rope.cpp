#include "model/rope.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace minpair::model {
namespace {

// Llama 3.1: long waves are stretched, short ones kept, those between blended.
void stretch_long_waves(const Config& c, const std::string& where,
                        std::vector<float>& frequencies) {
  double factor = c.real_in({where, "factor"}, 8), low = c.real_in({where, "low_freq_factor"}, 1),
         high = c.real_in({where, "high_freq_factor"}, 4),
         context = c.real_in({where, "original_max_position_embeddings"}, 8192);
  for (float& f : frequencies) {
    double wave = 2 * M_PI / double(f);
    if (wave < context / high) continue;
    double blend = (context / wave - low) / (high - low);
    double stretched = double(f) / factor;
    f = float(wave > context / low ? stretched : (1 - blend) * stretched + blend * double(f));
  }
}

}  // namespace

std::vector<float> scaled_frequencies(const Config& c, double theta, size_t width) {
  std::vector<float> frequencies = nn::rotary_frequencies(theta, width);
  std::string where = c.has("rope_scaling") ? "rope_scaling" : "rope_parameters";
  std::string type = c.text_in({where, "rope_type"}, c.text_in({where, "type"}, "default"));
  if (type == "linear") {
    double factor = c.real_in({where, "factor"}, 1);
    for (float& f : frequencies) f = float(double(f) / factor);
  } else if (type == "llama3") {
    stretch_long_waves(c, where, frequencies);
  } else if (type != "default") {
    throw bad_input(fmt::format("rotary scaling of type '{}' is not supported", type))
        .at(c.file().string())
        .hint(
            "known are default, linear and llama3; for sentences shorter than the original "
            "context, \"rope_scaling\" can be removed");
  }
  return frequencies;
}

void divide_by_stored(const checkpoint::Checkpoint& checkpoint, std::vector<float>& frequencies) {
  const checkpoint::TensorView* factors = checkpoint.find("rope_freqs.weight");
  if (!factors) return;
  if (size_t(factors->elements()) != frequencies.size())
    throw bad_input(fmt::format("rope_freqs.weight has {} factors for {} frequencies",
                                factors->elements(), frequencies.size()));
  std::vector<float> by(frequencies.size());
  checkpoint::to_float(*factors, by.data());
  for (size_t i = 0; i < by.size(); ++i) frequencies[i] /= by[i];
}

}  // namespace minpair::model
