// Messages between the processes of a run over MPI: loaded by `minpair run` when mpirun started it, so that the program
// itself does not need MPI.

#include <mpi.h>
#include <unistd.h>

#include <cstring>
#include <list>

#include "engine/processes/processes.h"

namespace minpair::engine {
namespace {

class MpiTransport : public Transport {
 public:
  MpiTransport() {
    int provided;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm near;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &near_);
    MPI_Comm_free(&near);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int on_this_machine() const override { return near_; }

  std::string host() const override {
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    MPI_Get_processor_name(name, &length);
    return {name, size_t(length)};
  }

  void send(int to, std::string bytes) override {
    sent_.push_back({std::move(bytes), MPI_REQUEST_NULL});
    Sent& s = sent_.back();
    MPI_Isend(s.bytes.data(), int(s.bytes.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD, &s.request);
    // The request is waited for later, which clang-tidy does not see.
    forget_delivered();  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker)
  }

  bool receive(int& from, std::string& bytes, bool wait) override {
    MPI_Status status;
    // MPI's own waiting burns a core; ours sleeps, longer and longer up to two milliseconds.
    for (useconds_t pause = 20;; pause = pause < 2000 ? pause * 2 : 2000) {
      int there = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
      if (there) break;
      forget_delivered();
      if (!wait) return false;
      ::usleep(pause);
    }
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    bytes.resize(size_t(length));
    from = status.MPI_SOURCE;
    MPI_Recv(bytes.data(), length, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
  }

  void finish() override {
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker)
    for (Sent& s : sent_) MPI_Wait(&s.request, MPI_STATUS_IGNORE);
    MPI_Finalize();
  }

  void stop(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    ::_exit(status);
  }

 private:
  struct Sent {
    std::string bytes;
    MPI_Request request;
  };

  void forget_delivered() {
    for (auto at = sent_.begin(); at != sent_.end();) {
      int done = 0;
      MPI_Test(&at->request, &done, MPI_STATUS_IGNORE);
      at = done ? sent_.erase(at) : std::next(at);
    }
  }

  int rank_ = 0, size_ = 1, near_ = 1;
  std::list<Sent> sent_;  // the bytes must stay where they are
};

}  // namespace
}  // namespace minpair::engine

extern "C" minpair::engine::Transport* minpair_open_transport(const char* version) {
  if (std::strcmp(version, MINPAIR_VERSION) != 0) return nullptr;
  return new minpair::engine::MpiTransport;
}
