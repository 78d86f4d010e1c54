#include "runtime/prepare.h"

#include <algorithm>

#include "base/size.h"
#include "engine/operand.h"
#include "runtime/inputs.h"
#include "runtime/place.h"

namespace memline::runtime {
namespace {

using engine::Operand;
using engine::Step;
using engine::StepKind;
using memory::Region;

template <typename... Args>
Failure corrupt(fmt::format_string<Args...> format, Args&&... args) {
  return vfail(Code::invalid_argument, "engine_corrupt", format, fmt::make_format_args(args...));
}

// What the state an expression or operand depends on is: slots, and for a caller's region its address.
class Depends {
 public:
  explicit Depends(const Prepared& prepared) : prepared_(prepared) {}
  void add(const DimExpr& expression) { expression.collect_slots(indices_); }
  void add(const Operand& operand) {
    if (!operand.present) return;
    add(operand.offset);
    for (const DimExpr& dim : operand.type.dims) add(dim);
    for (const DimExpr& stride : operand.strides) add(stride);
    add(operand.rows.begin);
    add(operand.rows.end);
    const auto index = static_cast<size_t>(operand.index);
    if (operand.region == Region::input) indices_.push_back(static_cast<int32_t>(prepared_.input_state(index)));
    if (operand.region == Region::output) indices_.push_back(static_cast<int32_t>(prepared_.output_state(index)));
  }
  void add(const Step& step) {
    for (const Operand& operand : step.in) add(operand);
    for (const Operand& operand : step.out) add(operand);
    if (step.whole) return;
    add(step.row_begin);
    add(step.row_end);
  }
  const std::vector<int32_t>& indices() {
    std::ranges::sort(indices_);
    indices_.erase(std::unique(indices_.begin(), indices_.end()), indices_.end());
    return indices_;
  }

 private:
  const Prepared& prepared_;
  std::vector<int32_t> indices_;
};

bool is_packed(uint64_t packed, size_t input) { return input < 64 && (packed >> input & 1) != 0; }

// A constant operand of a call as the engine has it: how tactics see values they read when they make a kernel.
void give_value(const engine::Engine& engine, const Operand& operand, CallOperand& call) {
  if (!call.is_constant || operand.region != Region::weights || !engine::is_constant(operand)) return;
  if (const auto placed = engine::place(operand, nullptr)) {
    call.value = placed->view;
    call.value.data = const_cast<std::byte*>(engine.weights().data()) + placed->offset;
  }
}

// An input that is packed and an output that nobody reads are absent in the program.
Status check_operand(const Operand& operand, const CallOperand& call, bool may_be_absent) {
  if (operand.present != call.present && !(may_be_absent && call.present))
    return corrupt("present in the program or in the call, not in both");
  if (!operand.present) return {};
  if (operand.type.dtype != call.type.dtype || operand.type.rank() != call.type.rank())
    return corrupt("is {}, the call says {}", operand.type.text(), call.type.text());
  return {};
}

Status check_operands(const Step& step, const OpCall& call, uint64_t packed) {
  if (step.in.size() != call.in.size() || step.out.size() != call.out.size())
    return corrupt("{} inputs and {} outputs, the call has {} and {}", step.in.size(), step.out.size(), call.in.size(),
                   call.out.size());
  for (size_t i = 0; i < step.in.size(); ++i)
    if (Status status = check_operand(step.in[i], call.in[i], is_packed(packed, i)); !status)
      return with_prefix(std::move(status).error(), fmt::format("input {}", i));
  for (size_t i = 0; i < step.out.size(); ++i)
    if (Status status = check_operand(step.out[i], call.out[i], true); !status)
      return with_prefix(std::move(status).error(), fmt::format("output {}", i));
  return {};
}

class Preparer {
 public:
  Preparer(const engine::Engine& engine, const Backend& backend, Prepared& prepared)
      : engine_(engine), program_(engine.program()), backend_(backend), prepared_(prepared) {}

  Status run() {
    reserve();
    for (const engine::Block& block : program_.blocks) {
      prepared_.block_begin.push_back(static_cast<int32_t>(prepared_.steps.size()));
      for (const Step& step : block.steps)
        if (Status status = add_step(step); !status)
          return with_prefix(std::move(status).error(), fmt::format("step '{}'", step.name));
    }
    prepared_.block_begin.push_back(static_cast<int32_t>(prepared_.steps.size()));
    sort_conditions();
    return try_largest();
  }

