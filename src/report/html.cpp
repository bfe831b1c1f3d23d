#include "report/views.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/team.h"
#include "report/checkpoints.h"
#include "report/html_groups.h"
#include "report/html_parts.h"
#include "report/labels.h"
#include "store/effects.h"

namespace minpair::report {
namespace {

using Json = nlohmann::ordered_json;

// Notes and names of one run, for "how it was made".
Json about_json(const store::RunRecord& r) {
  Json about = {{"Suite", r.suite.name},
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
  for (const auto& [name, value] : r.facts) about[capitalize_first(name)] = value;
  Json known = Json::object();
  for (const auto& [name, value] : about.items())
    if (value != "") known[name] = value;
  return known;
}

Json suite_json(const suite::Manifest& manifest, const std::string& name, size_t items) {
  Json tests = Json::array(), criteria = Json::array();
  for (const suite::TestInfo& t : manifest.tests)
    tests.push_back({{"name", t.name}, {"title", t.title}, {"group", t.group}});
  if (items > 0)
    for (const suite::Criterion& c : manifest.criteria)
      criteria.push_back({{"name", c.name}, {"test", c.test}, {"formula", c.formula}});
  return {{"name", name},
          {"title", manifest.title.empty() ? name : manifest.title},
          {"citation", manifest.citation},
          {"items", items},
          {"designs", false},
          {"tests", tests},
          {"criteria", criteria},
          {"groups", Json::array()},
          {"features", Json::array()},
          {"clusters", ""}};
}

struct Block {
  PageBlock block;
  bool numbers = false;  // these have no repetitions worth searching for
};

struct LoadedRun {
  const NamedRun* named;
  std::vector<Look> looks;  // the run's own first
  std::vector<std::vector<Judged>> judged = {};
  TokenColumns tokens = {};
};

struct LoadedSuite {
  explicit LoadedSuite(const std::string& cluster) : items(cluster) {}
  SuiteItems items;
  std::vector<LoadedRun> runs;
  const store::SuiteRecord& record() const { return runs.front().named->run.suite; }
};

// The run's own view and those that differ from it only in what a score is divided by.
std::vector<Look> page_looks(const store::RunRecord& run, const ReportOptions& options) {
  std::vector<Look> looks;
  if (!options.views.empty() || options.all_views) looks = looks_at(run, options);
  if (!looks.empty()) return looks;
  looks = {look_at(run, {}, options.policy)};
  for (const judge::View& view : judge::family_of(looks[0].view))
    if (options.views.empty() && view.special == looks[0].view.special && !(view == looks[0].view))
      looks.push_back({view, looks[0].policy});
  return looks;
}

void load_rows(LoadedSuite& suite, store::Store& store, const ReportOptions& options) {
  std::vector<const NamedRun*> runs;
  for (LoadedRun& run : suite.runs) {
    runs.push_back(run.named);
    run.judged.resize(run.looks.size());
  }
  for (RowReader rows(store, runs, options); rows.next();) {
    const uint32_t item = suite.items.add(rows.ordinal(), rows.item());
    for (size_t r = 0; r < runs.size(); ++r) {
      if (!rows.has(r)) continue;
      LoadedRun& run = suite.runs[r];
      for (size_t i = 0; i < run.looks.size(); ++i) {
        run.judged[i].push_back(rows.judged(r, run.looks[i]));
        run.judged[i].back().item = item;
      }
      if (rows.scored(r)) run.tokens.add(item, rows.scores(r));
    }
  }
  suite.items.clusters.check(suite.record().name);
}

// In the order of make_tables().
std::map<int64_t, LoadedSuite> load_suites(store::Store& store, const std::vector<NamedRun>& runs,
                                           const ReportOptions& options) {
  std::map<int64_t, LoadedSuite> suites;
  for (const NamedRun& named : runs)
    suites.try_emplace(named.run.suite.id, options.cluster)
        .first->second.runs.push_back({&named, page_looks(named.run, options)});
  for (auto& [id, suite] : suites) load_rows(suite, store, options);
  return suites;
}

bool same_points(const std::vector<Judged>& a, const std::vector<Judged>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Judged& x, const Judged& y) {
    return x.points == y.points && x.excluded == y.excluded && x.outcome == y.outcome;
  });
}

// The accuracies of a run under each of its views; a view that changes none names the one before
// that has them.
Json looks_json(const LoadedRun& run, PageGroups& groups) {
  Json all = Json::array();
  for (size_t i = 0; i < run.looks.size(); ++i) {
    size_t as = 0;
    while (as < i && !same_points(run.judged[as], run.judged[i])) ++as;
    Json& look = all.emplace_back(Json{{"norm", judge::name_of(run.looks[i].view)}});
    judge::Policy policy = run.looks[i].policy;
    if (as < i) {
      look["as"] = as;
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
      look[name] = groups.cells_json(run.judged[i], one);
    }
  }
  return all;
}

// The regions and criteria of a suite's designs, as their own tables have them.
Json designs_json(store::Store& store, const LoadedSuite& suite, const ReportOptions& options) {
  Json all = Json::array();
  for (const LoadedRun& run : suite.runs)
    all.push_back(Json::parse(render_grids(
        {region_grid(store, *run.named, options), margin_grid(store, *run.named, options)},
        "json")));
  return all;
}

struct PageData {
  std::map<std::string, StageOf> stages;
  Json suites = Json::array(), runs = Json::array();
  std::vector<Block> blocks;
};

void add_suite(PageData& data, store::Store& store, LoadedSuite& suite,
               const ReportOptions& options) {
  std::vector<const std::vector<Judged>*> own;
  for (const LoadedRun& run : suite.runs) own.push_back(&run.judged[0]);
  PageGroups groups(suite.items, own, options);
  const size_t at = data.suites.size(), first = data.runs.size();
  std::vector<size_t> shapes;  // places of the runs that were the first with theirs
  for (size_t i = 0; i < suite.runs.size(); ++i) {
    const LoadedRun& run = suite.runs[i];
    const store::RunRecord& r = run.named->run;
    auto same = std::find_if(shapes.begin(), shapes.end(),
                             [&](size_t s) { return suite.runs[s].tokens.same_shape(run.tokens); });
    const size_t id = first + i, shape = first + (same == shapes.end() ? i : *same);
    if (same == shapes.end()) {
      shapes.push_back(i);
      data.blocks.push_back({{fmt::format("shape-{}", shape), run.tokens.shape(suite.items)}});
    }
    Json& out = data.runs.emplace_back(Json{{"id", id},
                                            {"shape", shape},
                                            {"suite", at},
                                            {"model", run.named->label},
                                            {"method", r.method},
                                            {"released", r.model.kind == "released"}});
    // Which checkpoint of which training the model is.
    if (auto stage = data.stages.find(run.named->label); stage != data.stages.end())
      out["stage"] = {{"of", stage->second.training},
                      {"at", rounded(stage->second.at)},
                      {"said", stage->second.said}};
    out["about"] = about_json(r);
    out["looks"] = looks_json(run, groups);
    for (size_t k = 0; k < run.looks.size(); ++k)
      data.blocks.push_back(
          {{fmt::format("judged-{}-{}", id, k),
            outcomes_json(run.judged[k], suite.items,
                          run.looks[k].view.unit == judge::Unit::sum ? 1000 : 10000)}});
    data.blocks.push_back({{fmt::format("logprobs-{}", id), run.tokens.logprobs()}, true});
  }
  bool designs = std::any_of(suite.items.items.begin(), suite.items.items.end(),
                             [](const suite::Item& i) { return i.design; });
  if (designs)
    data.blocks.push_back(
        {{fmt::format("designs-{}", at), json_text(designs_json(store, suite, options))}});
  data.blocks.push_back({{fmt::format("items-{}", at), items_json(suite.items)}});
  Json out = suite_json(suite.record().manifest, suite.record().name, suite.items.items.size());
  out["designs"] = designs;
  out["groups"] = groups.json();
  out["features"] = groups.features_json();
  out["clusters"] = suite.items.clusters.text();
  data.suites.push_back(std::move(out));
}

std::string key_of(const Table& table, const Row& row, const char* name) {
  for (size_t i = 0; i < table.by.size() && i < row.keys.size(); ++i)
    if (table.by[i] == name) return row.keys[i];
  return "";
}

// What others printed, and means over seeds: what is in the tables and in no run.
void append_table(Json& out, size_t suite, const Table& table, bool total) {
  std::vector<const Row*> rows;
  for (const Row& row : table.rows) rows.push_back(&row);
  if (total) rows.push_back(&table.total);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (!column.published && column.seeds == 0) continue;
    for (const Row* row : rows)
      if (const Cell& cell = row->cells[c]; cell.present)
        out.push_back({{"suite", suite},
                       {"model", column.model},
                       {"method", column.method},
                       {"norm", column.norm},
                       {"lengths", column.lengths},
                       {"seeds", column.seeds},
                       {"other_items", column.other_items},
                       {"language", key_of(table, *row, "language")},
                       {"test", key_of(table, *row, "test")},
                       {"condition", key_of(table, *row, "condition")},
                       {"accuracy", cell.accuracy},
                       {"deviation", cell.deviation},
                       {"pairs", cell.tally.pairs},
                       {"source", cell.source}});
  }
}

