#include "cpu/gemm/conv_shape.h"

#include "cpu/bound_epilogue.h"
#include "ops/reference.h"

namespace memline::cpu {

ConvShape::ConvShape(const OpCall& call)
    : attrs(call.attrs.as<ops::ConvAttrs>()), has_bias(call.base_inputs > 2 && call.in[2].present) {
  const std::vector<int64_t>& w = call.in[1].max_dims;
  rank = static_cast<int>(w.size());
  kernel_w = w.back();
  kernel_h = rank == 4 ? w[2] : 1;
  depth = w[1];
  outputs = w[0] / attrs.group;
}

void ConvShape::pack(const OpCall& call, const PackedShape& shape, std::byte* out) const {
  const TensorView& w = call.in[1].value;
  const int64_t tap_depth = shape.taps * shape.depth / taps();
  for (int64_t group = 0; group < attrs.group; ++group) {
    for (int64_t block = 0; block < shape.blocks.count(); ++block) {
      pack_block(shape, block, out, [&](int64_t channel, int64_t tap, int64_t k) {
        const int64_t product = tap * shape.depth + k;  // counts taps, then channels, in either shape
        const int64_t at_tap = product / tap_depth, channel_in = product % tap_depth;
        if (channel_in >= depth) return 0.0f;
        int64_t at = (group * outputs + channel) * w.stride(0) + channel_in * w.stride(1) +
                     at_tap % kernel_w * w.stride(w.rank - 1);
        if (w.rank == 4) at += at_tap / kernel_w * w.stride(2);
        return ops::load<float>(w, at);
      });
      out += shape.block_bytes(shape.blocks.width(block));
    }
  }
}

double ConvShape::products(const OpCall& call, const StripKernels& kernels) const {
  double products = static_cast<double>(taps() * align_up(depth, kernels.pair)) *
                    static_cast<double>(packed(kernels).blocks.padded_channels() * attrs.group);
  for (size_t axis = 0; axis < call.out[0].max_dims.size(); ++axis)
    if (axis != 1) products *= static_cast<double>(call.out[0].max_dims[axis]);
  return products;
}

Support conv_supported(const OpCall& call, const StripKernels& kernels) {
  MEML_REFUSE_IF(call.op->name != "Conv" || !call.op->domain.empty(), "the op is not Conv");
  return operands_supported(call, kernels);
}

Support operands_supported(const OpCall& call, const StripKernels& kernels) {
  const DType dtype = kernels.pair == 1 ? DType::f32 : DType::bf16;
  const CallOperand &w = call.in[1], &y = call.out[0];
  MEML_REFUSE_IF(y.type.dtype != dtype, "output is {}, needs {}", y.type.dtype, dtype);
  MEML_REFUSE_IF(!w.is_constant, "weights are computed at run time");
  MEML_REFUSE_IF(y.type.rank() != 3 && y.type.rank() != 4, "rank is {}, needs 3 or 4", y.type.rank());
  MEML_REFUSE_IF(y.order.axes[y.order.rank - 1u] != 1, "output order {} does not end in the channels", y.order.text());
  if (call.base_inputs > 2 && call.in[2].present)
    MEML_REFUSE_IF(call.in[2].type.dtype != DType::f32, "bias is {}, needs f32", call.in[2].type.dtype);
  return epilogue_supported(call);
}

}  // namespace memline::cpu
