#pragma once
// The command that makes the same results again, as a shell would read it. Nothing of how or where
// they were computed: no threads, no output, no resuming, no shards.
//
//   CommandLine line("run", suite, model);
//   line.add("--method", "ce").add(selection).add(load, model);

#include <string>

#include "engine/engine.h"

namespace minpair::engine {

class CommandLine {
 public:
  CommandLine(const std::string& verb, const SuiteSource& suite, const query::Model& model);
  CommandLine& add(const std::string& option, const std::string& value);
  CommandLine& add(const Selection& selection);
  CommandLine& add(const model::LoadOptions& load, const query::Model& model);
  const std::string& text() const { return line_; }

 private:
  std::string line_;
};

}  // namespace minpair::engine
