#pragma once
// Single heads, neurons and units, and what is usual in them.

#include "introspect/patch.h"

namespace minpair::introspect {

std::string_view name_of(query::Site site);

// Whether a site is changed as a whole.
bool is_whole(query::Site site);

// Sums up what stands at a site of some layers.
class SiteMeans {
 public:
  SiteMeans(query::Site site, const std::vector<Component>& components);
  void ask(query::Query& query, uint32_t position) const;
  void add(const query::Answer& answer);  // all positions of a query together count as one
  query::Put put(const Component& component, const query::ModelInfo& info) const;

 private:
  query::Site site_;
  std::vector<uint16_t> layers_;
  std::vector<std::vector<double>> sums_;  // parallel to the layers
  std::vector<double> counts_;             // of what is in them
};

}  // namespace minpair::introspect