Json main_json(Json suites, Json runs, bool inside) {
  const Json none = Json::array();
  return {{"made", "minpair " + version()},
          {"suites", std::move(suites)},
          {"runs", std::move(runs)},
          {"others", none},
          {"findings", none},
          {"policies", none},
          {"account", none},
          {"notes", none},
          {"reasons", Json::object()},
          {"inside", inside}};
}

// Everything that is shown at once; the rest is opened when somebody asks for it.
Json main_json(store::Store& store, PageData& data, const ReportOptions& options) {
  Json main =
      main_json(std::move(data.suites), std::move(data.runs), !store::sweeps(store).empty());
  for (const char* by : {"test", "condition"}) {
    ReportOptions own = options;
    own.by = {by};
    own.by_default = true;
    const bool tests = own.by[0] == "test";
    size_t suite = 0;
    for (const Table& table : make_tables(store, own)) {
      if (tests)
        for (const std::string& text : findings_of(table))
          main["findings"].push_back({{"suite", suite}, {"text", text}});
      append_table(main["others"], suite++, table, tests);
      if (!tests) continue;
      for (const std::string& line : table.policies)
        if (Json& all = main["policies"]; std::find(all.begin(), all.end(), line) == all.end())
          all.push_back(line);
      for (const std::string& line : table.account) main["account"].push_back(line);
      for (const std::string& line : table.notes) main["notes"].push_back(line);
    }
  }
  for (size_t i = 1; i < judge::kReasons; ++i)
    main["reasons"][std::string(judge::key_of(judge::Reason(i)))] =
        judge::text_of(judge::Reason(i));
  return main;
}

// A file may have only what was found inside models, and no scores.
Json suites_of_sweeps(store::Store& store) {
  Json suites = Json::array();
  std::set<std::string> known;
  for (const store::SweepRecord& sweep : store::sweeps(store))
    if (known.insert(sweep.suite.name).second)
      suites.push_back(suite_json(sweep.suite.manifest, sweep.suite.name, 0));
  return suites;
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
    return packed({{{"main", json_text(main_json(suites_of_sweeps(store), Json::array(), true))}}});
  std::vector<NamedRun> runs = selected_runs(store, options);
  PageData data;
  data.stages = stages_of(runs);
  for (auto& [id, loaded] : load_suites(store, runs, options))
    add_suite(data, store, loaded, options);
  data.blocks.insert(data.blocks.begin(),
                     Block{{"main", json_text(main_json(store, data, options))}});
  return packed(std::move(data.blocks));
}

std::vector<PageBlock> empty_page_blocks() {
  return packed({{{"main", json_text(main_json(Json::array(), Json::array(), false))}}});
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
