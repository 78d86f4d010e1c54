// The edge between C and C++: every call goes through guarded(), which turns a Status or an exception into a code and
// keeps the words for memline_last_error(). The only try/catch and the only code table of the C face.
#pragma once

#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "memline/memline.h"

namespace memline::capi {

memline_code code_of(Code code) noexcept;

// Keeps the error for this thread and returns its code.
memline_code keep(Error error) noexcept;
// The same for what must not allocate; the texts are static.
memline_code keep(memline_code code, const char* message) noexcept;

const memline_error* last_error() noexcept;

// `work` returns a Status.
template <typename Work>
memline_code guarded(Work&& work) noexcept {
  try {
    Status status = std::forward<Work>(work)();
    return status ? MEMLINE_OK : keep(std::move(status).error());
  } catch (const std::bad_alloc&) {
    return keep(MEMLINE_OUT_OF_MEMORY, "the system has no more memory to give");
  } catch (const std::exception&) {
    return keep(MEMLINE_INTERNAL, "an exception that nothing caught reached the C interface");
  }
}

// For pointers that must not be NULL.
inline Status needs(const void* pointer, std::string_view name) {
  if (pointer == nullptr) return invalid_argument("{} is NULL", name);
  return {};
}

}  // namespace memline::capi
