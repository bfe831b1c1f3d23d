#include "engine/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "query/bytes.h"

namespace minpair::engine {
namespace {

constexpr std::string_view kMagic = "minpair answers 3\n";
constexpr size_t kContent = kMagic.size() + 16;  // magic, then what was read
constexpr size_t kHeader = kContent + 16;        // then the plan
constexpr uint32_t kLargestBatch = uint32_t{1} << 30;

struct BatchHeader {
  uint32_t bytes, answers;
  uint64_t checksum;
};

bool read_all(int fd, uint64_t at, char* to, size_t n) {
  while (n > 0) {
    ssize_t got = ::pread(fd, to, n, off_t(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    at += uint64_t(got);
    n -= size_t(got);
  }
  return true;
}

void write_at(int fd, uint64_t at, std::string_view bytes, const std::filesystem::path& path) {
  if (::lseek(fd, off_t(at), SEEK_SET) < 0)
    throw cannot_errno("the answers cannot be written").at(path.string());
  try {
    write_all(fd, bytes, path);
  } catch (Error& error) {
    error.hint("make room on the disk and run the same command again: nothing stored is lost");
    throw;
  }
}

std::string header_of(const JobKey& key) {
  std::string header(kMagic);
  for (const Hash128& hash : {key.content, key.plan}) {
    append_key(header, hash.high, 8);
    append_key(header, hash.low, 8);
  }
  return header;
}

Error changed_input(const std::filesystem::path& path, const std::string& input) {
  return bad_input(fmt::format("{} changed since this command was interrupted", input))
      .hint(fmt::format("put it back as it was to resume, or delete {} to begin again",
                        path.string()));
}

}  // namespace

std::filesystem::path journal_file(const std::filesystem::path& output, const std::string& asked) {
  std::filesystem::path path = output;
  path += fmt::format("-{:016x}.answers", hash128(asked).low);
  return path;
}

bool has_journal(const std::filesystem::path& output) {
  const std::string begin = output.filename().string() + "-";
  return std::ranges::any_of(entries_if_any(output.has_parent_path() ? output.parent_path() : "."),
                             [&](const std::filesystem::path& entry) {
                               const std::string name = entry.filename().string();
                               return name.starts_with(begin) && name.ends_with(".answers");
                             });
}

JournalInUse::JournalInUse(const std::filesystem::path& path)
    : Error(cannot("another minpair is already working on this run")
                .at(path.string())
                .hint("wait until it is done, or give this run another results file with -o")),
      file(path) {}

void wait_until_free(const std::filesystem::path& journal, const std::function<void()>& tick) {
  for (;;) {
    const int fd = ::open(journal.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    const bool free = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
    ::close(fd);
    if (free) return;
    tick();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

AnswerJournal::AnswerJournal(std::filesystem::path path, const JobKey& key)
    : path_(std::move(path)), synced_(std::chrono::steady_clock::now()) {
  refuse_unusual_file(path_);  // says more than O_NOFOLLOW's error
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd_ < 0) throw cannot_errno("the answers cannot be written").at(path_.string());
  refuse_unusual_file(fd_, path_);
  // Whoever had it may have been done and removed it since it was opened.
  struct stat st;
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0 || ::fstat(fd_, &st) != 0 || st.st_nlink == 0) {
    ::close(fd_);
    throw JournalInUse(path_);
  }
  const std::string header = header_of(key);
  std::string found(kHeader, '\0');
  const bool whole = read_all(fd_, 0, found.data(), found.size()) && found.starts_with(kMagic);
  if (whole && found.substr(0, kContent) != header.substr(0, kContent)) {
    ::close(fd_);
    throw changed_input(path_, key.input);
  }
  if (found != header) begin_anew(header);
  good_end_ = kHeader;
}

AnswerJournal::~AnswerJournal() {
  if (fd_ >= 0) ::close(fd_);
}

void AnswerJournal::begin_anew(const std::string& header) {
  if (::ftruncate(fd_, 0) != 0)
    throw cannot_errno("the answers cannot be written").at(path_.string());
  write_at(fd_, 0, header, path_);
}

bool AnswerJournal::read_batch() {
  BatchHeader header;
  if (!read_all(fd_, good_end_, reinterpret_cast<char*>(&header), sizeof header)) return false;
  if (header.bytes > kLargestBatch) return false;
  batch_.resize(header.bytes);
  if (!read_all(fd_, good_end_ + sizeof header, batch_.data(), batch_.size())) return false;
  if (hash128(batch_, header.answers).low != header.checksum) return false;
  good_end_ += sizeof header + batch_.size();
  rest_ = batch_;
  answers_left_ = header.answers;
  return true;
}

bool AnswerJournal::next(const std::vector<query::Ask>& asks, query::Answer& answer) {
  while (!at_end_ && answers_left_ == 0)
    if (!read_batch()) {
      at_end_ = true;
      if (::ftruncate(fd_, off_t(good_end_)) != 0)
        throw cannot_errno("the answers cannot be written").at(path_.string());
    }
  if (at_end_) return false;
  --answers_left_;
  answer = query::take_answer(rest_, asks);
  return true;
}

void AnswerJournal::append(std::span<const query::Answer> answers) {
  std::string bytes(sizeof(BatchHeader), '\0');
  for (const query::Answer& answer : answers) query::append_answer(bytes, answer);
  std::string_view payload = std::string_view(bytes).substr(sizeof(BatchHeader));
  BatchHeader header{uint32_t(payload.size()), uint32_t(answers.size()),
                     hash128(payload, uint32_t(answers.size())).low};
  std::memcpy(bytes.data(), &header, sizeof header);
  write_at(fd_, good_end_, bytes, path_);
  good_end_ += bytes.size();
  // What is written survives the end of the process at once; for the end of the power, now and
  // then is enough.
  auto now = std::chrono::steady_clock::now();
  if (now - synced_ > std::chrono::seconds(5)) {
    ::fdatasync(fd_);
    synced_ = now;
  }
}

void remove_left_over(const std::filesystem::path& journal) {
  int fd = ::open(journal.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(journal.c_str());
  ::close(fd);
}

void AnswerJournal::remove() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace minpair::engine
