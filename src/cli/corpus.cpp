#include <fmt/format.h>

#include "base/counts.h"
#include "cli/cli.h"
#include "corpus/corpus.h"
#include "corpus/endings.h"

namespace minpair::cli {

namespace {

struct Call {
  std::vector<std::string> files;
  std::string out;
  std::string language = "de";
  std::string endings;
  corpus::CorpusOptions options;
};

void print(const corpus::CorpusReport& r) {
  fmt::print("sentences read        {}\n", count_text(r.read));
  fmt::print("  not sampled         {}\n", count_text(r.not_sampled));
  fmt::print("  wrong length        {}\n", count_text(r.wrong_length));
  fmt::print("  repeated            {}\n", count_text(r.repeated));
  fmt::print("  too many unknown    {}\n", count_text(r.unknown_words));
  fmt::print("train / valid / test  {} / {} / {}\n", count_text(r.train), count_text(r.valid),
             count_text(r.test));
  fmt::print("words to train on     {}\n", count_text(r.train_words));
  fmt::print("vocabulary            {}, {:.2f} % of the text\n", counted(r.vocabulary, "word"),
             100 * r.coverage);
  if (r.wordpiece > 0) fmt::print("WordPiece             {}\n", counted(r.wordpiece, "piece"));
}

void run(Call& call) {
  for (const std::string& file : call.files)
    call.options.sources.push_back(corpus::parse_source(file, call.language));
  if (!call.endings.empty()) call.options.endings = corpus::find_endings(call.endings);
  const corpus::CorpusReport report = corpus::prepare_corpus(call.options, call.out);
  print(report);
  if (const std::string warning = corpus::corpus_warning(report); !warning.empty())
    fmt::print(stderr, "warning: {}\n", warning);
}

void add_corpus(Cli& cli) {
  Command& app = cli.command(
      "corpus", Group::models, "Prepare text for training: words, vocabulary, shuffle, split",
      "  minpair corpus news.txt.xz -o corpus/ --vocab-size 50000\n"
      "  minpair corpus de:a.txt fr:b.txt=0.5 -o both/     two languages, half of b\n"
      "  minpair corpus a.txt -o corpus/ --wordpiece 12000  pieces for a BERT, too\n");
  auto call = std::make_shared<Call>();
  corpus::CorpusOptions& o = call->options;
  app.add_option("text", call->files,
                 "text, plain or .xz, one sentence per line: [LANG:]FILE[=SHARE]")
      .required();
  app.add_option("-o,--out", call->out, "folder for the prepared corpus").required();
  app.add_option("-l,--language", call->language, "language of the text: de, en, fr, ru, he")
      .shows_default();
  app.add_option("--vocab-size", o.vocabulary, "most frequent words, per language").shows_default();
  app.add_option("--wordpiece", o.wordpiece, "also train a WordPiece vocabulary of that size");
  app.add_option(
      "--endings", call->endings,
      "endings that WordPiece cuts off stems: those of a shipped language (de), or a file");
  app.add_option("--max-unknown", o.max_unknown,
                 "drop sentences with a larger share of unknown words")
      .shows_default();
  app.add_option("--min-words", o.min_words, "drop shorter sentences").shows_default();
  app.add_option("--max-words", o.max_words, "drop longer sentences (0: keep all)").shows_default();
  app.add_flag("--unique", o.unique, "keep repeated sentences once");
  app.add_flag("--truecase", o.truecase, "lower-case a first word that is usually lower-case");
  app.add_option("--without-period", o.without_period,
                 "share of sentences whose final full stop is dropped");
  app.add_option("--valid", o.valid, "share for validation").shows_default();
  app.add_option("--test", o.test, "share for testing").shows_default();
  app.add_option("--seed", o.seed, "seed of the shuffle and the split").shows_default();
  app.add_flag("-q,--quiet", o.quiet, "no progress");
  app.work = [call] { run(*call); };
}

const Cli::Entry corpus_command{80, add_corpus};

}  // namespace

}  // namespace minpair::cli
