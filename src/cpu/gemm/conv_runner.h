// Runs a convolution over a geometry by strips, with packed weights: what the convolution tactics share.
#pragma once

#include "cpu/gemm/conv_pixels.h"
#include "cpu/gemm/conv_shape.h"

namespace memline::cpu {

class ConvRunner {
 public:
  // `packed`: every group's blocks; 64 bytes of which the first says whether all weights are finite; zeros for the
  // padding. pack_tail() writes the latter two.
  ConvRunner(const ConvShape& shape, const StripKernels& kernels, size_t epilogues, const std::byte* packed)
      : kernels_(kernels),
        shape_(shape),
        packed_shape_(shape.packed(kernels)),
        chunk_(shape, kernels, epilogues),
        packed_(packed) {}

  const ConvShape& shape() const { return shape_; }
  // Whether a kernel row's taps may be taken as one where an input row is dense: `stride_w` in elements.
  bool dense_rows(const ops::Window& x, int64_t stride_w) const;
  void run(const KernelArgs& args, const ConvGeometry& geometry, const StripEpilogue& epilogue) const noexcept;

  static int64_t packed_bytes(const ConvShape& shape, const StripKernels& kernels) {
    const PackedShape packed = shape.packed(kernels);
    return packed.bytes() * shape.attrs.group + kFlagBytes +
           align_up(shape.kernel_w * shape.depth * packed.element_bytes(), 64);
  }
  static void pack_tail(const ConvShape& shape, const StripKernels& kernels, const TensorView& weights,
                        std::byte* packed);

 private:
  static constexpr int64_t kFlagBytes = 64;
  void run_strip(const ConvPixels& pixels, const StripEpilogue& epilogue, int64_t group, int64_t block,
                 int64_t last_block) const noexcept;

  StripKernels kernels_;
  ConvShape shape_;
  PackedShape packed_shape_;
  ConvChunk chunk_;
  const std::byte* packed_;
};

}  // namespace memline::cpu
