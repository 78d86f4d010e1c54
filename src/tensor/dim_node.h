// DimNode: what DimExpr and FloatExpr share, and the only view of an expression's structure. Private to tensor/.
// Canonical form of an integer expression:
//   * a constant lives in the DimExpr itself; no node is a constant
//   * sum: constant + coefficients[i] * dims[i]; terms ascending by compare(), none of them a sum or constant, no
//     coefficient 0; never one bare term (coefficient 1, constant 0)
//   * product: at least two factors, ascending, none of them a product or constant. Its number is the coefficient of
//     the sum around it. A factor that is a sum has coefficients without a common divisor
//   * min, max: at least two arguments, ascending, all different, flattened
//   * floor_div, mod by a positive constant: no part of the dividend is a multiple of the divisor
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/dim_expr.h"

namespace memline {

enum class DimKind : uint8_t {
  slot,
  product,
  floor_div,
  mod,
  min,
  max,
  equal,
  less,
  select,
  floor,
  ceil,
  round,
  trunc,
  sum,  // DimExpr
  number,
  from_dim,
  add,
  subtract,
  multiply,
  divide,
  float_min,
  float_max  // FloatExpr
};

struct DimNode {
  DimKind kind = DimKind::slot;
  int64_t constant = 0;  // slot: its index; sum: its constant
  float number = 0;      // number: its value
  std::vector<int64_t> coefficients;
  std::vector<DimExpr> dims;
  std::vector<FloatExpr> floats;
  int32_t node_count = 1;
  uint64_t hash = 0;

  // Null when the expression is a constant.
  static const DimNode* of(const DimExpr& expression) { return expression.node_.get(); }
  static const DimNode& of(const FloatExpr& expression) { return *expression.node_; }
  // Count and hash are filled in.
  static DimExpr make_dim(DimNode node);
  static FloatExpr make_float(DimNode node);
};

// A total order that does not depend on addresses, so that canonical forms are the same in every process.
int compare(const DimExpr& a, const DimExpr& b);
int compare(const FloatExpr& a, const FloatExpr& b);

// The same as folding the two-argument forms, in one go: linear in the number of terms.
DimExpr sum(int64_t constant, std::span<const int64_t> coefficients, std::span<const DimExpr> terms);
DimExpr extremum(DimKind min_or_max, std::vector<DimExpr> arguments);

FloatExpr make_float(int kind, const FloatExpr& a, const FloatExpr& b);
DimExpr make_rounding(int kind, const FloatExpr& x);

namespace dim_math {
int64_t floor_div(int64_t a, int64_t b) noexcept;  // 0 when b is 0; saturates
int64_t mod(int64_t a, int64_t b) noexcept;        // 0 when b is 0
int64_t to_integer(float value) noexcept;          // saturates; NaN is 0
float apply(DimKind kind, float a, float b) noexcept;
float round(DimKind kind, float x) noexcept;  // still a float: to_integer() follows
}  // namespace dim_math

}  // namespace memline
