#include "fit/inverse_view.h"

#include <algorithm>

#include "ops/registry.h"

namespace memline {
namespace {

// For views that permute, cut or drop axes: telling strides show which input axis each output axis is. They are
// distinct, and one of them is 1, since a view of something without a unit stride is none.
std::optional<ops::Placement> invert_by_probe(const MenuNode& view, const ops::InferContext& context, size_t output,
                                              const ops::Placement& wanted) {
  constexpr int64_t kFarApart = 1000003;
  const size_t rank = view.call.in[0].type.dims.size();
  ops::Placement probe;
  size_t unit = 0;
  for (size_t axis = 0; axis < rank; ++axis)
    if (view.call.in[0].type.dims[axis].constant() != 1) unit = axis;
  for (size_t axis = 0; axis < rank; ++axis)
    probe.strides.push_back(axis == unit ? DimExpr(1) : DimExpr(kFarApart + static_cast<int64_t>(axis)));
  const auto seen = view.call.op->views.output(view.call.attrs, context, output, 0, probe);
  if (!seen) return std::nullopt;
  ops::Placement input;
  for (size_t axis = 0; axis < rank; ++axis) {
    std::optional<DimExpr> stride;
    for (size_t out_axis = 0; out_axis < seen->strides.size(); ++out_axis)
      if (seen->strides[out_axis] == probe.strides[axis]) stride = wanted.strides[out_axis];
    if (!stride && view.call.in[0].type.dims[axis].constant() != 1) return std::nullopt;
    input.strides.push_back(stride.value_or(DimExpr(1)));
  }
  const auto moved = view.call.op->views.output(view.call.attrs, context, output, 0, input);
  if (!moved) return std::nullopt;
  input.offset = wanted.offset - moved->offset;
  return input;
}

// For views that merge or split axes: the opposite reshape.
std::optional<ops::Placement> invert_by_reshape(const MenuNode& view, size_t output, const ops::Placement& wanted) {
  static constexpr std::string_view kReshapes[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"};
  if (std::find(std::begin(kReshapes), std::end(kReshapes), view.call.op->name) == std::end(kReshapes))
    return std::nullopt;
  const ops::OpDef* reshape = ops::find("Reshape");
  const std::vector<DimExpr>& dims = view.call.in[0].type.dims;
  const ops::InferInput inputs[2] = {
      {.type = view.call.out[output].type},
      {.type = {DType::i64, {DimExpr(static_cast<int64_t>(dims.size()))}}, .values = &dims},
  };
  const ops::InferContext context(inputs, 1, nullptr);
  const auto attrs = reshape->parse_attrs("");
  return attrs ? reshape->views.output(*attrs, context, 0, 0, wanted) : std::nullopt;
}

}  // namespace

CallContext::CallContext(const OpCall& call) : integers_(call.base_inputs) {
  for (size_t i = 0; i < call.base_inputs; ++i) {
    ops::InferInput input;
    input.present = call.in[i].present;
    input.type = call.in[i].type;
    if (call.in[i].is_constant && call.in[i].value.data != nullptr) input.constant = &call.in[i].value;
    if (input.constant && input.type.dtype == DType::i64 && input.constant->elements() <= 64) {
      const auto* data = static_cast<const int64_t*>(input.constant->data);
      integers_[i].emplace(data, data + input.constant->elements());
      input.values = &*integers_[i];
    } else if (!call.in[i].integers.empty()) {
      input.values = &call.in[i].integers;
    }
    inputs_.push_back(std::move(input));
  }
  context_.emplace(inputs_, call.out.size(), nullptr);
}

bool same_placement(const ops::Placement& a, const ops::Placement& b, const std::vector<DimExpr>& dims) {
  if (!(a.offset == b.offset)) return false;
  for (size_t axis = 0; axis < dims.size(); ++axis)
    if (dims[axis].constant() != 1 && !(a.strides[axis] == b.strides[axis])) return false;
  return true;
}

std::optional<ops::Placement> inverse_view(const MenuNode& view, size_t output, const ops::Placement& wanted) {
  const CallContext context(view.call);
  std::optional<ops::Placement> input = invert_by_probe(view, context.infer(), output, wanted);
  if (!input) input = invert_by_reshape(view, output, wanted);
  if (!input) return std::nullopt;
  const auto check = view.call.op->views.output(view.call.attrs, context.infer(), output, 0, *input);
  if (!check || !same_placement(*check, wanted, view.call.out[output].type.dims)) return std::nullopt;
  return input;
}

}  // namespace memline
