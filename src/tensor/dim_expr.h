// DimExpr: an extent as an expression over slots (integers known only at run time: an input dimension, a count).
//   * Immutable, cheap to copy (a constant is stored in place, anything else is a shared node). Equal expressions
//     compare equal after canonicalisation: sums are flattened into sorted terms with coefficients, constants are
//     folded, x*0, x+0, x/1, min(x,x) and the like vanish, (k*x)/k is x. Two expressions that differ may still be
//     equal for every slot value: that is a condition.
//   * Integer leaves: constants and slots. Operations: + - * floor_div ceil_div mod min max, comparisons (0 or 1),
//     select.
//   * FloatExpr is float32 arithmetic over the same leaves, evaluated in the order written (Resize scales, detectors
//     that compute their own size); floor, ceil, round_half_even and trunc bring it back to an integer.
//   * evaluate() allocates nothing: it is called in the run path. Division and mod by zero give 0; overflow
//     saturates. But a factor of both sides of a division cancels, zero or not: a batch of none keeps the extents of
//     its other axes.
//   * At most kMaxNodes nodes: ops::InferContext gives what is larger a slot of its own (`too_large`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace memline {

// Both ends are inside.
struct Interval {
  int64_t min = 0;
  int64_t max = 0;
  bool operator==(const Interval&) const = default;
};

struct DimNode;
class FloatExpr;

class DimExpr {
 public:
  static constexpr int kMaxNodes = 64;

  DimExpr() = default;                       // the constant 0
  DimExpr(int64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor): an extent is mostly a number
  static DimExpr slot(int32_t index);

  bool is_constant() const { return node_ == nullptr; }
  std::optional<int64_t> constant() const { return is_constant() ? std::optional(value_) : std::nullopt; }
  std::optional<int32_t> slot_index() const;  // set when the expression is exactly one slot
  int node_count() const;
  bool too_large() const { return node_count() > kMaxNodes; }

  int64_t evaluate(const int64_t* slots) const noexcept;
  // Sound bounds by interval arithmetic; slot i lies in ranges[i]. Not always tight: see maximum().
  Interval bounds(std::span<const Interval> ranges) const;
  void collect_slots(std::vector<int32_t>& slots) const;  // each once, ascending
  // Slot i becomes replacements[i].
  DimExpr substitute(std::span<const DimExpr> replacements) const;

  std::string text() const;  // "s0*4+3", "floordiv(s1+31, 32)", "40"; parse() reads it back
  static Result<DimExpr> parse(std::string_view text);

  bool operator==(const DimExpr& other) const;
  uint64_t hash() const;

 private:
  friend struct DimNode;
  friend class FloatExpr;
  explicit DimExpr(std::shared_ptr<const DimNode> node) : node_(std::move(node)) {}
  int64_t value_ = 0;
  std::shared_ptr<const DimNode> node_;
};

DimExpr operator+(const DimExpr& a, const DimExpr& b);
DimExpr operator-(const DimExpr& a, const DimExpr& b);
DimExpr operator*(const DimExpr& a, const DimExpr& b);
DimExpr floor_div(const DimExpr& a, const DimExpr& b);
DimExpr ceil_div(const DimExpr& a, const DimExpr& b);
DimExpr mod(const DimExpr& a, const DimExpr& b);  // sign of the divisor, as Python
DimExpr min(const DimExpr& a, const DimExpr& b);
DimExpr max(const DimExpr& a, const DimExpr& b);
DimExpr equal(const DimExpr& a, const DimExpr& b);
DimExpr less(const DimExpr& a, const DimExpr& b);
DimExpr select(const DimExpr& condition, const DimExpr& when_true, const DimExpr& when_false);

class FloatExpr {
 public:
  FloatExpr(float value);                  // NOLINT(google-explicit-constructor)
  explicit FloatExpr(const DimExpr& dim);  // the integer as float32
  std::optional<float> constant() const;
  std::optional<DimExpr> integer() const;  // set when it is an integer as float32, and no arithmetic
  int node_count() const;
  float evaluate(const int64_t* slots) const noexcept;
  void collect_slots(std::vector<int32_t>& slots) const;  // each once, ascending
  std::string text() const;
  bool operator==(const FloatExpr& other) const;

 private:
  friend struct DimNode;
  friend DimExpr make_rounding(int kind, const FloatExpr& x);
  friend FloatExpr make_float(int kind, const FloatExpr& a, const FloatExpr& b);
  explicit FloatExpr(std::shared_ptr<const DimNode> node) : node_(std::move(node)) {}
  std::shared_ptr<const DimNode> node_;
};

FloatExpr operator+(const FloatExpr& a, const FloatExpr& b);
FloatExpr operator-(const FloatExpr& a, const FloatExpr& b);
FloatExpr operator*(const FloatExpr& a, const FloatExpr& b);
FloatExpr operator/(const FloatExpr& a, const FloatExpr& b);
FloatExpr min(const FloatExpr& a, const FloatExpr& b);
FloatExpr max(const FloatExpr& a, const FloatExpr& b);
DimExpr floor(const FloatExpr& x);
DimExpr ceil(const FloatExpr& x);
DimExpr round_half_even(const FloatExpr& x);
DimExpr trunc(const FloatExpr& x);

// The largest value of `expression` over all slot values in `ranges`, by splitting the ranges until upper and lower
// bound agree within 2 % or `max_boxes` boxes were looked at (a count, never a time); the upper bound is returned, so
// it is always sound.
int64_t maximum(const DimExpr& expression, std::span<const Interval> ranges, int max_boxes = 4096);

// Product of dims: the number of elements.
DimExpr product(std::span<const DimExpr> dims);

}  // namespace memline
