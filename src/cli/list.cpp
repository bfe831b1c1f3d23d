#include <fmt/format.h>

#include <algorithm>

#include "base/counts.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/cli.h"
#include "hub/hub.h"
#include "hub/sources.h"
#include "method/method.h"
#include "model/architectures.h"
#include "report/report.h"
#include "suite/suite.h"

namespace minpair::cli {
namespace {

void list_methods() {
  size_t width = 0;
  for (const method::Method* m : method::all_methods()) width = std::max(width, m->name().size());
  auto print = [indent = width + 2](const std::string& name, const std::string& text) {
    fmt::print("{}", report::wrapped(fmt::format("{:<{}}", name, indent), text,
                                     report::window_width(), indent));
  };
  for (const method::Method* m : method::all_methods()) {
    print(m->name(), m->explanation());
    print("", m->citation());
  }
}

void list_suites() {
  for (const suite::Suite& s : suite::shipped_suites())
    fmt::print("{:<24}  {}\n", s.manifest.name, s.manifest.title);
}

// Shipped ones first, then what was pulled: how to call it, its size, what it is.
void list_models() {
  std::vector<hub::Known> all = hub::shipped_models();
  size_t shipped = all.size();
  for (hub::Known& known : hub::cached_models()) all.push_back(std::move(known));
  size_t width = 0;
  for (const hub::Known& m : all) width = std::max(width, m.name.size());
  for (size_t i = 0; i < all.size(); ++i)
    fmt::print("{:<{}}  {:>8.1f} MB  {}  {}\n", all[i].name, width, double(all[i].bytes) / 1e6,
               i < shipped ? "shipped" : "cached ", all[i].kind.empty() ? "?" : all[i].kind);
}

// What `minpair pull NAME` knows of published data.
void list_sources() {
  for (const hub::Source& s : hub::all_sources()) {
    fmt::print("{}: {}\n    {}\n    {}; {}\n", s.name, s.title, s.citation, s.licence, s.address);
    fmt::print("    {}; SHA-256 of {} known\n", counted(s.files.size(), "file"),
               s.unchecked() == 0 ? "all" : std::to_string(s.files.size() - s.unchecked()));
  }
}

// What 'introspect patch' and 'ablate' can change in it.
std::string_view changed_inside(const model::Architecture& a) {
  auto has = [&](query::Site site) { return a.sites.test(size_t(site)); };
  if (has(query::Site::candidate)) return "units, gates";
  if (has(query::Site::unit)) return "units";
  if (!has(query::Site::mlp)) return has(query::Site::head) ? "block, heads" : "block";
  if (!has(query::Site::head)) return "no heads";
  return has(query::Site::neuron) ? "all" : "no neurons";
}

void list_architectures() {
  fmt::print("{:<22}{:<11}{:<12}{:<14}checkpoints\n", "model_type", "kind", "GGUF", "changeable");
  constexpr size_t kCheckpoints = 59, kRoom = 24;
  const size_t width = report::window_width();
  for (const model::Architecture& a : model::architectures()) {
    std::string line = fmt::format("{:<22}{:<11}{:<12}{:<14}", a.type, a.kind,
                                   a.gguf.empty() ? "-" : a.gguf, changed_inside(a));
    size_t indent = kCheckpoints;
    if (width < kCheckpoints + kRoom) {
      fmt::print("{}\n", trim(line));
      indent = 4, line.assign(indent, ' ');
    }
    fmt::print("{}", report::wrapped(line, a.covers, width, indent));
  }
  fmt::print(
      "\nAny of these models can be looked into: 'minpair states', 'minpair introspect "
      "lens'.\nWhat 'introspect patch' and 'ablate' can change: all is the residual "
      "stream, attention, heads,\nfeed-forward layers and neurons; of recurrent models the state, "
      "its units, and their gates.\nTime mixing and memories count as attention, channel mixing as "
      "feed-forward layers; "
      "a layer of Mamba\nis one block: the stream, and what it adds, called attention.\n");
}

void add_list(Cli& cli) {
  Command& app =
      cli.command("list", Group::program,
                  "What there is: suites, models (shipped and in the hub's cache), methods, "
                  "architectures that can be loaded, published data that can be pulled",
                  "  minpair list methods\n  minpair list models\n  minpair list architectures\n"
                  "  minpair list sources\n");
  static std::string what;
  app.add_option("WHAT", what, "suites, models, methods, architectures or sources")
      .required()
      .one_of({"suites", "models", "methods", "architectures", "sources"});
  app.work = [] {
    if (what == "methods") list_methods();
    if (what == "suites") list_suites();
    if (what == "models") list_models();
    if (what == "architectures") list_architectures();
    if (what == "sources") list_sources();
  };
}

const Cli::Entry list_command{120, add_list};

}  // namespace
}  // namespace minpair::cli
