#include "cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "base/text.h"
#include "cli/describe.h"
#include "report/report.h"

namespace minpair::cli {

namespace {

// Filled by each command's file before main() runs.
std::multimap<int, void (*)(Cli&)>& commands() {
  static std::multimap<int, void (*)(Cli&)> all;
  return all;
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* o : app.get_options())
    for (const std::string& n : o->get_lnames()) names.push_back("--" + n);
  return names;
}

// The subcommand that the words name, or the program itself.
const CLI::App& chosen(const CLI::App& app, int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (argv[i][0] != '-') {
      for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        if (sub->get_name() == argv[i]) return *sub;
      return app;
    }
  return app;
}

// What people look for under a name that this program has elsewhere.
std::string meant_by(const std::string& option) {
  if (option == "--revision") return "a revision is part of the model's name: -m NAME@REVISION";
  if (option == "--items" || option == "--tidy")
    return "a row for every item: minpair export RESULTS -o items.csv";
  return {};
}

// The nearest of what was possible, where CLI11 says "--site: hed not in {residual,head}".
std::string closest_choice(std::string_view message) {
  constexpr std::string_view kNotIn = " not in {";
  const size_t end = message.find(kNotIn);
  if (end == std::string_view::npos) return {};
  const size_t colon = message.rfind(": ", end), begin = colon == message.npos ? 0 : colon + 2;
  std::string_view all = message.substr(end + kNotIn.size());
  std::vector<std::string> names;
  for (std::string_view name : split(all.substr(0, all.find('}')), ',')) names.emplace_back(name);
  return closest(std::string(message.substr(begin, end - begin)), names);
}

int wrong_usage(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  const CLI::App& sub = chosen(app, argc, argv);
  std::string full = &sub == &app ? "minpair" : "minpair " + sub.get_name();
  std::string meant, message = e.what(), guess = closest_choice(message);
  if (&sub == &app && argc > 1 && argv[1][0] != '-') {
    message = fmt::format("there is no command '{}'", argv[1]);
    guess = closest(argv[1], names_of(app));
  } else {
    for (int i = 1; i < argc; ++i) {
      std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
      std::vector<std::string> known = options_of(sub);
      if (word.starts_with("--") && std::find(known.begin(), known.end(), word) == known.end()) {
        message = fmt::format("there is no option '{}'", word);
        meant = meant_by(word);
        if (meant.empty()) guess = closest(word, known);
        break;
      }
    }
  }
  fmt::print(stderr, "{}: {}\n", full, message);
  if (!meant.empty()) fmt::print(stderr, "  {}\n", meant);
  if (!guess.empty()) fmt::print(stderr, "  did you mean '{}'?\n", guess);
  fmt::print(stderr, "  '{} --help' shows what there is\n", full);
  return 2;
}

// "TEXT:{text,json}" has the choices "text" and "json".
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  size_t open = type.find('{'), close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::string word;
  for (char c : type.substr(open + 1, close - open - 1) + ",")
    if (c == ',') {
      choices.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  return choices;
}

// CLI11 lets long explanations run over the edge of the window.
class HelpInWindow : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool positional) const override {
    std::string name = "  " + make_option_name(option, positional) + make_option_opts(option);
    const size_t width = std::max<size_t>(report::window_width(), 40);
    const size_t indent = width < 80 ? 8 : get_column_width();
    if (indent < get_column_width() || name.size() + 2 > indent) {
      name += "\n";
      return name +
             report::wrapped(std::string(indent, ' '), make_option_desc(option), width, indent);
    }
    name.append(indent - name.size(), ' ');
    return report::wrapped(name, make_option_desc(option), width, indent);
  }
};

