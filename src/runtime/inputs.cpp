#include "runtime/inputs.h"

#include "base/size.h"
#include "runtime/messages.h"

namespace memline::runtime {
namespace {

using engine::Port;

RunStatus refuse(const char* message, size_t index, int32_t axis = -1, int64_t found = 0) noexcept {
  return {.code = Code::invalid_argument,
          .message = message,
          .index = static_cast<int32_t>(index),
          .axis = axis,
          .found = found};
}

bool misaligned(const void* data, DType dtype) noexcept {
  return reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(size_of(dtype)) != 0;
}

// What can be said of one input alone.
RunStatus check_input(const Port& port, const TensorView& view, size_t index) noexcept {
  if (view.dtype != port.type.dtype) return refuse(kInputType, index, -1, static_cast<int64_t>(view.dtype));
  if (view.rank != port.type.dims.size()) return refuse(kInputRank, index, -1, view.rank);
  for (size_t axis = 0; axis < view.rank; ++axis)
    if (view.dims[axis] < port.min_dims[axis] || view.dims[axis] > port.max_dims[axis])
      return refuse(kInputRange, index, static_cast<int32_t>(axis), view.dims[axis]);
  if (view.elements() == 0) return {};
  if (view.data == nullptr) return refuse(kInputData, index);
  if (misaligned(view.data, view.dtype)) return refuse(kInputAddress, index);
  if (!view.is_dense(AxisOrder::row_major(view.rank))) return refuse(kInputStrides, index);
  return {};
}

// Slots that come from inputs get their extents; those that steps set, their bound until then.
RunStatus fill_slots(Prepared& prepared, std::span<const TensorView> inputs) noexcept {
  const auto& slots = prepared.program->slots;
  for (size_t i = 0; i < slots.size(); ++i) {
    const engine::SlotInfo& slot = slots[i];
    if (slot.input < 0) {
      prepared.state[i] = slot.range.max;
      continue;
    }
    const auto input = static_cast<size_t>(slot.input);
    prepared.state[i] = inputs[input].dim(slot.axis);
    if (prepared.state[i] < slot.range.min || prepared.state[i] > slot.range.max)
      return refuse(kInputRange, input, slot.axis, prepared.state[i]);
  }
  return {};
}

RunStatus check_dims_agree(const Prepared& prepared, std::span<const TensorView> inputs) noexcept {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& dims = prepared.program->inputs[i].type.dims;
    for (size_t axis = 0; axis < dims.size(); ++axis)
      if (prepared.input_dim_is_early[i][axis] && dims[axis].evaluate(prepared.state.data()) != inputs[i].dims[axis])
        return refuse(kInputDim, i, static_cast<int32_t>(axis), inputs[i].dims[axis]);
  }
  return {};
}

RunStatus place_outputs(Prepared& prepared, std::span<const TensorView> outputs) noexcept {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Port& port = prepared.program->outputs[i];
    const void* data = outputs[i].data != nullptr ? outputs[i].data : prepared.own(port);
    if (data == nullptr && port.max_bytes > 0) return refuse(kOutputData, i);
    if (misaligned(data, port.type.dtype)) return refuse(kOutputAddress, i);
    prepared.state[prepared.output_state(i)] = static_cast<int64_t>(reinterpret_cast<uintptr_t>(data));
  }
  return {};
}

}  // namespace

bool holds(const engine::ShapeCondition& condition, const int64_t* slots) noexcept {
  return condition.left.evaluate(slots) == condition.right.evaluate(slots);
}

RunStatus accept(Prepared& prepared, std::span<const TensorView> inputs, std::span<const TensorView> outputs) noexcept {
  const engine::Program& program = *prepared.program;
  if (inputs.size() != program.inputs.size()) return refuse(kInputCount, 0, -1, static_cast<int64_t>(inputs.size()));
  if (outputs.size() != program.outputs.size())
    return refuse(kOutputCount, 0, -1, static_cast<int64_t>(outputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (const RunStatus status = check_input(program.inputs[i], inputs[i], i); !status.ok()) return status;
    prepared.state[prepared.input_state(i)] = static_cast<int64_t>(reinterpret_cast<uintptr_t>(inputs[i].data));
    prepared.input_bytes[i] = inputs[i].elements() * size_of(inputs[i].dtype);
  }
  if (const RunStatus status = fill_slots(prepared, inputs); !status.ok()) return status;
  if (const RunStatus status = check_dims_agree(prepared, inputs); !status.ok()) return status;
  for (const int32_t index : prepared.early_conditions)
    if (!holds(program.conditions[static_cast<size_t>(index)], prepared.state.data()))
      return refuse(kCondition, static_cast<size_t>(index));
  return place_outputs(prepared, outputs);
}

void describe_outputs(const Prepared& prepared, std::span<TensorView> outputs) noexcept {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Port& port = prepared.program->outputs[i];
    TensorView& view = outputs[i];
    view = {};
    view.dtype = port.type.dtype;
    view.rank = static_cast<uint8_t>(port.type.dims.size());
    view.data = reinterpret_cast<void*>(static_cast<uintptr_t>(prepared.state[prepared.output_state(i)]));
    for (size_t axis = 0; axis < view.rank; ++axis)
      view.dims[axis] = port.type.dims[axis].evaluate(prepared.state.data());
    view.set_dense(AxisOrder::row_major(view.rank));
  }
}

}  // namespace memline::runtime
