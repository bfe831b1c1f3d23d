#include "command/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"

namespace minpair::command {

LoadedModel Host::load_model(const std::string& name, const model::LoadOptions& options) const {
  std::optional<LoadedModel> known = loaded ? loaded(name, options) : std::nullopt;
  if (known) return std::move(*known);
  return {model::load_model(name, options), options};
}

query::ModelInfo Host::describe_model(const std::string& name,
                                      const model::LoadOptions& options) const {
  std::optional<LoadedModel> known = loaded ? loaded(name, options) : std::nullopt;
  return known ? known->model->info() : model::describe_model(name, options);
}

void Host::print(std::string_view results) const {
  if (text)
    *text += results;
  else
    fmt::print("{}", results);
}

void Host::write(const std::string& output, std::string_view results) const {
  if (output == "-" && text)
    print(results);
  else
    write_file(output, results);
}

void Host::write(const std::string& output, const std::vector<report::Grid>& tables,
                 const std::string& format) const {
  if (!takes_rows(output)) return write(output, report::render_grids(tables, format));
  rows([tables] { return tidy::rows_of(tables); });
}

void Host::write(const std::string& output, const OpensRows& open, tidy::Format format,
                 tidy::Texts texts) const {
  if (takes_rows(output)) return rows(open);
  if (output == "-" && text)
    print(tidy::text_of(*open(), format, texts));
  else
    tidy::write_rows(*open(), format, output, texts);
}

void Host::note(std::string_view line) const {
  if (!silent) fmt::print(stderr, "{}\n", line);
}

bool Host::colors() const { return !text && ::isatty(1) && !std::getenv("NO_COLOR"); }

}  // namespace minpair::command
