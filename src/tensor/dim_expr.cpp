// Canonical construction of integer expressions (the form is described in dim_node.h).
//   * + - and products with a constant work on linear forms; products on monomials (a number and sorted factors)
//   * (k*x + r) div k is x + (r div k); ((u div a) + c) div b is (u + c*a) div (a*b); a factor common to both sides
//     cancels
//   * ceil_div becomes floor_div: by a constant k it is (x + k-1) div k, else -((-a) div b)
//   * min and max drop an argument that differs from another one by a constant
#include "tensor/dim_expr.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/size.h"
#include "tensor/dim_node.h"

namespace memline {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
// Pairs of min/max arguments are compared up to this many arguments: a difference costs an allocation.
constexpr size_t kComparedArguments = 8;

struct Linear {
  int64_t constant = 0;
  std::vector<int64_t> coefficients;
  std::vector<DimExpr> terms;

  void add(int64_t coefficient, const DimExpr& term) {
    coefficients.push_back(coefficient);
    terms.push_back(term);
  }
  DimExpr value() const { return sum(constant, coefficients, terms); }
};

// coefficient * factors; factors are in no order.
struct Monomial {
  int64_t coefficient = 1;
  std::vector<DimExpr> factors;
};

const DimNode* node_if(const DimExpr& expression, DimKind kind) {
  const DimNode* node = DimNode::of(expression);
  return node != nullptr && node->kind == kind ? node : nullptr;
}

Linear linear_of(const DimExpr& expression) {
  if (const auto constant = expression.constant()) return {.constant = *constant};
  if (const DimNode* node = node_if(expression, DimKind::sum)) return {node->constant, node->coefficients, node->dims};
  return {0, {1}, {expression}};
}

Linear scaled(Linear linear, int64_t by) {
  linear.constant = saturating_mul(linear.constant, by);
  for (int64_t& coefficient : linear.coefficients) coefficient = saturating_mul(coefficient, by);
  return linear;
}

DimExpr scale(const DimExpr& expression, int64_t by) {
  return by == 1 ? expression : scaled(linear_of(expression), by).value();
}

// The greatest common divisor of `with` and the coefficients, > 0; 1 where it cannot be said.
int64_t common_divisor(const std::vector<int64_t>& coefficients, int64_t with) {
  if (with == kLeast) return 1;
  int64_t divisor = with;
  for (const int64_t coefficient : coefficients) {
    if (coefficient == kLeast) return 1;
    divisor = std::gcd(divisor, coefficient);
  }
  return divisor == 0 ? 1 : std::abs(divisor);
}
int64_t content(const Linear& linear) { return common_divisor(linear.coefficients, linear.constant); }

Linear divided(Linear linear, int64_t by) {
  linear.constant /= by;
  for (int64_t& coefficient : linear.coefficients) coefficient /= by;
  return linear;
}

Monomial monomial_of(const DimExpr& expression) {
  if (const auto constant = expression.constant()) return {.coefficient = *constant};
  if (const DimNode* node = node_if(expression, DimKind::product)) return {1, node->dims};
  if (node_if(expression, DimKind::sum) == nullptr) return {1, {expression}};
  const Linear linear = linear_of(expression);
  if (linear.constant == 0 && linear.terms.size() == 1) {
    Monomial monomial = monomial_of(linear.terms[0]);
    monomial.coefficient = linear.coefficients[0];
    return monomial;
  }
  const int64_t divisor = content(linear);
  return {divisor, {divisor == 1 ? expression : divided(linear, divisor).value()}};
}

bool precedes(const DimExpr& a, const DimExpr& b) { return compare(a, b) < 0; }

DimExpr value_of(Monomial monomial) {
  if (monomial.coefficient == 0 || monomial.factors.empty()) return monomial.coefficient;
  if (monomial.factors.size() == 1) return scale(monomial.factors[0], monomial.coefficient);
  std::sort(monomial.factors.begin(), monomial.factors.end(), precedes);
  return scale(DimNode::make_dim({.kind = DimKind::product, .dims = std::move(monomial.factors)}),
               monomial.coefficient);
}

DimExpr make(DimKind kind, const DimExpr& a, const DimExpr& b) {
  return DimNode::make_dim({.kind = kind, .dims = {a, b}});
}

// (u div a) + c, when the dividend is that; a > 0.
struct Quotient {
  DimExpr dividend;
  int64_t divisor = 1, added = 0;
};
std::optional<Quotient> quotient_of(const Linear& linear) {
  if (linear.terms.size() != 1 || linear.coefficients[0] != 1) return std::nullopt;
  const DimNode* node = node_if(linear.terms[0], DimKind::floor_div);
  if (node == nullptr || node->dims[1].constant().value_or(0) <= 0) return std::nullopt;
  return Quotient{node->dims[0], *node->dims[1].constant(), linear.constant};
}

DimExpr floor_div_by(Linear dividend, int64_t divisor) {
  if (divisor == 1) return dividend.value();
  Linear whole{.constant = dim_math::floor_div(dividend.constant, divisor)},
      rest{.constant = dim_math::mod(dividend.constant, divisor)};
  for (size_t i = 0; i < dividend.terms.size(); ++i) {
    const int64_t coefficient = dividend.coefficients[i];
    if (coefficient % divisor == 0)
      whole.add(coefficient / divisor, dividend.terms[i]);
    else
      rest.add(coefficient, dividend.terms[i]);
  }
  if (rest.terms.empty()) return whole.value();
  const int64_t common = common_divisor(rest.coefficients, divisor);
  rest = divided(std::move(rest), common);
  divisor /= common;
  if (const auto inner = quotient_of(rest)) {
    const auto product = checked_mul(inner->divisor, divisor);
    const auto added = checked_mul(inner->added, inner->divisor);
    if (product && added) return whole.value() + floor_div_by(linear_of(inner->dividend + *added), *product);
  }
  return whole.value() + make(DimKind::floor_div, rest.value(), divisor);
}

// Removes one factor equal to `factor`; false when there is none.
bool remove_factor(Monomial& monomial, const DimExpr& factor) {
  const auto found = std::find(monomial.factors.begin(), monomial.factors.end(), factor);
  if (found == monomial.factors.end()) return false;
  monomial.factors.erase(found);
  return true;
}

// Divides `dividend` by `factor` where that leaves no rest whatever the slots are: as one product, or term by term.
bool cancel(DimExpr& dividend, const DimExpr& factor) {
  Monomial whole = monomial_of(dividend);
  if (remove_factor(whole, factor)) {
    dividend = value_of(std::move(whole));
    return true;
  }
  const Linear linear = linear_of(dividend);
  if (linear.constant != 0) return false;
  DimExpr quotient;
  for (size_t i = 0; i < linear.terms.size(); ++i) {
    Monomial term = monomial_of(linear.terms[i]);
    if (!remove_factor(term, factor)) return false;
    quotient = quotient + scale(value_of(std::move(term)), linear.coefficients[i]);
  }
  dividend = quotient;
  return true;
}

}  // namespace

