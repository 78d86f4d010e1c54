// The sums of a convolution, one output at a time, for the references of Conv, ConvInteger and QLinearConv. The order
// of a sum is input channel, then tap; sixteen neighbouring outputs are summed side by side, which changes no sum.
#pragma once

#include <algorithm>

#include "base/size.h"
#include "ops/conv.h"
#include "ops/reference.h"

namespace memline::ops {

// C is the type of the sums: double for floats, int64_t for integers.
//   x_zero        is subtracted from x; what padding reads is x_zero itself, so it adds nothing
//   w_zero(oc)    is subtracted from the weights of output channel oc
//   put(offset, oc, sum) takes the finished sum of the element `offset` of y
template <typename C, typename WZero, typename Put>
class Convolution {
 public:
  Convolution(const ConvAttrs& attrs, const TensorView& x, const TensorView& w, const TensorView& y, C x_zero,
              WZero w_zero, Put put)
      : x_(x),
        w_(w),
        y_(y),
        xs_(x),
        ws_(w),
        ys_(y),
        windows_(windows3(attrs, xs_, ws_.dims, x.rank)),
        channels_(w.dim(1)),
        group_outputs_(std::max<int64_t>(w.dim(0) / attrs.group, 1)),
        x_zero_(x_zero),
        w_zero_(w_zero),
        put_(put) {}

  void run() {
    for (int64_t n = 0; n < y_.dim(0); ++n)
      for (int64_t oc = 0; oc < y_.dim(1); ++oc)
        for (int64_t od = 0; od < ys_.dims[0]; ++od)
          for (int64_t oh = 0; oh < ys_.dims[1]; ++oh)
            for (int64_t ow = 0; ow < ys_.dims[2]; ow += kTile) tile(n, oc, od, oh, ow);
  }

 private:
  static constexpr int64_t kTile = 16;

  void tile(int64_t n, int64_t oc, int64_t od, int64_t oh, int64_t ow) {
    const int64_t count = std::min(kTile, ys_.dims[2] - ow);
    std::array<C, kTile> sums{};
    for (int64_t ic = 0; ic < channels_; ++ic) {
      const int64_t channel = oc / group_outputs_ * channels_ + ic;
      for (int64_t kd = 0; kd < windows_[0].kernel; ++kd)
        for (int64_t kh = 0; kh < windows_[1].kernel; ++kh) {
          const int64_t d = windows_[0].start(od) + kd * windows_[0].dilation;
          const int64_t h = windows_[1].start(oh) + kh * windows_[1].dilation;
          if (d < 0 || d >= xs_.dims[0] || h < 0 || h >= xs_.dims[1]) continue;
          add_row(oc * w_.stride(0) + ic * w_.stride(1) + kd * ws_.strides[0] + kh * ws_.strides[1], w_zero_(oc),
                  n * x_.stride(0) + channel * x_.stride(1) + d * xs_.strides[0] + h * xs_.strides[1], ow, count, sums);
        }
    }
    const int64_t at = n * y_.stride(0) + oc * y_.stride(1) + od * ys_.strides[0] + oh * ys_.strides[1];
    for (int64_t j = 0; j < count; ++j) put_(at + (ow + j) * ys_.strides[2], oc, sums[static_cast<size_t>(j)]);
  }

  // Adds the taps of one kernel row to `count` outputs from ow on.
  void add_row(int64_t w_at, C w_zero, int64_t x_at, int64_t ow, int64_t count, std::array<C, kTile>& sums) {
    const Window& window = windows_[2];
    std::array<C, kTile> row;
    for (int64_t k = 0; k < window.kernel; ++k) {
      const int64_t first = window.start(ow) + k * window.dilation;
      const int64_t begin = first < 0 ? std::min(ceil_div(-first, window.stride), count) : 0;
      const int64_t end = std::clamp(ceil_div(xs_.dims[2] - first, window.stride), begin, count);
      const C weight = load<C>(w_, w_at + k * ws_.strides[2]) - w_zero;
      load_run(x_, x_at + (first + begin * window.stride) * xs_.strides[2], window.stride * xs_.strides[2], end - begin,
               row.data());
      for (int64_t j = begin; j < end; ++j)
        sums[static_cast<size_t>(j)] += weight * (row[static_cast<size_t>(j - begin)] - x_zero_);
    }
  }

  const TensorView &x_, &w_, &y_;
  const Spatial xs_, ws_, ys_;
  const std::array<Window, 3> windows_;
  const int64_t channels_, group_outputs_;
  const C x_zero_;
  const WZero w_zero_;
  const Put put_;
};

}  // namespace memline::ops
