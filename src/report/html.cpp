#include "report/html.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/paths.h"
#include "base/progress.h"
#include "report/clusters.h"
#include "report/html_parts.h"
#include "report/labels.h"
#include "suite/json_text.h"

namespace minpair::report {
namespace {

std::string json_of(std::string_view text) {
  std::string out;
  suite::append_json_string(out, text);
  return out;
}

// Notes and names of one run, for "how it was made".
std::string about_json(const store::RunRecord& r) {
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
      {"Normalisation", judge::name_of(r.view)},
      {"Notes", join(r.model.notes, "; ")}};
  for (const auto& [name, value] : r.facts) {
    std::string title = name;
    if (!title.empty()) title[0] = char(std::toupper(static_cast<unsigned char>(title[0])));
    about.emplace_back(title, value);
  }
  std::string out;
  for (const auto& [name, value] : about)
    if (!value.empty())
      out += fmt::format("{}{}:{}", out.empty() ? "" : ",", json_of(name), json_of(value));
  return "{" + out + "}";
}

std::string suite_json(const store::SuiteRecord& s, const SuiteItems& items) {
  std::string tests;
  for (const suite::TestInfo& t : s.manifest.tests)
    tests += fmt::format("{}{{\"name\":{},\"title\":{},\"group\":{}}}", tests.empty() ? "" : ",",
                         json_of(t.name), json_of(t.title), json_of(t.group));
  return fmt::format("{{\"name\":{},\"title\":{},\"citation\":{},\"tests\":[{}],\"items\":{}}}",
                     json_of(s.name), json_of(s.manifest.title.empty() ? s.name : s.manifest.title),
                     json_of(s.manifest.citation), tests, items_json(items));
}

struct PageData {
  std::string suites, runs;
  std::string clusters;               // what they are, suite by suite
  std::vector<std::string> shapes;    // distinct ones
  std::vector<size_t> shape_of;       // per run
  std::vector<std::string> logprobs;  // per run
};

PageData collect_data(store::Store& store, const std::vector<NamedRun>& runs,
                      const ReportOptions& options) {
  PageData data;
  std::map<int64_t, SuiteItems> suites;
  struct Loaded {
    const NamedRun* named;
    Look look;
    std::vector<Judged> judged;
  };
  std::vector<Loaded> loaded;
  struct Shape {
    int64_t suite;
    TokenColumns tokens;
  };
  std::vector<Shape> shapes;
  std::vector<const store::SuiteRecord*> order;
  for (const NamedRun& named : runs) {
    const store::RunRecord& run = named.run;
    bool fresh = suites.count(run.suite.id) == 0;
    SuiteItems& items = suites.try_emplace(run.suite.id, options.cluster).first->second;
    if (fresh) order.push_back(&run.suite);
    Look look = look_at(run, options);
    TokenColumns tokens;
    std::vector<Judged> judged =
        judged_items(store, run, look, items,
                     [&](uint32_t item, const std::vector<judge::SentenceScore>& scores) {
                       tokens.add(item, scores);
                     });
    check_clusters(items, run.suite.name);
    loaded.push_back({&named, look, std::move(judged)});
    data.logprobs.push_back(tokens.logprobs());
    auto same = std::find_if(shapes.begin(), shapes.end(), [&](const Shape& s) {
      return s.suite == run.suite.id && s.tokens.same_shape(tokens);
    });
    data.shape_of.push_back(size_t(same - shapes.begin()));
    if (same == shapes.end()) shapes.push_back({run.suite.id, std::move(tokens)});
  }
  for (const Shape& s : shapes) data.shapes.push_back(s.tokens.shape(suites.at(s.suite)));
  std::map<int64_t, size_t> place;
  for (const store::SuiteRecord* s : order) {
    place[s->id] = place.size();
    data.suites += (data.suites.empty() ? "" : ",") + suite_json(*s, suites.at(s->id));
    std::string text = clusters_text(suites.at(s->id));
    if (order.size() > 1) text = s->name + ": " + text;
    data.clusters += (data.clusters.empty() ? "" : "; ") + text;
  }
  for (size_t i = 0; i < loaded.size(); ++i) {
    const store::RunRecord& r = loaded[i].named->run;
    // The outcomes' members follow the run's own.
    data.runs += fmt::format(
        "{}{{\"id\":{},\"shape\":{},\"suite\":{},\"model\":{},\"method\":{},\"norm\":{},"
        "\"about\":{},\"intervals\":{},\"against\":{},{}",
        i ? "," : "", i, data.shape_of[i], place[r.suite.id], json_of(loaded[i].named->label),
        json_of(r.method), json_of(judge::name_of(loaded[i].look.view)), about_json(r),
        intervals_json(loaded[i].judged, suites.at(r.suite.id), options),
        against_json(loaded[i].judged, suites.at(r.suite.id), options),
        outcomes_json(loaded[i].judged, suites.at(r.suite.id)).substr(1));
  }
  return data;
}

struct Block {
  PageBlock block;
  bool numbers = false;  // these have no repetitions worth searching for
};

// As many at once as the machine has cores: deflating is most of the time.
std::vector<PageBlock> packed(std::vector<Block> blocks) {
  std::vector<std::thread> threads;
  size_t n = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), blocks.size());
  std::atomic<size_t> next = 0;
  for (size_t t = 0; t < n; ++t)
    threads.emplace_back([&] {
      for (size_t i = next++; i < blocks.size(); i = next++)
        blocks[i].block.bytes = deflated(blocks[i].block.bytes, blocks[i].numbers);
    });
  for (std::thread& t : threads) t.join();
  std::vector<PageBlock> done;
  for (Block& b : blocks) done.push_back(std::move(b.block));
  return done;
}

