// Yolo8Select on small heads: who is kept, in which order.
#include <gmock/gmock.h>

#include <cmath>

#include "tasks/run_text.h"

namespace memline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// One row an anchor: centre x, centre y, width, height, a score a class, coefficients.
using Anchors = std::vector<std::vector<float>>;

struct Kept {
  std::vector<float> boxes, scores, coefficients;
  std::vector<int32_t> classes;
};

Kept select(const Anchors& anchors, int classes, const std::string& attributes = "") {
  const size_t rows = anchors.front().size();
  std::vector<float> prediction;
  for (size_t row = 0; row < rows; ++row)
    for (const auto& anchor : anchors) prediction.push_back(anchor[row]);
  const auto text =
      fmt::format("x = Input() f32[1,{},{}]\nb, s, c, m = memline.Yolo8Select(x) classes={}{}\nOutput(b, s, c, m)",
                  rows, anchors.size(), classes, attributes);
  const auto out = test::run_text(
      text, {test::floats({1, static_cast<int64_t>(rows), static_cast<int64_t>(anchors.size())}, prediction)});
  return {test::values_of<float>(out[0]), test::values_of<float>(out[1]), test::values_of<float>(out[3]),
          test::values_of<int32_t>(out[2])};
}

TEST(Yolo8Select, GivesCornersInOrderOfFallingScoreAndEqualScoresByAnchor) {
  const Kept kept = select({{10, 10, 4, 2, 0.5f}, {30, 30, 4, 2, 0.75f}, {50, 50, 4, 2, 0.5f}}, 1);
  EXPECT_THAT(kept.scores, ElementsAre(0.75f, 0.5f, 0.5f));
  EXPECT_THAT(kept.boxes, ElementsAre(28, 29, 32, 31, 8, 9, 12, 11, 48, 49, 52, 51));
}

TEST(Yolo8Select, ABoxWhoseOverlapIsExactlyTheLimitIsKept) {
  const Anchors half = {{1, 1, 2, 2, 0.9f}, {1, 0.5f, 2, 1, 0.8f}};  // the second is half of the union
  EXPECT_EQ(select(half, 1, ", iou=0.5").scores.size(), 2u);
  EXPECT_THAT(select(half, 1, ", iou=0.49").scores, ElementsAre(0.9f));
}

TEST(Yolo8Select, BoxesOfDifferentClassesDoNotSuppressEachOther) {
  const Kept kept = select({{5, 5, 4, 4, 0.9f, 0.1f}, {5, 5, 4, 4, 0.2f, 0.8f}, {5, 5, 4, 4, 0.3f, 0.7f}}, 2);
  EXPECT_THAT(kept.classes, ElementsAre(0, 1));
  EXPECT_THAT(kept.scores, ElementsAre(0.9f, 0.8f));
}

TEST(Yolo8Select, ASuppressedBoxSuppressesNobody) {
  // Each overlaps the next by 3/5, the first and the third by 1/3.
  const Kept kept = select({{2, 1, 4, 2, 0.9f}, {3, 1, 4, 2, 0.8f}, {4, 1, 4, 2, 0.7f}}, 1, ", iou=0.5");
  EXPECT_THAT(kept.scores, ElementsAre(0.9f, 0.7f));
}

TEST(Yolo8Select, AnAnchorWithTwoEqualClassesBelongsToTheLower) {
  EXPECT_THAT(select({{5, 5, 4, 4, 0.5f, 0.5f}}, 2).classes, ElementsAre(0));
}

TEST(Yolo8Select, AScoreAtTheThresholdIsKeptAndOneBelowIsNot) {
  EXPECT_THAT(select({{5, 5, 4, 4, 0.25f}, {50, 5, 4, 4, std::nextafter(0.25f, 0.0f)}}, 1).scores, ElementsAre(0.25f));
}

TEST(Yolo8Select, ANanScoreIsNeverKept) {
  const float nan = std::nanf("");
  EXPECT_THAT(select({{5, 5, 4, 4, nan}, {50, 5, 4, 4, 0.5f}}, 1).scores, ElementsAre(0.5f));
  const Kept one_class = select({{5, 5, 4, 4, nan, 0.5f}}, 2);
  EXPECT_THAT(one_class.classes, ElementsAre(1));
}

TEST(Yolo8Select, KeepsAtMostAsManyAsAskedAndThoseAreTheBest) {
  const Anchors apart = {{10, 5, 4, 4, 0.3f}, {20, 5, 4, 4, 0.9f}, {30, 5, 4, 4, 0.5f}, {40, 5, 4, 4, 0.4f}};
  EXPECT_THAT(select(apart, 1, ", max_detections=2").scores, ElementsAre(0.9f, 0.5f));
}

TEST(Yolo8Select, NothingAboveTheThresholdIsNoDetection) {
  const Kept kept = select({{5, 5, 4, 4, 0.1f, 7, 8}}, 1);
  EXPECT_THAT(kept.scores, IsEmpty());
  EXPECT_THAT(kept.boxes, IsEmpty());
  EXPECT_THAT(kept.coefficients, IsEmpty());
}

TEST(Yolo8Select, CoefficientsComeFromTheAnchorThatIsKept) {
  const Kept kept = select({{5, 5, 4, 4, 0.5f, 1, 2}, {5, 5, 4, 4, 0.4f, 3, 4}, {50, 5, 4, 4, 0.9f, 5, 6}}, 1);
  EXPECT_THAT(kept.coefficients, ElementsAre(5, 6, 1, 2));
}

}  // namespace
}  // namespace memline
