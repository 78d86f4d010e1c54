// The kinds of epilogue, alone: kernels of one CPU level see this and no standard library.
#pragma once

#include <cstdint>

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
  gelu,       // x/2 * (1 + erf(x / sqrt 2))
  gelu_tanh,  // its tanh form
  mish,       // x * tanh(log(1 + exp(x)))
  affine,     // a*x + b
};

}  // namespace memline::ops
