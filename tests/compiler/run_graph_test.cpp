// Whole small networks through lowering, fit and assemble, run by a session, against the references.
#include <gtest/gtest.h>

#include <cstring>

#include "base/threads.h"
#include "choose/choose.h"
#include "choose/lower.h"
#include "compiler/assemble.h"
#include "engine/engine.h"
#include "graph/seeded.h"
#include "runtime/session.h"
#include "support/lowered.h"

namespace memline {
namespace {

class MemorySink final : public engine::WeightSink {
 public:
  Status append(std::span<const std::byte> bytes) override {
    written_.insert(written_.end(), bytes.begin(), bytes.end());
    return {};
  }
  const std::vector<std::byte>& written() const { return written_; }

 private:
  std::vector<std::byte> written_;
};

std::shared_ptr<const engine::Engine> engine_of(const Schedule& schedule) {
  engine::Program program = assemble(schedule);
  MemorySink sink;
  EXPECT_TRUE(write_weights(schedule, nullptr, sink).has_value());
  EXPECT_EQ(static_cast<int64_t>(sink.written().size()), program.weights_bytes);
  auto pages = std::make_shared<Pages>(*Pages::take(std::max<int64_t>(program.weights_bytes, 1)));
  std::copy(sink.written().begin(), sink.written().end(), pages->bytes().begin());
  const auto weights = pages->bytes().first(sink.written().size());
  return std::make_shared<const engine::Engine>("cpu avx2", std::move(program), weights, pages);
}

// The opt shape, the least, the largest, and one between: by slot.
std::vector<std::vector<int64_t>> shapes_of(const Graph& graph) {
  std::vector<std::vector<int64_t>> shapes = {graph.opt_slots(), {}, {}, {}};
  for (const Interval range : graph.slot_ranges()) {
    shapes[1].push_back(range.min);
    shapes[2].push_back(range.max);
    shapes[3].push_back((range.min + 2 * range.max) / 3);
  }
  return shapes;
}

struct Problem {
  std::vector<Constant> inputs;
  std::vector<TensorView> views;
  std::vector<Constant> expected;
};

Problem problem_at(const Graph& graph, const std::vector<int64_t>& slots) {
  Problem problem;
  for (const ValueId input : graph.inputs()) {
    std::vector<int64_t> dims;
    for (const DimExpr& dim : graph.value(input).type.dims) dims.push_back(dim.evaluate(slots.data()));
    problem.inputs.push_back(seeded_constant(graph.value(input).type.dtype, dims, graph.value(input).name));
    problem.views.push_back(problem.inputs.back().view);
  }
  auto expected = evaluate(graph, problem.views);
  EXPECT_TRUE(expected.has_value()) << expected.error().message;
  if (expected) problem.expected = *std::move(expected);
  return problem;
}

// Every output element within 1e-4 of the largest, for the fastest schedule and for the leanest, in two runs of each
// shape.
void expect_runs_right(std::string_view text) {
  const auto graph = std::make_shared<const Graph>(test::parse(text));
  const auto menu = std::make_shared<Menu>(lower(graph, test::avx2(), {}).value());
  ASSERT_TRUE(choose(*menu, {.tune = Tune::none}).has_value());
  std::vector<Problem> problems;
  for (const std::vector<int64_t>& slots : shapes_of(*graph)) problems.push_back(problem_at(*graph, slots));
  const auto pool = *ThreadPool::create(0);
  const int64_t least = fit(menu, {.limit_bytes = 1}).error().least_bytes;
  for (const int64_t line : {int64_t{0}, least}) {
    const auto schedule = fit(menu, {.limit_bytes = line});
    ASSERT_TRUE(schedule.has_value()) << schedule.error().message;
    const auto session = runtime::Session::create(engine_of(*schedule), test::avx2(), *pool, {});
    ASSERT_TRUE(session.has_value()) << session.error().message;
    for (size_t run = 0; run < 2 * problems.size(); ++run) {
      const Problem& problem = problems[run % problems.size()];
      std::vector<TensorView> outputs(graph->outputs().size());
      const RunStatus status = (*session)->run(problem.views, outputs);
      ASSERT_TRUE(status.ok()) << (*session)->explain(status);
      ASSERT_EQ(problem.expected.size(), outputs.size());
      for (size_t o = 0; o < outputs.size(); ++o)
        test::expect_near(outputs[o], problem.expected[o].view, {.relative = 1e-4f, .absolute = 1e-4f},
                          graph->output_names()[o]);
    }
  }
}

TEST(RunGraph, ABlockWhoseSplitAndConcatMoveNothing) {
  expect_runs_right(R"(
    x = Input() f32[1,3,16,16]
    n = Constant() i64[2] {8, 8}
    a = Conv(x, w1:f32[16,3,3,3]) pads=[1,1,1,1]
    p, q = Split(a, n) axis=1
    m = Conv(q, w2:f32[8,8,3,3]) pads=[1,1,1,1] | silu
    r = Conv(m, w3:f32[8,8,3,3], q) pads=[1,1,1,1] | silu add(2)
    cat = Concat(p, q, r) axis=1
    y = Conv(cat, w4:f32[16,24,1,1])
    s = Sigmoid(cat)
    Output(y, s))");
}

TEST(RunGraph, ConcatsOfInputsConstantsAndTheSameValueTwice) {
  expect_runs_right(R"(
    x = Input() f32[2,6]
    a = Relu(x)
    b = Tanh(a)
    cat = Concat(a, x, k:f32[2,6], a, b) axis=1
    other = Concat(b, a) axis=0
    y = Relu(cat)
    z = Sigmoid(other)
    Output(y, z, cat))");
}

TEST(RunGraph, OutputsThatAreInputsConstantsViewsAndTwice) {
  expect_runs_right(R"(
    x = Input() f32[2,6]
    s = Constant() i64[1] {12}
    k = Constant() f32[3] {1, 2, 3}
    a = Relu(x)
    r = Reshape(a, s)
    Output(r, same=x, k, a, again=a))");
}

TEST(RunGraph, StepsThatWriteOverWhatDies) {
  expect_runs_right(R"(
    x = Input() f32[4,64]
    n = Constant() i64[1] {256}
    a = Relu(x)
    r = Reshape(a, n)
    b = Sigmoid(a)
    c = Add(b, a)
    d = Mul(c, b)
    e = Tanh(d)
    f = Sub(e, d)
    z = Neg(r)
    y = Sigmoid(f)
    Output(y, z))");
}

TEST(RunGraph, ViewsOfChannelsLastValues) {
  expect_runs_right(R"(
    x = Input() f32[1,3,12,16]
    three = Constant() i64[3] {1, 16, 192}
    flat = Constant() i64[2] {1, 3072}
    a = Conv(x, w1:f32[16,3,3,3], b1:f32[16]) pads=[1,1,1,1] | bias(2) silu
    t = Transpose(a) perm=[0,2,3,1]
    u = Sigmoid(t)
    r = Reshape(a, three)
    v = Tanh(r)
    f = Reshape(a, flat)
    w = Neg(f)
    Output(u, v, w))");
}

TEST(RunGraph, APyramidThatGoesDownAndUpAgain) {
  expect_runs_right(R"(
    x = Input() f32[1,3,32,32]
    scales = Constant() f32[4] {1, 1, 2, 2}
    a = Conv(x, w1:f32[16,3,3,3]) pads=[1,1,1,1], strides=[2,2] | relu
    b = Conv(a, w2:f32[32,16,3,3]) pads=[1,1,1,1], strides=[2,2] | relu
    p = MaxPool(b) kernel_shape=[5,5], pads=[2,2,2,2]
    up = Resize(p, _, scales) mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"
    cat = Concat(up, a) axis=1
    c = Conv(cat, w3:f32[24,48,3,3]) pads=[1,1,1,1] | silu
    d = Conv(c, w4:f32[4,24,1,1]) | sigmoid
    Output(d, b))");
}

TEST(RunGraph, AShapeThatChangesBetweenRuns) {
  expect_runs_right(R"(
    slot n min=1 opt=3 max=5
    x = Input() f32[n,3,8,8]
    a = Conv(x, w1:f32[16,3,3,3]) pads=[1,1,1,1] | relu
    m = GlobalAveragePool(a)
    cat = Concat(m, m) axis=1
    y = Sigmoid(cat)
    Output(y))");
}

TEST(RunGraph, ACountThatIsNoLeadingExtent) {
  expect_runs_right(R"(
    slot n min=0 opt=3 max=9
    slot m min=1 opt=4 max=7
    x = Input() f32[n,m]
    z = Constant() f32[1] {0.3}
    large = Greater(x, z)
    at = NonZero(large)
    pairs = Transpose(at) perm=[1,0]
    y = GatherND(x, pairs)
    both = Concat(at, at) axis=1
    Output(at, pairs, y, both))");
}

// A grid of cells as detectors make it: lengths from the shape, numbers from Range.
TEST(RunGraph, GridsFromExtents) {
  expect_runs_right(R"(
    slot h min=0 opt=4 max=9
    slot w min=1 opt=5 max=7
    x = Input() f32[1,3,h,w]
    zero = Constant() i64[1] {0}
    one = Constant() i64[1] {1}
    two = Constant() i64[1] {2}
    three = Constant() i64[1] {3}
    s = Shape(x)
    sh = Gather(s, two) axis=0
    sw = Gather(s, three) axis=0
    hw = Concat(sh, sw) axis=0
    row = Concat(one, sw) axis=0
    column = Concat(sh, one) axis=0
    scalars = Constant() i64[0]
    h0 = Reshape(sh, scalars)
    w0 = Reshape(sw, scalars)
    z0 = Reshape(zero, scalars)
    o0 = Reshape(one, scalars)
    ys = Range(z0, h0, o0)
    xs = Range(z0, w0, o0)
    yc = Reshape(ys, column)
    xr = Reshape(xs, row)
    gy = Expand(yc, hw)
    gx = Expand(xr, hw)
    fy = Cast(gy) to=f32
    fx = Cast(gx) to=f32
    sum = Add(fx, fy)
    y = Mul(x, sum)
    ones = ConstantOfShape(hw, o0)
    Output(y, gx, gy, ones))");
}

// What counts decide: how large another tensor is that does not come from the counted one.
TEST(RunGraph, ExtentsFromCounts) {
  expect_runs_right(R"(
    slot n min=0 opt=6 max=9
    x = Input() f32[n]
    other = Input() f32[9,4]
    z = Constant() f32[1] {0.1}
    five = Constant() f32[1] {5}
    large = Greater(x, z)
    at = NonZero(large)
    from = Constant() i64[1] {1}
    to = Constant() i64[1] {2}
    zero = Constant() i64[1] {0}
    s = Shape(at)
    count = Slice(s, from, to)
    first = Slice(other, zero, count)
    filled = ConstantOfShape(count, five)
    real = Cast(count) to=f32
    both = Concat(count, count) axis=0
    square = ConstantOfShape(both, five)
    y = Mul(first, real)
    Output(first, filled, y, square))");
}

// A detector in small: the picture is resized so that its shorter side is 16 and its longer one at most 27, and the
// levels of a pyramid, each laid out as a list, are joined.
TEST(RunGraph, SizesThatAModelComputesItself) {
  expect_runs_right(R"(
    slot h min=8 opt=12 max=40
    slot w min=8 opt=20 max=40
    x = Input() f32[1,3,h,w]
    from = Constant() i64[1] {2}
    to = Constant() i64[1] {4}
    k16 = Constant() f32[1] {16}
    k27 = Constant() f32[1] {27}
    k4 = Constant() f32[1] {4}
    head = Constant() i64[2] {1, 3}
    list = Constant() i64[3] {1, -1, 4}
    s = Shape(x)
    hw = Slice(s, from, to)
    shorter = ReduceMin(hw) keepdims=true
    longer = ReduceMax(hw) keepdims=true
    f1 = Cast(shorter) to=f32
    f2 = Cast(longer) to=f32
    r1 = Reciprocal(f1)
    r2 = Reciprocal(f2)
    a = Mul(r1, k16)
    b = Mul(r2, k27)
    scale = Min(a, b)
    fhw = Cast(hw) to=f32
    real = Mul(fhw, scale)
    inside = Div(real, k4)
    fours = Ceil(inside)
    padded = Mul(fours, k4)
    sizes = Cast(padded) to=i64
    all = Concat(head, sizes) axis=0
    y = Resize(x, _, _, all) mode="linear"
    c1 = Conv(y, w1:f32[8,3,3,3]) pads=[1,1,1,1] | relu
    c2 = Conv(c1, w2:f32[8,8,3,3]) pads=[1,1,1,1], strides=[2,2] | relu
    c3 = Conv(c2, w3:f32[8,8,3,3]) pads=[1,1,1,1], strides=[2,2] | relu
    t1 = Transpose(c1) perm=[0,2,3,1]
    t2 = Transpose(c2) perm=[0,2,3,1]
    t3 = Transpose(c3) perm=[0,2,3,1]
    l1 = Reshape(t1, list)
    l2 = Reshape(t2, list)
    l3 = Reshape(t3, list)
    z = Concat(l1, l2, l3) axis=1
    best = Sigmoid(z)
    Output(best, sizes))");
}

// Sizes that are too large expressions to carry along: the first grows where the second shrinks, so the largest of each
// do not go together, and the memory is planned for what does.
TEST(RunGraph, LargeExpressionsThatDoNotPeakTogether) {
  expect_runs_right(R"(
    slot h min=1 opt=12 max=49
    x = Input() f32[h]
    k50 = Constant() i64[1] {50}
    k7 = Constant() i64[1] {7}
    k5 = Constant() i64[1] {5}
    k3 = Constant() i64[1] {3}
    two = Constant() f32[1] {2}
    a = Shape(x)
    am1 = Mod(a, k7)
    a1 = Add(a, am1)
    am2 = Mod(a1, k5)
    a2 = Add(a1, am2)
    am3 = Mod(a2, k3)
    a3 = Add(a2, am3)
    am4 = Mod(a3, k7)
    a4 = Add(a3, am4)
    am5 = Mod(a4, k5)
    a5 = Add(a4, am5)
    am6 = Mod(a5, k3)
    a6 = Add(a5, am6)
    b = Sub(k50, a)
    bm1 = Mod(b, k7)
    b1 = Add(b, bm1)
    bm2 = Mod(b1, k5)
    b2 = Add(b1, bm2)
    bm3 = Mod(b2, k3)
    b3 = Add(b2, bm3)
    bm4 = Mod(b3, k7)
    b4 = Add(b3, bm4)
    bm5 = Mod(b4, k5)
    b5 = Add(b4, bm5)
    bm6 = Mod(b5, k3)
    b6 = Add(b5, bm6)
    u = ConstantOfShape(a6, two)
    v = ConstantOfShape(b6, two)
    y = Concat(x, u, v, x) axis=0
    z = Neg(y)
    Output(z, u, v))");
}

TEST(RunGraph, EpiloguesSplitOffTheirNode) {
  expect_runs_right(R"(
    x = Input() f32[1,8,8,8]
    y = Softmax(x, b:f32[1,8,1,1]) axis=1 | silu mul(1) relu
    scales = Constant() f32[4] {1, 1, 2, 2}
    z = Resize(y, _, scales, c:f32[1,8,16,16]) mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor" | add(3) sigmoid
    Output(z))");
}

// Sizes that are neither shapes nor counts but numbers in tensors.
TEST(RunGraph, ShapesThatDataDecides) {
  expect_runs_right(R"(
    slot n min=1 opt=5 max=9
    x = Input() f32[n]
    m = Input() f32[4,6]
    one = Constant() i64[1] {1}
    zero = Constant() i64[1] {0}
    two = Constant() i64[1] {2}
    three = Constant() i64[1] {3}
    half = Constant() f32[1] {0.5}
    best = ArgMax(x) axis=0
    none = Min(best, zero)
    rest = Sub(none, one)
    some = Add(none, three)
    tall = Concat(rest, some) axis=0
    r = Reshape(m, tall)
    same = Concat(none, rest) axis=0
    q = Reshape(m, same)
    four = Constant() i64[1] {4}
    p1 = Min(best, three)
    p2 = Sub(four, p1)
    parts = Concat(p1, p2) axis=0
    a, b = Split(m, parts) axis=0
    s = Sigmoid(b)
    y = Neg(r)
    z = Tanh(q)
    Output(y, z, a, s))");
}

}  // namespace
}  // namespace memline
