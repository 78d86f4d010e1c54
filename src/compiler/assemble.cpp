#include "compiler/assemble.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "base/mapping.h"
#include "base/size.h"
#include "choose/view_order.h"
#include "ops/registry.h"
#include "ops/select_branch.h"

namespace memline {
namespace {

class Assembler {
 public:
  explicit Assembler(const Schedule& schedule)
      : s_(schedule), menu_(*schedule.menu), ranges_(menu_.graph->slot_ranges()), bounds_(menu_.graph->slot_bounds()) {}

  engine::Program run() {
    add_slots();
    for (const MenuValueId input : menu_.inputs)
      program_.inputs.push_back(port(input, menu_.graph->value(menu_.graph->inputs()[program_.inputs.size()]).name));
    for (const MenuValueId output : menu_.outputs)
      program_.outputs.push_back(port(output, menu_.graph->output_names()[program_.outputs.size()]));
    program_.blocks.emplace_back();
    add_host_eval();
    for (const int32_t task : s_.order) {
      add_step(task);
      if (!block().steps.back().counts.empty()) add_host_eval();
    }
    program_.buffers = s_.buffers;
    program_.buffer_offsets = s_.plan.offsets;
    program_.arena_bytes = s_.plan.arena_bytes;
    program_.weights_bytes = align_up(s_.weights_bytes, 4096);
    program_.threads = menu_.threads;
    program_.plain_arena_bytes = s_.plain_arena_bytes;
    program_.lower_bound_bytes = s_.plan.lower_bound_bytes;
    program_.limit_bytes = s_.limit_bytes;
    program_.peak_step = s_.plan.peak_step;
    program_.bill = s_.bill;
    return std::move(program_);
  }

 private:
  void add_slots() {
    for (const Slot& slot : menu_.graph->slots())
      program_.slots.push_back({.name = slot.name, .range = slot.range, .opt = slot.opt});
    set_.assign(program_.slots.size(), false);
    for (size_t i = 0; i < menu_.inputs.size(); ++i) {
      const TensorType& type = menu_.value(menu_.inputs[i]).type;
      for (size_t axis = 0; axis < type.dims.size(); ++axis) {
        const auto slot = type.dims[axis].slot_index();
        if (!slot || set_[static_cast<size_t>(*slot)]) continue;
        set_[static_cast<size_t>(*slot)] = true;
        program_.slots[static_cast<size_t>(*slot)].input = static_cast<int32_t>(i);
        program_.slots[static_cast<size_t>(*slot)].axis = static_cast<int32_t>(axis);
      }
    }
    for (const Condition& condition : menu_.graph->conditions())
      program_.conditions.push_back(
          {select(condition.when, condition.left, condition.right), condition.right, condition.demanded_by});
  }

  // Expressions too large to carry along are computed as soon as what they read is known: before the first step, or
  // behind the step that finds a count.
  void add_host_eval() {
    engine::Step step;
    step.kind = engine::StepKind::host_eval;
    step.name = "extents";
    for (size_t i = 0; i < menu_.graph->slots().size(); ++i) {
      const auto& value = menu_.graph->slots()[i].value;
      if (!value || set_[i] || !is_set(*value)) continue;
      step.assigns.push_back({static_cast<int32_t>(i), *value});
      set_[i] = true;
    }
    if (!step.assigns.empty()) block().steps.push_back(std::move(step));
  }

  bool is_set(const DimExpr& expression) const {
    std::vector<int32_t> slots;
    expression.collect_slots(slots);
    return std::all_of(slots.begin(), slots.end(), [&](int32_t slot) { return set_[static_cast<size_t>(slot)]; });
  }

  int64_t bytes_touched(const TensorType& type, const std::vector<DimExpr>& strides) const {
    DimExpr last = 0;
    DimExpr elements = product(type.dims);
    if (elements.constant() == 0) return 0;
    for (size_t axis = 0; axis < type.dims.size(); ++axis) last = last + (type.dims[axis] - DimExpr(1)) * strides[axis];
    return bounds_.maximum((last + DimExpr(1)) * DimExpr(size_of(type.dtype)));
  }

