// Where the windows of convolutions and pools lie: see windows.h.
#include "ops/windows.h"

#include <algorithm>

namespace memline::ops {
namespace {

int64_t at_or(const std::vector<int64_t>& list, size_t index, int64_t otherwise) {
  return index < list.size() ? list[index] : otherwise;
}

bool same(const WindowAttrs& attrs) { return attrs.auto_pad != "NOTSET"; }

Status check_list(const std::vector<int64_t>& list, size_t length, int64_t least, std::string_view name) {
  if (list.size() != length) return invalid_model("{} has {} entries, needs {}", name, list.size(), length);
  for (const int64_t value : list)
    if (value < least) return invalid_model("{} has {}, needs at least {}", name, value, least);
  return {};
}

}  // namespace

Result<WindowAttrs> import_windows(AttrReader& reader) {
  WindowAttrs attrs;
  MEML_TRY(attrs.kernel_shape, reader.ints_or("kernel_shape", {}));
  MEML_TRY(attrs.strides, reader.ints_or("strides", {}));
  MEML_TRY(attrs.dilations, reader.ints_or("dilations", {}));
  MEML_TRY(attrs.pads, reader.ints_or("pads", {}));
  MEML_TRY(attrs.auto_pad, reader.string_or("auto_pad", "NOTSET"));
  MEML_TRY(const int64_t ceil_mode, reader.int_or("ceil_mode", 0));
  attrs.ceil_mode = ceil_mode != 0;
  if (attrs.auto_pad.empty()) attrs.auto_pad = "NOTSET";
  if (attrs.auto_pad != "NOTSET") attrs.pads.clear();
  if (attrs.auto_pad == "VALID") {
    attrs.auto_pad = "NOTSET";
    attrs.ceil_mode = false;  // the text's VALID never hangs over, in either mode
  }
  return attrs;
}

Status check_windows(const WindowAttrs& attrs, int spatial_axes, const std::vector<int64_t>& kernel) {
  const auto axes = static_cast<size_t>(spatial_axes);
  MEML_TRY_STATUS(check_list(kernel, axes, 1, "kernel_shape"));
  if (!attrs.strides.empty()) MEML_TRY_STATUS(check_list(attrs.strides, axes, 1, "strides"));
  if (!attrs.dilations.empty()) MEML_TRY_STATUS(check_list(attrs.dilations, axes, 1, "dilations"));
  if (!attrs.pads.empty()) MEML_TRY_STATUS(check_list(attrs.pads, 2 * axes, 0, "pads"));
  if (attrs.auto_pad != "NOTSET" && attrs.auto_pad != "SAME_UPPER" && attrs.auto_pad != "SAME_LOWER")
    return invalid_model("auto_pad is '{}', needs NOTSET, SAME_UPPER, SAME_LOWER or VALID", attrs.auto_pad);
  return {};
}

Window window(const WindowAttrs& attrs, int axis, int64_t kernel, int64_t in) {
  const auto a = static_cast<size_t>(axis);
  Window w{.kernel = kernel, .stride = at_or(attrs.strides, a, 1), .dilation = at_or(attrs.dilations, a, 1)};
  if (!same(attrs)) {
    w.pad_begin = at_or(attrs.pads, a, 0);
    w.pad_end = at_or(attrs.pads, a + attrs.pads.size() / 2, 0);
    return w;
  }
  const int64_t count = (in + w.stride - 1) / w.stride;
  const int64_t total = std::max<int64_t>((count - 1) * w.stride + w.extent() - in, 0);
  w.pad_begin = attrs.auto_pad == "SAME_LOWER" ? (total + 1) / 2 : total / 2;
  w.pad_end = total - w.pad_begin;
  return w;
}

Result<DimExpr> window_count(const WindowAttrs& attrs, int axis, int64_t kernel, const DimExpr& in,
                             const InferContext& context) {
  const Window w = window(attrs, axis, kernel, 1);
  if (same(attrs)) return ceil_div(in, w.stride);
  const DimExpr padded = in + (w.pad_begin + w.pad_end);
  MEML_TRY_STATUS(
      context.demand(less(w.extent() - 1, padded),
                     fmt::format("a window of {} does not fit into spatial axis {} with {} elements and {} of padding",
                                 w.extent(), axis, in.text(), w.pad_begin + w.pad_end)));
  if (!attrs.ceil_mode) return floor_div(padded - w.extent(), w.stride) + 1;
  return min(ceil_div(padded - w.extent(), w.stride) + 1, ceil_div(in + w.pad_begin, w.stride));
}

std::optional<RowRange> window_rows(const WindowAttrs& attrs, int axis, int64_t kernel, const DimExpr& in,
                                    RowRange rows) {
  if (same(attrs) && !in.is_constant()) return std::nullopt;
  const Window w = window(attrs, axis, kernel, in.constant().value_or(0));
  return RowRange{w.start(rows.begin), w.start(rows.end - 1) + w.extent()};
}

std::array<Window, 3> windows3(const WindowAttrs& attrs, const Spatial& in, const std::array<int64_t, 3>& kernel_dims,
                               int rank) {
  std::array<Window, 3> windows;
  for (int i = 5 - rank; i < 3; ++i) {
    const auto s = static_cast<size_t>(i);
    windows[s] = window(attrs, i - (5 - rank), kernel_dims[s], in.dims[s]);
  }
  return windows;
}

}  // namespace memline::ops
