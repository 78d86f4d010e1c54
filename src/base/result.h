// Status and Result<T>: how every fallible function of this code base reports failure. Nothing here throws.
//   * Error has a code (ten, fixed: they are exit codes and API codes), a stable reason below it, and a message that says
//     what, where, found, needed.
//   * invalid_argument("...", args) and its kin make an error that converts to any Status or Result.
//   * MEML_TRY(decl, expr) unwraps or returns; MEML_TRY_STATUS(expr) returns on error.
// The run path does not use this: it must not allocate. See base/run_status.h.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace memline {

enum class Code : int {
  ok = 0,
  invalid_argument = 2,
  invalid_model = 3,
  unsupported = 4,
  over_budget = 5,
  out_of_memory = 6,
  not_found = 7,
  io_error = 8,
  device_error = 9,
  internal = 10,
  cancelled = 130,
};
std::string_view code_name(Code code);

// A buffer named in an over_budget error or in a bill.
struct NamedBytes {
  std::string name;
  int64_t bytes = 0;
};

struct Error {
  Code code = Code::internal;
  std::string reason;   // stable, snake_case: "engine_truncated"; may be empty
  std::string message;  // one line, for a person

  // over_budget only
  std::string phase;                // "build" or "run"
  int64_t least_bytes = 0;          // the smallest line that works for that phase; 0 when unknown
  std::vector<NamedBytes> largest;  // the ten largest buffers at the peak step
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;
using Failure = tl::unexpected<Error>;

Failure vfail(Code code, std::string_view reason, fmt::string_view format, fmt::format_args args);

template <typename... Args>
Failure fail(Code code, std::string_view reason, fmt::format_string<Args...> format, Args&&... args) {
  return vfail(code, reason, format, fmt::make_format_args(args...));
}

#define MEML_DEFINE_FAILURE(name)                                          \
  template <typename... Args>                                              \
  Failure name(fmt::format_string<Args...> format, Args&&... args) {       \
    return vfail(Code::name, {}, format, fmt::make_format_args(args...));  \
  }
MEML_DEFINE_FAILURE(invalid_argument)
MEML_DEFINE_FAILURE(invalid_model)
MEML_DEFINE_FAILURE(unsupported)
MEML_DEFINE_FAILURE(out_of_memory)
MEML_DEFINE_FAILURE(not_found)
MEML_DEFINE_FAILURE(io_error)
MEML_DEFINE_FAILURE(internal)
#undef MEML_DEFINE_FAILURE

// Puts "prefix: " before the message and keeps everything else.
Failure with_prefix(Error error, std::string_view prefix);

}  // namespace memline

#define MEML_CONCAT_INNER(a, b) a##b
#define MEML_CONCAT(a, b) MEML_CONCAT_INNER(a, b)

// MEML_TRY(auto x, f()): declares x from the value of f(), or returns f()'s error.
#define MEML_TRY(declaration, expression) \
  MEML_TRY_NAMED(declaration, expression, MEML_CONCAT(meml_result_, __COUNTER__))
#define MEML_TRY_NAMED(declaration, expression, name)                     \
  auto name = (expression);                                               \
  if (!name) return ::memline::Failure(std::move(name).error());          \
  declaration = *std::move(name)

#define MEML_TRY_STATUS(expression)                                                     \
  do {                                                                                  \
    if (auto meml_status = (expression); !meml_status)                                  \
      return ::memline::Failure(std::move(meml_status).error());                        \
  } while (false)