 private:
  // Spans into views, depends and max_extents are kept, so these must not move.
  void reserve() {
    size_t steps = 0, views = 0, depends = 0, extents = 0;
    for (const engine::Block& block : program_.blocks) {
      steps += block.steps.size();
      for (const Step& step : block.steps) {
        views += step.in.size() + step.out.size();
        for (const auto* operands : {&step.in, &step.out})
          for (const Operand& operand : *operands) extents += operand.present ? operand.type.dims.size() : 0;
        Depends of_step(prepared_);
        of_step.add(step);
        depends += of_step.indices().size();
      }
    }
    prepared_.block_begin.reserve(program_.blocks.size() + 1);
    prepared_.steps.reserve(steps);
    prepared_.views.reserve(views);
    prepared_.depends.reserve(depends);
    prepared_.max_extents.reserve(extents);
  }

  template <typename T>
  static std::span<T> grow(std::vector<T>& list, size_t count) {
    list.resize(list.size() + count);
    return std::span(list).last(count);
  }

  Status add_step(const Step& step) {
    PreparedStep& prepared = prepared_.steps.emplace_back();
    prepared.step = &step;
    prepared.in = grow(prepared_.views, step.in.size());
    prepared.out = grow(prepared_.views, step.out.size());
    Depends depends(prepared_);
    depends.add(step);
    prepared.depends = grow(prepared_.depends, depends.indices().size());
    for (size_t i = 0; i < prepared.depends.size(); ++i) prepared.depends[i].index = depends.indices()[i];
    prepared.workspace = prepared_.arena.bytes().subspan(static_cast<size_t>(step.workspace_offset),
                                                         static_cast<size_t>(step.workspace_bytes));
    return step.kind == StepKind::kernel ? make_kernel(step, prepared) : Status();
  }

  Status make_kernel(const Step& step, PreparedStep& prepared) {
    MEML_TRY(const Tactic* tactic, find_tactic(step));
    Result<OpCall> parsed = OpCall::parse(step.call);
    if (!parsed) return corrupt("{}", parsed.error().message);
    OpCall& call = *parsed;
    prepared.packed_inputs = tactic->packs(call);
    MEML_TRY_STATUS(check_operands(step, call, prepared.packed_inputs));
    for (size_t i = 0; i < step.in.size(); ++i) give_value(engine_, step.in[i], call.in[i]);
    MEML_TRY_STATUS(check_bytes(step, call, *tactic));
    add_max_extents(step, call, prepared);
    prepared.row_axis = call.row_axis;
    const auto packed =
        engine_.weights().subspan(static_cast<size_t>(step.packed_offset), static_cast<size_t>(step.packed_bytes));
    MEML_TRY(prepared.kernel, tactic->make(call, packed));
    return {};
  }

  Result<const Tactic*> find_tactic(const Step& step) const {
    const Tactic* tactic = backend_.find_tactic(step.tactic);
    if (tactic == nullptr) return corrupt("there is no tactic '{}'", step.tactic);
    if (tactic->version() != step.tactic_version)
      return fail(
          Code::invalid_argument, "engine_version",
          "tactic {} has version {}, the engine was made with {}; rebuild it: memline build MODEL.onnx -o ENGINE.mline",
          step.tactic, tactic->version(), step.tactic_version);
    return tactic;
  }

  Status check_bytes(const Step& step, const OpCall& call, const Tactic& tactic) const {
    const int64_t workspace = tactic.workspace(call, program_.threads).total(program_.threads);
    if (workspace > step.workspace_bytes)
      return corrupt("{} bytes of workspace, {} needs {}", step.workspace_bytes, step.tactic, workspace);
    const int64_t packed = tactic.packed_bytes(call);
    if (packed > step.packed_bytes)
      return corrupt("{} bytes of packed weights, {} needs {}", step.packed_bytes, step.tactic, packed);
    return {};
  }

  void add_max_extents(const Step& step, const OpCall& call, PreparedStep& prepared) {
    const size_t begin = prepared_.max_extents.size();
    const auto add = [&](const std::vector<Operand>& operands, const std::vector<CallOperand>& calls) {
      for (size_t i = 0; i < operands.size(); ++i)
        if (operands[i].present)
          prepared_.max_extents.insert(prepared_.max_extents.end(), calls[i].max_dims.begin(), calls[i].max_dims.end());
    };
    add(step.in, call.in);
    add(step.out, call.out);
    prepared.max_extents = std::span<const int64_t>(prepared_.max_extents).subspan(begin);
  }