Block main_block(const PageData& data, const std::string& tests, const std::string& conditions) {
  return {{"main", fmt::format("{{\"made\":{},\"suites\":[{}],\"runs\":[{}],\"tests\":{},"
                               "\"conditions\":{},\"clusters\":{}}}",
                               json_of("minpair " + version()), data.suites, data.runs, tests,
                               conditions, json_of(data.clusters))},
          false};
}

std::string_view needed_page() {
  if (!has_page())
    throw cannot("this minpair was built without the page of 'report --html' and 'serve'")
        .hint("install npm (tools/bootstrap.sh web) and build again");
  return page();
}

}  // namespace

bool has_page() { return !page().empty(); }

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

std::string deflated(const std::string& bytes, bool numbers) {
  z_stream z{};
  int strategy = numbers ? Z_HUFFMAN_ONLY : Z_DEFAULT_STRATEGY;
  if (deflateInit2(&z, 4, Z_DEFLATED, 15, 9, strategy) != Z_OK)
    throw cannot("there is no memory to deflate the data");
  std::string out(deflateBound(&z, uLong(bytes.size())), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = uInt(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = uInt(out.size());
  int code = bytes.size() > UINT32_MAX ? Z_BUF_ERROR : deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  if (code != Z_STREAM_END)
    throw cannot("the data is too large for one page").hint("choose with -s, -m or --method");
  return out;
}

std::vector<PageBlock> page_blocks(store::Store& store, const ReportOptions& options) {
  ReportOptions by_test = options, by_condition = options;
  by_test.by = {"test"};
  by_condition.by = {"condition"};
  std::string tests = json_tables(make_tables(store, by_test));
  std::string conditions = json_tables(make_tables(store, by_condition));
  PageData data = collect_data(store, wanted_runs(store, options.wanted), options);
  std::vector<Block> blocks = {main_block(data, tests, conditions)};
  for (size_t i = 0; i < data.shapes.size(); ++i)
    blocks.push_back({{fmt::format("shape-{}", i), std::move(data.shapes[i])}});
  for (size_t i = 0; i < data.logprobs.size(); ++i)
    blocks.push_back({{fmt::format("logprobs-{}", i), std::move(data.logprobs[i])}, true});
  return packed(std::move(blocks));
}

std::vector<PageBlock> empty_page_blocks() {
  return packed({main_block({}, json_tables({}), json_tables({}))});
}

std::string page_script(const std::string& id, const std::string& text) {
  return fmt::format("<script type=\"text/plain\" id=\"{}\">{}</script>\n", id, text);
}

std::string page_with(const std::string& scripts) {
  std::string_view text = needed_page();
  std::string_view marker = "<!--minpair-data-->";
  size_t at = text.find(marker);
  if (at == text.npos) throw cannot("the page has no place for the data");
  std::string out(text.substr(0, at));
  out.reserve(text.size() + scripts.size());
  return out.append(scripts).append(text.substr(at + marker.size()));
}

void write_html(store::Store& store, const ReportOptions& options,
                const std::filesystem::path& file) {
  needed_page();
  std::string scripts;
  for (const PageBlock& block : page_blocks(store, options))
    scripts += page_script(block.id, base64(block.bytes));
  write_file(file, page_with(scripts));
}

}  // namespace minpair::report
