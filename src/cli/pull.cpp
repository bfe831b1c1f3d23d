#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counts.h"
#include "base/text.h"
#include "cli/cli.h"
#include "hub/hub.h"
#include "hub/sources.h"
#include "model/architectures.h"

namespace minpair::cli {
namespace {

void pull_data(const std::string& name, const hub::PullOptions& options) {
  const hub::Source source = hub::find_source(name);
  const hub::PulledSource p = hub::pull_source(source, options);
  if (options.dry_run) {
    fmt::print("{}: {} of {} to fetch, {:.1f} MB and {} of unknown size\n{}\n", name, p.absent,
               counted(source.files.size(), "file"), double(p.missing) / 1e6,
               counted(p.unchecked.size(), "file"), source.address);
    return;
  }
  if (!options.quiet) {
    fmt::print(stderr, "{}: {}, {:.1f} MB of them fetched now. {}\n{}\n", name,
               counted(source.files.size(), "file"), double(p.fetched) / 1e6, source.licence,
               source.citation);
    if (!p.unchecked.empty())
      fmt::print(stderr, "not checked, since their hashes are not known: {}\n",
                 fmt::join(p.unchecked, ", "));
  }
  fmt::print("{}\n", p.folder.string());
}

// The source that a name without ORG/ probably means.
std::string mistyped_source(const std::string& name) {
  std::vector<std::string> known;
  for (const hub::Source& s : hub::all_sources()) {
    if (lower(s.name) == lower(name)) return s.name;
    known.push_back(s.name);
  }
  return name.find('/') == name.npos ? closest(name, known) : "";
}

// "ud-2.4/UD_Germn-GSD": nobody on the hub is called as a collection of sources is.
bool in_collection(const std::string& name) {
  const std::string first = name.substr(0, name.find('/')) + "/";
  for (const hub::Source& s : hub::all_sources())
    if (s.name.starts_with(first)) return true;
  return false;
}

void add_pull(Cli& cli) {
  Command& app = cli.command(
      "pull", Group::models,
      "Fetch a model from the Hugging Face hub, or published data, into a cache",
      "  minpair pull dbmdz/bert-base-german-cased\n"
      "  minpair pull ORG/NAME --dry-run\n"
      "  minpair pull ORG/NAME --revision v1.0\n"
      "  minpair pull ORG/NAME-GGUF --file name.Q8_0.gguf\n"
      "  minpair pull blimp ; minpair pull ud-2.4/UD_German-GSD     'minpair list sources'\n"
      "  HF_ENDPOINT, HF_HOME, HF_HUB_CACHE and HF_TOKEN have their usual meaning.\n");
  static std::string model;
  static hub::PullOptions options;
  app.add_option("MODEL", model, "ORG/NAME, as on the hub; or the name of a source").required();
  app.add_option("--revision", options.revision, "a branch, a tag or a commit (main)");
  app.add_option("--file", options.files, "fetch exactly this file (repeatable)");
  app.add_flag("--dry-run", options.dry_run, "fetch nothing; print the files and their sizes");
  app.add_flag("-q,--quiet", options.quiet, "no progress, no summary");
  app.work = [] {
    if (hub::is_source(model) || in_collection(model)) return pull_data(model, options);
    if (std::string meant = mistyped_source(model); !meant.empty())
      fmt::print(stderr, "note: looking for a model '{}'; did you mean '{}'?\n", model, meant);
    options.look = [](const std::string& config) {
      model::check_readable(config, model + "/config.json");
    };
    hub::Pulled p = hub::pull(model, options);
    if (options.dry_run) {
      for (size_t i = 0; i < p.files.size(); ++i)
        fmt::print("{:>10.1f} MB  {}\n", double(p.sizes[i]) / 1e6, p.files[i]);
      fmt::print("{:>10.1f} MB  {} {}\n", double(p.bytes) / 1e6, model, p.commit.substr(0, 12));
      return;
    }
    if (!options.quiet)
      fmt::print(stderr, "{} {}: {}, {:.1f} MB, {:.1f} MB of them fetched now\n", model,
                 p.commit.substr(0, 12), counted(p.files.size(), "file"), double(p.bytes) / 1e6,
                 double(p.fetched) / 1e6);
    fmt::print("{}\n", p.folder.string());
  };
}

const Cli::Entry pull_command{110, add_pull};

}  // namespace
}  // namespace minpair::cli
