// ReverseSequence: for batch element b, the first lengths[b] steps on the time axis in reverse order; the rest as it
// is.
#include "ops/reverse_sequence.h"

#include <algorithm>

#include "ops/index.h"
#include "ops/shapes.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const ReverseSequenceAttrs& attrs, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(2, 2));
  MEML_TRY_STATUS(in.expect_rank(0, 2, kMaxRank));
  MEML_TRY_STATUS(in.expect_rank(1, 1, 1));
  const bool valid = (attrs.batch_axis == 0 && attrs.time_axis == 1) || (attrs.batch_axis == 1 && attrs.time_axis == 0);
  if (!valid)
    return invalid_model("batch_axis {} and time_axis {}: need 0 and 1, or 1 and 0", attrs.batch_axis, attrs.time_axis);
  if (in.dtype(1) != DType::i64) return invalid_model("the lengths are {}, need i64", in.dtype(1));
  MEML_TRY_STATUS(in.expect_equal(in.dims(1)[0], in.dims(0)[static_cast<size_t>(attrs.batch_axis)],
                                  "the number of lengths and the batch"));
  return TensorTypes{in.type(0)};
}

void reference(const ReverseSequenceAttrs& attrs, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView &data = in[0], &lengths = in[1];
  const auto time = static_cast<size_t>(attrs.time_axis), batch = static_cast<size_t>(attrs.batch_axis);
  Extents others = data.strides, position{}, length_strides{};
  others[time] = 0;
  position[time] = 1;
  length_strides[batch] = lengths.strides[0];
  walk<4>(data.rank, data.dims, {out[0].strides, others, position, length_strides}, [&](const auto& at) {
    const int64_t length = std::clamp<int64_t>(load<int64_t>(lengths, at[3]), 0, data.dims[time]);
    const int64_t step = at[2] < length ? length - 1 - at[2] : at[2];
    copy_element(data, at[1] + step * data.strides[time], out[0], at[0]);
  });
}

}  // namespace

OpDef reverse_sequence() {
  return define_op<ReverseSequenceAttrs>("ReverseSequence",
                                         {.since_opset = 10, .infer = infer, .reference = reference});
}

}  // namespace memline::ops
