#pragma once
// The option with which commands that read typed lists are told what the columns are.

#include <string>

#include "cli/cli.h"

namespace minpair::cli {

inline void add_columns_option(Arguments& app, std::string& columns) {
  app.add_option(
      "--columns", columns,
      "what the columns of a list are, where their names do not tell: ROLE=NAME with commas; "
      "roles: good, bad; or sentence, grammatical, item; test, condition, language, "
      "cluster, context, feature");
}

}  // namespace minpair::cli
