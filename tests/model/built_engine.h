// Builds an engine of a whole model into a file that goes away with the test, through the public headers.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "memline/tools.hpp"

namespace memline::test {

inline std::string model_path(const std::string& below_models) {
  return std::string(MEMLINE_SOURCE_DIR) + "/models/" + below_models;
}

class BuiltEngine {
 public:
  BuiltEngine(const std::string& model, const tools::BuildOptions& options)
      : path_(std::filesystem::temp_directory_path() /
              ("memline_model_test." + std::to_string(getpid()) + "." +
               std::to_string(reinterpret_cast<uintptr_t>(this)) + ".mline")) {  // a test may have two
    const auto built = tools::build(model, path_, options);
    EXPECT_TRUE(built.has_value()) << model << ": " << (built ? "" : built.error().message);
  }
  ~BuiltEngine() { std::filesystem::remove(path_); }
  BuiltEngine(const BuiltEngine&) = delete;
  BuiltEngine& operator=(const BuiltEngine&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Stored costs, so that a test does not depend on what was timed.
inline tools::BuildOptions fixed_shape(const std::string& input, const std::string& shape) {
  tools::BuildOptions options;
  options.tune = "none";
  options.shapes[input] = tools::parse_shape_range(shape).value();
  return options;
}

}  // namespace memline::test
