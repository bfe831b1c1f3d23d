#include "model/rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counts.h"
#include "base/error.h"

namespace minpair::model {
namespace {

using Path = std::vector<std::string>;

// What the configuration says about rotary positions, of one kind of layers or of all.
class Said {
 public:
  Said(const Config& c, const std::string& layers) : c_(c) {
    if (c.has_in({"rope_parameters", layers})) {
      path_ = {"rope_parameters", layers};
      c.text_in({"rope_parameters", "rope_type"}, "");  // the layers' own counts
    } else {
      path_ = {c.has("rope_scaling") ? "rope_scaling" : "rope_parameters"};
    }
  }
  double real(const std::string& key, double otherwise) const {
    return c_.real_in(in(key), otherwise);
  }
  std::vector<double> reals(const std::string& key) const { return c_.reals_in(in(key)); }
  bool has(const std::string& key) const { return c_.has_in(in(key)); }
  // Up to 4.42 "type" is the only name; later versions write both.
  std::string type() const {
    const std::string older = c_.text_in(in("type"), "default");
    std::string type = c_.text_in(in("rope_type"), older);
    if (has("type") && older != type)
      throw bad_input(fmt::format("\"rope_type\" is \"{}\" and \"type\" is \"{}\"", type, older))
          .at(c_.file().string())
          .hint("versions of transformers do not agree on which counts; say the same in both");
    return type;
  }
  // Of the model before its context was stretched.
  double context() const {
    double all = c_.real("max_position_embeddings", 2048);
    return real("original_max_position_embeddings",
                c_.real("original_max_position_embeddings", all));
  }
  double factor() const {
    return real("factor", c_.real("max_position_embeddings", 2048) / context());
  }

