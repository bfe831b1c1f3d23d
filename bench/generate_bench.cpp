// Expanding a CLAMS object-relative grammar, and sampling from it, against NLTK on the same
// language: its generate, which expands, and a random walk over its productions (NLTK has none of
// its own). Everything goes to /dev/null, and counts sentences for each second of processor time of
// one core.
//
//   bench_generate [GRAMMAR.avg] [SECONDS = 2]

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "base/error.h"
#include "base/file.h"
#include "base/paths.h"
#include "stimuli/grammar/grammar.h"

namespace minpair {

namespace fs = std::filesystem;

namespace {

struct Rate {
  double sentences = 0, seconds = 0;
  uint64_t language = 0;
  double per_second() const { return sentences / seconds; }
};

double processor_time() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

template <class Write>
Rate measure(uint64_t sentences, double seconds, const Write& write) {
  AtomicFile null("/dev/null");
  Rate rate{0, 0, sentences};
  double begin = processor_time();
  while (rate.seconds < seconds) {
    write([&](std::string_view s) { null.write(s); });
    rate.sentences += double(sentences);
    rate.seconds = processor_time() - begin;
  }
  null.commit();
  return rate;
}

// So many of all items, drawn again and again from other seeds.
Rate measure_sample(const stimuli::Derivations& language, uint64_t items, uint64_t sentences,
                    double seconds, bool text) {
  uint64_t seed = 0;
  const uint64_t drawn = sentences * items / uint64_t(language.count());
  return measure(drawn, seconds, [&](const stimuli::TextSink& s) {
    Random random(seed++);
    if (text)
      language.sample_text(items, random, s);
    else
      language.sample_jsonl(items, random, s);
  });
}

struct Nltk {
  Rate expanding, drawing;
};

Nltk nltk(const fs::path& grammar, double seconds) {
  fs::path script = fs::path(MINPAIR_SOURCE_DIR) / "bench" / "generate_nltk.py";
  std::string command =
      fmt::format("/usr/bin/python3 '{}' '{}' {}", script.string(), grammar.string(), seconds);
  FILE* pipe = popen(command.c_str(), "r");
  Nltk rates;
  unsigned long long language = 0;
  if (!pipe || std::fscanf(pipe, "%lf %lf %llu %lf %lf", &rates.expanding.sentences,
                           &rates.expanding.seconds, &language, &rates.drawing.sentences,
                           &rates.drawing.seconds) != 5)
    rates = {};
  rates.expanding.language = language;
  if (pipe) pclose(pipe);
  return rates;
}

fs::path default_grammar() {
  const char* given = std::getenv("MINPAIR_DATA");
  fs::path data = given ? fs::path(given) : fs::path(MINPAIR_SOURCE_DIR) / "../shared/data";
  fs::path published = data / "clams" / "de_replication" / "obj_rel_across_anim.avg";
  if (fs::exists(published)) return published;
  return find_shipped("suites", "clams") / "de" / "across_object_relative.avg";
}

void run(const fs::path& grammar, double seconds) {
  std::vector<stimuli::Derivations> languages = stimuli::load_derivations(grammar);
  const stimuli::Derivations& language = languages.at(0);
  uint64_t sentences = 0;
  language.expand([&](const suite::Item& i) { sentences += i.sentences.size(); });
  Rate text =
      measure(sentences, seconds, [&](const stimuli::TextSink& s) { language.write_text(s); });
  Rate jsonl =
      measure(sentences, seconds, [&](const stimuli::TextSink& s) { language.write_jsonl(s); });
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const uint64_t items = uint64_t(language.count());
  const uint64_t tenth = std::max<uint64_t>(1, items / 10),
                 few = std::max<uint64_t>(1, items / 100);
  const Rate sampled = measure_sample(language, tenth, sentences, seconds, true);
  const Rate sparse = measure_sample(language, few, sentences, seconds, true);
  const Rate sampled_jsonl = measure_sample(language, tenth, sentences, seconds, false);
  const auto [slow, walk] = nltk(grammar, seconds);
  fmt::print("expanding {} ({} sentences)\n", grammar.filename().string(), sentences);
  fmt::print("  text   {:>12.0f} sentences/s\n  jsonl  {:>12.0f} sentences/s\n", text.per_second(),
             jsonl.per_second());
  fmt::print("  memory {:>12.1f} MB\n", double(usage.ru_maxrss) / 1024);
  fmt::print("  sample {:>12.0f} sentences/s, a tenth as text\n", sampled.per_second());
  fmt::print("  sparse {:>12.0f} sentences/s, a hundredth as text\n", sparse.per_second());
  fmt::print("  drawn  {:>12.0f} sentences/s, a tenth as jsonl\n", sampled_jsonl.per_second());
  if (slow.seconds == 0) {
    fmt::print("  NLTK is not installed (python3-nltk), so there is no ratio\n");
    return;
  }
  if (slow.language != sentences)
    fmt::print("  NLTK made {} sentences: not the same language\n", slow.language);
  fmt::print("  NLTK   {:>12.0f} sentences/s\n", slow.per_second());
  fmt::print("  walk   {:>12.0f} sentences/s, a random one at a time over NLTK's productions\n",
             walk.per_second());
  fmt::print("  ratio  text {:.0f} (at least 20), jsonl {:.0f} (at least 4)\n",
             text.per_second() / slow.per_second(), jsonl.per_second() / slow.per_second());
  fmt::print("  ratio  sample {:.0f}, sparse {:.0f}, drawn {:.0f} of NLTK; sample {:.0f} of walk\n",
             sampled.per_second() / slow.per_second(), sparse.per_second() / slow.per_second(),
             sampled_jsonl.per_second() / slow.per_second(),
             sampled.per_second() / walk.per_second());
}

}  // namespace
}  // namespace minpair

int main(int argc, char** argv) {
  try {
    minpair::run(argc > 1 ? minpair::fs::path(argv[1]) : minpair::default_grammar(),
                 argc > 2 ? std::atof(argv[2]) : 2);
  } catch (const minpair::Error& e) {
    fmt::print(stderr, "bench_generate: {}\n", e.what());
    return e.exit_status();
  }
}
