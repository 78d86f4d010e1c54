// What the tests of src/video/ share: the opened library, a folder of its own for each test, pictures with known
// pixels, and a minimal AVI file written by hand.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "vision/video_library.h"

namespace memline::vision {

inline const VideoEntry& library() {
  const std::vector<std::string> places{MEMLINE_VIDEO_LIBRARY};
  Result<const VideoEntry*> entry = open_video_library(places);
  if (!entry) throw std::runtime_error(entry.error().message);
  return **entry;
}

class MediaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "memline_video_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  static std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  Result<std::unique_ptr<FrameSource>> open(const std::string& file, const SourceLimits& limits = {}) const {
    return library().open_source(file, limits);
  }

  std::string folder_;
};

// Owns pixels; a smooth ramp that survives JPEG: red grows with x, green with y.
struct Ramp {
  Ramp(int64_t width, int64_t height, uint8_t blue)
      : width(width), height(height), pixels(static_cast<size_t>(3 * width * height)) {
    for (int64_t y = 0; y < height; ++y) {
      for (int64_t x = 0; x < width; ++x) {
        uint8_t* p = view().at(x, y);
        p[0] = static_cast<uint8_t>(255 * x / width);
        p[1] = static_cast<uint8_t>(255 * y / height);
        p[2] = blue;
      }
    }
  }
  PictureView view() { return {pixels.data(), width, height, 3 * width}; }
  int64_t width;
  int64_t height;
  std::vector<uint8_t> pixels;
};

inline int largest_difference(const PictureView& a, const PictureView& b) {
  int largest = 0;
  for (int64_t y = 0; y < a.height; ++y) {
    for (int64_t i = 0; i < 3 * a.width; ++i) largest = std::max(largest, std::abs(a.at(0, y)[i] - b.at(0, y)[i]));
  }
  return largest;
}

// An AVI file of JPEG frames at 10 frames a second: RIFF 'AVI ' with one video stream and no index.
inline std::string avi_of(const std::vector<std::string>& jpegs, uint32_t width, uint32_t height) {
  const auto number = [](uint32_t v) { return std::string(reinterpret_cast<const char*>(&v), 4); };
  const auto chunk = [&](const std::string& id, const std::string& body) {
    return id + number(static_cast<uint32_t>(body.size())) + body + std::string(body.size() % 2, '\0');
  };
  const auto count = static_cast<uint32_t>(jpegs.size());
  std::string main = number(100'000);  // microseconds a frame
  for (const uint32_t v : {0u, 0u, 0u, count, 0u, 1u, 0u, width, height, 0u, 0u, 0u, 0u}) main += number(v);
  std::string stream = "vidsMJPG";
  for (const uint32_t v : {0u, 0u, 0u, 1u, 10u, 0u, count, 0u, 0u, 0u, 0u, 0u}) stream += number(v);
  std::string format = number(40) + number(width) + number(height) + number(1 | 24 << 16) + "MJPG";
  for (const uint32_t v : {width * height * 3, 0u, 0u, 0u, 0u}) format += number(v);
  const std::string stream_list = chunk("LIST", "strl" + chunk("strh", stream) + chunk("strf", format));
  std::string movie = "movi";
  for (const std::string& jpeg : jpegs) movie += chunk("00dc", jpeg);
  return chunk("RIFF", "AVI " + chunk("LIST", "hdrl" + chunk("avih", main) + stream_list) + chunk("LIST", movie));
}

}  // namespace memline::vision
