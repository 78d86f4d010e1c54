#include "graph/infer.h"

#include "ops/reference.h"

namespace memline {
namespace {

Status check_bias(const ops::OpDef& op, const TensorType& bias, const TensorType& output) {
  const int axis = op.channel_axis < 0 ? output.rank() + op.channel_axis : op.channel_axis;
  if (axis < 0 || axis >= output.rank()) return invalid_model("has rank {}, so no channels for a bias", output.rank());
  if (bias.rank() != 1 || !(bias.dims[0] == output.dims[static_cast<size_t>(axis)]))
    return invalid_model("its bias has type {} but the output is {}", bias.text(), output.text());
  return {};
}

Status check_broadcast(const TensorType& input, const TensorType& output) {
  const int shift = output.rank() - input.rank();
  if (shift < 0)
    return invalid_model("an epilogue's input {} has more axes than the output {}", input.text(), output.text());
  for (int i = 0; i < input.rank(); ++i) {
    const DimExpr& dim = input.dims[static_cast<size_t>(i)];
    if (!(dim == DimExpr(1)) && !(dim == output.dims[static_cast<size_t>(i + shift)]))
      return invalid_model("an epilogue's input {} does not broadcast to the output {}", input.text(), output.text());
  }
  return {};
}

}  // namespace

std::string node_label(const ops::OpDef& op, std::string_view name) { return fmt::format("{} '{}'", op.name, name); }

std::optional<std::vector<DimExpr>> constant_integers(const TensorView& view) {
  if (is_float(view.dtype) || view.elements() > kMaxTrackedIntegers) return std::nullopt;
  std::vector<DimExpr> integers;
  ops::walk<1>(view.rank, view.dims, {view.strides},
               [&](const auto& at) { integers.emplace_back(ops::load<int64_t>(view, at[0])); });
  return integers;
}

std::vector<ops::InferInput> infer_inputs(std::span<const Value> values, std::span<const ValueId> inputs) {
  std::vector<ops::InferInput> all;
  all.reserve(inputs.size());
  for (const ValueId id : inputs) {
    if (id == kNoValue) {
      all.push_back({.present = false});
      continue;
    }
    const Value& value = values[static_cast<size_t>(id)];
    all.push_back({.present = true,
                   .type = value.type,
                   .constant = value.constant ? &value.constant->view : nullptr,
                   .values = value.integers ? &*value.integers : nullptr});
  }
  return all;
}

Result<Inferred> infer_node(const ops::OpDef& op, const ops::Attrs& attrs, std::span<const ops::InferInput> inputs,
                            size_t outputs, ops::SlotSource& slots) {
  const ops::InferContext context(inputs, outputs, &slots);
  Inferred inferred;
  MEML_TRY(inferred.types, op.infer(attrs, context));
  if (inferred.types.size() < outputs)
    return invalid_model("has {} outputs, but the operator gives {}", outputs, inferred.types.size());
  inferred.types.resize(outputs);
  for (const TensorType& type : inferred.types)
    if (type.rank() > kMaxRank) return unsupported("its output {} has more than {} axes", type.text(), kMaxRank);
  if (op.values == nullptr || outputs == 0) return inferred;
  MEML_TRY(inferred.integers, op.values(attrs, context));
  // Integers are only worth what they say of every element.
  const DimExpr elements = product(inferred.types[0].dims);
  if (inferred.integers && !(elements == DimExpr(static_cast<int64_t>(inferred.integers->size()))))
    inferred.integers.reset();
  if (inferred.integers && inferred.integers->size() > kMaxTrackedIntegers) inferred.integers.reset();
  return inferred;
}

Status check_epilogues(const ops::OpDef& op, std::span<const ops::Epilogue> epilogues, std::span<const Value> values,
                       std::span<const ValueId> inputs, const TensorType& output) {
  if (!epilogues.empty() && !is_float(output.dtype))
    return invalid_model("has epilogues, but its output is {}", output.dtype);
  for (const ops::Epilogue& epilogue : epilogues) {
    if (!epilogue.reads_input()) continue;
    const auto index = static_cast<size_t>(epilogue.input);
    if (epilogue.input < 0 || index >= inputs.size() || inputs[index] == kNoValue)
      return invalid_model("epilogue {} reads an input that is not there", ops::epilogue_text(epilogue));
    const TensorType& type = values[static_cast<size_t>(inputs[index])].type;
    if (!is_float(type.dtype)) return invalid_model("epilogue {} reads {}", ops::epilogue_text(epilogue), type.text());
    const bool bias = epilogue.kind == ops::EpilogueKind::bias;
    MEML_TRY_STATUS(bias ? check_bias(op, type, output) : check_broadcast(type, output));
  }
  return {};
}

}  // namespace memline
