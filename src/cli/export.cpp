
#include "cli/choice.h"
#include "cli/cli.h"
#include "cli/policy.h"
#include "introspect/kept.h"
#include "tidy/tidy.h"

namespace minpair::cli {
namespace {

struct ExportCall {
  std::string results, table = "items", norm, format, output = "-";
  PolicyCall policy{.lengths = "all"};
  report::ReportOptions options;
};

void write(ExportCall& call) {
  store::Store store(call.results, store::Store::Mode::read);
  set_views(call.options, call.norm);
  call.options.policy = call.policy.policy();
  std::unique_ptr<tidy::Rows> rows;
  if (call.table == "effects")
    rows = std::make_unique<tidy::FrameRows>(
        introspect::effect_rows(store, effect_view(call.options)));
  else
    rows = tidy::stored_rows(store, call.table, call.options);
  tidy::Format format =
      call.format.empty() ? tidy::format_for(call.output) : tidy::find_format(call.format);
  tidy::write_rows(*rows, format, call.output);
}

std::vector<std::string> tables() {
  std::vector<std::string> all = tidy::tables();
  all.emplace_back("effects");
  return all;
}

void add_export(Cli& cli) {
  Arguments& app =
      cli.command("export", "Results as one tidy table, for pandas, R and spreadsheets",
                  "  minpair export results.db -o items.csv\n"
                  "  minpair export results.db --what sentences --norm sum,mean -o sentences.tsv\n"
                  "  minpair export results.db --what words --test simple_sentence -o words.jsonl\n"
                  "  minpair export results.db --what regions -o regions.csv\n"
                  "  minpair export results.db --what tokens | head\n");
  static ExportCall call;
  app.add_option("RESULTS", call.results, "a results file of 'minpair run'").required();
  app.add_option("--what", call.table,
                 "a row for every: item, sentence, region of a design, word, token (of each model "
                 "and method); summary: counts and accuracies; runs; effects: what 'minpair "
                 "introspect' found")
      .one_of(tables())
      .shows_default();
  add_norm_option(app, call.norm);
  app.add_option("--lengths", call.policy.lengths,
                 "equal: items whose sentences differ in their number of tokens are excluded; all")
      .one_of({"equal", "all"})
      .shows_default();
  add_policy_options(app, call.policy);
  add_choice_options(app, call.options.wanted, call.options.tests, call.options.conditions,
                     call.options.languages);
  app.add_option("--format", call.format,
                 "csv, tsv or jsonl; default: as the file's name ends, else csv")
      .one_of({"csv", "tsv", "jsonl"});
  app.add_option("-o,--output", call.output, "a file").shows_default();
  cli.on_run(app, [] { write(call); });
}

const Cli::Command export_command{65, add_export};

}  // namespace
}  // namespace minpair::cli
