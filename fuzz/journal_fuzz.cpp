// Answers that a killed run left: the file as it is, or (after a first byte 1) batches whose
// lengths and checksums are right and whose answers are any bytes; after a first byte 2, about
// classes of words.

#include "base/bytes.h"
#include "base/error.h"
#include "engine/journal.h"
#include "file.h"

using namespace minpair;

static const std::vector<query::Ask>& asks() {
  static const std::vector<query::Ask> all = {
      {0, query::Targets{{1, 2}}}, {1, query::Rank{3}},   {1, query::Entropy{}},
      {2, query::Best{2}},         {2, query::Hidden{1}}, {3, query::Lens{1, {4}}}};
  return all;
}

struct AnyWords : query::Reducer {
  Hash128 identity() const override { return {3, 4}; }
  std::span<const tokenizer::TokenId> ids() const override { return {}; }
  query::ClassRecords reduce(std::span<const float>) const override { return {}; }
};

static const std::vector<query::Ask>& class_asks() {
  static const std::vector<query::Ask> all = {{0, query::Classes{std::make_shared<AnyWords>()}}};
  return all;
}

// One batch for every "\n--\n"; its first byte says how many answers it has.
static std::string batches(std::string_view payload) {
  std::string file = "minpair answers 3\n";
  for (uint64_t half : {1, 2, 3, 4}) append_key(file, half, 8);
  while (!payload.empty()) {
    const size_t end = std::min(payload.find("\n--\n"), payload.size());
    std::string_view batch = payload.substr(0, end);
    payload.remove_prefix(std::min(payload.size(), end + 4));
    if (batch.empty()) continue;
    const uint32_t answers = uint8_t(batch[0]);
    batch.remove_prefix(1);
    append_raw(file, uint32_t(batch.size()));
    append_raw(file, answers);
    append_raw(file, hash128(batch, answers).low);
    file += batch;
  }
  return file;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const bool classes = bytes.starts_with('\2'), whole = !classes && !bytes.starts_with('\1');
  const std::vector<query::Ask>& asked = classes ? class_asks() : asks();
  const auto path = fuzzing::file(whole ? std::string(bytes) : batches(bytes.substr(1)), "answers");
  std::vector<query::Answer> read;
  try {
    engine::AnswerJournal journal(path, {{1, 2}, {3, 4}, "the input"});
    for (query::Answer answer; journal.next(asked, answer);) read.push_back(answer);
    journal.append(read);
  } catch (const Error&) {
    return 0;
  }
  // What was read and appended is there twice.
  engine::AnswerJournal again(path, {{1, 2}, {3, 4}, "the input"});
  size_t count = 0;
  for (query::Answer answer; again.next(asked, answer);) ++count;
  if (count != 2 * read.size()) std::abort();
  again.remove();
  if (std::filesystem::exists(path)) std::abort();
  return 0;
}
