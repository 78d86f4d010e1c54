// PictureView: 8-bit RGB pixels in host memory, [height, width, 3], rows `row_bytes` apart. It owns nothing.
#pragma once

#include <cstdint>

#include "tensor/tensor_view.h"

namespace memline::vision {

struct PictureView {
  uint8_t* pixels = nullptr;
  int64_t width = 0;
  int64_t height = 0;
  int64_t row_bytes = 0;  // 3 * width when rows are dense

  uint8_t* at(int64_t x, int64_t y) const { return pixels + y * row_bytes + 3 * x; }
};

// The same pixels as a u8 tensor [H, W, 3]: what an engine built with a task takes.
inline TensorView as_tensor(const PictureView& picture) {
  TensorView view;
  view.dtype = DType::u8;
  view.rank = 3;
  view.data = picture.pixels;
  view.dims = {picture.height, picture.width, 3};
  view.strides = {picture.row_bytes, 3, 1};
  return view;
}

}  // namespace memline::vision