DimExpr sum(int64_t constant, std::span<const int64_t> coefficients, std::span<const DimExpr> terms) {
  std::vector<size_t> order(terms.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return compare(terms[a], terms[b]) < 0; });
  DimNode node{.kind = DimKind::sum, .constant = constant};
  for (const size_t i : order) {
    if (!node.dims.empty() && node.dims.back() == terms[i])
      node.coefficients.back() = saturating_add(node.coefficients.back(), coefficients[i]);
    else {
      if (!node.coefficients.empty() && node.coefficients.back() == 0)
        node.coefficients.pop_back(), node.dims.pop_back();
      node.coefficients.push_back(coefficients[i]);
      node.dims.push_back(terms[i]);
    }
  }
  if (!node.coefficients.empty() && node.coefficients.back() == 0) node.coefficients.pop_back(), node.dims.pop_back();
  if (node.dims.empty()) return constant;
  if (node.dims.size() == 1 && node.coefficients[0] == 1 && constant == 0) return node.dims[0];
  return DimNode::make_dim(std::move(node));
}

DimExpr operator+(const DimExpr& a, const DimExpr& b) {
  Linear result = linear_of(a);
  const Linear other = linear_of(b);
  result.constant = saturating_add(result.constant, other.constant);
  for (size_t i = 0; i < other.terms.size(); ++i) result.add(other.coefficients[i], other.terms[i]);
  return result.value();
}

DimExpr operator-(const DimExpr& a, const DimExpr& b) { return a + scale(b, -1); }

DimExpr operator*(const DimExpr& a, const DimExpr& b) {
  if (const auto constant = b.constant()) return scale(a, *constant);
  if (const auto constant = a.constant()) return scale(b, *constant);
  Monomial result = monomial_of(a), other = monomial_of(b);
  result.coefficient = saturating_mul(result.coefficient, other.coefficient);
  for (DimExpr& factor : other.factors) result.factors.push_back(std::move(factor));
  return value_of(std::move(result));
}

