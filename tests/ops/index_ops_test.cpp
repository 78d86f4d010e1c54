// Gather, GatherElements, GatherND and the Scatters. Expected values are the examples of the ONNX text or worked out by
// hand.
#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

TEST(Gather, PicksAlongAnAxis) {
  const Tensor x = f32({3, 2}, {1.0, 1.2, 2.3, 3.4, 4.5, 5.7});
  const Tensor rows = run("Gather", "", {counted(DType::f32, {3, 2}), i64({2, 2}, {0, 1, 1, 2})});
  EXPECT_EQ(rows, f32({2, 2, 2}, {0, 1, 2, 3, 2, 3, 4, 5}));
  EXPECT_EQ(run("Gather", "axis=1", {counted(DType::i32, {3, 3}), i64({1, 2}, {0, 2})}),
            tensor(DType::i32, {3, 1, 2}, {0, 2, 3, 5, 6, 8}));
  EXPECT_EQ(run("Gather", "axis=-1", {counted(DType::u8, {2, 3}), tensor(DType::i32, {}, {-1})}),
            tensor(DType::u8, {2}, {2, 5}));
  EXPECT_EQ(refusal("Gather", "", {x, i64({1}, {3})}), "index 3 is outside an axis of extent 3");
  EXPECT_EQ(refusal("Gather", "", {x, f32({1}, {0})}), "input 1 (indices) is f32, needs i64 or i32");
}

TEST(Gather, AnIndexOutsideAtRunTimeReadsZero) {
  const OpDef* gather = find("Gather");
  float data[2] = {5, 6}, result[3] = {9, 9, 9};
  int64_t indices[3] = {1, 7, -3}, two[] = {2}, three[] = {3};
  const std::vector<TensorView> in = {dense_view(DType::f32, data, std::span(two)),
                                      dense_view(DType::i64, indices, std::span(three))};
  std::vector<TensorView> out = {dense_view(DType::f32, result, std::span(three))};
  gather->reference(gather->parse_attrs("").value(), in, out);
  EXPECT_EQ(std::vector<float>(result, result + 3), (std::vector<float>{6, 0, 0}));
}

TEST(Gather, OneConstantIndexIsAView) {
  EXPECT_EQ(view_of("Gather", "axis=1", {{"f32[s0,3,8,8]", ""}, {"i64[]", "2"}}), "128 [192, 8, 1]");
  EXPECT_EQ(view_of("Gather", "axis=0", {{"f32[4,8]", ""}, {"i64[1]", "-1"}}), "24 [8, 1]");
  EXPECT_EQ(view_of("Gather", "axis=1", {{"f32[4,8]", ""}, {"i64[]", "0"}}), "")
      << "what is left has no axis of stride 1";
  EXPECT_EQ(view_of("Gather", "axis=0", {{"f32[4,8]", ""}, {"i64[2]", "0;1"}}), "");
}

TEST(Gather, ShapeArithmeticAndRows) {
  EXPECT_EQ(infer("Gather", "", {{"i64[4]", "s0;3;s1;s2"}, {"i64[]", "2"}}).integers, "s1");
  EXPECT_EQ(infer("Gather", "", {{"i64[4]", "s0;3;s1;s2"}, {"i64[2]", "-1;0"}}).integers, "s2; s0");
  const std::vector<Symbolic> inputs = {{"f32[2,9,8,4]", ""}, {"i64[5,6]", ""}};
  EXPECT_EQ(rows_of("Gather", "axis=1", inputs, 0, {1, 2}), "0 [1, 2); all");
  EXPECT_EQ(rows_of("Gather", "axis=1", inputs, 2, {1, 2}), "all; 1 [1, 2)");
  EXPECT_EQ(rows_of("Gather", "axis=1", inputs, 3, {1, 2}), "2 [1, 2); all");
}