OptionText described(const CLI::Option& option) {
  OptionText text;
  if (!option.get_snames().empty()) text.short_name = "-" + option.get_snames().front();
  if (!option.get_lnames().empty()) text.long_name = "--" + option.get_lnames().front();
  const std::string type = option.get_type_name();
  bool flag = option.get_expected_max() == 0 || type.empty();
  if (text.positional())
    text.argument = option.get_name(true);
  else if (!flag)
    text.argument = type.substr(0, type.find_first_of(": "));
  text.what = option.get_description();
  text.choices = choices_in(type);
  text.preset = option.get_default_str();
  text.required = option.get_required();
  text.repeatable = option.get_expected_max() > 1;
  return text;
}

}  // namespace

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Option Option::one_of(std::vector<std::string> names) {
  option_->check(CLI::IsMember(std::move(names)));
  return *this;
}

Option Option::between(int64_t least, int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::whole_number(uint64_t least, uint64_t most) {
  auto check = [least, most](std::string& text) -> std::string {
    bool digits =
        !text.empty() && text.size() < 20 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    uint64_t n = digits ? std::strtoull(text.c_str(), nullptr, 10) : 0;
    if (digits && n >= least && n <= most) return "";
    return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
  };
  option_->check(CLI::Validator(check, ""));
  return *this;
}

Option Option::existing_file() {
  option_->check(CLI::ExistingFile);
  return *this;
}

Option Option::existing_path() {
  option_->check(CLI::ExistingPath);
  return *this;
}

Option Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

template <class Value>
Option Arguments::add_option(const std::string& names, Value& value, const std::string& what) {
  return Option(app_.add_option(names, value, what));
}

#define MINPAIR_OPTION(...) \
  template Option Arguments::add_option(const std::string&, __VA_ARGS__&, const std::string&)
MINPAIR_OPTION(std::string);
MINPAIR_OPTION(std::vector<std::string>);
MINPAIR_OPTION(std::filesystem::path);
MINPAIR_OPTION(std::vector<std::filesystem::path>);
MINPAIR_OPTION(std::optional<double>);
MINPAIR_OPTION(int);
MINPAIR_OPTION(unsigned);
MINPAIR_OPTION(uint64_t);
MINPAIR_OPTION(double);
MINPAIR_OPTION(std::optional<unsigned>);
MINPAIR_OPTION(std::optional<uint64_t>);
#undef MINPAIR_OPTION
Option Arguments::add_flag(const std::string& names, bool& value, const std::string& what) {
  return Option(app_.add_flag(names, value, what));
}

Option Arguments::add_flag_callback(const std::string& names, std::function<void()> then,
                                    const std::string& what) {
  return Option(app_.add_flag_callback(names, std::move(then), what));
}

void Arguments::hide() { app_.group(""); }

void Arguments::pass_on(std::function<void(const std::vector<std::string>&)> run) {
  app_.prefix_command();
  app_.set_help_flag();
  app_.callback([this, run = std::move(run)] { run(app_.remaining()); });
}

Cli::Command::Command(int place, void (*add)(Cli&)) { commands().emplace(place, add); }

Arguments& Cli::command(const std::string& name, const std::string& what,
                        const std::string& examples) {
  CLI::App* sub = app_.add_subcommand(name, what);
  sub->footer(examples.empty() ? "" : "\nExamples:\n" + examples);
  return arguments_.emplace_back(*sub);
}

void Cli::on_run(Arguments& command, std::function<void()> run) {
  command.app_.callback(std::move(run));
}

std::vector<CommandText> Cli::describe() const {
  std::vector<CommandText> all;
  for (const CLI::App* sub : app_.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_group().empty()) continue;
    CommandText text{sub->get_name(), sub->get_description(), sub->get_footer(), {}};
    for (const CLI::Option* option : sub->get_options()) text.options.push_back(described(*option));
    all.push_back(std::move(text));
  }
  return all;
}

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);
  CLI::App app("minpair finds out what grammar a language model knows.", "minpair");
  app.set_version_flag("--version", about);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpInWindow>());
  app.get_formatter()->column_width(34);
  Cli cli(app);
  for (const auto& [place, add] : commands()) add(cli);
  if (argc == 1) {
    fmt::print("{}", app.help());
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return wrong_usage(app, e, argc, argv);
  }
  return 0;
}

}  // namespace minpair::cli
