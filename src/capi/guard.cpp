#include "capi/guard.h"

namespace memline::capi {
namespace {

// Built on a thread's first failure: calls that succeed never touch it.
struct LastError {
  Error error;
  memline_error view = {MEMLINE_OK, "", ""};
};
thread_local LastError t_last;

constexpr std::pair<Code, memline_code> kCodes[] = {{Code::ok, MEMLINE_OK},
                                                    {Code::invalid_argument, MEMLINE_INVALID_ARGUMENT},
                                                    {Code::invalid_model, MEMLINE_INVALID_MODEL},
                                                    {Code::unsupported, MEMLINE_UNSUPPORTED},
                                                    {Code::over_budget, MEMLINE_OVER_BUDGET},
                                                    {Code::out_of_memory, MEMLINE_OUT_OF_MEMORY},
                                                    {Code::not_found, MEMLINE_NOT_FOUND},
                                                    {Code::io_error, MEMLINE_IO_ERROR},
                                                    {Code::device_error, MEMLINE_DEVICE_ERROR},
                                                    {Code::internal, MEMLINE_INTERNAL},
                                                    {Code::cancelled, MEMLINE_CANCELLED}};

constexpr bool numbers_agree() {
  for (const auto& [ours, theirs] : kCodes)
    if (static_cast<int>(ours) != static_cast<int>(theirs)) return false;
  return true;
}
static_assert(numbers_agree(), "a code has one number: in C++, in C and as exit code");

}  // namespace

memline_code code_of(Code code) noexcept {
  for (const auto& [ours, theirs] : kCodes)
    if (ours == code) return theirs;
  return MEMLINE_INTERNAL;
}

memline_code keep(Error error) noexcept {
  t_last.error = std::move(error);
  t_last.view = {code_of(t_last.error.code), t_last.error.reason.c_str(), t_last.error.message.c_str()};
  return t_last.view.code;
}

memline_code keep(memline_code code, const char* message) noexcept {
  t_last.view = {code, "", message};
  return code;
}

const memline_error* last_error() noexcept { return &t_last.view; }

}  // namespace memline::capi

const char* memline_code_name(memline_code code) {
  return memline::code_name(static_cast<memline::Code>(code)).data();  // literals, so terminated
}

const memline_error* memline_last_error(void) { return memline::capi::last_error(); }