  bool is_early(const DimExpr& expression) const {
    std::vector<int32_t> slots;
    expression.collect_slots(slots);
    return std::ranges::all_of(slots,
                               [&](int32_t slot) { return program_.slots[static_cast<size_t>(slot)].input >= 0; });
  }

  // The steps as a run comes to them: a block's where its step stands.
  void add_in_order(int32_t block, std::vector<int32_t>& order) const {
    const auto begin = prepared_.block_begin[static_cast<size_t>(block)];
    const auto end = prepared_.block_begin[static_cast<size_t>(block) + 1];
    for (int32_t number = begin; number < end; ++number) {
      for (const int32_t inner : prepared_.steps[static_cast<size_t>(number)].step->blocks) add_in_order(inner, order);
      order.push_back(number);
    }
  }

  // The number of the last step that sets a slot of the condition.
  int32_t last_setter(const engine::ShapeCondition& condition, std::span<const int32_t> order) const {
    std::vector<int32_t> slots;
    condition.left.collect_slots(slots);
    condition.right.collect_slots(slots);
    const auto is_one = [&](int32_t slot) { return std::ranges::find(slots, slot) != slots.end(); };
    int32_t last = 0;
    for (const int32_t number : order) {
      const Step& step = *prepared_.steps[static_cast<size_t>(number)].step;
      if (std::ranges::any_of(step.counts, [&](const auto& count) { return is_one(count.slot); }) ||
          std::ranges::any_of(step.assigns, [&](const auto& assign) { return is_one(assign.first); }))
        last = number;
    }
    return last;
  }

  void sort_conditions() {
    std::vector<int32_t> order;
    add_in_order(0, order);
    for (size_t i = 0; i < program_.conditions.size(); ++i) {
      const engine::ShapeCondition& condition = program_.conditions[i];
      if (is_early(condition.left) && is_early(condition.right))
        prepared_.early_conditions.push_back(static_cast<int32_t>(i));
      else
        prepared_.late_conditions.push_back({last_setter(condition, order), static_cast<int32_t>(i)});
    }
    for (const engine::Port& port : program_.inputs) {
      std::vector<bool>& early = prepared_.input_dim_is_early.emplace_back();
      for (const DimExpr& dim : port.type.dims) early.push_back(is_early(dim));
    }
  }

  Status place_all(bool only_constant) {
    for (PreparedStep& step : prepared_.steps) {
      if (only_constant && !step.depends.empty()) continue;
      if (const RunStatus status = place_step(prepared_, step); !status.ok())
        return with_prefix(corrupt("{}", status.message).value(), fmt::format("step '{}'", step.step->name));
    }
    return {};
  }

  // Steps that depend on slots are placed at the largest extents, as every run would place them, unless these break a
  // condition: a corrupt engine is refused now rather than in its first run.
  Status try_largest() {
    const int64_t* slots = prepared_.state.data();
    for (size_t i = 0; i < program_.slots.size(); ++i) prepared_.state[i] = program_.slots[i].range.max;
    for (const PreparedStep& step : prepared_.steps)
      for (const auto& [slot, expression] : step.step->assigns)
        prepared_.state[static_cast<size_t>(slot)] = expression.evaluate(slots);
    for (const engine::ShapeCondition& condition : program_.conditions)
      if (!holds(condition, slots)) return place_all(true);
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      int64_t bytes = size_of(program_.inputs[i].type.dtype);
      for (const DimExpr& dim : program_.inputs[i].type.dims) bytes = saturating_mul(bytes, dim.evaluate(slots));
      prepared_.input_bytes[i] = bytes;
    }
    return place_all(false);
  }

  const engine::Engine& engine_;
  const engine::Program& program_;
  const Backend& backend_;
  Prepared& prepared_;
};

}  // namespace

Result<std::unique_ptr<Prepared>> prepare(const engine::Engine& engine, const Backend& backend, ThreadPool& pool,
                                          int threads) {
  auto prepared = std::make_unique<Prepared>();
  const engine::Program& program = engine.program();
  prepared->program = &program;
  prepared->weights = engine.weights();
  prepared->team.emplace(pool, threads);
  MEML_TRY(prepared->arena, Pages::take(program.arena_bytes));
  MEML_TRY(prepared->staging, Pages::take(program.staging_bytes));
  make_resident(engine.weights());
  prepared->state.resize(program.slots.size() + program.inputs.size() + program.outputs.size());
  prepared->input_bytes.resize(program.inputs.size());
  MEML_TRY_STATUS(Preparer(engine, backend, *prepared).run());
  return prepared;
}

}  // namespace memline::runtime