  engine::Port port(MenuValueId id, std::string name) const {
    const MenuValue& value = menu_.value(id);
    engine::Port port{.name = std::move(name), .type = value.type, .max_dims = value.max_dims};
    const std::vector<int64_t> opt = menu_.graph->opt_slots();
    for (const DimExpr& dim : value.type.dims) {
      port.min_dims.push_back(std::max<int64_t>(dim.bounds(ranges_).min, 0));
      port.opt_dims.push_back(dim.evaluate(opt.data()));
    }
    const Root& root = s_.homes.roots[static_cast<size_t>(s_.homes.of_value[static_cast<size_t>(id)].root)];
    port.max_bytes = root.bytes;
    const int32_t buffer = s_.root_buffer[static_cast<size_t>(s_.homes.of_value[static_cast<size_t>(id)].root)];
    if (buffer >= 0) port.own_offset = s_.plan.offsets[static_cast<size_t>(buffer)];
    return port;
  }

  engine::Operand operand(const CallOperand& call, const Home& home) const {
    engine::Operand operand;
    operand.type = call.type;
    operand.strides = home.at.strides;
    const Root& root = s_.homes.roots[static_cast<size_t>(home.root)];
    operand.region = root.region;
    operand.index = root.index;
    operand.offset = home.at.offset * DimExpr(size_of(call.type.dtype));
    if (root.region == memory::Region::arena)
      operand.offset = operand.offset +
                       DimExpr(s_.plan.offsets[static_cast<size_t>(s_.root_buffer[static_cast<size_t>(home.root)])]);
    operand.max_bytes = bytes_touched(operand.type, operand.strides);
    return operand;
  }

  engine::Operand constant(MenuValueId id, int64_t offset) const {
    const MenuValue& value = menu_.value(id);
    engine::Operand operand{.region = memory::Region::weights, .offset = offset, .type = value.type};
    operand.strides = dense_placement(value.type.dims, value.order).strides;
    operand.max_bytes = bytes_touched(operand.type, operand.strides);
    return operand;
  }

  engine::Operand input(int32_t id, size_t i) const {
    const Task& task = s_.task(id);
    const MenuValueId value = task.in[i];
    if (value < 0 || (s_.candidate(id).packs >> i & 1)) return {.present = false};
    if (menu_.value(value).constant != nullptr)
      return constant(value, s_.weights[static_cast<size_t>(s_.constant_item[static_cast<size_t>(value)])].offset);
    return operand(s_.call(id).in[i], task.in_homes[i]);
  }

  void add_step(int32_t id) {
    const Task& task = s_.task(id);
    const MenuNode& node = menu_.nodes[static_cast<size_t>(task.node)];
    const OpCall& call = s_.call(id);
    const Candidate& candidate = s_.candidate(id);
    engine::Step step;
    step.name = node.name;
    step.why = node.why;
    if (task.copied_input >= 0) {
      step.name += fmt::format(" (copy of input {})", task.copied_input);
      step.why = fmt::format("'{}' cannot lie where {} needs it", menu_.value(task.in[0]).name, node.call.op->name);
    }
    step.tactic = candidate.tactic->name();
    step.tactic_version = candidate.tactic->version();
    step.call = call.text();
    for (size_t i = 0; i < task.in.size(); ++i) step.in.push_back(input(id, i));
    for (size_t o = 0; o < task.out_homes.size(); ++o) {
      if (task.out_homes[o].root < 0) {
        step.out.push_back({.present = false});
        continue;
      }
      step.out.push_back(operand(call.out[o], task.out_homes[o]));
      add_counts(step, call.out[o].type, static_cast<int32_t>(o));
    }
    if (const int32_t buffer = s_.workspace_buffer[static_cast<size_t>(id)]; buffer >= 0) {
      step.workspace_offset = s_.plan.offsets[static_cast<size_t>(buffer)];
      step.workspace_bytes = s_.buffers[static_cast<size_t>(buffer)].bytes;
    }
    if (const int32_t item = s_.packed_item[static_cast<size_t>(id)]; item >= 0) {
      step.packed_offset = s_.weights[static_cast<size_t>(item)].offset;
      step.packed_bytes = s_.weights[static_cast<size_t>(item)].bytes;
    }
    step.flops = task.copied_input >= 0 ? 0 : node.flops;
    step.chosen_ns = candidate.nanoseconds;
    enter_branches(s_.homes.guards[static_cast<size_t>(id)]);
    block().steps.push_back(std::move(step));
  }

  engine::Block& block() { return program_.blocks[static_cast<size_t>(open_.empty() ? 0 : open_.back().block)]; }

  // The next step goes where these guards hold: into a branch that is open, or that the last step chooses, or a new
  // one.
  void enter_branches(const Guards& guards) {
    const auto is_same = [](const OpenBranch& open, const Guard& guard) { return open.guard == guard; };
    const auto left = std::mismatch(open_.begin(), open_.end(), guards.begin(), guards.end(), is_same).first;
    open_.erase(left, open_.end());
    while (open_.size() < guards.size()) {
      const Guard& guard = guards[open_.size()];
      if (!chosen_by_last_step(guard)) add_branch(guard);
      open_.push_back({guard, block().steps.back().blocks[guard.when ? 0 : 1]});
    }
  }

