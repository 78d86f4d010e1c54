// Epilogues: what a fused node does to each element of its base op's result before it is stored, in order. Kernels apply them in
// registers; the reference applies them one after the other in f32 and rounds once.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tensor/tensor_view.h"

namespace memline::ops {

enum class EpilogueKind : uint8_t {
  bias,          // + input[c], one f32 a channel (axis 1; the last axis for MatMul and Gemm)
  add,           // + input, broadcast to the output's shape by ONNX's rule (a residual)
  mul,           // * input, broadcast
  relu,          // max(x, 0)
  leaky_relu,    // x < 0 ? a*x : x
  clip,          // min(max(x, a), b)
  sigmoid,       // 1 / (1 + exp(-x))
  silu,          // x * sigmoid(x)
  hard_sigmoid,  // clip(a*x + b, 0, 1)
  hard_swish,    // x * clip(x/6 + 1/2, 0, 1)
  tanh,
  gelu,          // x/2 * (1 + erf(x / sqrt 2))
  gelu_tanh,     // its tanh form
  mish,          // x * tanh(log(1 + exp(x)))
  affine,        // a*x + b
};

struct Epilogue {
  EpilogueKind kind = EpilogueKind::relu;
  float a = 0, b = 0;
  int32_t input = -1;  // bias, add, mul: index into the node's inputs

  bool reads_input() const { return kind == EpilogueKind::bias || kind == EpilogueKind::add || kind == EpilogueKind::mul; }
  bool operator==(const Epilogue&) const = default;
};

std::string_view epilogue_name(EpilogueKind kind);
std::string epilogue_text(const Epilogue& epilogue);  // "bias(2)", "clip(0,6)", "silu"
Result<Epilogue> parse_epilogue(std::string_view text);

// One epilogue without an input, on one value. The definition the kernels are tested against.
float apply_scalar(const Epilogue& epilogue, float x);

// Applies the list in place to an f32 tensor. `inputs` are the node's inputs, of any float dtype; channel_axis is bias's axis.
void apply_reference(std::span<const Epilogue> epilogues, std::span<const TensorView> inputs, int channel_axis, TensorView& f32);

}  // namespace memline::ops
