#include "engine/bytes.h"

#include <cstring>

#include "base/error.h"
#include "base/bytes.h"

namespace minpair::engine {
namespace {

template <class T>
void take(std::string_view& from, T& to) {
  if (from.size() < sizeof to) throw bad_input("stored answers do not fit what was asked");
  std::memcpy(&to, from.data(), sizeof to);
  from.remove_prefix(sizeof to);
}

}  // namespace

void append_reads(std::string& to, const std::vector<query::Read>& reads) {
  append_number(to, reads.size());
  for (const query::Read& read : reads) {
    append_number(to, uint64_t{read.position} << 1 | (read.normalized ? 1 : 0));
    append_number(to, uint64_t(read.words + 1));
    append_number(to, read.targets.size());
    for (tokenizer::TokenId t : read.targets) append_number(to, uint64_t(uint32_t(t)));
  }
}

void take_reads(std::string_view& from, std::vector<query::Read>& reads) {
  reads.resize(take_number(from));
  for (query::Read& read : reads) {
    uint64_t place = take_number(from);
    read.position = uint32_t(place >> 1);
    read.normalized = place & 1;
    read.words = int32_t(take_number(from)) - 1;
    read.targets.resize(take_number(from));
    for (tokenizer::TokenId& t : read.targets) t = tokenizer::TokenId(uint32_t(take_number(from)));
  }
}

void append_answer(std::string& to, const query::Answer& answer) {
  for (const query::ReadAnswer& read : answer) {
    append_raw(to, read.log_sum_exp);
    for (float logit : read.logits) append_raw(to, logit);
  }
}

void take_answer(std::string_view& from, query::Answer& answer) {
  for (query::ReadAnswer& read : answer) {
    take(from, read.log_sum_exp);
    for (float& logit : read.logits) take(from, logit);
  }
}

}  // namespace minpair::engine
