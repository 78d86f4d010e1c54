// Dropout at inference: output 0 is the input, output 1 (the mask) is true everywhere. Training mode is refused.
#include "ops/op.h"
#include "ops/reference.h"

namespace memline::ops {
namespace {

Status refuse_training(const InferContext& in) {
  if (!in.has(2)) return {};
  const TensorView* training = in.constant(2);
  if (training == nullptr) return unsupported("training_mode is computed at run time; only inference is supported");
  if (training->elements() != 1) return invalid_model("training_mode is {}, needs a scalar", in.type(2).text());
  if (load<int64_t>(*training, 0) != 0) return unsupported("training_mode is true; only inference is supported");
  return {};
}

Result<TensorTypes> infer(const NoAttrs&, const InferContext& in) {
  MEML_TRY_STATUS(in.expect_inputs(1, 3));
  MEML_TRY_STATUS(in.expect_float(0));
  MEML_TRY_STATUS(refuse_training(in));
  TensorTypes types = {in.type(0)};
  if (in.outputs() > 1) types.push_back({.dtype = DType::boolean, .dims = in.dims(0)});
  return types;
}

void reference(const NoAttrs&, std::span<const TensorView> in, std::span<TensorView> out) {
  copy(in[0], out[0]);
  if (out.size() > 1 && out[1].data != nullptr)
    walk_broadcast(out[1], [&](const auto& at) { store(out[1], at[0], true); });
}

std::vector<RowNeed> rows(const NoAttrs&, const InferContext& in, int axis, RowRange range) {
  std::vector<RowNeed> needs(in.size());
  needs[0] = {.all = false, .axis = axis, .rows = range};
  return needs;
}

std::optional<Placement> view(const NoAttrs&, const InferContext&, size_t output, size_t input, const Placement& at) {
  return output == 0 && input == 0 ? std::optional(at) : std::nullopt;
}

}  // namespace

OpDef dropout() {
  return define_op<NoAttrs>(
      "Dropout", {.since_opset = 7, .infer = infer, .reference = reference, .rows = rows, .view_output = view});
}

}  // namespace memline::ops
