#include "base/size.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace memline {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr Unit kUnits[] = {
    {"", 1},
    {"B", 1},
    {"KiB", 1024.0},
    {"MiB", 1048576.0},
    {"GiB", 1073741824.0},
    {"TiB", 1099511627776.0},
    {"KB", 1000.0},
    {"kB", 1000.0},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
};

}  // namespace

Result<int64_t> parse_size(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const std::string_view unit_name(rest, static_cast<size_t>(end - rest));
  if (error != std::errc() || text.front() == '-')
    return invalid_argument("'{}' is not a size: needs a number and a unit, such as 400MiB, 1.5GiB or 400MB", text);
  for (const Unit& unit : kUnits) {
    if (unit.name != unit_name) continue;
    const double bytes = number * unit.bytes;
    if (!(bytes < 9.2e18)) return invalid_argument("'{}' is too large for a size in bytes", text);
    if (unit.bytes == 1 && bytes != std::floor(bytes))
      return invalid_argument("'{}' is not a whole number of bytes", text);
    return static_cast<int64_t>(bytes);
  }
  return invalid_argument("'{}' has the unknown unit '{}': needs none, KiB, MiB, GiB, TiB, KB, MB, GB or TB", text,
                          unit_name);
}

std::string format_size(int64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (bytes < 1024) return fmt::format("{} B", bytes);
  if (value < 1024.0 * 1024) return fmt::format("{:.1f} KiB", value / 1024);
  if (value < 1024.0 * 1024 * 1024) return fmt::format("{:.1f} MiB", value / (1024.0 * 1024));
  if (value < 1024.0 * 1024 * 1024 * 1024) return fmt::format("{:.2f} GiB", value / (1024.0 * 1024 * 1024));
  return fmt::format("{:.2f} TiB ({:.2g} bytes)", value / (1024.0 * 1024 * 1024 * 1024), value);
}

}  // namespace memline
