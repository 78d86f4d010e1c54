// Errors of every Memline call: a code, a stable reason below it, and a message that says what, where, found, needed.
// Functions return Result<T> or Status (tl::expected, Debian's libexpected-dev) and throw nothing; or_throw() is for
// those who prefer exceptions.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace memline {

// Also the exit codes of the program.
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

class Exception : public std::runtime_error {
 public:
  explicit Exception(Error error) : std::runtime_error(error.message), error_(std::move(error)) {}
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

template <typename T>
T or_throw(Result<T> result) {
  if (!result) throw Exception(std::move(result).error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace memline
