// Small pictures and masks written as text: rows apart by spaces or newlines, '#' is foreground.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vision/detection.h"
#include "vision/picture.h"

namespace memline::vision {

inline std::vector<std::string> rows_of(std::string_view text) {
  std::vector<std::string> rows(1);
  for (const char c : text) {
    if (c != ' ') {
      rows.back().push_back(c);
    } else if (!rows.back().empty()) {
      rows.emplace_back();
    }
  }
  return rows;
}

// Owns the runs of a mask at (x0, y0).
struct TextMask {
  TextMask(int64_t x0, int64_t y0, std::string_view text) {
    const std::vector<std::string> rows = rows_of(text);
    bool inside = false;
    runs.push_back(0);
    for (const std::string& row : rows) {
      for (const char c : row) {
        if ((c == '#') != inside) {
          inside = !inside;
          runs.push_back(0);
        }
        ++runs.back();
      }
    }
    mask = {x0, y0, static_cast<int64_t>(rows[0].size()), static_cast<int64_t>(rows.size()), runs};
  }
  std::vector<uint32_t> runs;
  MaskRuns mask;
};

// A grey picture; text() shows which pixels changed.
struct Canvas {
  Canvas(int64_t width, int64_t height)
      : pixels(static_cast<size_t>(3 * width * height), 100), view{pixels.data(), width, height, 3 * width} {}
  std::string text() const {
    std::string result;
    for (int64_t y = 0; y < view.height; ++y) {
      if (y > 0) result.push_back(' ');
      for (int64_t x = 0; x < view.width; ++x) {
        const uint8_t* p = view.at(x, y);
        result.push_back(p[0] == 100 && p[1] == 100 && p[2] == 100 ? '.' : '#');
      }
    }
    return result;
  }
  std::vector<uint8_t> pixels;
  PictureView view;
};

}  // namespace memline::vision
