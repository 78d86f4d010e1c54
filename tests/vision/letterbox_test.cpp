#include "vision/letterbox.h"

#include <gtest/gtest.h>

namespace memline::vision {
namespace {

TEST(Letterbox, TheDemoFilmInASquareIsCentredBetweenBars) {
  const Letterbox g = letterbox(768, 576, 640, 640);
  EXPECT_DOUBLE_EQ(g.ratio, 640.0 / 768.0);
  EXPECT_EQ(g.scaled_width, 640);
  EXPECT_EQ(g.scaled_height, 480);
  EXPECT_EQ(g.left, 0);
  EXPECT_EQ(g.top, 80);
}

TEST(Letterbox, AnOddRestLeavesTheLargerBarBelow) {
  const Letterbox g = letterbox(10, 5, 10, 10);
  EXPECT_EQ(g.top, 2);
  EXPECT_EQ(g.scaled_height, 5);
}

TEST(Letterbox, HalvesAreRoundedToEvenAsTheReferenceDoes) {
  EXPECT_EQ(letterbox(4, 5, 2, 4).scaled_height, 2);  // 2.5
  EXPECT_EQ(letterbox(4, 7, 2, 4).scaled_height, 4);  // 3.5
}

TEST(Letterbox, AVeryThinPictureKeepsAPixel) { EXPECT_EQ(letterbox(10000, 1, 100, 100).scaled_height, 1); }

// Frame 690 of models/person-seg/ref.json: its first box in the network's pixels and in the picture's.
TEST(Letterbox, ABoxComesBackToTheSource) {
  const Letterbox g = letterbox(768, 576, 640, 640);
  const Box box = to_source(g, {99.2667f, 334.9916f, 136.7750f, 435.7000f});
  EXPECT_NEAR(box.x0, 119.12f, 1e-2);
  EXPECT_NEAR(box.y0, 305.99f, 1e-2);
  EXPECT_NEAR(box.x1, 164.13f, 1e-2);
  EXPECT_NEAR(box.y1, 426.84f, 1e-2);
}

TEST(Letterbox, ABoxThatReachesIntoTheBarsIsCutToThePicture) {
  const Box box = to_source(letterbox(768, 576, 640, 640), {-5, 10, 700, 630});
  EXPECT_EQ(box.x0, 0);
  EXPECT_EQ(box.y0, 0);
  EXPECT_EQ(box.x1, 768);
  EXPECT_EQ(box.y1, 576);
}

}  // namespace
}  // namespace memline::vision
