
#include "cli/cli.h"
#include "model/model.h"

namespace minpair::cli {

void add_edge_options(Arguments& command, model::LoadOptions& options) {
  command.add_option("--start", options.start,
                     "causal and recurrent models: the token before the first one; 'none': the "
                     "first is not scored; 'auto': the model's own");
  command.add_option("--as", options.as,
                     "a checkpoint that was trained as both (GPT-BERT): read as a 'masked' or as a "
                     "'causal' model, or 'auto', as it says");
  command.add_option("--end", options.end,
                     "the token that is scored after the last one, 'none', or 'auto'");
}

}  // namespace minpair::cli
