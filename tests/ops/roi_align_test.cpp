// Which samples of a region lie on the map.
#include "ops/roi_align.h"

#include <gtest/gtest.h>

namespace memline::ops {
namespace {

TEST(RoiAlign, SamplesThatAreNotLookedAtLieOutsideTheMap) {
  constexpr int64_t kExtent = 9, kBins = 3;
  for (const int64_t ratio : {0, 1, 5})
    for (const double first : {-40.3, -1.0, 0.0, 3.7, 9.0, 31.0})
      for (const double length : {-12.0, 0.0, 0.4, 7.0, 33.3, 150.0}) {
        const RoiBins bins({.sampling_ratio = ratio}, first, first + length, kBins);
        for (int64_t bin = 0; bin < kBins; ++bin) {
          const RowRange looked_at = bins.on_map(bin, kExtent);
          for (int64_t i = 0; i < bins.samples; ++i)
            EXPECT_TRUE((i >= looked_at.begin && i < looked_at.end) ||
                        RoiNeighbours(bins.sample(bin, i), kExtent).outside)
                << "sample " << i << " of bin " << bin << ", " << length << " from " << first << ", ratio " << ratio;
        }
      }
}

TEST(RoiAlign, ARegionOfAnySizeHasFewSamplesToLookAt) {
  const RoiBins bins({}, -1e12, 1e12, 2);
  EXPECT_LE(bins.on_map(0, 9).end - bins.on_map(0, 9).begin, 14);
}

}  // namespace
}  // namespace memline::ops
