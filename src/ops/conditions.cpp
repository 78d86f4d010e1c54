// The two ways an op's shape rule states what must hold of extents that are not known yet: as fact when they are, else
// as a condition that every run checks before its first step.
#include "ops/op.h"

namespace memline::ops {

Status InferContext::expect_equal(const DimExpr& a, const DimExpr& b, std::string_view what) const {
  if (a == b) return {};
  if (a.is_constant() && b.is_constant()) return invalid_model("{}: {} and {} differ", what, a.text(), b.text());
  return slots_->demand(equal(a, b), what);
}

Status InferContext::demand(const DimExpr& condition, std::string_view what) const {
  if (condition.constant() == 0) return invalid_model("{}", what);
  return condition.is_constant() ? Status() : slots_->demand(condition, what);
}

}  // namespace memline::ops
