#include <gmock/gmock.h>

#include <numeric>

#include "tasks/run_text.h"

namespace memline {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::FloatEq;

// Channel `c` of the tensor, times 255.
std::vector<float> channel(int64_t height, int64_t width, const Constant& picture, size_t c) {
  const auto text = fmt::format("x = Input() u8[{},{},3]\ny = memline.ImageToTensor(x) height={}, width={}\nOutput(y)",
                                picture.view.dim(0), picture.view.dim(1), height, width);
  std::vector<float> all = test::values_of<float>(test::run_text(text, {picture})[0]);
  const size_t plane = static_cast<size_t>(height * width);
  EXPECT_EQ(all.size(), 3 * plane);
  std::vector<float> one(all.begin() + static_cast<ptrdiff_t>(c * plane),
                         all.begin() + static_cast<ptrdiff_t>((c + 1) * plane));
  for (float& value : one) value *= 255;
  return one;
}

Constant counted(int64_t height, int64_t width) {
  std::vector<uint8_t> pixels(static_cast<size_t>(height * width * 3));
  std::iota(pixels.begin(), pixels.end(), uint8_t{0});
  return test::bytes({height, width, 3}, pixels);
}

TEST(ImageToTensor, APictureOfTheNetworksSizeIsOnlyScaledAndTurnedIntoPlanes) {
  EXPECT_THAT(channel(2, 2, counted(2, 2), 0), ElementsAre(FloatEq(0), FloatEq(3), FloatEq(6), FloatEq(9)));
  EXPECT_THAT(channel(2, 2, counted(2, 2), 2), ElementsAre(FloatEq(2), FloatEq(5), FloatEq(8), FloatEq(11)));
}

TEST(ImageToTensor, AWidePictureLiesBetweenGreyBars) {
  const auto plane = channel(4, 4, counted(2, 4), 1);
  const std::vector<float> top(plane.begin(), plane.begin() + 4), middle(plane.begin() + 4, plane.begin() + 8),
      bottom(plane.begin() + 12, plane.end());
  EXPECT_THAT(top, Each(FloatEq(114)));
  EXPECT_THAT(bottom, Each(FloatEq(114)));
  EXPECT_THAT(middle, ElementsAre(FloatEq(1), FloatEq(4), FloatEq(7), FloatEq(10)));
}

TEST(ImageToTensor, HalvingTakesTheMeanOfTwoByTwoPixels) {
  // Rows of 12 bytes, pixels of 3: the mean of the first four is 0 + (0 + 3 + 12 + 15) / 4.
  EXPECT_THAT(channel(2, 2, counted(4, 4), 0),
              ElementsAre(FloatEq(7.5f), FloatEq(13.5f), FloatEq(31.5f), FloatEq(37.5f)));
}

TEST(ImageToTensor, DoublingSamplesBetweenPixelsAndHoldsTheEdges) {
  EXPECT_THAT(channel(2, 4, test::bytes({1, 2, 3}, {0, 0, 0, 100, 0, 0}), 0),
              ElementsAre(FloatEq(0), FloatEq(25), FloatEq(75), FloatEq(100), FloatEq(0), FloatEq(25), FloatEq(75),
                          FloatEq(100)));
}

TEST(ImageToTensor, APictureOfOnePixelFillsASquare) {
  EXPECT_THAT(channel(3, 3, test::bytes({1, 1, 3}, {9, 8, 7}), 2), Each(FloatEq(7)));
}

}  // namespace
}  // namespace memline
