// Walking, measuring and re-coding MaskRuns. Memory follows the number of runs or the object's box, never the picture.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "vision/detection.h"

namespace memline::vision {

// Calls visit(y, x0, x1) for each stretch of foreground in one row, in row order; picture coordinates, half-open. A run
// over several rows is cut at their ends. Runs past the box are ignored.
template <typename Visit>
void for_each_stretch(const MaskRuns& mask, Visit visit) {
  const int64_t end = mask.width * mask.height;
  int64_t at = 0;
  bool inside = false;
  for (const uint32_t length : mask.runs) {
    const int64_t run_end = std::min<int64_t>(at + length, end);
    while (inside && at < run_end) {
      const int64_t row = at / mask.width;
      const int64_t stop = std::min(run_end, (row + 1) * mask.width);
      visit(mask.y0 + row, mask.x0 + at - row * mask.width, mask.x0 + stop - row * mask.width);
      at = stop;
    }
    at = run_end;
    inside = !inside;
  }
}

int64_t mask_area(const MaskRuns& mask);

// COCO's run lengths: column-major over the whole picture [picture_height, picture_width], beginning with background.
// The mask's box must lie in the picture.
std::vector<int64_t> coco_counts(const MaskRuns& mask, int64_t picture_width, int64_t picture_height);

// The same as text, in the compressed form that pycocotools reads: differences to the count two before, 5 bits a
// character.
std::string coco_string(const std::vector<int64_t>& counts);

struct Point {
  int64_t x = 0;
  int64_t y = 0;
  bool operator==(const Point&) const = default;
};

// The outline of the largest piece (pixels joined at edges) along pixel borders, without its holes; straight parts have
// no points between their ends. Picture coordinates; empty for an empty mask.
std::vector<Point> largest_outline(const MaskRuns& mask);

}  // namespace memline::vision
