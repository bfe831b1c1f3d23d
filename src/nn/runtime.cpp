#include "nn/runtime.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "nn/integers.h"
#include "nn/kernels.h"

namespace minpair::nn {

namespace {

struct Instructions {
  std::string_view name;
  const Kernels& (*kernels)();
  const IntegerKernels& (*integers)();
};
constexpr Instructions kInstructions[] = {  // in the order of Isa
    {"generic", generic_kernels, generic_integers},
    {"avx2", avx2_kernels, avx2_integers},
    {"avx512", avx512_kernels, avx2_integers},
    {"avx512vnni", avx512_kernels, vnni_integers}};
const Instructions& instructions(Isa isa) { return kInstructions[size_t(isa)]; }

}  // namespace

std::string_view name_of(Isa isa) { return instructions(isa).name; }

std::vector<Isa> available_isas() {
  std::vector<Isa> all{Isa::generic};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    all.push_back(Isa::avx2);
    if (__builtin_cpu_supports("avx512f")) {
      all.push_back(Isa::avx512);
      if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni"))
        all.push_back(Isa::avx512vnni);
    }
  }
#endif
  return all;
}

namespace {

Isa choose_isa(std::optional<Isa> wanted) {
  std::vector<Isa> all = available_isas();
  if (!wanted) {
    const char* name = std::getenv("MINPAIR_ISA");
    if (!name || !*name) return all.back();
    for (Isa isa : {Isa::generic, Isa::avx2, Isa::avx512, Isa::avx512vnni})
      if (name_of(isa) == name) wanted = isa;
    if (!wanted)
      throw wrong_call(fmt::format("MINPAIR_ISA is '{}'", name))
          .hint("it can be generic, avx2, avx512 or avx512vnni");
  }
  for (Isa isa : all)
    if (isa == *wanted) return isa;
  throw wrong_call(fmt::format("this machine has no {}", name_of(*wanted)))
      .hint(fmt::format("the best it has is {}", name_of(all.back())));
}

int choose_threads(int wanted) {
  if (wanted <= 0)
    if (const char* text = std::getenv("MINPAIR_THREADS"); text && *text) {
      wanted = std::atoi(text);
      if (wanted <= 0)
        throw wrong_call(fmt::format("MINPAIR_THREADS is '{}'", text))
            .hint("it must be a positive number");
    }
  if (wanted <= 0) wanted = static_cast<int>(std::thread::hardware_concurrency());
  return std::min(std::max(wanted, 1), 1024);
}

}  // namespace

// Workers sleep until a job is posted; the caller works too, as worker 0.
struct Runtime::Pool {
  using Work = std::function<void(size_t, int)>;

  const Kernels* kernels;
  IntegerKernels integers;
  Isa isa;
  Arithmetic arithmetic;
  std::vector<Buffer> scratch;
  std::vector<std::thread> workers;

  std::mutex one_job;  // parallel() may be called from several threads
  std::mutex mutex;
  std::condition_variable posted, finished;
  uint64_t job = 0;
  int busy = 0;
  bool stop = false;
  const Work* work = nullptr;
  size_t units = 0;
  std::atomic<size_t> next{0};
  std::exception_ptr failure;

  void drain(int worker) {
    try {
      for (size_t unit; (unit = next.fetch_add(1)) < units;) (*work)(unit, worker);
    } catch (...) {
      next = units;
      std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }

  void live(int worker) {
    uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        posted.wait(lock, [&] { return stop || job != seen; });
        if (stop) return;
        seen = job;
      }
      drain(worker);
      std::lock_guard lock(mutex);
      if (--busy == 0) finished.notify_one();
    }
  }

  void run(size_t count, const Work& what) {
    std::lock_guard only(one_job);
    {
      std::lock_guard lock(mutex);
      work = &what;
      units = count;
      next = 0;
      failure = nullptr;
      busy = static_cast<int>(workers.size());
      ++job;
    }
    posted.notify_all();
    drain(0);
    std::unique_lock lock(mutex);
    finished.wait(lock, [&] { return busy == 0; });
    if (failure) std::rethrow_exception(failure);
  }
};

