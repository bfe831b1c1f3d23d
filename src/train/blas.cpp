#include "train/blas.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <torch/types.h>

#include <array>
#include <ctime>
#include <filesystem>

namespace minpair::train {
namespace {

// What one thread of any processor of the last ten years reaches with a good library.
constexpr double kSlow = 6;

struct Kind {
  const char* in_path;
  const char* name;
  bool reference;
};

// In this order: a wrapper is loaded beside what it wraps.
constexpr std::array kKinds{Kind{"libmkl_", "MKL", false},
                            Kind{"openblas", "OpenBLAS", false},
                            Kind{"libblis", "BLIS", false},
                            Kind{"/atlas/", "ATLAS", false},
                            Kind{"/blas/libblas", "reference BLAS", true},
                            Kind{"libblas", "BLAS", false}};

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> files;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        std::error_code failed;
        const auto file = std::filesystem::canonical(info->dlpi_name, failed);
        if (!failed) static_cast<std::vector<std::string>*>(data)->push_back(file.string());
        return 0;
      },
      &files);
  return files;
}

// Not the clock on the wall: other programs may be running.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

double measured_gigaflops() {
  constexpr int64_t n = 384;
  torch::NoGradGuard no_grad;
  const auto a = torch::ones({n, n}), b = torch::ones({n, n});
  torch::mm(a, b);  // the first one starts things up
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = processor_seconds();
    torch::mm(a, b);
    best = std::min(best, processor_seconds() - start);
  }
  return 2.0 * double(n * n * n) / std::max(best, 1e-9) / 1e9;
}

}  // namespace

Blas blas_among(const std::vector<std::string>& loaded) {
  for (const Kind& kind : kKinds)
    for (const std::string& file : loaded)
      if (file.find(kind.in_path) != std::string::npos)
        return {kind.name, std::filesystem::path(file).filename().string(), kind.reference, 0};
  return {"BLAS", "", false, 0};
}

Blas measured_blas() {
  const int threads = at::get_num_threads();
  set_threads(1);
  Blas blas = blas_among(loaded_libraries());
  blas.gigaflops = measured_gigaflops();
  set_threads(threads);
  return blas;
}

std::string blas_text(const Blas& blas) {
  std::string text = blas.name;
  if (!blas.file.empty()) text += " (" + blas.file + ")";
  text += fmt::format(": {:.0f} GFLOP/s with one thread", blas.gigaflops);
  if (blas.reference || blas.gigaflops < kSlow)
    text +=
        "\nwarning: matrix products are slow, and training with them\n"
        "  install OpenBLAS, which is about ten times as fast (Debian: libopenblas0-pthread, or "
        "'tools/bootstrap.sh train')";
  return text;
}

void set_threads(int threads) {
  at::set_num_threads(threads);
  // Started with as many threads as there are cores, unless told.
  using Set = void (*)(int);
  if (auto set = reinterpret_cast<Set>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
    set(threads);
}

}  // namespace minpair::train
