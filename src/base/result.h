// Status and Result<T>: how every fallible function of this code base reports failure. Nothing here throws.
//   * Error (include/memline/result.hpp) has a code, a stable reason below it, and a message that says what, where,
//     found, needed.
//   * invalid_argument("...", args) and its kin make an error that converts to any Status or Result.
//   * MEML_TRY(decl, expr) unwraps or returns; MEML_TRY_STATUS(expr) returns on error. The run path does not use
//     this: it must not allocate. See base/run_status.h.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

#include "memline/result.hpp"

namespace memline {

std::string_view code_name(Code code);

using Failure = tl::unexpected<Error>;

Failure vfail(Code code, std::string_view reason, fmt::string_view format, fmt::format_args args);

template <typename... Args>
Failure fail(Code code, std::string_view reason, fmt::format_string<Args...> format, Args&&... args) {
  return vfail(code, reason, format, fmt::make_format_args(args...));
}

#define MEML_DEFINE_FAILURE(name)                                         \
  template <typename... Args>                                             \
  Failure name(fmt::format_string<Args...> format, Args&&... args) {      \
    return vfail(Code::name, {}, format, fmt::make_format_args(args...)); \
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
#define MEML_TRY_NAMED(declaration, expression, name)            \
  auto name = (expression);                                      \
  if (!name) return ::memline::Failure(std::move(name).error()); \
  declaration = *std::move(name)

#define MEML_TRY_STATUS(expression)                                                                               \
  do {                                                                                                            \
    if (auto meml_status = (expression); !meml_status) return ::memline::Failure(std::move(meml_status).error()); \
  } while (false)
