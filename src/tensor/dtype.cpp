#include "tensor/dtype.h"

#include <fmt/format.h>

#include <array>

// The formatter of DType in dtype.h calls this; fmt/core.h only declares it.
template auto fmt::formatter<fmt::string_view>::format<fmt::format_context>(const fmt::string_view&,
                                                                            fmt::format_context& ctx) const
    -> decltype(ctx.out());

namespace memline {
namespace {
constexpr std::array<std::string_view, 13> kNames = {"f32", "f16", "bf16", "f64", "i8",  "u8",  "i16",
                                                     "u16", "i32", "u32",  "i64", "u64", "bool"};
}

std::string_view dtype_name(DType dtype) { return kNames[static_cast<size_t>(dtype)]; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace memline
