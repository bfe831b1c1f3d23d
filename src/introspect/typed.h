#pragma once
// A pair that somebody typed, looked into at once: for the bench of `serve`.
//
//   std::string json = inside_json(model, {"Der Autor lacht.", "Der Autor lachen."});

#include <chrono>
#include <string>

#include "query/query.h"

namespace minpair::introspect {

struct TypedPair {
  std::string right, wrong;
  // The right sentence with one thing changed: another subject, so that the wrong form is right
  // there; or another attractor, so that nothing changes. May be empty.
  std::string other;
};

struct TypedLimits {
  size_t words = 60;                      // around the locus
  std::chrono::milliseconds time{20000};  // afterwards nothing new is begun
};

// What each layer would answer; what each word does; and what becomes of the answer when what
// stands at a word after a layer is changed: into what the other sentence has there, into that of a
// mask, or, where words are left out (word.h), into zeros. As web/src/live.ts reads it. Throws, in
// words for who typed it, when the pair cannot be asked.
std::string inside_json(query::Model& model, const TypedPair& pair, const TypedLimits& limits = {});

}  // namespace minpair::introspect
