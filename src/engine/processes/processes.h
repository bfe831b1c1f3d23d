#pragma once
// One run on many processes: each loads the model; the first plans, hands out batches to whoever is
// free, works itself, and stores. `minpair run` under mpirun does this:
//
//   std::unique_ptr<Transport> transport = join_processes();  // null: not started by mpirun
//   if (transport && transport->rank() > 0) serve(*transport, models, load);          // the others
//   else lead(*transport, [&] { Coordinator executor(*transport, number, model); });  // the first
//
// A score is the same bits whichever process computes it, so the results are those of one process.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/engine.h"

namespace minpair::engine {

// Messages between the processes of a run. Between two processes they keep their order.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;  // from 0
  virtual int size() const = 0;
  virtual int on_this_machine() const = 0;  // how many of them
  virtual std::string host() const = 0;
  virtual void send(int to, std::string bytes) = 0;  // does not wait
  // The next message from anybody. Without `wait`, false when there is none.
  virtual bool receive(int& from, std::string& bytes, bool wait) = 0;
  virtual void finish() = 0;                       // everybody calls it at the end
  [[noreturn]] virtual void stop(int status) = 0;  // ends all processes at once
};

// The other processes of this run, when mpirun (Open MPI) started several; else null. MPI is looked
// for only then.
std::unique_ptr<Transport> join_processes();

// Threads for each process when the user did not say: the machine's cores, shared evenly.
int threads_for(const Transport& transport);

// The first process's executor of one model. `number` counts the run's models.
class Coordinator : public Executor {
 public:
  Coordinator(Transport& transport, uint32_t number, query::Model& model);
  ~Coordinator() override;  // the others continue with the next model

  size_t size() const override { return size_t(transport_.size()); }
  void submit(std::vector<query::Query> batch) override;
  bool full() const override { return jobs_.size() >= window_; }
  std::vector<query::Answer> next() override;

 private:
  struct Job {
    std::vector<query::Query> queries;
    std::vector<query::Answer> answers;
    bool done = false;
  };
  struct Other {
    bool ready = false;
    size_t under_way = 0;
  };

  void hand_out();
  bool hear(bool wait);
  void welcome(int from, std::string_view message);
  void work_on(uint64_t number);

  Transport& transport_;
  uint32_t number_;
  query::Model& model_;
  std::string identity_;
  size_t window_;
  std::map<uint64_t, Job> jobs_;  // not yet taken, oldest first
  std::deque<uint64_t> waiting_;  // nobody works on them yet
  std::vector<Other> others_;     // by rank
  uint64_t next_number_ = 0;
};

// Answers batches for the models numbered 0, 1, ... that `load` gives, until the run is done.
void serve(Transport& transport, uint32_t models,
           const std::function<std::unique_ptr<query::Model>(uint32_t)>& load);

// Runs the work of the first process; a failure ends all processes with its message.
void lead(Transport& transport, const std::function<void()>& work);

}  // namespace minpair::engine
