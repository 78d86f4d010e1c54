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

std::optional<std::vector<FloatExpr>> constant_reals(const TensorView& view) {
  if (view.dtype != DType::f32 || view.elements() > kMaxTrackedIntegers) return std::nullopt;
  std::vector<FloatExpr> reals;
  ops::walk<1>(view.rank, view.dims, {view.strides},
               [&](const auto& at) { reals.emplace_back(ops::load<float>(view, at[0])); });
  return reals;
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
                   .values = value.integers ? &*value.integers : nullptr,
                   .reals = value.reals ? &*value.reals : nullptr});
  }
  return all;
}

namespace {

// What a rule demands has been said when the node's types were inferred.
class SaidBefore final : public ops::SlotSource {
 public:
  DimExpr new_slot(std::string_view, const DimExpr& bound) override { return bound; }
  Status demand(const DimExpr&, std::string_view) override { return {}; }
};

// Floats that an op only moves: its integer rule is asked with slots that stand for them. What comes out as such a slot
// is that float; anything else is no float that was moved.
Result<std::optional<std::vector<FloatExpr>>> moved_reals(const ops::OpDef& op, const ops::Attrs& attrs,
                                                          std::span<const ops::InferInput> inputs, size_t outputs) {
  constexpr int32_t kFirst = 1 << 30;
  std::vector<ops::InferInput> tokens(inputs.begin(), inputs.end());
  std::vector<std::vector<DimExpr>> lists(inputs.size());
  std::vector<FloatExpr> floats;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].reals == nullptr) continue;
    for (const FloatExpr& real : *inputs[i].reals) {
      lists[i].push_back(DimExpr::slot(kFirst + static_cast<int32_t>(floats.size())));
      floats.push_back(real);
    }
    tokens[i].values = &lists[i];
  }
  if (floats.empty()) return std::nullopt;
  SaidBefore slots;
  MEML_TRY(const auto moved, op.values(attrs, ops::InferContext(tokens, outputs, &slots)));
  if (!moved) return std::nullopt;
  std::vector<FloatExpr> reals;
  for (const DimExpr& element : *moved) {
    const auto slot = element.slot_index();
    if (slot && *slot >= kFirst)
      reals.push_back(floats[static_cast<size_t>(*slot - kFirst)]);
    else if (element == DimExpr(0))
      reals.emplace_back(0.0f);  // what a move fills up with
    else
      return std::nullopt;
  }
  return std::optional(std::move(reals));
}

Result<std::optional<std::vector<FloatExpr>>> reals_of(const ops::OpDef& op, const ops::Attrs& attrs,
                                                       std::span<const ops::InferInput> inputs, size_t outputs) {
  SaidBefore slots;
  if (op.reals) return op.reals(attrs, ops::InferContext(inputs, outputs, &slots));
  return op.values ? moved_reals(op, attrs, inputs, outputs) : std::nullopt;
}

// Elements are only worth what they say of every element of the output.
template <typename T>
void keep_if_whole(std::optional<std::vector<T>>& elements, const TensorType& type) {
  if (!elements) return;
  const auto count = static_cast<int64_t>(elements->size());
  if (count > kMaxTrackedIntegers || !(product(type.dims) == DimExpr(count))) elements.reset();
}

}  // namespace

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
  if (outputs == 0) return inferred;
  const TensorType& first = inferred.types[0];
  if (op.values && !is_float(first.dtype)) {
    MEML_TRY(inferred.integers, op.values(attrs, context));
  }
  const int64_t elements = product(first.dims).constant().value_or(kMaxTrackedIntegers + 1);
  if (first.dtype == DType::f32 && elements <= kMaxTrackedIntegers) {
    MEML_TRY(inferred.reals, reals_of(op, attrs, inputs, outputs));
  }
  keep_if_whole(inferred.integers, first);
  keep_if_whole(inferred.reals, first);
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
