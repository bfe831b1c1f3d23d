#include "report/html.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <set>
#include <thread>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/paths.h"
#include "base/team.h"
#include "report/checkpoints.h"
#include "report/clusters.h"
#include "report/designs.h"
#include "report/html_groups.h"
#include "report/html_parts.h"
#include "report/labels.h"
#include "store/effects.h"
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

std::string list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& t : texts) out += (out.empty() ? "" : ",") + json_of(t);
  return "[" + out + "]";
}

std::string tests_json(const suite::Manifest& manifest) {
  std::string out;
  for (const suite::TestInfo& t : manifest.tests)
    out += fmt::format("{}{{\"name\":{},\"title\":{},\"group\":{}}}", out.empty() ? "" : ",",
                       json_of(t.name), json_of(t.title), json_of(t.group));
  return "[" + out + "]";
}

std::string criteria_json(const suite::Manifest& manifest) {
  std::string out;
  for (const suite::Criterion& c : manifest.criteria)
    out += fmt::format("{}{{\"name\":{},\"test\":{},\"formula\":{}}}", out.empty() ? "" : ",",
                       json_of(c.name), json_of(c.test), json_of(c.formula));
  return "[" + out + "]";
}

struct Block {
  PageBlock block;
  bool numbers = false;  // these have no repetitions worth searching for
};

struct LoadedRun {
  const NamedRun* named;
  std::vector<Look> looks;  // the run's own first
  std::vector<std::vector<Judged>> judged;
  TokenColumns tokens;
};

struct LoadedSuite {
  explicit LoadedSuite(const std::string& cluster) : items(cluster) {}
  SuiteItems items;
  std::vector<LoadedRun> runs;
  const store::SuiteRecord& record() const { return runs.front().named->run.suite; }
};

// The run's own view and those that differ from it only in what a score is divided by.
std::vector<Look> page_looks(const store::RunRecord& run, const ReportOptions& options) {
  if (!options.views.empty() || options.all_views) return looks_at(run, options);
  std::vector<Look> looks = {look_at(run, options)};
  for (const judge::View& view : judge::family_of(looks[0].view))
    if (view.special == looks[0].view.special && !(view == looks[0].view))
      looks.push_back({view, looks[0].policy});
  return looks;
}

// In the order of make_tables().
std::map<int64_t, LoadedSuite> load_suites(store::Store& store, const std::vector<NamedRun>& runs,
                                           const ReportOptions& options) {
  std::map<int64_t, LoadedSuite> suites;
  for (const NamedRun& named : runs) {
    LoadedSuite& suite = suites.try_emplace(named.run.suite.id, options.cluster).first->second;
    LoadedRun run{&named, page_looks(named.run, options), {}, {}};
    if (run.looks.empty()) run.looks = {look_at(named.run, {})};
    run.judged = judged_items(store, named.run, run.looks, suite.items,
                              [&](uint32_t item, const std::vector<judge::SentenceScore>& scores) {
                                run.tokens.add(item, scores);
                              });
    check_clusters(suite.items, named.run.suite.name);
    suite.runs.push_back(std::move(run));
  }
  return suites;
}

bool same_points(const std::vector<Judged>& a, const std::vector<Judged>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Judged& x, const Judged& y) {
    return x.points == y.points && x.excluded == y.excluded && x.outcome == y.outcome;
  });
}

// The accuracies of a run under each of its views; a view that changes none names the one before
// that has them.
std::string looks_json(const LoadedRun& run, Grouping& grouping) {
  std::string out;
  for (size_t i = 0; i < run.looks.size(); ++i) {
    size_t as = 0;
    while (as < i && !same_points(run.judged[as], run.judged[i])) ++as;
    out += fmt::format("{}{{\"norm\":{}", i ? "," : "", json_of(judge::name_of(run.looks[i].view)));
    judge::Policy policy = run.looks[i].policy;
    if (as < i) {
      out += fmt::format(",\"as\":{}}}", as);
      continue;
    }
    bool unequal = std::any_of(run.judged[i].begin(), run.judged[i].end(),
                               [](const Judged& j) { return j.counts() && !j.equal_lengths; });
    for (const auto& [name, lengths] :
         {std::pair{"all", judge::Lengths::all}, std::pair{"equal", judge::Lengths::equal}}) {
      bool wanted = policy.lengths == judge::Lengths::both
                        ? lengths == judge::Lengths::all || unequal
                        : lengths == policy.lengths;
      if (!wanted) continue;
      judge::Policy one = policy;
      one.lengths = lengths;
      out += fmt::format(",\"{}\":{}", name, grouping.cells_json(run.judged[i], one));
    }
    out += "}";
  }
  return "[" + out + "]";
}

