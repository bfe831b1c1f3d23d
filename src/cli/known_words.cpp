#include "cli/known_words.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/natural.h"
#include "base/text.h"

namespace minpair::cli {
namespace {

// Without the marks around it.
std::string_view bare(std::string_view word) {
  size_t begin = word.size(), end = 0;
  for (size_t at = 0; at < word.size();) {
    const size_t from = at;
    const char32_t c = next_character(word, at);
    if (is_punctuation(c)) continue;
    begin = std::min(begin, from);
    end = at;
  }
  return begin < end ? word.substr(begin, end - begin) : std::string_view();
}

// What `hunspell -l` prints for the file: the words that it does not know.
std::string misspelt(const std::string& dictionary, const std::string& file) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw cannot_errno("cannot start hunspell");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  std::string words[] = {"hunspell", "-i", "utf-8", "-l", "-d", dictionary, file};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, "hunspell", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string said;
  char buffer[1 << 12];
  for (ssize_t n; !failed && (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, size_t(n));
  ::close(ends[0]);
  int status = 0;
  if (!failed) ::waitpid(child, &status, 0);
  if (failed || status != 0)
    throw bad_input(failed ? "hunspell is not installed"
                           : fmt::format("hunspell has no dictionary '{}'", dictionary))
        .hint(
            "'hunspell -D' lists those that are installed; on Debian: apt install hunspell "
            "hunspell-nl");
  return said;
}

}  // namespace

void WordsOfSuite::add(const suite::Item& item) {
  for (const suite::Sentence& s : item.sentences) {
    bool first = true;
    for (std::string_view part : words(s.text)) {
      const std::string_view word = bare(part);
      if (!has_word(word)) continue;
      Word& known = words_.try_emplace(std::string(word), Word{item.id}).first->second;
      known.inside |= !first;
      known.right |= s.grammatical || item.design;
      first = false;
    }
  }
}

std::map<std::string, std::string> WordsOfSuite::unknown_in(
    const std::filesystem::path& paradigms) const {
  std::set<std::string> forms;
  LineReader lines(paradigms);
  for (std::string_view line; lines.next(line);) {
    if (trim(line).empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> columns = split(line, '\t');
    if (columns.size() != 3)
      throw bad_input("a paradigm has lemma, form and features, with tabs between them")
          .at(lines.name(), lines.line_number());
    for (std::string_view word : words(columns[1])) forms.emplace(bare(word));
  }
  std::map<std::string, std::string> unknown;
  for (const auto& [word, where] : words_)
    if (!forms.contains(word) && (where.inside || !forms.contains(lower(word))))
      unknown.emplace(word, where.item);
  return unknown;
}

std::map<std::string, std::string> WordsOfSuite::unknown_to_hunspell(
    const std::string& dictionary) const {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("minpair-{}.words", ::getpid());
  std::string text;
  for (const auto& [word, where] : words_)
    if (where.right) text += word + "\n";
  write_file(file, text);
  std::string said;
  try {
    said = misspelt(dictionary, file.string());
  } catch (...) {
    std::filesystem::remove(file);
    throw;
  }
  std::filesystem::remove(file);
  std::map<std::string, std::string> unknown;
  for (std::string_view word : words(said))
    if (auto found = words_.find(std::string(word)); found != words_.end())
      unknown.emplace(word, found->second.item);
    else
      unknown.emplace(word, "");
  return unknown;
}

}  // namespace minpair::cli
