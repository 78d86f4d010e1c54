#include "ops/letterbox.h"

#include <gtest/gtest.h>

namespace memline::ops {
namespace {

TEST(Letterbox, TheDemoFilmInASquareIsCentredBetweenBars) {
  const LetterboxGeometry g = letterbox_geometry(768, 576, 640, 640);
  EXPECT_DOUBLE_EQ(g.ratio, 640.0 / 768.0);
  EXPECT_EQ(g.width, 640);
  EXPECT_EQ(g.height, 480);
  EXPECT_EQ(g.left, 0);
  EXPECT_EQ(g.top, 80);
}

TEST(Letterbox, AnOddRestLeavesTheLargerBarBelow) {
  const LetterboxGeometry g = letterbox_geometry(10, 5, 10, 10);
  EXPECT_EQ(g.top, 2);
  EXPECT_EQ(g.height, 5);
}

TEST(Letterbox, HalvesAreRoundedToEvenAsTheReferenceDoes) {
  EXPECT_EQ(letterbox_geometry(4, 5, 2, 4).height, 2);  // 2.5
  EXPECT_EQ(letterbox_geometry(4, 7, 2, 4).height, 4);  // 3.5
}

TEST(Letterbox, AVeryThinPictureKeepsAPixel) { EXPECT_EQ(letterbox_geometry(10000, 1, 100, 100).height, 1); }

}  // namespace
}  // namespace memline::ops