Runtime::Runtime(int threads, std::optional<Isa> isa, Arithmetic arithmetic)
    : pool_(std::make_unique<Pool>()) {
  pool_->arithmetic = std::move(arithmetic);
  pool_->isa = choose_isa(isa);
  pool_->kernels = &instructions(pool_->isa).kernels();
  pool_->integers = instructions(pool_->isa).integers();
  // Who names the instructions gets these and no others.
  const char* named = std::getenv("MINPAIR_ISA");
  if (pool_->arithmetic.integers && !isa && (!named || !*named))
    pool_->integers.tiles = usable_integer_tiles();
  int count = choose_threads(threads);
  pool_->scratch.resize(size_t(count));  // before there are threads, which a failure would abandon
  try {
    pool_->workers.reserve(count);
    for (int i = 1; i < count; ++i)
      pool_->workers.emplace_back([p = pool_.get(), i] { p->live(i); });
  } catch (const std::exception&) {
    // No more threads are to be had, or no memory for them: those that run do the work, with the
    // same results.
  }
  pool_->scratch.resize(pool_->workers.size() + 1);
}

Runtime::~Runtime() {
  {
    std::lock_guard lock(pool_->mutex);
    pool_->stop = true;
  }
  pool_->posted.notify_all();
  for (std::thread& t : pool_->workers) t.join();
}

int Runtime::threads() const { return static_cast<int>(pool_->scratch.size()); }
Isa Runtime::isa() const { return pool_->isa; }
const Kernels& Runtime::kernels() const { return *pool_->kernels; }
const IntegerKernels& Runtime::integers() const { return pool_->integers; }
const Arithmetic& Runtime::arithmetic() const { return pool_->arithmetic; }

void Runtime::parallel(size_t units, const std::function<void(size_t, int)>& work) const {
  if (units == 0) return;
  pool_->run(units, work);
}

float* Runtime::scratch(int worker, size_t floats) const {
  Buffer& b = pool_->scratch[worker];
  b.reserve(floats);
  return b.data();
}

namespace {

constexpr size_t kHugePage = size_t{1} << 21;

bool is_large(size_t floats) { return floats * sizeof(float) >= 2 * kHugePage; }
size_t large_bytes(size_t floats) {
  return (floats * sizeof(float) + kHugePage - 1) / kHugePage * kHugePage;
}

// Straight from the system, which hands out zeroes; the ends that are not aligned go back.
float* allocate_large(size_t floats) {
  size_t bytes = large_bytes(floats), all = bytes + kHugePage;
  if (bytes < floats) throw std::bad_alloc();
  void* p = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  char* begin = static_cast<char*>(p);
  size_t skip = (kHugePage - reinterpret_cast<uintptr_t>(begin) % kHugePage) % kHugePage;
  if (skip) munmap(begin, skip);
  if (skip < kHugePage) munmap(begin + skip + bytes, kHugePage - skip);
  madvise(begin + skip, bytes, MADV_HUGEPAGE);
  return reinterpret_cast<float*>(begin + skip);
}

float* allocate(size_t floats) {
  if (floats > SIZE_MAX / sizeof(float) - 2 * kHugePage) throw std::bad_alloc();
  if (is_large(floats)) return allocate_large(floats);
  size_t bytes = (floats * sizeof(float) + 63) / 64 * 64;
  void* p = std::aligned_alloc(64, bytes);
  if (!p) throw std::bad_alloc();
  std::memset(p, 0, bytes);
  return static_cast<float*>(p);
}

void release(float* data, size_t floats) {
  if (is_large(floats))
    munmap(data, large_bytes(floats));
  else
    std::free(data);
}

}  // namespace

Buffer::Buffer(size_t floats) : data_(floats ? allocate(floats) : nullptr), size_(floats) {}
Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}
Buffer::~Buffer() { release(data_, size_); }

void Buffer::reserve(size_t floats) {
  if (floats > size_) {
    release(std::exchange(data_, nullptr), std::exchange(size_, 0));
    *this = Buffer(floats);
  }
}

}  // namespace minpair::nn
