// The demo's model with its task: pictures in, people with masks out.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "memline/vision.hpp"
#include "model/built_engine.h"
#include "model/film.h"

namespace memline {
namespace {

tools::BuildOptions segmenting(int64_t width, int64_t height, int64_t source_width, int64_t source_height) {
  tools::BuildOptions options = test::fixed_shape("images", fmt::format("1x3x{}x{}", height, width));
  options.task = "segment";
  options.source_max_width = source_width;
  options.source_max_height = source_height;
  return options;
}

int64_t pixels_of(const vision::ObjectMask& mask) {
  int64_t pixels = 0;
  for (size_t i = 1; i < mask.runs.size(); i += 2) pixels += mask.runs[i];
  return pixels;
}

void expect_sound(std::span<const vision::Object> objects, const vision::Picture& picture) {
  float last_score = 1;
  for (const vision::Object& o : objects) {
    EXPECT_GE(o.x0, 0);
    EXPECT_LE(o.x1, static_cast<float>(picture.width));
    EXPECT_LE(o.y1, static_cast<float>(picture.height));
    EXPECT_LE(o.score_0to1, last_score);
    last_score = o.score_0to1;
    int64_t covered = 0;
    for (const uint32_t run : o.mask.runs) covered += run;
    EXPECT_LE(covered, o.mask.width * o.mask.height);
  }
}

TEST(PersonSeg, PicturesOfAnySizeUpToTheBoundRunAndALargerOneIsRefusedAlone) {
  const test::BuiltEngine built(test::model_path("person-seg/person-seg.onnx"), segmenting(320, 256, 400, 300));
  auto segmenter = vision::Segmenter::load(built.path());
  ASSERT_TRUE(segmenter.has_value()) << segmenter.error().message;
  EXPECT_THAT(std::vector<std::string>(segmenter->class_names().begin(), segmenter->class_names().end()),
              testing::ElementsAre("person"));
  std::vector<uint8_t> pixels(500 * 400 * 3);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>((i / 3 % 97) * (i / 1500 % 31));
  for (const auto& [width, height] : {std::pair<int64_t, int64_t>{400, 300}, {1, 1}, {37, 300}, {400, 2}, {320, 256}}) {
    const vision::Picture picture{pixels.data(), width, height};
    const auto objects = segmenter->segment(picture);
    ASSERT_TRUE(objects.has_value()) << width << "x" << height << ": " << objects.error().message;
    expect_sound(*objects, picture);
  }
  const auto refused = segmenter->segment({pixels.data(), 401, 300});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::invalid_argument);
  EXPECT_TRUE(segmenter->segment({pixels.data(), 400, 300}).has_value());
}

TEST(PersonSeg, AnEngineWithoutATaskIsNoSegmenter) {
  const test::BuiltEngine built(test::model_path("person-seg/person-seg.onnx"),
                                test::fixed_shape("images", "1x3x64x64"));
  const auto segmenter = vision::Segmenter::load(built.path());
  ASSERT_FALSE(segmenter.has_value());
  EXPECT_EQ(segmenter.error().code, Code::invalid_argument);
  EXPECT_THAT(segmenter.error().message, testing::HasSubstr("--task segment"));
}

double overlap(const vision::Object& o, const std::vector<double>& box) {
  const double width = std::min<double>(o.x1, box[2]) - std::max<double>(o.x0, box[0]);
  const double height = std::min<double>(o.y1, box[3]) - std::max<double>(o.y0, box[1]);
  if (width <= 0 || height <= 0) return 0;
  const double both = width * height, area = (box[2] - box[0]) * (box[3] - box[1]);
  return both / (static_cast<double>(o.x1 - o.x0) * static_cast<double>(o.y1 - o.y0) + area - both);
}

// Boxes overlap by 0.9, scores within 0.01, mask pixels within 3 %: decoders differ by a few pixels.
void expect_as_reference(std::span<const vision::Object> objects, const nlohmann::json& reference) {
  const auto boxes = reference["boxes"].get<std::vector<std::vector<double>>>();
  const auto scores = reference["scores"].get<std::vector<double>>();
  const auto pixels = reference["mask_pixels"].get<std::vector<double>>();
  EXPECT_EQ(objects.size(), boxes.size());
  for (size_t k = 0; k < boxes.size(); ++k) {
    const auto best = std::max_element(objects.begin(), objects.end(), [&](const auto& a, const auto& b) {
      return overlap(a, boxes[k]) < overlap(b, boxes[k]);
    });
    ASSERT_NE(best, objects.end());
    EXPECT_GE(overlap(*best, boxes[k]), 0.9) << "object " << k;
    EXPECT_NEAR(static_cast<double>(best->score_0to1), scores[k], 0.01) << "object " << k;
    EXPECT_NEAR(static_cast<double>(pixels_of(best->mask)), pixels[k], 0.03 * pixels[k]) << "object " << k;
  }
}

TEST(PersonSeg, FindsThePeopleOfTheFilmThatTheReferenceFound) {
  if (const std::string why = test::no_film(); !why.empty()) GTEST_SKIP() << why;
  const auto references = nlohmann::json::parse(std::ifstream(test::model_path("person-seg/ref.json")));
  std::vector<int64_t> wanted;
  for (const auto& reference : references) wanted.push_back(reference["frame"]);
  const test::Frames frames = test::frames_of_film(wanted);
  ASSERT_EQ(frames.size(), references.size());
  for (const auto& reference : references) {
    SCOPED_TRACE(fmt::format("frame {} in a network of {}x{}", reference["frame"].get<int>(),
                             reference["width"].get<int>(), reference["height"].get<int>()));
    const test::BuiltEngine built(test::model_path("person-seg/person-seg.onnx"),
                                  segmenting(reference["width"], reference["height"], 768, 576));
    auto segmenter = vision::Segmenter::load(built.path());
    ASSERT_TRUE(segmenter.has_value()) << segmenter.error().message;
    const vision::Picture picture{frames.at(reference["frame"]).data(), 768, 576};
    const auto objects = segmenter->segment(picture);
    ASSERT_TRUE(objects.has_value()) << objects.error().message;
    expect_sound(*objects, picture);
    expect_as_reference(*objects, reference);
  }
}

}  // namespace
}  // namespace memline
