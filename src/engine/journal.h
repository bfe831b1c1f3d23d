#pragma once
// Answers as they come, in a file beside the results: what a killed run had computed is read back
// by the next one. Every batch is checked; what was cut off in the middle of writing is dropped.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/error.h"
#include "engine/job.h"

namespace minpair::engine {

// Another process is at work on the same file.
struct JournalInUse : Error {
  explicit JournalInUse(const std::filesystem::path& path);
  std::filesystem::path file;
};
// Returns when no process is; `tick` is called meanwhile and may throw.
void wait_until_free(const std::filesystem::path& journal, const std::function<void()>& tick);

class AnswerJournal {
 public:
  // Opens or creates. Throws JournalInUse; a journal whose input had other content is an error,
  // too. One of another plan for the same input is begun anew.
  AnswerJournal(std::filesystem::path path, const JobKey& key);
  ~AnswerJournal();
  AnswerJournal(const AnswerJournal&) = delete;
  AnswerJournal& operator=(const AnswerJournal&) = delete;

  // The stored answers, in the order they were written; `asks` is what was asked for this one.
  bool next(const std::vector<query::Ask>& asks, query::Answer& answer);
  // Only after next() has said that there is no more.
  void append(std::span<const query::Answer> answers);
  void remove();  // the run is complete

 private:
  bool read_batch();
  void begin_anew(const std::string& header);

  std::filesystem::path path_;
  int fd_ = -1;
  uint64_t good_end_ = 0;  // everything before is whole
  std::string batch_;
  std::string_view rest_;
  uint32_t answers_left_ = 0;
  bool at_end_ = false;
  std::chrono::steady_clock::time_point synced_;
};

}  // namespace minpair::engine
