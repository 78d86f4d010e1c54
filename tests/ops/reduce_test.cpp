// The Reduce ops and ArgMax: axes of every form, reductions over nothing, NaN, and shape arithmetic through them.
#include <cmath>
#include <limits>

#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Reduce, OverNothingGivesTheIdentity) {
  const Tensor none = f32({0, 2}, {});
  EXPECT_EQ(run("ReduceMax", "keepdims=false", {none, list({0})}), f32({2}, {-kInf, -kInf}));
  EXPECT_EQ(run("ReduceMin", "keepdims=false", {none, list({0})}), f32({2}, {kInf, kInf}));
  EXPECT_EQ(run("ReduceSum", "keepdims=false", {none, list({0})}), f32({2}, {0, 0}));
  EXPECT_EQ(run("ReduceProd", "", {none, list({0})}), f32({1, 2}, {1, 1}));
  EXPECT_EQ(run("ReduceMax", "", {tensor(DType::i8, {0}, {})}), tensor(DType::i8, {1}, {-128}));
  EXPECT_EQ(run("ReduceMin", "", {tensor(DType::u8, {0}, {})}), tensor(DType::u8, {1}, {255}));
}

TEST(Reduce, NoAxesMeansAllOrNoneAsTheNodeSays) {
  const Tensor x = f32({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(run("ReduceSum", "", {x}), f32({1, 1}, {10}));
  EXPECT_EQ(run("ReduceSum", "", {x, list({})}), f32({1, 1}, {10}));
  EXPECT_EQ(run("ReduceSum", "noop_with_empty_axes=true", {x, list({})}), x);
  EXPECT_EQ(run("ReduceSumSquare", "noop_with_empty_axes=true", {x}), f32({2, 2}, {1, 4, 9, 16}));
}

TEST(Reduce, AxesAreAnAttributeBeforeTheyAreAnInput) {
  const Tensor x = f32({2, 2}, {1, 2, 3, 4});
  const Attributes first = {.ints = {{"keepdims", 0}}, .int_lists = {{"axes", {0}}}};
  EXPECT_EQ(import_and_run("ReduceSum", 11, first, {x}).value()[0], f32({2}, {4, 6}));
  EXPECT_EQ(import_and_run("ReduceMean", 13, first, {x}).value()[0], f32({2}, {2, 3}));
  EXPECT_EQ(import_and_run("ReduceMean", 18, {.ints = {{"keepdims", 0}}}, {x, list({1})}).value()[0],
            f32({2}, {1.5, 3.5}));
}

TEST(Reduce, AnExtremeThatSeesNanIsNan) {
  for (const char* op : {"ReduceMax", "ReduceMin"})
    for (int at = 0; at < 5; ++at) {
      std::vector<double> values = {1, 2, 3, 4, 5};
      values[static_cast<size_t>(at)] = std::nan("");
      EXPECT_TRUE(std::isnan(run(op, "keepdims=false", {f32({5}, values)}).values[0])) << op << at;
    }
}

TEST(Reduce, NormsAndLogarithms) {
  const Tensor x = f32({2}, {3, -4});
  EXPECT_EQ(run("ReduceL1", "", {x}), f32({1}, {7}));
  EXPECT_EQ(run("ReduceL2", "", {x}), f32({1}, {5}));
  EXPECT_EQ(run("ReduceSumSquare", "", {x}), f32({1}, {25}));
  EXPECT_EQ(run("ReduceLogSum", "", {f32({2}, {0.5, 0.5})}), f32({1}, {0}));
  expect_near(run("ReduceLogSumExp", "", {f32({2}, {1, 1})}), f32({1}, {1 + std::log(2.0)}), 1e-6, 0);
}

TEST(Reduce, ShapeArithmeticPassesThrough) {
  EXPECT_EQ(infer("ReduceProd", "keepdims=false", {{"i64[3]", "s0;4;s1"}}).integers,
            DimExpr::parse("s0*s1*4").value().text());
  EXPECT_EQ(infer("ReduceMin", "keepdims=false", {{"i64[2]", "s0;s1"}}).integers,
            DimExpr::parse("min(s0,s1)").value().text());
  EXPECT_EQ(infer("ReduceMax", "", {{"f32[s0,3]", ""}, {"i64[1]", "1"}}).types[0], "f32[s0,1]");
}

TEST(Reduce, RowsOffItsAxesAreIndependent) {
  EXPECT_EQ(rows_of("ReduceMean", "keepdims=false", {{"f32[2,3,s0]", ""}, {"i64[1]", "1"}}, 1, {4, 6}),
            "2 [4, 6); all");
  EXPECT_EQ(rows_of("ReduceMean", "", {{"f32[2,3,s0]", ""}, {"i64[1]", "1"}}, 1, {0, 1}), "all; all");
}

TEST(Reduce, RefusesAxesItCannotKnow) {
  EXPECT_EQ(infer("ReduceSum", "", {{"f32[s0,3]", ""}, {"i64[1]", ""}}).error,
            "axes (input 1) is computed at run time; it must be known when the engine is built");
  EXPECT_EQ(refusal("ReduceSum", "", {f32({2}, {1, 2}), list({1})}), "axes 1 is outside [-1, 1)");
  EXPECT_EQ(refusal("ReduceSum", "", {f32({2}, {1, 2}), list({0, -1})}), "axes names axis 0 twice");
}

TEST(ArgMax, TakesTheFirstOrTheLastOfEqualsAndNanBeforeNumbers) {
  const Tensor x = f32({4}, {1, 3, 3, 2});
  EXPECT_EQ(run("ArgMax", "", {x}), list({1}));
  EXPECT_EQ(run("ArgMax", "select_last_index=true, keepdims=false", {x}), i64({}, {2}));
  EXPECT_EQ(run("ArgMin", "", {f32({3}, {2, std::nan(""), 1})}), list({1}));
  EXPECT_EQ(refusal("ArgMax", "", {f32({0, 2}, {})}), "axis 0 has no element to choose");
}

}  // namespace
}  // namespace memline::ops::testing
