// largest_outline: follows the borders between pixels with the object on the right-hand side.
//   * Every border that has the object below it is walked once; outer borders turn clockwise (positive area), holes the
//   other way.
//   * At a corner where two pixels touch diagonally the walk turns right, so that pieces joined at corners only stay
//   apart.
#include <array>

#include "vision/mask_runs.h"

namespace memline::vision {
namespace {

// The mask's box with a margin of one pixel, so that neighbours need no bounds check.
class Bitmap {
 public:
  explicit Bitmap(const MaskRuns& mask)
      : row_(mask.width + 2), bits_(static_cast<size_t>(row_ * (mask.height + 2))), seen_(bits_.size()) {
    for_each_stretch(mask, [&](int64_t y, int64_t x0, int64_t x1) {
      for (int64_t x = x0; x < x1; ++x) bits_[index(x - mask.x0, y - mask.y0)] = true;
    });
  }
  bool inside(int64_t x, int64_t y) const { return bits_[index(x, y)]; }
  // The top border of pixel (x, y), for walks that come along it from left to right.
  bool first_visit(int64_t x, int64_t y) {
    const size_t i = index(x, y);
    const bool first = !seen_[i];
    seen_[i] = true;
    return first;
  }
  bool visited(int64_t x, int64_t y) const { return seen_[index(x, y)]; }

 private:
  size_t index(int64_t x, int64_t y) const { return static_cast<size_t>((y + 1) * row_ + x + 1); }
  int64_t row_;
  std::vector<bool> bits_;
  std::vector<bool> seen_;
};

// Right, down, left, up; and the pixels ahead of a corner on the right and the left hand, relative to the corner.
constexpr std::array<Point, 4> kStep = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
constexpr std::array<Point, 4> kAheadRight = {{{0, 0}, {-1, 0}, {-1, -1}, {0, -1}}};
constexpr std::array<Point, 4> kAheadLeft = {{{0, -1}, {0, 0}, {-1, 0}, {-1, -1}}};

struct Outline {
  std::vector<Point> corners;
  int64_t twice_area = 0;
};

Outline walk(Bitmap& bitmap, Point start) {
  Outline outline;
  Point at = start;
  size_t direction = 0;
  do {
    if (direction == 0) bitmap.first_visit(at.x, at.y);
    const Point next{at.x + kStep[direction].x, at.y + kStep[direction].y};
    outline.twice_area += at.x * next.y - next.x * at.y;
    at = next;
    const Point right = kAheadRight[direction], left = kAheadLeft[direction];
    size_t turned = direction;
    if (!bitmap.inside(at.x + right.x, at.y + right.y)) {
      turned = (direction + 1) % 4;
    } else if (bitmap.inside(at.x + left.x, at.y + left.y)) {
      turned = (direction + 3) % 4;
    }
    if (turned != direction) outline.corners.push_back(at);
    direction = turned;
  } while (at != start || direction != 0);
  return outline;
}

}  // namespace

std::vector<Point> largest_outline(const MaskRuns& mask) {
  Bitmap bitmap(mask);
  Outline largest;
  for_each_stretch(mask, [&](int64_t y, int64_t x0, int64_t x1) {
    for (int64_t x = x0 - mask.x0; x < x1 - mask.x0; ++x) {
      const int64_t row = y - mask.y0;
      if (bitmap.inside(x, row - 1) || bitmap.visited(x, row)) continue;
      Outline outline = walk(bitmap, {x, row});
      if (outline.twice_area > largest.twice_area) largest = std::move(outline);
    }
  });
  for (Point& p : largest.corners) p = {p.x + mask.x0, p.y + mask.y0};
  return std::move(largest.corners);
}

}  // namespace memline::vision
