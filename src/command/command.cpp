#include "command/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/names.h"
#include "base/text.h"

namespace minpair::command {
namespace {

std::string upper(std::string text) {
  for (char& c : text) c = char(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// "--min-words", "min-words" and "min_words" are one name.
std::string plain(std::string name) {
  name.erase(0, name.find_first_not_of('-'));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

template <class Value>
void parse(const std::string& text, Value& value) {
  if constexpr (std::is_arithmetic_v<Value>) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      throw wrong_call(fmt::format("'{}' is not a {}number{}", text,
                                   std::is_integral_v<Value> ? "whole " : "",
                                   error == std::errc::result_out_of_range ? " of this size" : ""));
  } else {
    value = text;
  }
}

template <class Value>
void parse(const std::string& text, std::optional<Value>& value) {
  parse(text, value.emplace());
}

template <class Value>
void parse(const std::string& text, std::vector<Value>& values) {
  parse(text, values.emplace_back());
}

template <class Value>
std::string shown(const Value& value) {
  if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>)
    return fmt::format("{}", value);
  else if constexpr (std::is_same_v<Value, std::filesystem::path>)
    return value.string();
  else
    return {};
}

template <class Value>
constexpr bool kRepeatable = false;
template <class Value>
constexpr bool kRepeatable<std::vector<Value>> = true;

}  // namespace

bool Option::called(const std::string& name) const {
  if (name.starts_with("-")) return name == short_name || name == long_name;
  const std::string own = positional() ? argument : long_name, wanted = lower(plain(name));
  return wanted == lower(plain(own)) || wanted == lower(plain(own)) + "s";
}

std::string Option::names() const {
  if (long_name == "--suite" || argument == "SUITE" || argument == "GRAMMAR") return "suites";
  if (long_name == "--model") return "models";
  if (long_name == "--method") return "methods";
  if (long_name == "--from" || long_name == "--to") return "formats";
  return "";
}

Option& Option::required() {
  is_required = true;
  return *this;
}

Option& Option::shows_default() {
  preset = value_();
  return *this;
}

Option& Option::one_of(std::vector<std::string> names) {
  choices = std::move(names);
  return understood_by([this](const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end())
      throw unknown_name(fmt::format("there is no '{}'", text), text, choices);
  });
}

Option& Option::between(int64_t least, int64_t most) {
  return understood_by([least, most](const std::string& text) {
    int64_t n = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size() || n < least || n > most)
      throw wrong_call(fmt::format("'{}' is not a whole number from {} to {}", text, least, most));
  });
}

Option& Option::whole_number(uint64_t least, uint64_t most) {
  return between(int64_t(least), int64_t(most));
}

Option& Option::existing_file() {
  return understood_by([](const std::string& text) {
    if (!std::filesystem::is_regular_file(text) && !std::filesystem::is_fifo(text))
      throw wrong_call(fmt::format("there is no file '{}'", text));
  });
}

Option& Option::existing_path() {
  return understood_by([](const std::string& text) {
    if (!std::filesystem::exists(text))
      throw wrong_call(fmt::format("there is no file or folder '{}'", text));
  });
}

Option& Option::excludes(const Option& other) {
  excluded_.push_back(&other);
  return *this;
}

Option& Option::only_with(const Option& other, std::vector<std::string> values) {
  needed_.push_back({&other, std::move(values)});
  return *this;
}

Option& Option::understood_by(std::function<void(const std::string&)> reader) {
  checks_.push_back(std::move(reader));
  return *this;
}

void Option::set(std::vector<std::string> texts) {
  if (texts.size() > 1 && !repeatable) texts = {join(texts, ",")};
  for (const std::string& text : texts) try {
      for (const auto& check : checks_) check(text);
      store_(text);
    } catch (const Error& e) {
      Error named(e.kind(), fmt::format("{}: {}", shown(), e.message()));
      throw named.at(e.where()).hint(e.next());
    }
  given_ |= !texts.empty();
}

bool Option::has(const std::vector<std::string>& values) const {
  if (values.empty()) return given_;
  return std::find(values.begin(), values.end(), value_()) != values.end();
}

void Option::check() const {
  if (is_required && !given_) throw wrong_call(fmt::format("{} is required", shown()));
  if (!given_) return;
  for (const Option* other : excluded_)
    if (other->given_) throw wrong_call(fmt::format("{} excludes {}", other->shown(), shown()));
  for (const Condition& c : needed_)
    if (!c.other->has(c.values))
      throw wrong_call(fmt::format("{} has no effect without {}{}", shown(), c.other->shown(),
                                   c.values.empty() ? "" : " " + join(c.values, " or ")));
}

Option& Command::add(const std::string& names, const std::string& what_it_is) {
  Option& option = options_.emplace_back();
  option.what = what_it_is;
  for (std::string_view part : split(names, ',')) {
    const std::string one(part);
    if (one.starts_with("--"))
      option.long_name = one;
    else if (one.starts_with("-"))
      option.short_name = one;
    else
      option.argument = one;
  }
  return option;
}

template <class Value>
Option& Command::add_option(const std::string& names, Value& value, const std::string& what_it_is) {
  Option& option = add(names, what_it_is);
  if (!option.positional()) option.argument = upper(plain(option.long_name));
  option.repeatable = kRepeatable<Value>;
  option.store_ = [&value](const std::string& text) { parse(text, value); };
  option.value_ = [&value] { return shown(value); };
  return option;
}

#define MINPAIR_OPTION(...) \
  template Option& Command::add_option(const std::string&, __VA_ARGS__&, const std::string&)
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

Option& Command::add_flag(const std::string& names, bool& value, const std::string& what_it_is) {
  Option& option = add_flag_callback(
      names, [&value] { value = true; }, what_it_is);
  option.value_ = [&value] { return std::string(value ? "true" : "false"); };
  return option;
}

Option& Command::add_flag_callback(const std::string& names, std::function<void()> then,
                                   const std::string& what_it_is) {
  Option& option = add(names, what_it_is);
  option.store_ = [then = std::move(then)](const std::string&) { then(); };
  return option;
}

void Command::set(const std::string& option, const std::vector<std::string>& values) {
  std::vector<std::string> known;
  for (Option& o : options_) {
    known.push_back(o.shown());
    if (!o.called(option)) continue;
    const bool absent = o.flag() && values == std::vector<std::string>{"false"};
    return absent ? void() : o.set(values);
  }
  Error e = wrong_call(fmt::format("there is no option '{}'", option));
  for (const auto& [old, now] : moved)
    if (plain(old) == plain(option)) throw e.hint(now);
  const std::string guess = closest("--" + plain(option), known);
  throw guess.empty() ? e : e.hint(fmt::format("did you mean '{}'?", guess));
}

void Command::check() const {
  for (const Option& option : options_) option.check();
}

std::string synopsis(const Command& command) {
  std::string line = "minpair " + command.name, positionals;
  bool optional = false;
  for (const Option& o : command.options()) {
    std::string more = o.repeatable ? "..." : "";
    if (o.positional())
      positionals += o.is_required ? " " + o.argument + more : " [" + o.argument + more + "]";
    else if (o.is_required)
      line += " " + (o.short_name.empty() ? o.long_name : o.short_name) + " " + o.argument;
    else
      optional = true;
  }
  return line + (optional ? " [OPTIONS]" : "") + positionals;
}

}  // namespace minpair::command
