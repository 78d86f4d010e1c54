// Epilogues: what a fused node does to each element of its base op's result before it is stored, in order. Kernels
// apply them in registers; the reference applies them one after the other in f32 and rounds once.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ops/epilogue_kind.h"
#include "tensor/tensor_view.h"

namespace memline::ops {

struct Epilogue {
  EpilogueKind kind = EpilogueKind::relu;
  float a = 0, b = 0;
  int32_t input = -1;  // bias, add, mul: index into the node's inputs

  bool reads_input() const {
    return kind == EpilogueKind::bias || kind == EpilogueKind::add || kind == EpilogueKind::mul;
  }
  bool operator==(const Epilogue&) const = default;
};

std::string_view epilogue_name(EpilogueKind kind);
std::string epilogue_text(const Epilogue& epilogue);  // "bias(2)", "clip(0,6)", "silu"
Result<Epilogue> parse_epilogue(std::string_view text);

// One epilogue without an input, on one value. The definition the kernels are tested against.
float apply_scalar(const Epilogue& epilogue, float x);

// Applies the list in place to an f32 tensor. `inputs` are the node's inputs, of any float dtype; channel_axis is
// bias's axis.
void apply_reference(std::span<const Epilogue> epilogues, std::span<const TensorView> inputs, int channel_axis,
                     TensorView& f32);

}  // namespace memline::ops
