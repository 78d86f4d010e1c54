// Select: y = condition ? a : b, whole tensors. Ours: the importer makes one for each result of an If.
//   in   condition, one bool; a and b, of one dtype and rank
//   out  the one that is taken; an extent in which they differ is a count
// The one that is not taken may be absent, and its bytes mean nothing.
#include "ops/select_branch.h"

#include "ops/reference.h"
#include "ops/shape_values.h"

namespace memline::ops {
namespace {

// Known where both are numbers. (What depends on counts would tie whoever reads the extent to the branch that finds
// them, and that may not run.)
std::optional<DimExpr> known(const InferContext& in, const DimExpr& a, const DimExpr& b) {
  if (a == b) return a;
  const auto* condition = in.values(kSelectCondition);
  if (condition == nullptr || !a.is_constant() || !b.is_constant()) return std::nullopt;
  return select(condition->front(), a, b);
}

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(3, 3));
  if (in.dtype(kSelectCondition) != DType::boolean || !(product(in.dims(kSelectCondition)) == DimExpr(1)))
    return invalid_model("its condition is {}, needs one bool", in.type(kSelectCondition).text());
  const TensorType &a = in.type(kSelectThen), &b = in.type(kSelectElse);
  if (a.dtype != b.dtype) return invalid_model("its branches give {} and {}", a.text(), b.text());
  if (a.rank() != b.rank())
    return unsupported("its branches give {} and {}: results of different ranks", a.text(), b.text());
  TensorType y{.dtype = a.dtype};
  for (size_t axis = 0; axis < a.dims.size(); ++axis) {
    const auto dim = known(in, a.dims[axis], b.dims[axis]);
    y.dims.push_back(dim ? *dim : in.count(fmt::format("axis {}", axis), max(a.dims[axis], b.dims[axis])));
  }
  return TensorTypes{std::move(y)};
}

Result<Integers> values(const NoAttrs&, const InferContext& in) {
  const auto *a = in.values(kSelectThen), *b = in.values(kSelectElse);
  if (a == nullptr || b == nullptr || a->size() != b->size()) return Integers();
  std::vector<DimExpr> integers;
  for (size_t i = 0; i < a->size(); ++i) {
    const auto integer = known(in, (*a)[i], (*b)[i]);
    if (!integer) return Integers();
    integers.push_back(*integer);
  }
  return Integers(std::move(integers));
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  const TensorView& taken = in[*in[kSelectCondition].as<const uint8_t>() != 0 ? kSelectThen : kSelectElse];
  for (int axis = 0; axis < taken.rank; ++axis) out[0].dims[axis] = taken.dims[axis];
  copy(taken, out[0]);
}

}  // namespace

bool is_select(const OpDef& op) { return op.name == "Select" && op.domain == "memline"; }

OpDef select_branch() {
  return define_op<NoAttrs>("Select", {.domain = "memline", .infer = infer, .values = values, .reference = reference});
}

}  // namespace memline::ops
