// What `introspect` stored in a results file.

#include "base/error.h"
#include "command/all.h"
#include "command/shared.h"
#include "introspect/overlap.h"

namespace minpair::command {
namespace {

struct EffectsCall {
  std::string results, format = "table", output = "-";
  introspect::EffectView view;
  double percent = 0;
};

void add_by(Command& app, EffectsCall& call) {
  app.add_option("--by", call.view.by, "rows: all together, test, or condition")
      .one_of({"all", "test", "condition"});
}

void add_choice(Command& app, EffectsCall& call) {
  introspect::EffectView& v = call.view;
  app.add_option("-s,--suite", v.suites, "only this suite (repeatable)");
  app.add_option("-m,--model", v.models, "only this model (repeatable)");
  app.add_option("--test", v.tests, "only this test (repeatable)");
  app.add_option("--condition", v.conditions, "only this condition (repeatable)");
  app.add_option("--language", v.languages, "only this language (repeatable)");
  add_format(app, call.format);
  add_output(app, call.output);
}

}  // namespace

Made effects_command(const Host& host) {
  auto call = std::make_shared<EffectsCall>();
  Made made = std::make_unique<Command>("effects", Group::inside,
                                        "Tables of what 'introspect' found and stored",
                                        "  minpair effects results.db\n"
                                        "  minpair effects results.db --by condition --top 10\n");
  Command& app = *made;
  add_results(app, call->results);
  add_by(app, *call);
  app.add_option("--top", call->view.top, "how many heads, neurons or units")
      .whole_number(1)
      .shows_default();
  add_choice(app, *call);
  app.work = [call, &host] {
    store::Store store(call->results, store::Store::Mode::read);
    host.write(call->output, introspect::effect_tables(store, call->view), call->format);
  };
  return made;
}

Made overlap_command(const Host& host) {
  auto call = std::make_shared<EffectsCall>();
  Made made = std::make_unique<Command>(
      "overlap", Group::inside,
      "Whether the same heads, neurons or units serve other tests, languages and models",
      "  minpair overlap results.db 5         the strongest 5 % of each layer\n");
  Command& app = *made;
  add_results(app, call->results);
  app.add_option("PERCENT", call->percent, "how many of each layer are the strongest; usual is 5")
      .required()
      .understood_by([](const std::string& text) {
        const double percent = std::strtod(text.c_str(), nullptr);
        if (!(percent > 0 && percent <= 50))
          throw wrong_call("a share in percent, above 0 and at most 50").hint("usual is 5");
      });
  add_by(app, *call);
  add_choice(app, *call);
  app.work = [call, &host] {
    store::Store store(call->results, store::Store::Mode::read);
    host.write(call->output, introspect::overlap_tables(store, call->view, call->percent / 100),
               call->format);
  };
  return made;
}

}  // namespace minpair::command
