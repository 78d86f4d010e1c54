// Ops that make tensors from sizes (Shape, Size, Range, ConstantOfShape, EyeLike, OneHot, Constant) and ops whose
// result's size depends on data (NonZero, Compress, Unique), with the small ones that fit nowhere else.
#include <cmath>

#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

TEST(Shape, GivesTheExtentsOfARangeOfAxes) {
  const Tensor x = counted(DType::f32, {2, 3, 4});
  EXPECT_EQ(run("Shape", "", {x}), list({2, 3, 4}));
  EXPECT_EQ(run("Shape", "start=1", {x}), list({3, 4}));
  EXPECT_EQ(run("Shape", "start=-2, end=-1", {x}), list({3}));
  EXPECT_EQ(run("Shape", "start=2, end=1", {x}), list({}));
  EXPECT_EQ(run("Shape", "start=-10, end=10", {x}), list({2, 3, 4}));
  EXPECT_EQ(infer("Shape", "", {{"f32[s0,3,s1]", ""}}).integers, "s0; 3; s1");
}

TEST(Size, CountsElements) {
  EXPECT_EQ(run("Size", "", {counted(DType::f32, {2, 3, 4})}), i64({}, {24}));
  EXPECT_EQ(infer("Size", "", {{"f32[s0,3]", ""}}).integers, DimExpr::parse("s0*3").value().text());
}

TEST(Range, StopsBeforeTheLimit) {
  EXPECT_EQ(run("Range", "", {i64({}, {10}), i64({}, {4}), i64({}, {-2})}), list({10, 8, 6}));
  EXPECT_EQ(run("Range", "", {i64({}, {0}), i64({}, {7}), i64({}, {3})}), list({0, 3, 6}));
  EXPECT_EQ(run("Range", "", {i64({}, {5}), i64({}, {5}), i64({}, {1})}), list({}));
  EXPECT_EQ(run("Range", "", {f32({}, {1}), f32({}, {2.1}), f32({}, {0.5})}), f32({3}, {1, 1.5, 2}));
  EXPECT_EQ(refusal("Range", "", {i64({}, {0}), i64({}, {5}), i64({}, {0})}), "delta is 0");
  EXPECT_EQ(infer("Range", "", {{"i64[]", "0"}, {"i64[]", "s0"}, {"i64[]", "1"}}).types[0], "i64[s0]");
  EXPECT_EQ(infer("Range", "", {{"i64[]", "s0"}, {"i64[]", "s0+2"}, {"i64[]", "1"}}).integers,
            "s0; " + DimExpr::parse("s0+1").value().text());
  EXPECT_EQ(infer("Range", "", {{"i64[]", "0"}, {"i64[]", ""}, {"i64[]", "1"}}).error,
            "the length depends on data, and nothing bounds it; give a bound: --max NODE=N");
}

TEST(ConstantOfShape, FillsWithItsValueOrZero) {
  EXPECT_EQ(run("ConstantOfShape", "", {list({2, 2})}), f32({2, 2}, {0, 0, 0, 0}));
  EXPECT_EQ(import_and_run("ConstantOfShape", 9, {.tensors = {{"value", i64({1}, {7})}}}, {list({3})}).value()[0],
            list({7, 7, 7}));
  EXPECT_EQ(run("ConstantOfShape", "", {list({})}), f32({}, {0}));
  EXPECT_EQ(run("ConstantOfShape", "", {list({0, 3})}), f32({0, 3}, {}));
  EXPECT_EQ(refusal("ConstantOfShape", "", {list({-1})}), "the shape (input 0) has the extent -1");
  EXPECT_EQ(infer("ConstantOfShape", "", {{"i64[2]", "s0;4"}}).types[0], "f32[s0,4]");
}

TEST(Constant, TakesAnyOfItsAttributes) {
  EXPECT_EQ(import_and_run("Constant", 13, {.tensors = {{"value", f32({2}, {1, 2})}}}, {}).value()[0],
            f32({2}, {1, 2}));
  EXPECT_EQ(import_and_run("Constant", 13, {.ints = {{"value_int", -3}}}, {}).value()[0], i64({}, {-3}));
  EXPECT_EQ(import_and_run("Constant", 13, {.int_lists = {{"value_ints", {4, 5}}}}, {}).value()[0], list({4, 5}));
  EXPECT_EQ(import_and_run("Constant", 13, {.floats = {{"value_float", 0.5f}}}, {}).value()[0], f32({}, {0.5}));
  EXPECT_EQ(import_and_run("Constant", 13, {.strings = {{"value_string", "x"}}}, {}).error().code, Code::unsupported);
}

