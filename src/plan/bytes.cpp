#include "plan/bytes.h"

#include <cstring>

#include "base/error.h"
#include "plan/sorted_records.h"

namespace minpair {
namespace {

template <class T>
void take(std::string_view& from, T& to) {
  if (from.size() < sizeof to) throw bad_input("stored answers do not fit what was asked");
  std::memcpy(&to, from.data(), sizeof to);
  from.remove_prefix(sizeof to);
}

}  // namespace

void append_reads(std::string& to, const std::vector<Read>& reads) {
  append_number(to, reads.size());
  for (const Read& read : reads) {
    append_number(to, uint64_t{read.position} << 1 | (read.normalized ? 1 : 0));
    append_number(to, uint64_t(read.words + 1));
    append_number(to, read.targets.size());
    for (TokenId t : read.targets) append_number(to, uint64_t(uint32_t(t)));
  }
}

void take_reads(std::string_view& from, std::vector<Read>& reads) {
  reads.resize(read_number(from));
  for (Read& read : reads) {
    uint64_t place = read_number(from);
    read.position = uint32_t(place >> 1);
    read.normalized = place & 1;
    read.words = int32_t(read_number(from)) - 1;
    read.targets.resize(read_number(from));
    for (TokenId& t : read.targets) t = TokenId(uint32_t(read_number(from)));
  }
}

void append_answer(std::string& to, const Answer& answer) {
  for (const ReadAnswer& read : answer) {
    append_raw(to, read.log_sum_exp);
    for (float logit : read.logits) append_raw(to, logit);
  }
}

void take_answer(std::string_view& from, Answer& answer) {
  for (ReadAnswer& read : answer) {
    take(from, read.log_sum_exp);
    for (float& logit : read.logits) take(from, logit);
  }
}

}  // namespace minpair
