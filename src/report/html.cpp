#include "report/html.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/paths.h"
#include "base/progress.h"
#include "report/html_parts.h"
#include "report/labels.h"
#include "suite/json_text.h"

namespace minpair {
namespace {

std::string json_of(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

bool among(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

std::string base64(std::string_view bytes) {
  static const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? uint8_t(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? letters[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

// Notes and names of one run, for "how it was made".
std::string about_json(const RunRecord& r) {
  std::vector<std::pair<std::string, std::string>> about = {
      {"Suite", r.suite.name},
      {"Fingerprint of the items", r.suite.fingerprint},
      {"Model", r.model.name},
      {"Architecture", r.model.architecture},
      {"Kind", r.model.kind},
      {"Parameters", r.model.parameters ? count_text(r.model.parameters) : ""},
      {"Precision", r.model.precision},
      {"Fingerprint of the weights", r.model.fingerprint},
      {"Fingerprint of the tokenizer", r.model.tokenizer},
      {"Method", fmt::format("{}, version {}", r.method, r.version)},
      {"Normalisation", r.norm},
      {"Notes", join(r.model.notes, "; ")}};
  std::string out;
  for (const auto& [name, value] : about)
    if (!value.empty())
      out += fmt::format("{}{}:{}", out.empty() ? "" : ",", json_of(name), json_of(value));
  return "{" + out + "}";
}

std::string suite_json(const SuiteRecord& s, const SuiteItems& items) {
  std::string tests;
  for (const TestInfo& t : s.manifest.tests)
    tests += fmt::format("{}{{\"name\":{},\"title\":{},\"group\":{}}}", tests.empty() ? "" : ",",
                         json_of(t.name), json_of(t.title), json_of(t.group));
  return fmt::format("{{\"name\":{},\"title\":{},\"citation\":{},\"tests\":[{}],\"items\":{}}}",
                     json_of(s.name), json_of(s.manifest.title.empty() ? s.name : s.manifest.title),
                     json_of(s.manifest.citation), tests, items_json(items));
}

std::string script(const std::string& id, const std::string& block) {
  return fmt::format("<script type=\"text/plain\" id=\"{}\">{}</script>\n", id, block);
}

struct PageData {
  std::string suites, runs;
  std::vector<std::string> tokens;  // JSON, one per run
};

PageData collect_data(Store& store, const std::vector<RunRecord>& runs,
                      const ReportOptions& options) {
  std::map<int64_t, std::string> labels = model_labels(runs);
  PageData data;
  std::map<int64_t, SuiteItems> suites;
  struct Loaded {
    const RunRecord* run;
    std::vector<Judged> judged;
  };
  std::vector<Loaded> loaded;
  std::vector<const SuiteRecord*> order;
  for (const RunRecord& run : runs) {
    if (!among(options.suites, run.suite.name) || !among(options.methods, run.method) ||
        !(among(options.models, labels[run.model.id]) || among(options.models, run.model.name)))
      continue;
    bool fresh = suites.count(run.suite.id) == 0;
    SuiteItems& items = suites[run.suite.id];
    if (fresh) order.push_back(&run.suite);
    TokenColumns tokens;
    Norm norm = options.norms.empty() ? find_norm(run.norm) : options.norms.front();
    std::vector<Judged> judged = judged_items(
        store, run, norm, items, [&](uint32_t item, const std::vector<StoredSentence>& scores) {
          tokens.add(items.items[item], item, scores);
        });
    loaded.push_back({&run, std::move(judged)});
    data.tokens.push_back(tokens.json());
  }
  std::map<int64_t, size_t> place;
  for (const SuiteRecord* s : order) {
    place[s->id] = place.size();
    data.suites += (data.suites.empty() ? "" : ",") + suite_json(*s, suites[s->id]);
  }
  for (size_t i = 0; i < loaded.size(); ++i) {
    const RunRecord& r = *loaded[i].run;
    // The outcomes' members follow the run's own.
    data.runs += fmt::format(
        "{}{{\"id\":{},\"suite\":{},\"model\":{},\"method\":{},\"norm\":{},\"about\":{},{}",
        i ? "," : "", i, place[r.suite.id], json_of(labels[r.model.id]), json_of(r.method),
        json_of(options.norms.empty() ? r.norm : norm_name(options.norms.front())), about_json(r),
        outcomes_json(loaded[i].judged, suites[r.suite.id]).substr(1));
  }
  return data;
}

// As many at once as the machine has cores: deflating is most of the time.
std::vector<std::string> packed_blocks(const std::vector<std::string>& blocks) {
  std::vector<std::string> packed(blocks.size());
  std::vector<std::thread> threads;
  size_t n = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), blocks.size());
  for (size_t t = 0; t < n; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = t; i < blocks.size(); i += n) packed[i] = packed_block(blocks[i]);
    });
  for (std::thread& t : threads) t.join();
  return packed;
}

}  // namespace

bool has_page() { return !page().empty(); }

std::string packed_block(const std::string& bytes) {
  uLongf size = compressBound(uLong(bytes.size()));
  std::string deflated(size, '\0');
  int code = compress2(reinterpret_cast<Bytef*>(deflated.data()), &size,
                       reinterpret_cast<const Bytef*>(bytes.data()), uLong(bytes.size()), 5);
  if (code != Z_OK) throw cannot(fmt::format("cannot deflate the data (zlib says {})", code));
  deflated.resize(size);
  return base64(deflated);
}

void write_html(Store& store, const ReportOptions& options, const std::filesystem::path& file) {
  if (!has_page())
    throw cannot("this minpair was built without the page of 'report --html'")
        .hint("install npm (tools/bootstrap.sh web) and build again");
  ReportOptions by_test = options, by_condition = options;
  by_test.by = {"test"};
  by_condition.by = {"condition"};
  std::string tests = json_tables(make_tables(store, by_test));
  std::string conditions = json_tables(make_tables(store, by_condition));
  PageData data = collect_data(store, store.runs(), options);
  std::string_view text = page();
  std::string_view marker = "<!--minpair-data-->";
  size_t at = text.find(marker);
  if (at == text.npos) throw cannot("the page has no place for the data");
  std::vector<std::string> blocks = {
      fmt::format("{{\"made\":{},\"suites\":[{}],\"runs\":[{}],\"tests\":{},\"conditions\":{}}}",
                  json_of("minpair " + version()), data.suites, data.runs, tests, conditions)};
  for (std::string& t : data.tokens) blocks.push_back(std::move(t));
  blocks = packed_blocks(blocks);
  AtomicFile out(file);
  out.write(text.substr(0, at));
  out.write(script("main", blocks[0]));
  for (size_t i = 1; i < blocks.size(); ++i)
    out.write(script(fmt::format("tokens-{}", i - 1), blocks[i]));
  out.write(text.substr(at + marker.size()));
  out.commit();
}

}  // namespace minpair
