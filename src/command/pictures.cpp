// `figure` and `page`.

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "command/all.h"
#include "command/shared.h"
#include "introspect/page.h"
#include "report/views.h"

namespace minpair::command {
namespace {

struct FigureCall {
  std::string results, kind, columns, output = "-";
  WorthCall worth;
  report::ReportOptions options;
};

void write_svg(const FigureCall& call, const Host& host, const std::string& svg) {
  if (call.output == "-") return host.print(svg);
  report::write_picture(call.output, svg);
}

void draw(FigureCall& call, const Host& host) {
  report::check_picture(call.output);
  if (std::filesystem::is_directory(call.results)) {
    if (call.kind != "curve")
      throw wrong_call("a training has no results to draw")
          .hint("its learning curve: minpair figure " + call.results + " curve");
    return write_svg(call, host, report::curve_figure(call.results));
  }
  store::Store store(call.results, store::Store::Mode::read);
  call.worth.apply(call.options);
  write_svg(call, host, report::figure(store, call.options, call.kind, names_in(call.columns)));
}

struct PageCall {
  std::string results, output;
  WorthCall worth{.lengths = "both"};
  report::ReportOptions options;
};

void write_page(PageCall& call) {
  if (std::filesystem::is_directory(call.results))
    return write_file(call.output, report::curve_html(call.results));
  store::Store store(call.results, store::Store::Mode::read);
  call.worth.apply(call.options);
  std::vector<report::PageBlock> inside;
  const introspect::EffectView view{
      call.options.wanted.suites, call.options.wanted.models, {}, {}, {}};
  if (std::string json = introspect::effects_json(store, view); !json.empty())
    inside.push_back({"effects", report::deflated(json)});
  report::write_html(store, call.options, call.output, inside);
}

}  // namespace

Made figure_command(const Host& host) {
  auto call = std::make_shared<FigureCall>();
  Made made = std::make_unique<Command>("figure", Group::results, "A picture for a paper or a talk",
                                        "  minpair figure results.db tests -o figure.svg\n"
                                        "  minpair figure results.db distance -o figure.pdf\n"
                                        "  minpair figure results.db curve -o figure.pdf   over "
                                        "checkpoints\n"
                                        "  minpair figure lstm-de/ curve -o figure.png     of a "
                                        "training\n");
  Command& app = *made;
  app.add_option("RESULTS", call->results,
                 "a results file of 'minpair run', or a folder of 'minpair train'")
      .required();
  app.add_option("KIND", call->kind,
                 "accuracies by tests, conditions, distance or distractors; margins; curve: over "
                 "the checkpoints of a model (NAME@step1000, ...), or the losses of a training")
      .required()
      .one_of(report::figure_kinds());
  app.add_option("-o,--output", call->output, "a file: .svg, .pdf or .png; default: SVG")
      .shows_default();
  app.add_option("--columns", call->columns,
                 "only these models, in this order: NAME or NAME:METHOD, comma-separated; "
                 "published ones, too");
  add_norm(app, call->worth.norm, Norms::several);
  add_policy(app, call->worth, {"both", "equal", "all"});
  add_runs(app, call->options.wanted);
  add_items(app, call->options);
  app.work = [call, &host] { draw(*call, host); };
  return made;
}

Made page_command(const Host&) {
  auto call = std::make_shared<PageCall>();
  Made made = std::make_unique<Command>(
      "page", Group::results, "One page with all results, to open in a browser",
      "  minpair page results.db -o results.html\n"
      "  minpair page lstm-de/ -o curve.html          the learning curve of a training\n");
  Command& app = *made;
  app.add_option("RESULTS", call->results,
                 "a results file of 'minpair run', or a folder of 'minpair train'")
      .required();
  app.add_option("-o,--output", call->output, "the page").required();
  add_norm(app, call->worth.norm, Norms::several);
  add_policy(app, call->worth, {"both", "equal", "all"});
  app.add_option("--bins", call->options.bins,
                 "how many groups a feature with many numbers is divided into")
      .shows_default();
  add_cluster(app, call->options.cluster);
  add_runs(app, call->options.wanted);
  add_items(app, call->options);
  app.work = [call] { write_page(*call); };
  return made;
}

}  // namespace minpair::command
