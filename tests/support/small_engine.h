// An engine small enough to run thousands of times: two convolutions, x f32 [n, 8, h, 16] with n 1 to 2 and even h 4 to
// 16 (a Concat joins two halves of it), in a file that goes away with the test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "memline/tools.hpp"
#include "support/onnx_model.h"

namespace memline::test {

inline std::string random_weights(const std::string& name, const std::vector<int64_t>& dims, uint32_t seed) {
  int64_t n = 1;
  for (const int64_t dim : dims) n *= dim;
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(n));
  for (float& value : values) value = static_cast<float>(random() >> 8) * 0x1p-24f - 0.5f;
  return onnx_tensor(name, 1, dims, raw_bytes(values));
}

inline std::string small_model() {
  return OnnxModel(13)
      .input("x", {"n", "8", "h", "16"})
      .output("y")
      .initializer(random_weights("w0", {16, 8, 3, 3}, 1))
      .initializer(random_weights("w1", {16, 16, 1, 1}, 2))
      .initializer(onnx_tensor("up", 1, {4}, raw_bytes<float>({1, 1, 2, 2})))
      .node(OnnxNode("Conv", {"x", "w0"}, {"a"}).ints("pads", {1, 1, 1, 1}))
      .node(OnnxNode("Relu", {"a"}, {"b"}))
      .node(OnnxNode("MaxPool", {"b"}, {"half"}).ints("kernel_shape", {2, 2}).ints("strides", {2, 2}))
      .node(OnnxNode("Resize", {"half", "", "up"}, {"back"}))
      .node(OnnxNode("Concat", {"b", "back"}, {"both"}, "join").integer("axis", 1))
      .node(OnnxNode("Conv", {"back", "w1"}, {"c"}))
      .node(OnnxNode("Concat", {"both", "c"}, {"y"}, "join2").integer("axis", 1))
      .bytes();
}

class SmallEngine : public testing::Test {
 protected:
  SmallEngine() {
    std::string pattern = (std::filesystem::temp_directory_path() / "memline_test_XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    build(small_model(), "1x8x4x16:1x8x8x16:2x8x16x16", path());
  }
  ~SmallEngine() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ + "/engine.mline"; }

  // A model of one input, x.
  void build(const std::string& model, const std::string& shape, const std::string& engine) const {
    std::ofstream(folder_ + "/model.onnx", std::ios::binary) << model;
    tools::BuildOptions options;
    options.tune = "none";
    options.threads = 2;
    options.shapes["x"] = tools::parse_shape_range(shape).value();
    const auto built = tools::build(folder_ + "/model.onnx", engine, options);
    EXPECT_TRUE(built.has_value()) << (built ? "" : built.error().message);
  }

  // x of [n, 8, h, 16], by seed.
  static std::vector<float> values(int64_t n, int64_t h, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<float> x(static_cast<size_t>(n * 8 * h * 16));
    for (float& value : x) value = static_cast<float>(random() >> 8) * 0x1p-23f - 1;
    return x;
  }
  static constexpr size_t kOutputFloats = 2 * 48 * 16 * 16;  // y is [n, 48, h, 16]

 private:
  std::string folder_;
};

}  // namespace memline::test
