#pragma once
// The options by which commands load a model, the same in all of them.

#include <memory>
#include <string>

#include "cli/cli.h"
#include "command/shared.h"
#include "model/model.h"
#include "tokenizer/tokenizer.h"

namespace minpair::cli {

using command::add_load_options;
using command::kModelHelp;

// Of a folder, a .gguf file, or whatever else names a model.
std::unique_ptr<tokenizer::Tokenizer> open_tokenizer(const std::string& name,
                                                     std::vector<std::string>& notes);
// On standard error: what computes, and what a careful user should know about the model.
void say_notes(const query::Model& model, const std::string& before = "note");
std::unique_ptr<query::Model> load_and_say(const std::string& name, const model::LoadOptions& load,
                                           bool quiet);

}  // namespace minpair::cli