  bool chosen_by_last_step(const Guard& guard) {
    const auto at = std::pair(open_.empty() ? 0 : open_.back().block, guard.select);
    const auto found = branches_.find(at);
    return found != branches_.end() && found->second + 1 == block().steps.size();
  }

  void add_branch(const Guard& guard) {
    const Task& select = s_.task(guard.select);
    engine::Step step;
    step.kind = engine::StepKind::branch;
    step.name = menu_.nodes[static_cast<size_t>(select.node)].name;
    step.in = {input(guard.select, ops::kSelectCondition)};
    step.blocks = {static_cast<int32_t>(program_.blocks.size()), static_cast<int32_t>(program_.blocks.size() + 1)};
    program_.blocks.resize(program_.blocks.size() + 2);
    branches_[{open_.empty() ? 0 : open_.back().block, guard.select}] = block().steps.size();
    block().steps.push_back(std::move(step));
  }

  // An extent that is a slot nobody has set yet is a count that this step finds.
  void add_counts(engine::Step& step, const TensorType& type, int32_t output) {
    for (size_t axis = 0; axis < type.dims.size(); ++axis) {
      const auto slot = type.dims[axis].slot_index();
      if (!slot || set_[static_cast<size_t>(*slot)]) continue;
      set_[static_cast<size_t>(*slot)] = true;
      step.counts.push_back({output, static_cast<int32_t>(axis), *slot});
    }
  }

  const Schedule& s_;
  const Menu& menu_;
  std::vector<Interval> ranges_;
  SlotBounds bounds_;
  std::vector<bool> set_;  // by slot
  engine::Program program_;
  struct OpenBranch {
    Guard guard;
    int32_t block = 0;
  };
  std::vector<OpenBranch> open_;                            // the branches that the next step stands in
  std::map<std::pair<int32_t, int32_t>, size_t> branches_;  // block, Select -> the step that chooses
};

Status append_zeros(engine::WeightSink& sink, int64_t count) {
  static constexpr std::byte kZeros[4096] = {};
  while (count > 0) {
    const int64_t now = std::min<int64_t>(count, sizeof(kZeros));
    MEML_TRY_STATUS(sink.append(std::span(kZeros).first(static_cast<size_t>(now))));
    count -= now;
  }
  return {};
}

Status append_constant(const MenuValue& value, int64_t bytes, engine::WeightSink& sink) {
  const TensorView& from = value.constant->view;
  if (same_memory(value.max_dims, value.type.dims, value.order, AxisOrder::row_major(value.order.rank)))
    return sink.append({static_cast<const std::byte*>(from.data), static_cast<size_t>(bytes)});
  MEML_TRY(const Pages pages, Pages::take(bytes));
  TensorView to = from;
  to.data = pages.bytes().data();
  to.set_dense(value.order);
  const ops::OpDef* copy = ops::find("Copy", "memline");
  copy->reference(ops::Attrs(), {&from, 1}, {&to, 1});
  return sink.append(pages.bytes().first(static_cast<size_t>(bytes)));
}

}  // namespace

engine::Program assemble(const Schedule& schedule) { return Assembler(schedule).run(); }

Status write_weights(const Schedule& s, const std::atomic<bool>* cancel, engine::WeightSink& sink) {
  int64_t written = 0;
  for (const WeightItem& item : s.weights) {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed))
      return fail(Code::cancelled, {}, "cancelled while packing weights");
    MEML_TRY_STATUS(append_zeros(sink, item.offset - written));
    if (item.constant >= 0) {
      MEML_TRY_STATUS(append_constant(s.menu->value(item.constant), item.bytes, sink));
    } else {
      MEML_TRY(const Pages pages, Pages::take(item.bytes));
      const OpCall& call = s.call(item.task);
      const Tactic& tactic = *s.candidate(item.task).tactic;
      MEML_TRY_STATUS(tactic.pack(call, pages.bytes().first(static_cast<size_t>(tactic.packed_bytes(call)))));
      MEML_TRY_STATUS(sink.append(pages.bytes().first(static_cast<size_t>(item.bytes))));
    }
    written = item.offset + item.bytes;
  }
  return append_zeros(sink, align_up(s.weights_bytes, 4096) - written);
}

}  // namespace memline
