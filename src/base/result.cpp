#include "base/result.h"

#include <fmt/format.h>

namespace memline {

std::string_view code_name(Code code) {
  switch (code) {
    case Code::ok:
      return "ok";
    case Code::invalid_argument:
      return "invalid_argument";
    case Code::invalid_model:
      return "invalid_model";
    case Code::unsupported:
      return "unsupported";
    case Code::over_budget:
      return "over_budget";
    case Code::out_of_memory:
      return "out_of_memory";
    case Code::not_found:
      return "not_found";
    case Code::io_error:
      return "io_error";
    case Code::device_error:
      return "device_error";
    case Code::internal:
      return "internal";
    case Code::cancelled:
      return "cancelled";
  }
  return "internal";
}

Failure vfail(Code code, std::string_view reason, fmt::string_view format, fmt::format_args args) {
  Error error;
  error.code = code;
  error.reason = reason;
  error.message = fmt::vformat(format, args);
  return Failure(std::move(error));
}

Failure with_prefix(Error error, std::string_view prefix) {
  error.message = fmt::format("{}: {}", prefix, error.message);
  return Failure(std::move(error));
}

}  // namespace memline