 private:
  Path in(const std::string& key) const {
    Path path = path_;
    path.push_back(key);
    return path;
  }
  const Config& c_;
  Path path_;
};

// Transformers 4 reads some numbers otherwise than 5, or not at all. Where its reading gives other
// frequencies or scores, neither is taken.
void refuse_other_readings(const Config& c, const Said& said, const std::string& type) {
  const auto [major, minor] = c.written_by();
  if (major != 4) return;
  const char* original = "original_max_position_embeddings";
  const double all = c.real("max_position_embeddings", 2048), inside = said.real(original, all);
  std::string key;
  if (type == "yarn" && minor < 51) {  // the context is that of all positions
    if (said.context() != all) key = original;
    if (said.has("mscale") || said.has("mscale_all_dim")) key = "mscale";
  } else if (type == "yarn") {
    if (!said.has(original) && said.context() != all) key = original;
    // The factor was how many times the original goes into all, whatever it says.
    if (minor < 56 && said.has(original) && said.real("factor", 0) != all / inside) key = "factor";
  } else if (minor < 50 && c.text("model_type", "") != "phi3") {  // LongRoPE: always the long ones
    key = "short_factor";
  } else if (c.has(original)) {
    const double ratio = all / c.real(original, all);
    if (inside != all && inside != c.real(original, all)) key = original;
    if (!said.has("attention_factor") && said.real("factor", ratio) != ratio) key = "factor";
  } else if (inside != all) {
    key = original;
  }
  if (key.empty()) return;
  throw bad_input(
      fmt::format("transformers 4.{} reads \"{}\" of \"{}\" otherwise than transformers 5", minor,
                  key, type))
      .at(c.file().string())
      .hint("if the reading of 5 is meant, set \"transformers_version\" to \"5\"");
}

// Llama 3.1: long waves are stretched, short ones kept, those between blended. In floats, as
// PyTorch does it.
void stretch_long_waves(const Said& said, std::vector<float>& frequencies) {
  const auto factor = float(said.real("factor", 8)), low = float(said.real("low_freq_factor", 1)),
             high = float(said.real("high_freq_factor", 4)),
             context = float(said.real("original_max_position_embeddings", 8192));
  for (float& f : frequencies) {
    const float wave = float(2 * M_PI) / f;
    if (wave < context / high) continue;
    const float blend = (context / wave - low) / (high - low);
    f = wave > context / low ? f / factor : (1 - blend) * f / factor + blend * f;
  }
}

// YaRN (Peng et al. 2023): by how often a wave turns within the original context; and attention is
// sharpened at every length.
void apply_yarn(const Said& said, double theta, size_t width, Rope& rope) {
  const double factor = said.factor(), context = said.context();
  auto turns = [&](double n) {
    return double(width) * std::log(context / (n * 2 * M_PI)) / (2 * std::log(theta));
  };
  double low = turns(said.real("beta_fast", 32)), high = turns(said.real("beta_slow", 1));
  low = std::max(std::floor(low), 0.0);
  high = std::min(std::ceil(high), double(width) - 1);
  if (low == high) high += 0.001;
  for (size_t i = 0; i < rope.frequencies.size(); ++i) {
    double stretched = std::clamp((double(i) - low) / (high - low), 0.0, 1.0);
    double f = rope.frequencies[i];
    rope.frequencies[i] = float(f / factor * stretched + f * (1 - stretched));
  }
  auto sharper = [&](double by) { return factor <= 1 ? 1 : 0.1 * by * std::log(factor) + 1; };
  double one = said.real("mscale", 0), all = said.real("mscale_all_dim", 0);
  double sharp = said.real("attention_factor",
                           one != 0 && all != 0 ? sharper(one) / sharper(all) : sharper(1));
  rope.scores = sharp * sharp;
}

// LongRoPE (Ding et al. 2024): one factor for each wave, others beyond the original context, where
// the scores of a sentence's beginning would depend on its length.
void apply_longrope(const Said& said, Rope& rope) {
  const double factor = said.factor(), context = said.context();
  std::vector<double> by = said.reals("short_factor");
  said.reals("long_factor");
  if (by.size() != rope.frequencies.size())
    throw bad_input(fmt::format("\"short_factor\" has {}, it must have {}",
                                counted(by.size(), "number"), rope.frequencies.size()));
  for (size_t i = 0; i < by.size(); ++i)
    rope.frequencies[i] = float(double(rope.frequencies[i]) / by[i]);
  double sharp = said.real("attention_factor",
                           factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(context)));
  rope.scores = sharp * sharp;
  rope.most_tokens = size_t(context);
}

}  // namespace

Rope rope_of(const Config& c, double usual_theta, size_t width, const std::string& layers) {
  const Said said(c, layers);
  const double inside = said.real("rope_theta", usual_theta), theta = c.real("rope_theta", inside);
  if (said.has("rope_theta") && theta != inside)
    throw bad_input(fmt::format("\"rope_theta\" is {} and, with the scaling, {}", theta, inside))
        .at(c.file().string())
        .hint("keep the one that is meant");
  Rope rope{nn::rotary_frequencies(theta, width)};
  std::string type = said.type();
  if (type == "su") type = "longrope";  // its name in the first Phi-3
  if (type == "yarn" || type == "longrope") refuse_other_readings(c, said, type);
  if (type == "linear") {
    double factor = said.real("factor", 1);
    for (float& f : rope.frequencies) f = float(double(f) / factor);
  } else if (type == "dynamic") {
    // Only sentences that are longer than the model's positions would be stretched.
    said.real("factor", 1);
    said.real("original_max_position_embeddings", 0);
  } else if (type == "llama3") {
    stretch_long_waves(said, rope.frequencies);
  } else if (type == "yarn") {
    apply_yarn(said, theta, width, rope);
  } else if (type == "longrope") {
    apply_longrope(said, rope);
  } else if (type != "default") {
    throw bad_input(fmt::format("rotary scaling of type '{}' is not supported", type))
        .at(c.file().string())
        .hint("known are default, linear, dynamic, llama3, yarn and longrope");
  }
  return rope;
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
