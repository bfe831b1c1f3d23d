#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/python_json.h"
#include "base/rows.h"
#include "suite/formula.h"
#include "suite/json_text.h"
#include "suite/suite.h"

namespace minpair::suite {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void wrong(std::string reason) { throw bad_input(std::move(reason)); }

void only_keys(const Json& object, std::vector<std::string> known, std::string_view what) {
  if (!object.is_object()) wrong(fmt::format("{} must be an object", what));
  for (const auto& [key, unused] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      Error e = bad_input(fmt::format("{} has no \"{}\"", what, key));
      std::string guess = closest(key, known);
      if (!guess.empty()) e.hint(fmt::format("did you mean \"{}\"?", guess));
      throw e;
    }
}

std::string text_of(const Json& object, const char* key) {
  auto it = object.find(key);
  if (it == object.end()) return {};
  if (!it->is_string()) wrong(fmt::format("\"{}\" must be a string", key));
  return outgoing(it->get<std::string>(), Medium::lines);
}

std::string name_of(const Json& object, const char* key) {
  return outgoing(text_of(object, key), Medium::name);
}

const Json& list_of(const Json& object, const char* key) {
  static const Json empty = Json::array();
  auto it = object.find(key);
  if (it == object.end()) return empty;
  if (!it->is_array()) wrong(fmt::format("\"{}\" must be a list", key));
  return *it;
}

TestInfo test_info(const Json& object) {
  only_keys(object, {"name", "title", "group", "meta"}, "a test");
  TestInfo t{name_of(object, "name"), name_of(object, "title"), name_of(object, "group"), {}};
  if (auto meta = object.find("meta"); meta != object.end()) {
    if (!meta->is_object()) wrong("\"meta\" must be an object");
    t.meta = json_text(*meta);
  }
  if (t.name.empty()) wrong("a test needs a \"name\"");
  return t;
}

PublishedResult published_result(const Json& object) {
  only_keys(object,
            {"model", "test", "condition", "language", "accuracy", "deviation", "pairs", "source"},
            "a result");
  PublishedResult r;
  r.model = name_of(object, "model");
  r.test = name_of(object, "test");
  r.condition = name_of(object, "condition");
  r.language = name_of(object, "language");
  r.source = name_of(object, "source");
  auto accuracy = object.find("accuracy");
  if (accuracy == object.end() || !accuracy->is_number())
    wrong("a result needs an \"accuracy\" from 0 to 1");
  r.accuracy = accuracy->get<double>();
  if (!(r.accuracy >= 0 && r.accuracy <= 1))
    wrong(fmt::format("the accuracy {} is not from 0 to 1", r.accuracy));
  if (auto deviation = object.find("deviation"); deviation != object.end()) {
    if (!deviation->is_number() || !(deviation->get<double>() >= 0))
      wrong("\"deviation\" must be a number that is not negative");
    r.deviation = deviation->get<double>();
  }
  if (auto pairs = object.find("pairs"); pairs != object.end()) {
    if (!pairs->is_number_unsigned()) wrong("\"pairs\" must be a count");
    r.pairs = pairs->get<uint64_t>();
  }
  if (r.model.empty()) wrong("a result needs a \"model\"");
  return r;
}

// A formula that cannot be read, or that names no metric, is found before anything is run.
Criterion criterion(const Json& object, size_t number) {
  only_keys(object, {"name", "test", "formula", "metric"}, "a criterion");
  Criterion c{name_of(object, "name"), name_of(object, "test"), text_of(object, "formula"),
              text_of(object, "metric")};
  if (c.name.empty()) c.name = fmt::format("{}", number);
  if (c.formula.empty()) wrong(fmt::format("the criterion \"{}\" needs a \"formula\"", c.name));
  parse_formula(c.formula, c.metric);
  return c;
}

Manifest manifest_of(const Json& root) {
  only_keys(root,
            {"name", "title", "description", "citation", "licence", "url", "languages", "tests",
             "results", "method", "norm", "ties", "context", "criteria"},
            "a manifest");
  Manifest m;
  m.name = name_of(root, "name");
  m.title = name_of(root, "title");
  m.description = text_of(root, "description");
  m.citation = name_of(root, "citation");
  m.licence = name_of(root, "licence");
  m.url = name_of(root, "url");
  m.method = name_of(root, "method");
  m.norm = name_of(root, "norm");
  m.ties = name_of(root, "ties");
  m.context = name_of(root, "context");
  for (const Json& c : list_of(root, "criteria"))
    m.criteria.push_back(criterion(c, m.criteria.size() + 1));
  for (const Json& language : list_of(root, "languages")) {
    if (!language.is_string()) wrong("\"languages\" must be strings");
    m.languages.push_back(language.get<std::string>());
  }
  for (const Json& test : list_of(root, "tests")) m.tests.push_back(test_info(test));
  for (const Json& result : list_of(root, "results")) m.results.push_back(published_result(result));
  if (!m.ties.empty() && m.ties != "half" && m.ties != "wrong" && m.ties != "right")
    wrong("\"ties\" must be \"half\", \"wrong\" or \"right\"");
  return m;
}

void put(Json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

}  // namespace

const TestInfo* Manifest::find(std::string_view test) const {
  auto it =
      std::find_if(tests.begin(), tests.end(), [&](const TestInfo& t) { return t.name == test; });
  return it == tests.end() ? nullptr : &*it;
}

Manifest parse_manifest(std::string_view json, const std::string& file_for_messages) {
  json = without_mark(json);
  try {
    check_json_depth(json, file_for_messages);
    return manifest_of(Json::parse(json));
  } catch (const nlohmann::json::parse_error& e) {
    // "[json.exception...] parse error at line 1, column 2: what": the place is said by `at`.
    std::string_view what = e.what(), before = json.substr(0, e.byte);
    uint64_t line = uint64_t(std::count(before.begin(), before.end(), '\n')) + 1;
    throw not_json(what.substr(what.find(": ") + 2))
        .at(file_for_messages, line, before.size() - (before.rfind('\n') + 1));
  } catch (const nlohmann::json::exception& e) {
    throw bad_input(fmt::format("a value is not possible: {}", e.what())).at(file_for_messages);
  } catch (Error& e) {
    throw e.at(file_for_messages);
  }
}

Manifest read_manifest(const fs::path& file) {
  return parse_manifest(read_file(file, 1 << 26), file.string());
}

std::string manifest_json(const Manifest& m) {
  Json root = Json::object();
  put(root, "name", m.name);
  put(root, "title", m.title);
  put(root, "description", m.description);
  put(root, "citation", m.citation);
  put(root, "licence", m.licence);
  put(root, "url", m.url);
  if (!m.languages.empty()) root["languages"] = m.languages;
  put(root, "method", m.method);
  put(root, "norm", m.norm);
  put(root, "ties", m.ties);
  put(root, "context", m.context);
  for (const Criterion& c : m.criteria) {
    Json object = {{"name", c.name}};
    put(object, "test", c.test);
    object["formula"] = c.formula;
    put(object, "metric", c.metric);
    root["criteria"].push_back(std::move(object));
  }
  for (const TestInfo& t : m.tests) {
    Json test = {{"name", t.name}};
    put(test, "title", t.title);
    put(test, "group", t.group);
    if (!t.meta.empty()) test["meta"] = Json::parse(t.meta);
    root["tests"].push_back(std::move(test));
  }
  for (const PublishedResult& r : m.results) {
    Json result = {{"model", r.model}};
    put(result, "test", r.test);
    put(result, "condition", r.condition);
    put(result, "language", r.language);
    result["accuracy"] = r.accuracy;
    if (r.deviation) result["deviation"] = *r.deviation;
    if (r.pairs) result["pairs"] = *r.pairs;
    put(result, "source", r.source);
    root["results"].push_back(std::move(result));
  }
  return json_text(root, 2) + "\n";
}

}  // namespace minpair::suite
