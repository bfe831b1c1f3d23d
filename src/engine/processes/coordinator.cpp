#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "engine/executor.h"
#include "engine/processes/identity.h"
#include "engine/processes/messages.h"
#include "engine/processes/processes.h"

namespace minpair::engine {

// One batch in work and one at hand for each of the others, so that nobody waits for the first
// process, which is at work itself.
constexpr size_t kAtHand = 2;

Coordinator::Coordinator(Transport& transport, uint32_t number, query::Model& model)
    : transport_(transport),
      number_(number),
      model_(model),
      identity_(identity_of(model)),
      window_(2 * kAtHand * size_t(transport.size())),
      others_(size_t(transport.size())) {}

Coordinator::~Coordinator() {
  for (int rank = 1; rank < transport_.size(); ++rank)
    transport_.send(rank, message(Say::next, number_));
}

void Coordinator::submit(std::vector<query::Query> batch) {
  uint64_t number = next_number_++;
  jobs_[number].queries = std::move(batch);
  waiting_.push_back(number);
  hand_out();
}

void Coordinator::hand_out() {
  for (size_t level = 1; level <= kAtHand; ++level)
    for (size_t rank = 1; rank < others_.size() && !waiting_.empty(); ++rank) {
      if (!others_[rank].ready || others_[rank].under_way >= level) continue;
      uint64_t number = waiting_.front();
      waiting_.pop_front();
      transport_.send(int(rank), message(Say::batch, number, queries_text(jobs_[number].queries)));
      ++others_[rank].under_way;
    }
}

void Coordinator::welcome(int from, std::string_view identity) {
  size_t line = identity.find('\n');
  std::string host(identity.substr(0, line));
  std::string differs = difference(identity_, std::string(identity.substr(line + 1)));
  if (!differs.empty())
    throw cannot(
        fmt::format("process {} on {} would give different scores: {}", from, host, differs))
        .hint("give all machines the same files and --precision, or leave that one out");
  others_[size_t(from)].ready = true;
}

bool Coordinator::hear(bool wait) {
  int from;
  std::string bytes;
  if (!transport_.receive(from, bytes, wait)) return false;
  Message m = parse_message(bytes);
  switch (m.say) {
    case Say::failed:
      throw cannot(fmt::format("process {}: {}", from, m.rest))
          .hint("what was answered is kept: the same command continues from there");
    case Say::ready:
      // A slow one may only now have loaded a model that is done already.
      if (m.number == number_) welcome(from, m.rest);
      break;
    case Say::answers: {
      Job& job = jobs_.at(m.number);
      job.answers = parse_answers(m.rest, job.queries);
      job.done = true;
      --others_[size_t(from)].under_way;
      break;
    }
    default:
      throw cannot("the processes do not understand each other")
          .hint("is it the same minpair on all machines?");
  }
  return true;
}

// In pieces, so that the others are heard now and then.
void Coordinator::work_on(uint64_t number) {
  Job& job = jobs_[number];
  size_t tokens = 0;
  for (const query::Query& q : job.queries) tokens += q.ids.size();
  for (size_t begin = 0, end = 0; begin < job.queries.size(); begin = end) {
    for (size_t n = 0; end < job.queries.size() && n <= tokens / 4; ++end)
      n += job.queries[end].ids.size();
    for (query::Answer& a : ask(model_, {job.queries.data() + begin, end - begin}))
      job.answers.push_back(std::move(a));
    while (hear(false)) hand_out();
  }
  job.done = true;
}

std::vector<query::Answer> Coordinator::next() {
  Job& oldest = jobs_.begin()->second;
  while (hear(false)) hand_out();
  while (!oldest.done) {
    if (!waiting_.empty()) {
      uint64_t number = waiting_.front();
      waiting_.pop_front();
      work_on(number);
    } else {
      hear(true);
      hand_out();
    }
  }
  std::vector<query::Answer> answers = std::move(oldest.answers);
  jobs_.erase(jobs_.begin());
  return answers;
}

}  // namespace minpair::engine
