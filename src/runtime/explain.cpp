#include "runtime/explain.h"

#include <fmt/format.h>

#include "runtime/messages.h"
#include "runtime/nearest_shape.h"

namespace memline::runtime {
namespace {

using engine::Port;
using engine::Program;

const Port* port(const std::vector<Port>& ports, int32_t index) {
  return index >= 0 && static_cast<size_t>(index) < ports.size() ? &ports[static_cast<size_t>(index)] : nullptr;
}

// "images=1x3x640x640 mask=1x1x640x640"
std::string shapes(const Program& program, const int64_t* slots) {
  std::string text;
  for (const Port& input : program.inputs) {
    std::vector<int64_t> dims;
    for (const DimExpr& dim : input.type.dims) dims.push_back(dim.evaluate(slots));
    fmt::format_to(std::back_inserter(text), "{}{}={}", text.empty() ? "" : " ", input.name, fmt::join(dims, "x"));
  }
  return text;
}

std::string explain_condition(const Prepared& prepared, const RunStatus& status) {
  const Program& program = *prepared.program;
  if (status.index < 0 || static_cast<size_t>(status.index) >= program.conditions.size()) return status.message;
  const engine::ShapeCondition& condition = program.conditions[static_cast<size_t>(status.index)];
  const int64_t* slots = prepared.state.data();
  std::string text = fmt::format("{}: {} must be equal to {}, but they are {} and {} for {}", condition.demanded_by,
                                 condition.left.text(), condition.right.text(), condition.left.evaluate(slots),
                                 condition.right.evaluate(slots), shapes(program, slots));
  if (status.step >= 0) return text + ", where data decides";
  const auto nearest = nearest_slots(program, {slots, slots + program.slots.size()});
  if (nearest) text += fmt::format("; the nearest shape that works is {}", shapes(program, nearest->data()));
  return text;
}

// "images: dimension 2 is 700, must be 320 to 640"
std::string explain_input(const Prepared& prepared, const Port& input, const RunStatus& status) {
  const char* message = status.message;
  const auto axis = static_cast<size_t>(std::max(status.axis, 0));
  const bool has_axis = status.axis >= 0 && axis < input.type.dims.size();
  if (message == kInputType && status.found >= 0 && status.found <= static_cast<int64_t>(DType::boolean))
    return fmt::format("input '{}': element type is {}, must be {}", input.name, static_cast<DType>(status.found),
                       input.type.dtype);
  if (message == kInputRank)
    return fmt::format("input '{}': has {} dimensions, must have {}", input.name, status.found, input.type.dims.size());
  if (message == kInputRange && has_axis && input.min_dims[axis] == input.max_dims[axis])
    return fmt::format("input '{}': dimension {} is {}, must be {}", input.name, axis, status.found,
                       input.max_dims[axis]);
  if (message == kInputRange && has_axis)
    return fmt::format("input '{}': dimension {} is {}, must be {} to {}", input.name, axis, status.found,
                       input.min_dims[axis], input.max_dims[axis]);
  if (message == kInputDim && has_axis)
    return fmt::format("input '{}': dimension {} is {}, must be {} for the other inputs given", input.name, axis,
                       status.found, input.type.dims[axis].evaluate(prepared.state.data()));
  return fmt::format("input '{}': {}", input.name, message);
}

bool is_about_input(const char* message) {
  for (const char* one : {kInputData, kInputAddress, kInputType, kInputRank, kInputRange, kInputDim, kInputStrides})
    if (message == one) return true;
  return false;
}

}  // namespace

std::string explain_run(const Prepared& prepared, const RunStatus& status) {
  const Program& program = *prepared.program;
  const char* message = status.message;
  if (message == kInputCount) return fmt::format("{} inputs given, {} needed", status.found, program.inputs.size());
  if (message == kOutputCount) return fmt::format("{} outputs given, {} needed", status.found, program.outputs.size());
  if (message == kCondition) return explain_condition(prepared, status);
  if (is_about_input(message))
    if (const Port* input = port(program.inputs, status.index)) return explain_input(prepared, *input, status);
  if (message == kOutputData || message == kOutputAddress)
    if (const Port* output = port(program.outputs, status.index))
      return fmt::format("output '{}': {}", output->name, message);
  if (status.step >= 0 && static_cast<size_t>(status.step) < prepared.steps.size())
    return fmt::format("step {} '{}': {}", status.step, prepared.steps[static_cast<size_t>(status.step)].step->name,
                       message);
  return message;
}

}  // namespace memline::runtime
