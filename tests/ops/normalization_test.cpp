// Softmax and the normalisations.
#include <cmath>

#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

TEST(Softmax, BeforeOpset13RunsOverAllAxesFromItsOwnOn) {
  const Tensor x = counted(DType::f32, {1, 2, 2});
  const auto old_meaning = import_and_run("Softmax", 11, {.ints = {{"axis", 1}}}, {x}).value()[0];
  const auto new_meaning = import_and_run("Softmax", 13, {.ints = {{"axis", 1}}}, {x}).value()[0];
  const double all = 1 + std::exp(1.0) + std::exp(2.0) + std::exp(3.0), two = 1 + std::exp(2.0);
  expect_near(old_meaning, f32({1, 2, 2}, {1 / all, std::exp(1.0) / all, std::exp(2.0) / all, std::exp(3.0) / all}),
              1e-6, 0);
  expect_near(new_meaning, f32({1, 2, 2}, {1 / two, 1 / two, std::exp(2.0) / two, std::exp(2.0) / two}), 1e-6, 0);
}

TEST(Softmax, DefaultsToAxisOneBeforeOpset13AndToTheLastSince) {
  const Tensor x = f32({2, 1, 2}, {0, 0, 0, 0});
  EXPECT_EQ(import_and_run("Softmax", 12, {}, {f32({2, 2, 1}, {0, 0, 0, 0})}).value()[0].values[0], 0.5);
  EXPECT_EQ(import_and_run("Softmax", 13, {}, {f32({2, 2, 1}, {0, 0, 0, 0})}).value()[0].values[0], 1);
}

TEST(Softmax, LargeNumbersDoNotOverflow) {
  EXPECT_EQ(run("Softmax", "", {f32({2}, {1000, 1000})}), f32({2}, {0.5, 0.5}));
  expect_near(run("LogSoftmax", "", {f32({2}, {1000, 0})}), f32({2}, {0, -1000}), 1e-6, 1e-6);
}

TEST(Softmax, RowsOffItsAxisAreIndependent) {
  EXPECT_EQ(rows_of("Softmax", "axis=1", {{"f32[1,16,s0]", ""}}, 2, {3, 5}), "2 [3, 5)");
  EXPECT_EQ(rows_of("Softmax", "axis=1", {{"f32[1,16,s0]", ""}}, 1, {3, 5}), "all");
  EXPECT_EQ(rows_of("Softmax", "axis=1, flatten=true", {{"f32[1,16,s0]", ""}}, 2, {3, 5}), "all");
}

TEST(BatchNormalization, IsAffineByChannel) {
  const Tensor x = f32({1, 2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(run("BatchNormalization", "epsilon=0",
                {x, f32({2}, {2, 3}), f32({2}, {10, 20}), f32({2}, {1, 3}), f32({2}, {4, 1})}),
            f32({1, 2, 2}, {10, 11, 20, 23}));
  EXPECT_EQ(import_and_run("BatchNormalization", 14, {.ints = {{"training_mode", 1}}}, {x}).error().code,
            Code::unsupported);
}

TEST(LayerNormalization, GivesItsStatisticsWhenAsked) {
  const auto out =
      run_all("LayerNormalization", "epsilon=0", {f32({1, 2}, {1, 5}), f32({2}, {1, 2}), f32({2}, {0, 7})}, 3).value();
  EXPECT_EQ(out[0], f32({1, 2}, {-1, 9}));
  EXPECT_EQ(out[1], f32({1, 1}, {3}));
  EXPECT_EQ(out[2], f32({1, 1}, {0.5}));
}

TEST(InstanceNormalization, TakesEachPlaneByItself) {
  EXPECT_EQ(
      run("InstanceNormalization", "epsilon=0", {f32({1, 2, 2}, {1, 5, 10, 10.5}), f32({2}, {1, 2}), f32({2}, {0, 1})}),
      f32({1, 2, 2}, {-1, 1, -1, 3}));
}

TEST(Lrn, AnEvenSizeReachesFurtherAfterThanBefore) {
  // size 2: each channel and the one after it
  EXPECT_EQ(run("LRN", "size=2, alpha=2, beta=1, bias=0", {f32({1, 3, 1}, {1, 1, 2})}),
            f32({1, 3, 1}, {0.5, 0.2f, 0.5}));
}

}  // namespace
}  // namespace memline::ops::testing
