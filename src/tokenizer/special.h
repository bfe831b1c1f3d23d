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
// Fills roles that the files neither name nor declare empty, from `declared`, the tokens that the
// files say are special: with the id in config.json, with what stands around every sentence, or by
// a usual name. An ordinary piece never gets a role because of its name.
void fill_roles(const std::vector<std::string>& pieces, const std::vector<TokenId>& declared,
                const TokenizerConfig& config, Surroundings& around);
// The ids of the added tokens.
std::vector<TokenId> ids_of(const std::vector<AddedToken>& added);
// Forgets, with a note, tokens that the vocabulary lacks or the model has no row for. A token that
// would be put around every sentence must exist: otherwise an error.
void check_special(const std::vector<std::string>& pieces, Surroundings& around,
                   const TokenizerConfig& config, Notes* notes);
// Of the first `size` ids, those without a piece: a note, or an error when they are so many that the
// file must be damaged.
void check_holes(const std::vector<std::string>& pieces, size_t size, const std::string& file,
                 Notes* notes);
// Places added tokens in the vocabulary. An id that belongs to another piece is an error; a gap
// before an added id is filled with nothing, with a note.
void merge_added(std::vector<std::string>& pieces, std::vector<AddedToken> added,
                 Surroundings& around, Notes* notes);

}  // namespace minpair::tokenizer
