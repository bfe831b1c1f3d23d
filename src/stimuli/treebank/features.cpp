#include <algorithm>

#include "stimuli/treebank/treebank.h"

namespace minpair::stimuli {
namespace {

struct Value {
  std::string_view ud, unimorph;
  bool core = false;
};

// Index 0 of each list is "none". Names: Universal Dependencies v2 and the UniMorph schema.
const std::vector<Value>& values_of(Feature feature) {
  static const std::vector<Value> number{{},
                                         {"Sing", "SG", true},
                                         {"Plur", "PL", true},
                                         {"Dual", "DU"},
                                         {"Ptan", ""},
                                         {"Coll", ""},
                                         {"Count", ""},
                                         {"Grpa", "GRPA"},
                                         {"Grpl", "GPAUC"},
                                         {"Inv", "INVN"},
                                         {"Pauc", "PAUC"},
                                         {"Tri", "TRI"}};
  static const std::vector<Value> gender{
      {}, {"Masc", "MASC", true}, {"Fem", "FEM", true}, {"Neut", "NEUT", true}, {"Com", ""}};
  static const std::vector<Value> cases{{},
                                        {"Nom", "NOM", true},
                                        {"Acc", "ACC", true},
                                        {"Erg", "ERG", true},
                                        {"Abs", "ABS", true},
                                        {"Gen", "GEN"},
                                        {"Dat", "DAT"},
                                        {"Ins", "INS"},
                                        {"Loc", "LOC"},
                                        {"Voc", "VOC"},
                                        {"Par", "PRT"},
                                        {"Ine", "IN+ESS"},
                                        {"Ela", "IN+ABL"},
                                        {"Ill", "IN+ALL"},
                                        {"Ade", "AT+ESS"},
                                        {"Abl", "AT+ABL"},
                                        {"All", "AT+ALL"},
                                        {"Ess", "FRML"},
                                        {"Tra", "TRANS"},
                                        {"Com", "COM"},
                                        {"Abe", "PRIV"},
                                        {"Ben", "BEN"},
                                        {"Cau", "CAUSV"},
                                        {"Cmp", "CMPR"},
                                        {"Cns", ""},
                                        {"Del", ""},
                                        {"Dis", ""},
                                        {"Equ", "EQTV"},
                                        {"Lat", ""},
                                        {"Per", "PROL"},
                                        {"Sub", ""},
                                        {"Sup", ""},
                                        {"Tem", ""},
                                        {"Ter", "TERM"},
                                        {"Add", ""}};
  static const std::vector<Value> person{
      {}, {"1", "1", true}, {"2", "2", true}, {"3", "3", true}, {"0", "0"}, {"4", "4"}};
  switch (feature) {
    case Feature::number:
      return number;
    case Feature::gender:
      return gender;
    case Feature::case_:
      return cases;
    case Feature::person:
      return person;
  }
  return number;
}

std::optional<Feature> feature_of_ud_key(std::string_view key) {
  if (key == "Number") return Feature::number;
  if (key == "Gender") return Feature::gender;
  if (key == "Case") return Feature::case_;
  if (key == "Person") return Feature::person;
  return {};
}

// UniMorph's part of speech in the terms of Universal Dependencies: those that agreement looks at.
std::string_view part_of_speech(std::string_view tag) {
  static constexpr std::pair<std::string_view, std::string_view> parts[] = {
      {"V", "VERB"},  {"V.PTCP", "VERB"}, {"N", "NOUN"},  {"PRO", "PRON"},
      {"ADJ", "ADJ"}, {"ART", "DET"},     {"DET", "DET"}, {"AUX", "AUX"}};
  for (auto [unimorph, ud] : parts)
    if (tag == unimorph) return ud;
  return "";
}

}  // namespace

std::string_view name_of(Feature feature) {
  static constexpr std::string_view names[] = {"number", "gender", "case", "person"};
  return names[size_t(feature)];
}

std::string_view value_name(Feature feature, FeatureIndex value) {
  const std::vector<Value>& values = values_of(feature);
  return value < values.size() ? values[value].ud : "";
}

FeatureIndex value_index(Feature feature, std::string_view name) {
  const std::vector<Value>& values = values_of(feature);
  for (size_t i = 1; i < values.size(); ++i)
    if (values[i].ud == name) return FeatureIndex(i);
  return 0;
}

Bundle parse_ud_features(std::string_view feats) {
  Bundle bundle;
  if (feats == "_") return bundle;
  while (!feats.empty()) {
    std::string_view pair = feats.substr(0, feats.find('|'));
    feats.remove_prefix(std::min(feats.size(), pair.size() + 1));
    size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    if (std::optional<Feature> f = feature_of_ud_key(pair.substr(0, equals))) {
      std::string_view value = pair.substr(equals + 1);
      bundle.value[size_t(*f)] = value_index(*f, value.substr(0, value.find(',')));
    }
  }
  return bundle;
}

std::string_view parse_unimorph_features(std::string_view tags, Bundle& bundle) {
  bundle = {};
  std::string_view part;
  while (!tags.empty()) {
    std::string_view tag = tags.substr(0, tags.find(';'));
    tags.remove_prefix(std::min(tags.size(), tag.size() + 1));
    if (part.empty()) part = part_of_speech(tag);
    for (Feature f : all_features) {
      const std::vector<Value>& values = values_of(f);
      for (size_t i = 1; i < values.size(); ++i)
        if (!values[i].unimorph.empty() && values[i].unimorph == tag &&
            bundle.value[size_t(f)] == 0)
          bundle.value[size_t(f)] = FeatureIndex(i);
    }
  }
  return part;
}

Bundle core_values(const Bundle& bundle) {
  Bundle core = bundle;
  for (Feature f : all_features)
    if (!values_of(f)[core[f]].core) core.value[size_t(f)] = 0;
  return core;
}

bool agree(const Bundle& a, const Bundle& b) {
  return std::all_of(all_features.begin(), all_features.end(),
                     [&](Feature f) { return a[f] == 0 || b[f] == 0 || a[f] == b[f]; });
}

}  // namespace minpair::stimuli
