// Letterbox: a source picture scaled by one ratio into a network's input, centred, the rest padded. The rule of
// person-seg's model card and of YOLO exports: ratio = min(w/W, h/H), sizes rounded half to even, left and top rounded
// down.
#pragma once

#include <cstdint>

namespace memline::vision {

struct Box {
  float x0 = 0;
  float y0 = 0;
  float x1 = 0;
  float y1 = 0;
};

struct Letterbox {
  int64_t source_width = 0;
  int64_t source_height = 0;
  double ratio = 1;
  int64_t scaled_width = 0;  // of the picture inside the network's input
  int64_t scaled_height = 0;
  int64_t left = 0;
  int64_t top = 0;
};

// All four are at least 1.
Letterbox letterbox(int64_t source_width, int64_t source_height, int64_t network_width, int64_t network_height);

// From the network's pixels to the source's, cut to the picture.
Box to_source(const Letterbox& geometry, const Box& box);

}  // namespace memline::vision