// The regions and criteria of a suite's designs, as their own tables have them.
std::string designs_json(store::Store& store, const LoadedSuite& suite,
                         const ReportOptions& options) {
  std::string out;
  for (const LoadedRun& run : suite.runs)
    out += fmt::format("{}{}", out.empty() ? "" : ",",
                       render_grids({region_grid(store, *run.named, options),
                                     margin_grid(store, *run.named, options)},
                                    "json"));
  return "[" + out + "]";
}

struct PageData {
  std::map<std::string, StageOf> stages;
  std::string suites, runs;
  std::vector<Block> blocks;
};

// Which checkpoint of which training a model is.
std::string stage_json(const std::map<std::string, StageOf>& stages, const std::string& label) {
  auto at = stages.find(label);
  if (at == stages.end()) return "";
  return fmt::format("\"stage\":{{\"of\":{},\"at\":{:.4f},\"said\":{}}},",
                     json_of(at->second.training), at->second.at, json_of(at->second.said));
}

void add_suite(PageData& data, store::Store& store, LoadedSuite& suite, size_t at, size_t& run_id,
               const ReportOptions& options) {
  std::vector<const std::vector<Judged>*> own;
  for (const LoadedRun& run : suite.runs) own.push_back(&run.judged[0]);
  Grouping grouping(suite.items, own, options);
  std::vector<size_t> shapes;  // places of the runs that were the first with theirs
  for (size_t i = 0; i < suite.runs.size(); ++i, ++run_id) {
    const LoadedRun& run = suite.runs[i];
    const store::RunRecord& r = run.named->run;
    auto same = std::find_if(shapes.begin(), shapes.end(),
                             [&](size_t s) { return suite.runs[s].tokens.same_shape(run.tokens); });
    size_t shape = run_id - i + (same == shapes.end() ? i : *same);
    if (same == shapes.end()) {
      shapes.push_back(i);
      data.blocks.push_back({{fmt::format("shape-{}", shape), run.tokens.shape(suite.items)}});
    }
    data.runs += fmt::format(
        "{}{{\"id\":{},\"shape\":{},\"suite\":{},\"model\":{},\"method\":{},\"released\":{},{}"
        "\"about\":{},\"looks\":{}}}",
        run_id ? "," : "", run_id, shape, at, json_of(run.named->label), json_of(r.method),
        r.model.kind == "released", stage_json(data.stages, run.named->label), about_json(r),
        looks_json(run, grouping));
    for (size_t k = 0; k < run.looks.size(); ++k)
      data.blocks.push_back(
          {{fmt::format("judged-{}-{}", run_id, k),
            outcomes_json(run.judged[k], suite.items,
                          run.looks[k].view.unit == judge::Unit::sum ? 1000 : 10000)}});
    data.blocks.push_back({{fmt::format("logprobs-{}", run_id), run.tokens.logprobs()}, true});
  }
  bool designs = std::any_of(suite.items.items.begin(), suite.items.items.end(),
                             [](const suite::Item& i) { return i.design; });
  if (designs)
    data.blocks.push_back({{fmt::format("designs-{}", at), designs_json(store, suite, options)}});
  data.blocks.push_back({{fmt::format("items-{}", at), items_json(suite.items)}});
  const suite::Manifest& manifest = suite.record().manifest;
  data.suites += fmt::format(
      "{}{{\"name\":{},\"title\":{},\"citation\":{},\"items\":{},\"designs\":{},\"tests\":{},"
      "\"criteria\":{},\"groups\":{},\"features\":{},\"clusters\":{}}}",
      at ? "," : "", json_of(suite.record().name),
      json_of(manifest.title.empty() ? suite.record().name : manifest.title),
      json_of(manifest.citation), suite.items.items.size(), designs, tests_json(manifest),
      criteria_json(manifest), grouping.json(), grouping.features_json(),
      json_of(clusters_text(suite.items)));
}

std::string key_of(const Table& table, const Row& row, const char* name) {
  for (size_t i = 0; i < table.by.size() && i < row.keys.size(); ++i)
    if (table.by[i] == name) return json_of(row.keys[i]);
  return "\"\"";
}

// What others printed, and means over seeds: what is in the tables and in no run.
void append_table(std::string& out, size_t suite, const Table& table, bool total) {
  std::vector<const Row*> rows;
  for (const Row& row : table.rows) rows.push_back(&row);
  if (total) rows.push_back(&table.total);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (!column.published && column.seeds == 0) continue;
    for (const Row* row : rows) {
      const Cell& cell = row->cells[c];
      if (!cell.present) continue;
      out += fmt::format(
          "{}{{\"suite\":{},\"model\":{},\"method\":{},\"norm\":{},\"lengths\":{},\"seeds\":{},"
          "\"language\":{},\"test\":{},\"condition\":{},\"accuracy\":{},\"deviation\":{},\"pairs\":"
          "{},"
          "\"source\":{}}}",
          out.empty() ? "" : ",", suite, json_of(column.model), json_of(column.method),
          json_of(column.norm), json_of(column.lengths), column.seeds,
          key_of(table, *row, "language"), key_of(table, *row, "test"),
          key_of(table, *row, "condition"), cell.accuracy, cell.deviation, cell.tally.pairs,
          json_of(cell.source));
    }
  }
}

