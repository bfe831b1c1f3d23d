#pragma once
// What every function of the C interface does around its work: errors become values.

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.h"
#include "minpair.h"
#include "model/model.h"

struct minpair_model {
  minpair_model() : process(::getpid()) {}

  const pid_t process;  // its threads are in no other: a copy by fork() has none
  std::unique_ptr<minpair::query::Model> model;
  minpair::model::LoadOptions load;
  std::mutex turn;  // a model works for one caller at a time
};

namespace minpair::api {

struct Cancelled {};

// Runs `work`; whatever it throws becomes a status and this thread's message.
minpair_status call(const std::function<void()>& work) noexcept;

// As much of the caller's options as it knows of; the rest are defaults.
template <class Options>
Options read_options(const Options* given) {
  Options options{};
  if (!given) return options;
  if (given->size < sizeof(size_t) || given->size > 4096)
    throw wrong_call("the options do not say their size").hint("set size = sizeof(...)");
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

std::string text_or(const char* text, const char* otherwise = "");
template <class T>
T& require(T* pointer, const char* what) {
  if (!pointer) throw wrong_call(std::string(what) + " is NULL");
  return *pointer;
}

minpair_model& usable(minpair_model* model);

// Throws Cancelled when the caller wants to stop.
std::function<void(uint64_t, uint64_t)> ticking(minpair_progress progress, void* user);

}  // namespace minpair::api
