// Activations on one register of floats. Relative error of exp: 1e-7 (polynomial fitted on [-ln2/2, ln2/2]); the others
// follow from it. A NaN stays one.
#pragma once

#include "cpu/simd/vec.h"

namespace memline::cpu::MEML_LEVEL {

// e^f * 2^n = e^x with integral n and |f| <= ln2/2: gives e^f and n.
MEML_INLINE Vec exp_fraction(Vec x, Vec& n) {
  n = round(mul(x, set1(1.44269504f)));
  Vec f = fnma(n, set1(0.693359375f), x);  // ln 2 in two parts: the first has few bits, so n times it is exact
  f = fnma(n, set1(-2.12194440e-4f), f);
  Vec p = set1(1.381430426e-3f);
  p = fma(p, f, set1(8.368853480e-3f));
  p = fma(p, f, set1(4.166840017e-2f));
  p = fma(p, f, set1(1.666651964e-1f));
  p = fma(p, f, set1(0.5f));
  p = fma(p, f, set1(1.0f));
  return fma(p, f, set1(1.0f));
}

// e^x for x limited to [-87.3, 88], where results are normal and finite: enough inside the activations below.
MEML_INLINE Vec exp_limited(Vec x) {
  Vec n;
  const Vec p = exp_fraction(min(set1(88.0f), max(set1(-87.3f), x)), n);
  return scale_by_power_of_two(p, n);
}

// e^x for any x: overflows to infinity, underflows through the subnormals to 0. Scaled in two halves, each a normal
// power of two.
MEML_INLINE Vec exp(Vec x) {
  Vec n;
  const Vec p = exp_fraction(min(set1(89.0f), max(set1(-105.0f), x)), n);
  const Vec half = floor(mul(n, set1(0.5f)));
  return scale_by_power_of_two(scale_by_power_of_two(p, half), sub(n, half));
}

MEML_INLINE Vec sigmoid(Vec x) { return div(set1(1.0f), add(set1(1.0f), exp_limited(sub(zero(), x)))); }
MEML_INLINE Vec silu(Vec x) { return div(x, add(set1(1.0f), exp_limited(sub(zero(), x)))); }

#if defined(__AVX512F__)
// For results that are rounded to bf16. 2^t with a relative error of 7.5e-5: 2^f is a cubic fitted on [0, 1]; scalef
// takes the floor of its second operand itself.
MEML_INLINE Vec exp2_for_bf16(Vec t) {
  const Vec f = _mm512_reduce_ps(t, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);  // t - floor(t)
  Vec p = set1(0.078024521f);
  p = fma(p, f, set1(0.226067175f));
  p = fma(p, f, set1(0.695833524f));
  p = fma(p, f, set1(0.999925221f));
  return _mm512_scalef_ps(p, t);
}
// Relative error 1.4e-4 (the reciprocal's is 6.1e-5), 1/14 of half a step of bf16.
MEML_INLINE Vec silu_for_bf16(Vec x) {
  const Vec e = exp2_for_bf16(min(set1(200.0f), mul(x, set1(-1.44269504f))));
  return mul(x, _mm512_rcp14_ps(add(set1(1.0f), e)));
}
#endif

// 1 - 2/(e^2|x| + 1); below 0.4, where that cancels, the series to x^11.
MEML_INLINE Vec tanh(Vec x) {
  const Vec a = abs(x);
  const Vec large = sub(set1(1.0f), div(set1(2.0f), add(exp_limited(add(a, a)), set1(1.0f))));
  const Vec s = mul(x, x);
  Vec p = set1(-8.8632356e-3f);
  p = fma(p, s, set1(2.1869488e-2f));
  p = fma(p, s, set1(-5.3968254e-2f));
  p = fma(p, s, set1(1.3333333e-1f));
  p = fma(p, s, set1(-3.3333333e-1f));
  const Vec small = fma(mul(p, s), x, x);
  return select(less(a, set1(0.4f)), small, copy_sign(large, x));
}

// erfc(|z|) by Abramowitz and Stegun 7.1.26: absolute error 1.5e-7, and no cancellation in the tail.
MEML_INLINE Vec erfc_of_abs(Vec z) {
  const Vec a = abs(z);
  const Vec t = div(set1(1.0f), fma(set1(0.3275911f), a, set1(1.0f)));
  Vec p = set1(1.061405429f);
  p = fma(p, t, set1(-1.453152027f));
  p = fma(p, t, set1(1.421413741f));
  p = fma(p, t, set1(-0.284496736f));
  p = fma(p, t, set1(0.254829592f));
  return mul(mul(p, t), exp_limited(sub(zero(), mul(a, a))));
}
MEML_INLINE Vec erf(Vec x) { return copy_sign(sub(set1(1.0f), erfc_of_abs(x)), x); }

MEML_INLINE Vec gelu(Vec x) {
  const Vec tail = erfc_of_abs(mul(x, set1(0.70710678f)));
  return mul(mul(x, set1(0.5f)), select(less(x, zero()), tail, sub(set1(2.0f), tail)));
}
// x/2 (1 + tanh u) = x * sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3)
MEML_INLINE Vec gelu_tanh(Vec x) {
  const Vec u2 = mul(mul(x, set1(1.59576912f)), fma(mul(x, x), set1(0.044715f), set1(1.0f)));
  return mul(x, sigmoid(u2));
}
// tanh(log(1 + e)) = (e^2 + 2e) / (e^2 + 2e + 2) with e = e^x; from 20 on it is 1 in f32.
MEML_INLINE Vec mish(Vec x) {
  const Vec e = exp_limited(min(set1(20.0f), x));
  const Vec n = mul(e, add(e, set1(2.0f)));
  return mul(x, div(n, add(n, set1(2.0f))));
}
MEML_INLINE Vec clip(Vec x, float low, float high) { return min(set1(high), max(set1(low), x)); }
MEML_INLINE Vec hard_sigmoid(Vec x, float a, float b) { return clip(fma(x, set1(a), set1(b)), 0.0f, 1.0f); }
MEML_INLINE Vec hard_swish(Vec x) { return mul(x, hard_sigmoid(x, 1.0f / 6.0f, 0.5f)); }
MEML_INLINE Vec leaky_relu(Vec x, float slope) { return select(less(x, zero()), mul(x, set1(slope)), x); }

}  // namespace memline::cpu::MEML_LEVEL