// Everything that is shown at once; the rest is opened when somebody asks for it.
std::string main_json(store::Store& store, const PageData& data, const ReportOptions& options) {
  std::string others, policies, account, notes;
  for (const char* by : {"test", "condition"}) {
    ReportOptions own = options;
    own.by = {by};
    own.by_default = true;
    std::vector<Table> tables = make_tables(store, own);
    std::vector<std::string> p, a, n;
    for (size_t i = 0; i < tables.size(); ++i) {
      append_table(others, i, tables[i], own.by[0] == "test");
      for (const std::string& line : tables[i].policies)
        if (std::find(p.begin(), p.end(), line) == p.end()) p.push_back(line);
      a.insert(a.end(), tables[i].account.begin(), tables[i].account.end());
      n.insert(n.end(), tables[i].notes.begin(), tables[i].notes.end());
    }
    if (own.by[0] == "test") policies = list(p), account = list(a), notes = list(n);
  }
  std::string reasons;
  for (size_t i = 1; i < judge::kReasons; ++i)
    reasons += fmt::format("{}\"{}\":{}", i > 1 ? "," : "", judge::key_of(judge::Reason(i)),
                           json_of(judge::text_of(judge::Reason(i))));
  return fmt::format(
      "{{\"made\":{},\"suites\":[{}],\"runs\":[{}],\"others\":[{}],\"policies\":{},\"account\":{},"
      "\"notes\":{},\"reasons\":{{{}}},\"inside\":{}}}",
      json_of("minpair " + version()), data.suites, data.runs, others, policies, account, notes,
      reasons, !store::sweeps(store).empty());
}

std::string main_without_runs(const std::string& suites, bool inside) {
  return fmt::format(
      "{{\"made\":{},\"suites\":[{}],\"runs\":[],\"others\":[],\"policies\":[],\"account\":[],"
      "\"notes\":[],\"reasons\":{{}},\"inside\":{}}}",
      json_of("minpair " + version()), suites, inside);
}

// A file may have only what was found inside models, and no scores.
std::string suites_of_sweeps(store::Store& store) {
  std::string out;
  std::set<std::string> known;
  for (const store::SweepRecord& sweep : store::sweeps(store)) {
    const suite::Manifest& manifest = sweep.suite.manifest;
    if (!known.insert(sweep.suite.name).second) continue;
    out += fmt::format(
        "{}{{\"name\":{},\"title\":{},\"citation\":{},\"items\":0,\"designs\":false,\"tests\":{},"
        "\"criteria\":[],\"groups\":[],\"features\":[],\"clusters\":\"\"}}",
        out.empty() ? "" : ",", json_of(sweep.suite.name),
        json_of(manifest.title.empty() ? sweep.suite.name : manifest.title),
        json_of(manifest.citation), tests_json(manifest));
  }
  return out;
}

// As many at once as the machine has cores: deflating is most of the time.
std::vector<PageBlock> packed(std::vector<Block> blocks) {
  share(blocks.size(), std::thread::hardware_concurrency(), [&](size_t i) {
    blocks[i].block.bytes = deflated(blocks[i].block.bytes, blocks[i].numbers);
  });
  std::vector<PageBlock> done;
  for (Block& b : blocks) done.push_back(std::move(b.block));
  return done;
}

std::string_view needed_page() {
  if (!has_page())
    throw cannot("this minpair was built without the page of 'minpair page' and 'serve'")
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
  int strategy = numbers ? Z_RLE : Z_DEFAULT_STRATEGY;
  if (deflateInit2(&z, 6, Z_DEFLATED, 15, 9, strategy) != Z_OK)
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
  if (store.runs().empty() && !store::sweeps(store).empty())
    return packed({{{"main", main_without_runs(suites_of_sweeps(store), true)}}});
  std::vector<NamedRun> runs = wanted_runs(store, options.wanted);
  PageData data;
  data.stages = stages_of(runs);
  size_t suite = 0, run = 0;
  std::map<int64_t, LoadedSuite> suites = load_suites(store, runs, options);
  for (auto& [id, loaded] : suites) add_suite(data, store, loaded, suite++, run, options);
  data.blocks.insert(data.blocks.begin(), Block{{"main", main_json(store, data, options)}});
  return packed(std::move(data.blocks));
}

std::vector<PageBlock> empty_page_blocks() {
  return packed({{{"main", main_without_runs("", false)}}});
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
                const std::filesystem::path& file, const std::vector<PageBlock>& more) {
  needed_page();
  std::string scripts;
  for (const PageBlock& block : page_blocks(store, options))
    scripts += page_script(block.id, base64(block.bytes));
  for (const PageBlock& block : more) scripts += page_script(block.id, base64(block.bytes));
  write_file(file, page_with(scripts));
}

}  // namespace minpair::report
