#include "base/error.h"
#include "command/all.h"
#include "command/shared.h"
#include "report/views.h"
#include "tidy/tidy.h"

namespace minpair::command {
namespace {

struct ExportCall {
  std::string results, what = "items", format, output = "-";
  WorthCall worth;
  report::ReportOptions options;
  bool exact = false;
};

void write_lm_eval(const ExportCall& call, store::Store& store, const Host& host) {
  if (call.output == "-")
    throw wrong_call("lm-eval's format is several files").hint("name a folder with -o");
  for (const auto& file : report::write_lm_eval(store, call.options, call.output))
    host.print(file.string() + "\n");
}

std::shared_ptr<tidy::Rows> open_rows(const ExportCall& call) {
  struct Open {  // rows live no longer than the store
    explicit Open(const std::string& results) : store(results, store::Store::Mode::read) {}
    store::Store store;
    std::unique_ptr<tidy::Rows> rows;
  };
  auto open = std::make_shared<Open>(call.results);
  if (call.what == "effects")
    open->rows = std::make_unique<tidy::FrameRows>(
        introspect::effect_rows(open->store, effects_in(call.options)));
  else
    open->rows = tidy::stored_rows(open->store, call.what, call.options);
  return {open, open->rows.get()};
}

void write(ExportCall& call, const Host& host) {
  call.worth.apply(call.options);
  if (call.what == "lm-eval" || call.what == "babylm") {
    store::Store store(call.results, store::Store::Mode::read);
    if (call.what == "lm-eval") return write_lm_eval(call, store, host);
    return host.write(call.output, report::babylm_predictions(store, call.options));
  }
  if (host.takes_rows(call.output) && call.exact)
    throw wrong_call("--exact has no effect without --output");
  const tidy::Format format =
      call.format.empty() ? tidy::format_for(call.output) : tidy::find_format(call.format);
  if (call.exact && format == tidy::Format::jsonl)
    throw wrong_call("--exact has no effect: JSON Lines always have the exact texts");
  host.write(
      call.output, [call] { return open_rows(call); }, format,
      call.exact ? tidy::Texts::exact : tidy::Texts::safe);
}

}  // namespace

Made export_command(const Host& host) {
  auto call = std::make_shared<ExportCall>();
  Made made = std::make_unique<Command>(
      "export", Group::results,
      "Results as one tidy table, for pandas, R and spreadsheets, or as other programs' files",
      "  minpair export results.db -o items.csv\n"
      "  minpair export results.db --what sentences --norm sum,mean -o sentences.tsv\n"
      "  minpair export results.db --what words --test simple_sentence -o words.jsonl\n"
      "  minpair export results.db --what regions -o regions.csv\n"
      "  minpair export results.db --what tokens | head\n"
      "  minpair export results.db --what lm-eval -o folder/\n"
      "  minpair export results.db --what babylm -m de-mini -o predictions.json\n");
  Command& app = *made;
  add_results(app, call->results);
  std::vector<std::string> tables = tidy::tables(), all = tables;
  all.insert(all.end(), {"effects", "lm-eval", "babylm"});
  Option& what =
      app.add_option("--what", call->what,
                     "a row for every: item, sentence, region of a design, word, token (of each "
                     "model and method); summary: counts and accuracies; runs; effects: what "
                     "'minpair introspect' found; lm-eval: lm-evaluation-harness's files, in a "
                     "folder; babylm: what one run chose, as BabyLM's leaderboard takes it")
          .one_of(all)
          .shows_default();
  auto without = [&](std::initializer_list<std::string> names) {
    std::vector<std::string> rest;
    for (const std::string& table : all)
      if (std::find(names.begin(), names.end(), table) == names.end()) rest.push_back(table);
    return rest;
  };
  const std::vector<std::string> scored = without({"runs", "effects"});
  const std::vector<std::string> viewed = without({"runs", "effects", "words", "tokens"});
  const std::vector<std::string> judged = without({"runs", "effects", "words", "tokens", "babylm"});
  const std::vector<std::string> won = {"items", "summary", "lm-eval"};
  const std::vector<std::string> by_item = without({"runs"});
  add_norm(app, call->worth.norm, Norms::several).only_with(what, viewed);
  for (Option* option : add_policy(app, call->worth)) {
    const bool of_verdicts = option->long_name == "--ties" || option->long_name == "--pairwise";
    option->only_with(what, of_verdicts ? won : judged);
  }
  for (Option* option : add_runs(app, call->options.wanted))
    if (option->long_name == "--method") option->only_with(what, without({"effects"}));
  for (Option* option : add_items(app, call->options))
    option->only_with(what, option->long_name == "--where" ? scored : by_item);
  app.add_option("--format", call->format, "default: as the file's name ends, else csv")
      .one_of({"csv", "tsv", "jsonl"})
      .only_with(what, without({"lm-eval", "babylm"}));
  app.add_flag("--exact", call->exact,
               "CSV and TSV: every text as it is, also what a spreadsheet computes as a formula")
      .only_with(what, without({"lm-eval", "babylm"}));
  add_output(app, call->output);
  app.work = [call, &host] { write(*call, host); };
  return made;
}

}  // namespace minpair::command
