// MaskRuns on pictures of a few pixels. With one prototype and the coefficient 1 the prototype is the logit.
#include <gmock/gmock.h>

#include <cmath>

#include "tasks/run_text.h"

namespace memline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Masks {
  std::vector<float> boxes;
  std::vector<uint32_t> runs;
  std::vector<int64_t> first;
  std::vector<uint8_t> truncated;
};

struct Scene {
  std::vector<float> boxes;       // x0 y0 x1 y1 each, in the network's pixels
  std::vector<float> logits;      // 4 x 4 cells of one network pixel
  int64_t width = 4, height = 4;  // of the picture
  int64_t max_runs = 100;
};

Masks masks(const Scene& scene) {
  const auto objects = static_cast<int64_t>(scene.boxes.size() / 4);
  const auto text = fmt::format(
      "b = Input() f32[{0},4]\nc = Input() f32[{0},1]\np = Input() f32[1,1,4,4]\nx = Input() u8[{1},{2},3]\n"
      "s, r, f, t = memline.MaskRuns(b, c, p, x) height=4, width=4, max_runs={3}\nOutput(s, r, f, t)",
      objects, scene.height, scene.width, scene.max_runs);
  const auto out =
      test::run_text(text, {test::floats({objects, 4}, scene.boxes),
                            test::floats({objects, 1}, std::vector<float>(static_cast<size_t>(objects), 1)),
                            test::floats({1, 1, 4, 4}, scene.logits),
                            test::bytes({scene.height, scene.width, 3},
                                        std::vector<uint8_t>(static_cast<size_t>(scene.height * scene.width * 3)))});
  return {test::values_of<float>(out[0]), test::values_of<uint32_t>(out[1]), test::values_of<int64_t>(out[2]),
          test::values_of<uint8_t>(out[3])};
}

const std::vector<float> kInside(16, 1.0f);
const std::vector<float> kDiagonal = {-1, -1, -1, -1,  //
                                      -1, 1,  -1, -1,  //
                                      -1, -1, 1,  -1,  //
                                      -1, -1, -1, -1};

TEST(MaskRuns, RunsGoRowByRowThroughTheBoxAndBeginWithBackground) {
  const Masks m = masks({{1, 1, 3, 3}, kDiagonal});
  EXPECT_THAT(m.runs, ElementsAre(0u, 1u, 2u, 1u));
  EXPECT_THAT(m.first, ElementsAre(0, 4));
  EXPECT_THAT(m.truncated, ElementsAre(0));
  EXPECT_THAT(m.boxes, ElementsAre(1, 1, 3, 3));
}

TEST(MaskRuns, BackgroundAtTheEndIsLeftOut) {
  EXPECT_THAT(masks({{0, 0, 4, 4}, kDiagonal}).runs, ElementsAre(5u, 1u, 4u, 1u));
  EXPECT_THAT(masks({{1, 1, 3, 3}, std::vector<float>(16, -1.0f)}).runs, IsEmpty());
  EXPECT_THAT(masks({{1, 1, 3, 3}, kInside}).runs, ElementsAre(0u, 4u));
}

TEST(MaskRuns, ALogitOfZeroIsBackground) {
  EXPECT_THAT(masks({{0, 0, 4, 4}, std::vector<float>(16, 0.0f)}).runs, IsEmpty());
}

TEST(MaskRuns, ABoxBetweenPixelsCoversTheWholePixelsItTouches) {
  const Masks m = masks({{0.5f, 0.5f, 2.5f, 2.5f}, kInside});
  EXPECT_THAT(m.runs, ElementsAre(0u, 9u));
  EXPECT_THAT(m.boxes, ElementsAre(0.5f, 0.5f, 2.5f, 2.5f));
}

TEST(MaskRuns, ABoxIsCutToThePictureAndOneOutsideIsEmpty) {
  EXPECT_THAT(masks({{-5, -5, 2, 2}, kInside}).boxes, ElementsAre(0, 0, 2, 2));
  const Masks outside = masks({{10, 10, 20, 20}, kInside});
  EXPECT_THAT(outside.runs, IsEmpty());
  EXPECT_THAT(outside.first, ElementsAre(0, 0));
  const float nan = std::nanf("");
  EXPECT_THAT(masks({{nan, nan, nan, nan}, kInside}).runs, IsEmpty());
}

TEST(MaskRuns, AnObjectThatDoesNotFitIsTruncatedAndTheNextStillMay) {
  const Masks m = masks({.boxes = {1, 1, 3, 3, 1, 1, 2, 2}, .logits = kDiagonal, .max_runs = 3});
  EXPECT_THAT(m.truncated, ElementsAre(1, 0));
  EXPECT_THAT(m.first, ElementsAre(0, 0, 2));
  EXPECT_THAT(m.runs, ElementsAre(0u, 1u));
  EXPECT_THAT(m.boxes, ElementsAre(1, 1, 3, 3, 1, 1, 2, 2)) << "a truncated object keeps its box";
}

TEST(MaskRuns, RunsThatFillTheRoomExactlyFit) {
  EXPECT_THAT(masks({.boxes = {1, 1, 3, 3}, .logits = kDiagonal, .max_runs = 4}).truncated, ElementsAre(0));
}

TEST(MaskRuns, NoObjectsGiveNoRuns) {
  const Masks m = masks({{}, kInside});
  EXPECT_THAT(m.runs, IsEmpty());
  EXPECT_THAT(m.first, ElementsAre(0));
  EXPECT_THAT(m.truncated, IsEmpty());
}

TEST(MaskRuns, CellsOutsideTheObjectPullItsEdgeIn) {
  // Twice the network's size: the pixel at the edge lies a quarter of the way to a cell of -50.
  const Masks m = masks({.boxes = {0, 0, 2, 2}, .logits = kInside, .width = 8, .height = 8});
  EXPECT_THAT(m.boxes, ElementsAre(0, 0, 4, 4));
  EXPECT_THAT(m.runs, ElementsAre(0u, 3u, 1u, 3u, 1u, 3u));
}

TEST(MaskRuns, TheBarsOfALetterboxAreCutAway) {
  // A picture of 4 x 2 lies in rows 1 and 2 of the network's input.
  const Masks m = masks({.boxes = {1, 1, 3, 3}, .logits = kDiagonal, .width = 4, .height = 2});
  EXPECT_THAT(m.boxes, ElementsAre(1, 0, 3, 2));
  EXPECT_THAT(m.runs, ElementsAre(0u, 1u, 2u, 1u));
}

}  // namespace
}  // namespace memline