TEST(GatherElements, PicksElementByElement) {
  EXPECT_EQ(run("GatherElements", "axis=1", {f32({2, 2}, {1, 2, 3, 4}), i64({2, 2}, {0, 0, 1, 0})}),
            f32({2, 2}, {1, 1, 4, 3}));
  EXPECT_EQ(run("GatherElements", "", {f32({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), i64({2, 3}, {-1, -2, 0, -2, 0, 0})}),
            f32({2, 3}, {7, 5, 3, 4, 2, 3}));
}

TEST(GatherND, PicksSlicesByCoordinates) {
  const Tensor x = f32({2, 2}, {0, 1, 2, 3});
  EXPECT_EQ(run("GatherND", "", {x, i64({2, 2}, {0, 0, 1, 1})}), f32({2}, {0, 3}));
  EXPECT_EQ(run("GatherND", "", {x, i64({2, 1}, {1, 0})}), f32({2, 2}, {2, 3, 0, 1}));
  EXPECT_EQ(run("GatherND", "", {counted(DType::f32, {2, 2, 2}), i64({2, 1, 2}, {0, 1, 1, 0})}),
            f32({2, 1, 2}, {2, 3, 4, 5}));
  EXPECT_EQ(run("GatherND", "batch_dims=1", {counted(DType::f32, {2, 2, 2}), i64({2, 1}, {1, 0})}),
            f32({2, 2}, {2, 3, 4, 5}));
  EXPECT_EQ(run("GatherND", "", {x, i64({1, 2}, {-1, -2})}), f32({1}, {2}));
  EXPECT_EQ(refusal("GatherND", "", {x, i64({1, 3}, {0, 0, 0})}),
            "index vectors of length 3 for data f32[2,2] with batch_dims 0");
}

TEST(ScatterElements, WritesElementByElement) {
  const Tensor x = f32({1, 5}, {1, 2, 3, 4, 5}), where = i64({1, 2}, {1, -2}), updates = f32({1, 2}, {1.5, 2.5});
  EXPECT_EQ(run("ScatterElements", "axis=1", {x, where, updates}), f32({1, 5}, {1, 1.5, 3, 2.5, 5}));
  EXPECT_EQ(run("Scatter", "axis=1", {x, where, updates}), f32({1, 5}, {1, 1.5, 3, 2.5, 5}));
  EXPECT_EQ(
      run("ScatterElements", "",
          {f32({3, 3}, std::vector<double>(9, 0)), i64({2, 3}, {1, 0, 2, 0, 2, 1}), f32({2, 3}, {1, 2, 3, 4, 5, 6})}),
      f32({3, 3}, {4, 2, 0, 1, 0, 6, 0, 5, 3}));
}

TEST(ScatterElements, CombinesRepeatedIndices) {
  const Tensor x = f32({4}, {1, 2, 3, 4}), where = i64({3}, {1, 1, 3}), updates = f32({3}, {5, 7, 1});
  EXPECT_EQ(run("ScatterElements", "reduction=\"add\"", {x, where, updates}), f32({4}, {1, 14, 3, 5}));
  EXPECT_EQ(run("ScatterElements", "reduction=\"mul\"", {x, where, updates}), f32({4}, {1, 70, 3, 4}));
  EXPECT_EQ(run("ScatterElements", "reduction=\"max\"", {x, where, updates}), f32({4}, {1, 7, 3, 4}));
  EXPECT_EQ(run("ScatterElements", "reduction=\"min\"", {x, where, updates}), f32({4}, {1, 2, 3, 1}));
  EXPECT_EQ(refusal("ScatterElements", "reduction=\"mean\"", {x, where, updates}),
            "reduction is 'mean', needs none, add, mul, max or min");
}

TEST(ScatterND, WritesSlices) {
  const Tensor x = counted(DType::f32, {8});
  EXPECT_EQ(run("ScatterND", "", {x, i64({4, 1}, {4, 3, 1, 7}), f32({4}, {9, 10, 11, 12})}),
            f32({8}, {0, 11, 2, 10, 9, 5, 6, 12}));
  EXPECT_EQ(run("ScatterND", "", {f32({2, 2}, {1, 2, 3, 4}), i64({1, 1}, {-1}), f32({1, 2}, {8, 9})}),
            f32({2, 2}, {1, 2, 8, 9}));
  EXPECT_EQ(run("ScatterND", "reduction=\"add\"", {x, i64({2, 1}, {1, 1}), f32({2}, {10, 20})}).values[1], 31);
  EXPECT_EQ(refusal("ScatterND", "", {x, i64({2, 1}, {0, 1}), f32({3}, {1, 2, 3})}),
            "axis 0 of the updates: 2 and 3 differ");
  EXPECT_EQ(infer("ScatterND", "", {{"i64[3]", "s0;s1;s2"}, {"i64[1,1]", "1"}, {"i64[1]", "7"}}).integers, "s0; 7; s2");
}

}  // namespace
}  // namespace memline::ops::testing
