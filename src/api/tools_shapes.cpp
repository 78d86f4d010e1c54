// The text form of shapes on command lines: 1x3x640x640, or MIN:OPT:MAX, or MIN:MAX.
#include <charconv>

#include "base/result.h"
#include "memline/tools.hpp"

namespace memline::tools {
namespace {

Result<std::vector<int64_t>> parse_dims(std::string_view text) {
  std::vector<int64_t> dims;
  if (text == "scalar") return dims;
  for (;;) {
    int64_t dim = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), dim);
    if (error != std::errc() || dim < 0)
      return invalid_argument("'{}' is not an extent: needs whole numbers joined by x, as 1x3x640x640", text);
    dims.push_back(dim);
    text.remove_prefix(static_cast<size_t>(rest - text.data()));
    if (text.empty()) return dims;
    if (text.front() != 'x') return invalid_argument("found '{}' behind an extent: needs x, as in 1x3x640x640", text);
    text.remove_prefix(1);
  }
}

}  // namespace

Result<ShapeRange> parse_shape_range(std::string_view text) {
  std::vector<std::vector<int64_t>> parts;
  std::string_view rest = text;
  for (;;) {
    const size_t colon = rest.find(':');
    MEML_TRY(std::vector<int64_t> dims, parse_dims(rest.substr(0, colon)));
    parts.push_back(std::move(dims));
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (parts.size() > 3)
    return invalid_argument("'{}' has {} parts: needs DIMS, MIN:MAX or MIN:OPT:MAX", text, parts.size());
  const ShapeRange range{parts.front(), parts.size() == 3 ? parts[1] : parts.back(), parts.back()};
  if (range.min.size() != range.opt.size() || range.min.size() != range.max.size())
    return invalid_argument("'{}': the parts have {}, {} and {} extents", text, range.min.size(), range.opt.size(),
                            range.max.size());
  for (size_t i = 0; i < range.min.size(); ++i)
    if (range.min[i] > range.opt[i] || range.opt[i] > range.max[i])
      return invalid_argument("'{}': extent {} has {}:{}:{}, needs min <= opt <= max", text, i, range.min[i],
                              range.opt[i], range.max[i]);
  return range;
}

}  // namespace memline::tools
