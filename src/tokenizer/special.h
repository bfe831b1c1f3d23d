#pragma once
// Special tokens: which they are, and whether the model has a row for each.

#include <string>
#include <vector>

#include "tokenizer/config.h"

namespace minpair::tokenizer {

using Notes = std::vector<std::string>;

inline void say(Notes* notes, std::string note) {
  if (notes) notes->push_back(std::move(note));
}

// Names that the configuration gives replace those of `names`.
void take_names(SpecialNames& names, const SpecialNames& from_files);
// Names of tokens that are usual, for roles that have none yet, when the vocabulary has them.
void guess_names(const std::vector<std::string>& pieces, Surroundings& around);
// Forgets, with a note, tokens that the vocabulary lacks or the model has no row for. A token that
// would be put around every sentence must exist: otherwise an error.
void check_special(const std::vector<std::string>& pieces, Surroundings& around,
                   const TokenizerConfig& config, Notes* notes);
// Places added tokens in the vocabulary. An id that belongs to another piece is an error; a gap
// before an added id is filled with nothing, with a note.
void merge_added(std::vector<std::string>& pieces, std::vector<AddedToken> added,
                 Surroundings& around, Notes* notes);

}  // namespace minpair::tokenizer
