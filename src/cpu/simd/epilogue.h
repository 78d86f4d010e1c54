// Epilogues on registers and on small tiles that lie in L1. A list is applied step by step over the tile, so the switch
// is taken once a step and tile.
#pragma once

#include "cpu/simd/activations.h"
#include "cpu/simd/epilogue_steps.h"

namespace memline::cpu::MEML_LEVEL {

// f(x) on every register of the tile.
template <typename F>
MEML_INLINE void for_each_register(const EpilogueTile& tile, F&& f) {
  float* const end = tile.values + static_cast<int64_t>(tile.rows) * tile.width;
  for (float* p = tile.values; p != end; p += kLanes) store(p, f(load(p)));
}

// One step without an operand, on one register.
MEML_INLINE Vec apply_activation(const EpilogueStep& step, Vec x) {
  using Kind = ops::EpilogueKind;
  switch (step.kind) {
    case Kind::relu:
      return max(zero(), x);
    case Kind::leaky_relu:
      return leaky_relu(x, step.a);
    case Kind::clip:
      return clip(x, step.a, step.b);
    case Kind::sigmoid:
      return sigmoid(x);
    case Kind::silu:
      return silu(x);
    case Kind::hard_sigmoid:
      return hard_sigmoid(x, step.a, step.b);
    case Kind::hard_swish:
      return hard_swish(x);
    case Kind::tanh:
      return tanh(x);
    case Kind::gelu:
      return gelu(x);
    case Kind::gelu_tanh:
      return gelu_tanh(x);
    case Kind::mish:
      return mish(x);
    case Kind::affine:
      return fma(x, set1(step.a), set1(step.b));
    case Kind::bias:
    case Kind::add:
    case Kind::mul:
      break;
  }
  return x;
}

// Up to kLanes elements of an operand, from channel-stride-free position p on.
template <typename T>
MEML_INLINE Vec load_operand(const T* p, int64_t channel_stride, int n) {
  if (channel_stride == 1) return n >= kLanes ? load(p) : load_first(p, n);
  alignas(64) T lanes[kLanes] = {};
  for (int i = 0; i < kLanes; ++i) lanes[i] = p[i < n ? i * channel_stride : 0];
  return load(lanes);
}

template <typename T>
MEML_INLINE void apply_operand(const EpilogueTile& tile, const EpilogueStep& step, const int64_t* row_offsets) {
  const bool is_mul = step.kind == ops::EpilogueKind::mul;
  for (int r = 0; r < tile.rows; ++r) {
    const T* row = static_cast<const T*>(step.data) + row_offsets[r] + tile.first_channel * step.channel_stride;
    float* values = tile.values + static_cast<int64_t>(r) * tile.width;
    for (int c = 0; c < tile.channels; c += kLanes) {
      const Vec operand = load_operand(row + c * step.channel_stride, step.channel_stride, tile.channels - c);
      const Vec x = load(values + c);
      store(values + c, is_mul ? mul(x, operand) : add(x, operand));
    }
  }
}

// Applies steps [first, step_count) to the tile, in place.
static __attribute__((noinline, unused)) void apply_epilogue(const EpilogueTile& tile, int first = 0) {
  using Kind = ops::EpilogueKind;
  for (int s = first; s < tile.step_count; ++s) {
    const EpilogueStep& step = tile.steps[s];
    switch (step.kind) {
      case Kind::bias:
      case Kind::add:
      case Kind::mul:
        if (step.is_bf16)
          apply_operand<uint16_t>(tile, step, tile.row_offsets[s]);
        else
          apply_operand<float>(tile, step, tile.row_offsets[s]);
        break;
      case Kind::relu:
        for_each_register(tile, [](Vec x) { return max(zero(), x); });
        break;
      case Kind::silu:
        for_each_register(tile, [](Vec x) { return silu(x); });
        break;
      case Kind::sigmoid:
        for_each_register(tile, [](Vec x) { return sigmoid(x); });
        break;
      default:
        for_each_register(tile, [&](Vec x) { return apply_activation(step, x); });
        break;
    }
  }
}

}  // namespace memline::cpu::MEML_LEVEL
