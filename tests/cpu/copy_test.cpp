// Copies between orders and dtypes, and the reference tactic, against the ops' references.
#include <cmath>

#include "cpu/copy/strided_copy.h"
#include "cpu/families.h"
#include "ops/conv.h"
#include "ops/reference.h"

namespace memline::cpu {
namespace {

using testing::CheckCall;
using Kind = ops::EpilogueKind;

CheckCall copy(std::vector<int64_t> dims, bool from_channels_last, bool to_channels_last, DType from = DType::f32,
               DType to = DType::f32) {
  CheckCall call{.op = "Copy", .output_channels_last = to_channels_last, .output_dtype = to};
  call.inputs = {{.dims = std::move(dims), .dtype = from, .channels_last = from_channels_last}};
  return call;
}

void expect_copied(const CheckCall& call, testing::Tolerance tolerance = {}) {
  const auto tactics = make_tactics(CpuLevel::avx2);
  for (const auto& tactic : tactics)
    if (tactic->name() == "cpu.copy") return expect_matches_reference(*tactic, call, tolerance);
  ADD_FAILURE() << "no cpu.copy";
}

TEST(Copy, ChangesTheOrderOfAxes) {
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{2, 64, 9, 11}, {1, 3, 17, 19}, {1, 100, 1, 130}, {2, 1, 5, 7}, {1, 8, 8, 8}}) {
    expect_copied(copy(dims, false, true));
    expect_copied(copy(dims, true, false));
    expect_copied(copy(dims, true, true));
    expect_copied(copy(dims, false, false));
  }
}

TEST(Copy, TakesEveryElementSize) {
  for (const DType dtype : {DType::u8, DType::bf16, DType::i32, DType::i64}) {
    expect_copied(copy({2, 19, 9, 11}, false, true, dtype, dtype));
    expect_copied(copy({2, 24, 8, 8}, true, true, dtype, dtype));
  }
}

TEST(Copy, ConvertsFloats) {
  expect_copied(copy({2, 19, 9, 11}, false, true, DType::bf16, DType::f32));
  expect_copied(copy({2, 19, 9, 11}, true, true, DType::f16, DType::f32));
  expect_copied(copy({2, 24, 8, 8}, false, true, DType::f32, DType::bf16), {.absolute = 4e-3});
  expect_copied(copy({2, 19, 9, 11}, true, true, DType::f32, DType::bf16), {.absolute = 4e-3});
}

TEST(Copy, RoundsAsTheReferenceDoes) {
  const std::vector<float> values = {0,      -0.0f, 1,       1.00390625f, 65504, 65520,
                                     -1e-8f, 6e-8f, 3.4e38f, INFINITY,    0.1f,  NAN};
  const std::vector<int64_t> dims = {static_cast<int64_t>(values.size())};
  for (const DType dtype : {DType::f16, DType::bf16}) {
    std::vector<uint16_t> copied(values.size()), expected(values.size());
    const TensorView in = dense_view(DType::f32, const_cast<float*>(values.data()), dims);
    Serial serial;
    copy_strided(in, dense_view(dtype, copied.data(), dims), serial);
    ops::copy(in, dense_view(dtype, expected.data(), dims));
    EXPECT_EQ(copied, expected) << dtype_name(dtype);
  }
}

TEST(Copy, LongRowsAreSharedOut) { expect_copied(copy({1, 1, 3, 20000}, false, false)); }

TEST(Reference, AppliesEpiloguesInF32AndRoundsOnce) {
  ops::ConvAttrs attrs;
  attrs.pads = {1, 1, 1, 1};
  CheckCall call{.op = "Conv", .attrs = ops::Attrs::of(attrs), .output_channels_last = true};
  call.inputs = {{.dims = {1, 3, 5, 6}, .channels_last = true}, {.dims = {4, 3, 3, 3}, .constant = true}};
  call.epilogues = {{.kind = Kind::bias, .input = 2}, {.kind = Kind::silu}, {.kind = Kind::add, .input = 3}};
  call.epilogue_inputs = {{.dims = {4}}, {.dims = {1, 4, 5, 6}, .channels_last = true}};
  const auto tactics = make_tactics(CpuLevel::avx2);
  expect_matches_reference(*tactics.back(), call, {});
  call.output_dtype = DType::bf16;
  expect_matches_reference(*tactics.back(), call, {.relative = 4e-3});
}

}  // namespace
}  // namespace memline::cpu
