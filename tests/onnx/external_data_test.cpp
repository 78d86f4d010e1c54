#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "onnx/import.h"
#include "support/onnx_model.h"

namespace memline {
namespace {

using test::onnx_external;
using test::OnnxModel;
using testing::HasSubstr;
namespace fs = std::filesystem;

class ExternalData : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("memline_external_" + std::to_string(::getpid()));
    fs::create_directories(root_ / "model" / "sub");
    write(root_ / "model" / "weights.bin", test::raw_bytes<float>({0, 1, 2, 3}));
    write(root_ / "model" / "sub" / "weights.bin", test::raw_bytes<float>({7, 8}));
    write(root_ / "secret.bin", test::raw_bytes<float>({5, 6}));
  }
  void TearDown() override { fs::remove_all(root_); }

  static void write(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

  Result<Graph> import(const std::vector<std::pair<std::string, std::string>>& where) {
    write(root_ / "model" / "m.onnx", OnnxModel().initializer(onnx_external("w", {2}, where)).output("w").bytes());
    return onnx::import((root_ / "model" / "m.onnx").string(), {});
  }
  std::string refusal(const std::vector<std::pair<std::string, std::string>>& where) {
    const auto graph = import(where);
    return graph ? "was imported" : graph.error().message;
  }
  float first(const Graph& graph) { return graph.value(graph.outputs()[0]).constant->view.as<float>()[0]; }

  fs::path root_;
};

TEST_F(ExternalData, ReadsWeightsBesideTheModelAndBelow) {
  const auto beside = import({{"location", "weights.bin"}, {"offset", "8"}, {"length", "8"}});
  ASSERT_TRUE(beside.has_value()) << beside.error().message;
  EXPECT_EQ(first(*beside), 2);
  const auto below = import({{"location", "sub/weights.bin"}});
  ASSERT_TRUE(below.has_value()) << below.error().message;
  EXPECT_EQ(first(*below), 7);
}

TEST_F(ExternalData, RefusesPathsThatLeaveTheFolder) {
  for (const std::string& path :
       {std::string("../secret.bin"), (root_ / "secret.bin").string(), std::string("sub/../../secret.bin"),
        std::string("..\\secret.bin"), std::string("sub/..")})
    EXPECT_THAT(refusal({{"location", path}}), HasSubstr("leaves the model's folder")) << path;
}

TEST_F(ExternalData, RefusesLinksThatLeaveTheFolder) {
  fs::create_symlink(root_ / "secret.bin", root_ / "model" / "link.bin");
  fs::create_directory_symlink(root_, root_ / "model" / "up");
  EXPECT_THAT(refusal({{"location", "link.bin"}}), HasSubstr("through a link"));
  EXPECT_THAT(refusal({{"location", "up/secret.bin"}}), HasSubstr("through a link"));
}

TEST_F(ExternalData, RefusesPlacesThatTheFileDoesNotHave) {
  EXPECT_THAT(refusal({{"location", "weights.bin"}, {"offset", "12"}}), HasSubstr("needs 8 bytes from 12"));
  EXPECT_THAT(refusal({{"location", "weights.bin"}, {"offset", "9223372036854775807"}}),
              HasSubstr("needs 8 bytes from"));
  EXPECT_THAT(refusal({{"location", "weights.bin"}, {"offset", "-4"}}), HasSubstr("offset is '-4'"));
  EXPECT_THAT(refusal({{"location", "weights.bin"}, {"length", "4"}}), HasSubstr("external length is 4"));
  EXPECT_THAT(refusal({{"location", "absent.bin"}}), HasSubstr("do not exist"));
  EXPECT_THAT(refusal({}), HasSubstr("no location"));
  EXPECT_THAT(refusal({{"location", "sub"}}), HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace memline
