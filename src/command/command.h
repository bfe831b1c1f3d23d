#pragma once
// A command and its options, said once: the command line, its help, man pages and completions, and
// the C, Python and R libraries all read this. Values are texts, checked here, so that every door
// refuses the same with the same words.
//
//   Command command("stats", Group::results, "How far accuracies can be trusted", "");
//   command.add_option("RESULTS", results, "a results file").required();
//   Option& sample = command.add_option("--sample", n, "only N items").whole_number(1);
//   command.add_option("--seed", seed, "seed of --sample").only_with(sample);
//   command.set("sample", {"100"});   // or "--sample"
//   command.check();                  // throws where an option is missing or would have no effect
//   command.work();

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace minpair::command {

class Option {
 public:
  std::string short_name, long_name;  // "-s", "--suite"; both empty: a positional argument
  std::string argument;               // "SUITE", "TEXT"; empty: a flag
  std::string what;
  std::vector<std::string> choices;  // of an argument that is one of a few
  std::string preset;                // what it is when it is absent, where that is said
  bool is_required = false, repeatable = false;

  bool positional() const { return short_name.empty() && long_name.empty(); }
  bool flag() const { return argument.empty(); }
  std::string shown() const { return positional() ? argument : long_name; }  // in messages
  // "--min-words", "-o"; from a program "min_words", "results", also "methods" for "--method".
  bool called(const std::string& name) const;
  // What a shell can offer beside the choices: "suites", "models" or "methods" (`minpair list`),
  // "formats" (`minpair convert --help`), else "".
  std::string names() const;

  Option& required();
  Option& shows_default();
  Option& one_of(std::vector<std::string> names);
  Option& between(int64_t least, int64_t most);
  Option& whole_number(uint64_t least, uint64_t most = INT32_MAX);
  Option& existing_file();
  Option& existing_path();
  Option& excludes(const Option& other);
  // Without the other one, or where it has none of these values, this option has no effect: that is
  // refused.
  Option& only_with(const Option& other, std::vector<std::string> values = {});
  // Of a text that something else understands: throws what is wrong with it.
  Option& understood_by(std::function<void(const std::string&)> reader);

 private:
  friend class Command;
  void set(std::vector<std::string> texts);  // a list of names has commas
  void check() const;
  bool has(const std::vector<std::string>& values) const;

  struct Condition {
    const Option* other;
    std::vector<std::string> values;
  };
  std::function<void(const std::string&)> store_;
  std::function<std::string()> value_;
  std::vector<std::function<void(const std::string&)>> checks_;
  std::vector<const Option*> excluded_;
  std::vector<Condition> needed_;
  bool given_ = false;
};

// As help lists them.
enum class Group { suites, scoring, results, inside, studies, models, program };

class Command {
 public:
  std::string name, what, examples;  // "introspect patch"
  Group group;
  bool hidden = false;  // not in help: for the build
  // Options that people look for here, and where to find what they mean.
  std::vector<std::pair<std::string, std::string>> moved;
  std::function<void()> work;
  // Another program understands all that follows, --help included.
  std::function<void(const std::vector<std::string>&)> passes_on;

  Command(std::string its_name, Group its_group, std::string its_what, std::string its_examples)
      : name(std::move(its_name)),
        what(std::move(its_what)),
        examples(std::move(its_examples)),
        group(its_group) {}
  Command(const Command&) = delete;

  // `names`: "-o,--output", or "OUTPUT" for an argument. command.cpp lists the types that there
  // are.
  template <class Value>
  Option& add_option(const std::string& names, Value& value, const std::string& what_it_is);
  Option& add_flag(const std::string& names, bool& value, const std::string& what_it_is);
  Option& add_flag_callback(const std::string& names, std::function<void()> then,
                            const std::string& what_it_is);
  const std::deque<Option>& options() const { return options_; }

  // A flag has the text "true" or "false". Throws where there is no such option.
  void set(const std::string& option, const std::vector<std::string>& values);
  // Before `work`: throws where an option is missing, or would have no effect.
  void check() const;

 private:
  Option& add(const std::string& names, const std::string& what_it_is);

  std::deque<Option> options_;  // they refer to each other
};

// "minpair run -s SUITE -m MODEL [OPTIONS]"
std::string synopsis(const Command& command);

}  // namespace minpair::command
