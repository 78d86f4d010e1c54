// Frames of the demo's film, read through the library, as the program gets them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "vision/video_library.h"

namespace memline::test {

inline constexpr const char* kFilm = "/usr/share/doc/opencv-doc/examples/data/vtest.avi";
inline constexpr int64_t kFilmWidth = 768, kFilmHeight = 576;

// Why no frame can be read here; empty when they can.
inline std::string no_film() {
#ifndef MEMLINE_VIDEO_LIBRARY
  return "built without FFmpeg: no frames can be read";
#endif
  if (!std::filesystem::exists(kFilm)) return std::string(kFilm) + " is not installed: scripts/setup.sh";
  return {};
}

// Pixels of the film's frames, dense.
using Frames = std::map<int64_t, std::vector<uint8_t>>;

inline Frames frames_of_film(const std::vector<int64_t>& wanted) {
  Frames frames;
#ifdef MEMLINE_VIDEO_LIBRARY
  const std::vector<std::string> candidates = {MEMLINE_VIDEO_LIBRARY};
  const auto library = vision::open_video_library(candidates);
  EXPECT_TRUE(library.has_value()) << (library ? "" : library.error().message);
  if (!library) return frames;
  auto source = (*library)->open_source(kFilm, {});
  EXPECT_TRUE(source.has_value()) << (source ? "" : source.error().message);
  while (source && frames.size() < wanted.size()) {
    auto frame = (*source)->next();
    if (!frame || !*frame) break;
    if (std::find(wanted.begin(), wanted.end(), (*frame)->index) == wanted.end()) continue;
    std::vector<uint8_t>& pixels = frames[(*frame)->index];
    const vision::PictureView& picture = (*frame)->picture;
    for (int64_t y = 0; y < picture.height; ++y)
      pixels.insert(pixels.end(), picture.at(0, y), picture.at(0, y) + 3 * picture.width);
  }
#endif
  return frames;
}

}  // namespace memline::test