TEST(EyeLike, PutsOnesOnADiagonal) {
  EXPECT_EQ(run("EyeLike", "k=1", {counted(DType::i32, {2, 3})}), tensor(DType::i32, {2, 3}, {0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(
      import_and_run("EyeLike", 9, {.ints = {{"dtype", 11}, {"k", -1}}}, {counted(DType::i32, {2, 2})}).value()[0],
      tensor(DType::f64, {2, 2}, {0, 0, 1, 0}));
}

TEST(OneHot, MarksTheIndexOnANewAxis) {
  EXPECT_EQ(run("OneHot", "", {i64({2}, {1, -1}), i64({}, {3}), f32({2}, {0, 5})}), f32({2, 3}, {0, 5, 0, 0, 0, 5}));
  EXPECT_EQ(run("OneHot", "axis=0", {i64({2}, {1, 7}), i64({1}, {3}), tensor(DType::i32, {2}, {2, 9})}),
            tensor(DType::i32, {3, 2}, {2, 2, 9, 2, 2, 2}));
  EXPECT_EQ(run("OneHot", "", {f32({1}, {2}), f32({}, {3}), f32({2}, {0, 1})}), f32({1, 3}, {0, 0, 1}));
}

TEST(NonZero, ListsIndicesInRowMajorOrder) {
  EXPECT_EQ(run("NonZero", "", {f32({2, 2}, {1, 0, 0.5, -1})}), i64({2, 3}, {0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(run("NonZero", "", {boolean({3}, {0, 0, 0})}), i64({1, 0}, {}));
  EXPECT_EQ(run("NonZero", "", {f32({}, {2})}).dims, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(infer("NonZero", "", {{"f32[4,5]", ""}}).types[0], "i64[2,s8]");
}

TEST(Compress, KeepsWhatTheConditionSays) {
  const Tensor x = f32({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run("Compress", "axis=0", {x, boolean({3}, {0, 1, 1})}), f32({2, 2}, {3, 4, 5, 6}));
  EXPECT_EQ(run("Compress", "axis=-1", {x, boolean({2}, {0, 1})}), f32({3, 1}, {2, 4, 6}));
  EXPECT_EQ(run("Compress", "", {x, boolean({5}, {0, 1, 0, 0, 1})}), f32({2}, {2, 5}))
      << "a short condition is false behind its end";
  EXPECT_EQ(infer("Compress", "axis=0", {{"f32[9,2]", ""}, {"bool[9]", ""}}).types[0], "f32[s8,2]");
}

TEST(Unique, GivesValuesFirstIndicesInverseAndCounts) {
  const Tensor x = f32({6}, {2, 1, 1, 3, 4, 3});
  EXPECT_EQ(run_all("Unique", "", {x}, 4).value(), (std::vector<Tensor>{f32({4}, {1, 2, 3, 4}), list({1, 0, 3, 4}),
                                                                        list({1, 0, 0, 2, 3, 2}), list({2, 1, 2, 1})}));
  EXPECT_EQ(
      run_all("Unique", "sorted=false", {x}, 4).value(),
      (std::vector<Tensor>{f32({4}, {2, 1, 3, 4}), list({0, 1, 3, 4}), list({0, 1, 1, 2, 3, 2}), list({1, 2, 2, 1})}));
}

TEST(Unique, ComparesWholeSlicesOnAnAxis) {
  const Tensor x = f32({4, 3}, {1, 0, 0, 1, 0, 0, 2, 3, 4, 0, 9, 9});
  EXPECT_EQ(run_all("Unique", "axis=0", {x}, 4).value(),
            (std::vector<Tensor>{f32({3, 3}, {0, 9, 9, 1, 0, 0, 2, 3, 4}), list({3, 0, 2}), list({1, 1, 2, 0}),
                                 list({1, 2, 1})}));
  EXPECT_EQ(run("Unique", "axis=1", {f32({2, 3}, {5, 1, 5, 6, 2, 6})}), f32({2, 2}, {1, 5, 2, 6}));
}

TEST(CumSum, SumsForwardsBackwardsAndExclusively) {
  const Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6}), last = tensor(DType::i32, {}, {-1}), first = i64({}, {0});
  EXPECT_EQ(run("CumSum", "", {x, last}), f32({2, 3}, {1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(run("CumSum", "", {x, first}), f32({2, 3}, {1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(run("CumSum", "exclusive=true", {x, last}), f32({2, 3}, {0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(run("CumSum", "reverse=true", {x, last}), f32({2, 3}, {6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(run("CumSum", "exclusive=true, reverse=true", {x, last}), f32({2, 3}, {5, 3, 0, 11, 6, 0}));
}

TEST(Trilu, KeepsATriangle) {
  const Tensor x = tensor(DType::i32, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(run("Trilu", "", {x}), tensor(DType::i32, {3, 3}, {1, 2, 3, 0, 5, 6, 0, 0, 9}));
  EXPECT_EQ(run("Trilu", "upper=false", {x}), tensor(DType::i32, {3, 3}, {1, 0, 0, 4, 5, 0, 7, 8, 9}));
  EXPECT_EQ(run("Trilu", "", {x, i64({}, {1})}), tensor(DType::i32, {3, 3}, {0, 2, 3, 0, 0, 6, 0, 0, 0}));
  EXPECT_EQ(run("Trilu", "upper=false", {x, i64({}, {-1})}), tensor(DType::i32, {3, 3}, {0, 0, 0, 4, 0, 0, 7, 8, 0}));
  EXPECT_EQ(run("Trilu", "", {x, i64({}, {-9e18})}), x);
}

TEST(ReverseSequence, ReversesTheFirstStepsOfEach) {
  const Tensor x = counted(DType::f32, {4, 2});
  EXPECT_EQ(run("ReverseSequence", "", {x, list({3, 2})}), f32({4, 2}, {4, 3, 2, 1, 0, 5, 6, 7}));
  EXPECT_EQ(run("ReverseSequence", "batch_axis=0, time_axis=1", {counted(DType::f32, {2, 3}), list({2, 3})}),
            f32({2, 3}, {1, 0, 2, 5, 4, 3}));
}

TEST(IdentityAndDropout, ChangeNothing) {
  const Tensor x = counted(DType::f32, {2, 3});
  EXPECT_EQ(run("Identity", "", {x}), x);
  EXPECT_EQ(run_all("Dropout", "", {x}, 2).value(), (std::vector<Tensor>{x, boolean({2, 3}, {1, 1, 1, 1, 1, 1})}));
  EXPECT_EQ(run("Dropout", "", {x, f32({}, {0.5}), boolean({}, {0})}), x);
  EXPECT_EQ(refusal("Dropout", "", {x, f32({}, {0.5}), boolean({}, {1})}),
            "training_mode is true; only inference is supported");
  EXPECT_EQ(view_of("Identity", "", {{"f32[s0,3]", ""}}), "0 [3, 1]");
}

TEST(DynamicQuantizeLinear, WidensTheRangeToHoldZero) {
  // The examples of the ONNX node tests.
  const auto results = run_all("DynamicQuantizeLinear", "", {f32({6}, {0, 2, -3, -2.5, 1.34, 0.5})}, 3).value();
  EXPECT_EQ(results[0], tensor(DType::u8, {6}, {153, 255, 0, 26, 221, 179}));
  EXPECT_NEAR(results[1].values[0], 0.0196078438, 1e-9);
  EXPECT_EQ(results[2], tensor(DType::u8, {}, {153}));
  const auto negative = run_all("DynamicQuantizeLinear", "", {f32({6}, {-1, -2.1, -1.3, -2.5, -3.34, -4})}, 3).value();
  EXPECT_EQ(negative[0], tensor(DType::u8, {6}, {191, 121, 172, 96, 42, 0}));
  EXPECT_EQ(negative[2], tensor(DType::u8, {}, {255}));
  const auto zero = run_all("DynamicQuantizeLinear", "", {f32({2}, {0, 0})}, 3).value();
  EXPECT_EQ(zero[0], tensor(DType::u8, {2}, {0, 0}));
}

}  // namespace
}  // namespace memline::ops::testing