DimExpr floor_div(const DimExpr& a, const DimExpr& b) {
  DimExpr dividend = a;
  Monomial divisor = monomial_of(b);
  std::erase_if(divisor.factors, [&](const DimExpr& factor) { return cancel(dividend, factor); });
  if (dividend == DimExpr(0) || divisor.coefficient == 0) return 0;
  Linear linear = linear_of(dividend);
  if (divisor.factors.empty()) {
    if (divisor.coefficient == kLeast) return make(DimKind::floor_div, dividend, divisor.coefficient);
    if (divisor.coefficient > 0) return floor_div_by(std::move(linear), divisor.coefficient);
    return floor_div_by(scaled(std::move(linear), -1), -divisor.coefficient);
  }
  if (divisor.coefficient != kLeast) {
    const int64_t common = std::gcd(content(linear), divisor.coefficient);
    dividend = divided(std::move(linear), common).value();
    divisor.coefficient /= common;
  }
  return make(DimKind::floor_div, dividend, value_of(std::move(divisor)));
}

DimExpr ceil_div(const DimExpr& a, const DimExpr& b) {
  if (const auto divisor = b.constant(); divisor && *divisor > 0) return floor_div(a + (*divisor - 1), b);
  return scale(floor_div(scale(a, -1), b), -1);
}

DimExpr mod(const DimExpr& a, const DimExpr& b) {
  if (const auto divisor = b.constant()) {
    if (a.is_constant()) return dim_math::mod(*a.constant(), *divisor);
    if (*divisor == 0) return 0;
    if (*divisor < 0) return make(DimKind::mod, a, b);
    Linear rest = linear_of(a);
    rest.constant = dim_math::mod(rest.constant, *divisor);
    for (int64_t& coefficient : rest.coefficients) coefficient = dim_math::mod(coefficient, *divisor);
    const DimExpr reduced = rest.value();
    if (const auto constant = reduced.constant()) return *constant;
    return make(DimKind::mod, reduced, b);
  }
  if (a == DimExpr(0) || a == b) return 0;
  return make(DimKind::mod, a, b);
}

DimExpr extremum(DimKind kind, std::vector<DimExpr> arguments) {
  std::vector<DimExpr> flat;
  for (const DimExpr& argument : arguments) {
    const DimNode* node = node_if(argument, kind);
    if (node == nullptr)
      flat.push_back(argument);
    else
      flat.insert(flat.end(), node->dims.begin(), node->dims.end());
  }
  std::sort(flat.begin(), flat.end(), precedes);
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  const auto worse = [kind](int64_t difference) { return kind == DimKind::min ? difference > 0 : difference < 0; };
  std::vector<DimExpr> kept;
  for (size_t i = 0; i < flat.size(); ++i) {
    bool dropped = false;
    for (size_t j = 0; j < flat.size() && !dropped; ++j) {
      if (i == j || (flat.size() > kComparedArguments && !(flat[i].is_constant() && flat[j].is_constant()))) continue;
      const auto difference = (flat[i] - flat[j]).constant();
      dropped = difference && worse(*difference);
    }
    if (!dropped) kept.push_back(flat[i]);
  }
  if (kept.size() == 1) return kept[0];
  return DimNode::make_dim({.kind = kind, .dims = std::move(kept)});
}

DimExpr min(const DimExpr& a, const DimExpr& b) { return extremum(DimKind::min, {a, b}); }
DimExpr max(const DimExpr& a, const DimExpr& b) { return extremum(DimKind::max, {a, b}); }

DimExpr equal(const DimExpr& a, const DimExpr& b) {
  if (const auto difference = (a - b).constant()) return *difference == 0 ? 1 : 0;
  return precedes(a, b) ? make(DimKind::equal, a, b) : make(DimKind::equal, b, a);
}

DimExpr less(const DimExpr& a, const DimExpr& b) {
  if (const auto difference = (a - b).constant()) return *difference < 0 ? 1 : 0;
  return make(DimKind::less, a, b);
}

DimExpr select(const DimExpr& condition, const DimExpr& when_true, const DimExpr& when_false) {
  if (const auto constant = condition.constant()) return *constant != 0 ? when_true : when_false;
  if (when_true == when_false) return when_true;
  return DimNode::make_dim({.kind = DimKind::select, .dims = {condition, when_true, when_false}});
}

DimExpr product(std::span<const DimExpr> dims) {
  Monomial result;
  for (const DimExpr& dim : dims) {
    Monomial other = monomial_of(dim);
    result.coefficient = saturating_mul(result.coefficient, other.coefficient);
    for (DimExpr& factor : other.factors) result.factors.push_back(std::move(factor));
  }
  return value_of(std::move(result));
}

}  // namespace memline
