#include "api/call.h"

#include <new>

#include "base/text.h"

namespace minpair::api {
namespace {

std::string& last_message() {
  thread_local std::string message;
  return message;
}

void keep_message(const char* text) noexcept try {
  last_message() = text;
} catch (const std::bad_alloc&) {
  last_message() = "out of memory";  // so few letters need none
}

minpair_status status_of(Error::Kind kind) {
  return kind == Error::Kind::usage   ? MINPAIR_WRONG_CALL
         : kind == Error::Kind::input ? MINPAIR_BAD_INPUT
                                      : MINPAIR_CANNOT;
}

}  // namespace

minpair_status call(const std::function<void()>& work) noexcept {
  try {
    last_message().clear();
    work();
    return MINPAIR_OK;
  } catch (const Cancelled&) {
    last_message() = "stopped";
    return MINPAIR_CANCELLED;
  } catch (const Error& e) {
    keep_message(e.what());
    return status_of(e.kind());
  } catch (const std::bad_alloc&) {
    keep_message("out of memory");
    return MINPAIR_CANNOT;
  } catch (const std::exception& e) {
    keep_message(e.what());
    return MINPAIR_CANNOT;
  }
}

std::string text_or(const char* text, const char* otherwise) { return text ? text : otherwise; }

minpair_model& usable(minpair_model* model) {
  require(model, "a model");
  if (model->process != ::getpid())
    throw cannot("this model was loaded before fork(), and its threads are not in the new process")
        .hint("load it in the new process; in Python: multiprocessing.get_context(\"spawn\")");
  return *model;
}

std::function<void(uint64_t, uint64_t)> ticking(minpair_progress progress, void* user) {
  if (!progress) return nullptr;
  return [progress, user](uint64_t done, uint64_t total) {
    if (progress(user, done, total) != 0) throw Cancelled{};
  };
}

}  // namespace minpair::api

extern "C" const char* minpair_message(void) { return minpair::api::last_message().c_str(); }
