#pragma once

#include "ops/letterbox.h"
#include "ops/op.h"

namespace memline::ops {

struct MaskRunsAttrs {
  int64_t height = 0, width = 0;  // of the network's input
  int64_t max_runs = 1 << 18;     // room for run lengths of all objects of one picture
  void fields(auto&& field) {
    field("height", height);
    field("width", width);
    field("max_runs", max_runs);
  }
};

// One object: its box in the source picture, and the whole pixels that its mask covers.
struct MaskBox {
  float x0, y0, x1, y1;  // source pixels, cut to the picture
  int64_t left, top, width, height;
};
MaskBox mask_box(const float network_box[4], const LetterboxGeometry& g, int64_t source_width, int64_t source_height);

// The cells of the prototypes that an object's box covers; logits outside are kOutside.
struct MaskCells {
  int64_t x0, y0, x1, y1;
};
inline constexpr float kOutsideLogit = -50;
MaskCells mask_cells(const float network_box[4], int64_t cell_pixels, int64_t cells_wide, int64_t cells_high);

// The sum over the coefficients, in order.
float mask_logit(const float* coefficients, int64_t coefficient_stride, const TensorView& prototypes, int64_t y,
                 int64_t x);

// Appends run lengths of pixels that come row by row; background first. full() once they did not fit.
class RunWriter {
 public:
  RunWriter(uint32_t* runs, int64_t room) : runs_(runs), room_(room) {}
  void add(bool inside, uint32_t pixels) {
    if (inside != inside_) close(), inside_ = inside;
    length_ += pixels;
  }
  // Closes the last run; background at the end is left out. The number of runs.
  int64_t finish() {
    if (inside_) close();
    return count_;
  }
  bool full() const { return full_; }

 private:
  void close() {
    if (count_ == room_)
      full_ = true;
    else
      runs_[count_++] = length_;
    length_ = 0;
  }
  uint32_t* runs_;
  int64_t room_, count_ = 0;
  uint32_t length_ = 0;
  bool inside_ = false, full_ = false;
};

}  // namespace memline::ops
