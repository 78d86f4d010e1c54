#include "vision/mask_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "text_picture.h"

namespace memline::vision {
namespace {

using ::testing::ElementsAre;

// What coco_counts promises, computed the obvious way.
std::vector<int64_t> dense_counts(const MaskRuns& mask, int64_t width, int64_t height) {
  std::vector<char> pixels(static_cast<size_t>(width * height));
  for_each_stretch(mask, [&](int64_t y, int64_t x0, int64_t x1) {
    for (int64_t x = x0; x < x1; ++x) pixels[static_cast<size_t>(x * height + y)] = 1;
  });
  std::vector<int64_t> counts{0};
  char inside = 0;
  for (const char p : pixels) {
    if (p != inside) {
      counts.push_back(0);
      inside = p;
    }
    ++counts.back();
  }
  return counts;
}

TEST(MaskRuns, StretchesAreCutAtTheEndsOfRows) {
  const TextMask text(10, 20, ".## ### #..");
  std::vector<std::vector<int64_t>> seen;
  for_each_stretch(text.mask, [&](int64_t y, int64_t x0, int64_t x1) { seen.push_back({y, x0, x1}); });
  EXPECT_THAT(seen, ElementsAre(ElementsAre(20, 11, 13), ElementsAre(21, 10, 13), ElementsAre(22, 10, 11)));
  EXPECT_EQ(mask_area(text.mask), 6);
}

TEST(MaskRuns, RunsThatSayMoreThanTheBoxHoldsAreCut) {
  const std::vector<uint32_t> runs{1, 4'000'000'000u, 5, 7};
  EXPECT_EQ(mask_area({0, 0, 3, 2, runs}), 5);
}

TEST(MaskRuns, AMaskWithoutRunsIsEmpty) {
  EXPECT_EQ(mask_area({}), 0);
  EXPECT_THAT(coco_counts({}, 4, 5), ElementsAre(20));
  EXPECT_TRUE(largest_outline({}).empty());
}

// The texts are pycocotools 2.0's for the same masks.
TEST(MaskRuns, CocoTextIsWhatPycocotoolsWrites) {
  const TextMask square(1, 1, "## ##");
  EXPECT_EQ(coco_string(coco_counts(square.mask, 4, 5)), "62304");
  const TextMask full(0, 0, "#### #### #### #### ####");
  EXPECT_EQ(coco_string(coco_counts(full.mask, 4, 5)), "0d0");
  const TextMask dots(0, 0, "#... .#.. .... .... ...#");
  EXPECT_EQ(coco_string(coco_counts(dots.mask, 4, 5)), "015070");
}

TEST(MaskRuns, CocoCountsOfRandomMasksEqualTheDenseOnes) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    const unsigned width = 1 + random() % 7, height = 1 + random() % 7;
    for (unsigned y = 0; y < height; ++y) {
      for (unsigned x = 0; x < width; ++x) text.push_back(random() % 2 == 0 ? '#' : '.');
      if (y + 1 < height) text.push_back(' ');
    }
    const auto left = static_cast<int64_t>(random() % 3), top = static_cast<int64_t>(random() % 3);
    const TextMask mask(left, top, text);
    const auto w = static_cast<int64_t>(width) + left + static_cast<int64_t>(random() % 3);
    const auto h = static_cast<int64_t>(height) + top + static_cast<int64_t>(random() % 3);
    EXPECT_EQ(coco_counts(mask.mask, w, h), dense_counts(mask.mask, w, h)) << text << " at " << left << "," << top;
  }
}

TEST(Outline, ARectangleHasItsFourCorners) {
  const TextMask mask(3, 5, "## ## ##");
  EXPECT_THAT(largest_outline(mask.mask), ElementsAre(Point{5, 5}, Point{5, 8}, Point{3, 8}, Point{3, 5}));
}

TEST(Outline, TheLargestPieceIsTaken) {
  const TextMask mask(0, 0, "#... ..## ..##");
  EXPECT_THAT(largest_outline(mask.mask), ElementsAre(Point{4, 1}, Point{4, 3}, Point{2, 3}, Point{2, 1}));
}

TEST(Outline, PiecesThatTouchAtACornerStayApart) {
  const TextMask mask(0, 0, "#. .#");
  EXPECT_EQ(largest_outline(mask.mask).size(), 4u);
}

TEST(Outline, AHoleDoesNotMatter) {
  const TextMask ring(0, 0, "### #.# ###");
  EXPECT_THAT(largest_outline(ring.mask), ElementsAre(Point{3, 0}, Point{3, 3}, Point{0, 3}, Point{0, 0}));
}

TEST(Outline, AnInnerCornerTurnsTheOtherWay) {
  const TextMask angle(0, 0, "#. ##");
  EXPECT_THAT(largest_outline(angle.mask),
              ElementsAre(Point{1, 0}, Point{1, 1}, Point{2, 1}, Point{2, 2}, Point{0, 2}, Point{0, 0}));
}

}  // namespace
}  // namespace memline::vision
