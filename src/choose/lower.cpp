#include "choose/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/size.h"
#include "choose/split_epilogues.h"
#include "choose/view_order.h"
#include "ops/registry.h"

namespace memline {
namespace {

const std::set<std::string_view> kChannelsLastOps = {
    "Conv",     "ConvTranspose",      "MaxPool",     "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "Resize",
    "Upsample", "BatchNormalization", "QLinearConv", "ConvInteger",
};

// What a node's operands would be under one proposal.
struct Proposal {
  std::vector<AxisOrder> in, out;
  std::vector<DType> in_dtype, out_dtype;
};

class Lowering {
 public:
  Lowering(std::shared_ptr<const Graph> graph, const Backend& backend, const LowerOptions& options, DType activation)
      : graph_(std::move(graph)),
        backend_(backend),
        options_(options),
        activation_(activation),
        bounds_(graph_->slot_bounds()) {
    known_slots_.assign(graph_->slots().size(), false);
    for (const ValueId input : graph_->inputs()) know_slots(graph_->value(input).type);
    early_slots_ = known_slots_;
    for (size_t i = 0; i < known_slots_.size(); ++i) {
      const auto& value = graph_->slots()[i].value;
      if (!value) continue;
      early_slots_[i] = is_early(*value);
      known_slots_[i] = true;
    }
  }

  Result<Menu> run() {
    menu_.graph = graph_;
    menu_.threads = options_.threads;
    menu_.precision = options_.precision;
    menu_value_.assign(graph_->value_count(), -1);
    add_inputs();
    for (const Node& node : graph_->nodes()) {
      MEML_TRY_STATUS(lower_node(node));
      note_counts(node);
    }
    MEML_TRY_STATUS(add_outputs());
    drop_unread_extents();
    return std::move(menu_);
  }

  // Nodes that only the reference takes with all their epilogues.
  const std::vector<EpilogueSplit>& splits() const { return splits_; }

 private:
  std::vector<int64_t> max_dims(const TensorType& type) const {
    std::vector<int64_t> dims;
    for (const DimExpr& dim : type.dims) dims.push_back(bounds_.maximum(dim));
    return dims;
  }

  MenuValueId add_value(std::string name, TensorType type, AxisOrder order) {
    MenuValue value;
    value.name = std::move(name);
    value.max_dims = max_dims(type);
    value.stride_dims = type.dims;
    value.type = std::move(type);
    value.order = order;
    menu_.values.push_back(std::move(value));
    return static_cast<MenuValueId>(menu_.values.size() - 1);
  }

  void know_slots(const TensorType& type) {
    for (const DimExpr& dim : type.dims)
      if (const auto slot = dim.slot_index()) known_slots_[static_cast<size_t>(*slot)] = true;
  }

  // A slot that is an extent for the first time is a count that the node's step finds.
  void note_counts(const Node& node) {
    for (const ValueId output : node.outputs) {
      MenuValue& value = menu_.values[static_cast<size_t>(menu_value_[static_cast<size_t>(output)])];
      for (size_t axis = 0; axis < value.type.dims.size(); ++axis) {
        const auto slot = value.type.dims[axis].slot_index();
        if (slot && !known_slots_[static_cast<size_t>(*slot)]) value.stride_dims[axis] = value.max_dims[axis];
      }
    }
    for (const ValueId output : node.outputs) know_slots(graph_->value(output).type);
  }

  // Whether a run reads input `i`: not where it only says how large the output is and that is known from the shapes of
  // the inputs. (What depends on counts is read, so that the node comes behind the step that finds them.)
  bool is_read(const Node& node, size_t i) const {
    if (i >= node.base_inputs || i >= 64 || !node.op->extent_inputs) return true;
    if (!(node.op->extent_inputs(node.attrs) >> i & 1)) return true;
    const Value& value = graph_->value(node.inputs[i]);
    return !value.integers || !std::all_of(value.integers->begin(), value.integers->end(),
                                           [&](const DimExpr& integer) { return is_early(integer); });
  }

  bool is_early(const DimExpr& expression) const {
    std::vector<int32_t> slots;
    expression.collect_slots(slots);
    return std::all_of(slots.begin(), slots.end(),
                       [&](int32_t slot) { return early_slots_[static_cast<size_t>(slot)]; });
  }

  void add_inputs() {
    for (size_t i = 0; i < graph_->inputs().size(); ++i) {
      const ValueId id = graph_->inputs()[i];
      const Value& value = graph_->value(id);
      const MenuValueId added = add_value(value.name, value.type, AxisOrder::row_major(value.type.rank()));
      menu_.values.back().input = static_cast<int32_t>(i);
      menu_.inputs.push_back(added);
      menu_value_[static_cast<size_t>(id)] = added;
    }
  }

  // Constants get a menu value for each order they are read in: they are stored as they are read.
  MenuValueId constant_in_order(ValueId id, AxisOrder order) {
    const auto [found, fresh] = constants_.try_emplace({id, order.text()}, -1);
    if (fresh) {
      const Value& value = graph_->value(id);
      found->second = add_value(value.name, value.type, order);
      menu_.values.back().constant = &*value.constant;
    }
    return found->second;
  }

  AxisOrder natural_order(ValueId id) const {
    const Value& value = graph_->value(id);
    if (value.constant) return AxisOrder::row_major(value.type.rank());
    return menu_.value(menu_value_[static_cast<size_t>(id)]).order;
  }
  DType natural_dtype(ValueId id) const {
    const Value& value = graph_->value(id);
    if (value.constant) return value.type.dtype;
    return menu_.value(menu_value_[static_cast<size_t>(id)]).type.dtype;
  }

  Result<MenuValueId> in_order(MenuValueId id, AxisOrder order, DType dtype, std::string_view why);
  Status lower_node(const Node& node);
  Status lower_view(const Node& node);
  Status lower_gather(const Node& node);
  Status lower_kernel(const Node& node);
  Status add_outputs();
  void drop_unread_extents();

  bool is_only_output(const Node& node) const;
  std::vector<Proposal> proposals(const Node& node) const;
  AxisOrder output_order(const Node& node, const std::vector<AxisOrder>& in, size_t output) const;
  DType output_dtype(const Node& node, const AxisOrder& order, size_t output) const;
  OpCall make_call(const Node& node, const Proposal& proposal) const;
  CallOperand constant_operand(ValueId id, AxisOrder order) const;
  CallOperand known_operand(ValueId id) const;
  void offer(const OpCall& call, std::vector<Candidate>& candidates, std::vector<Refusal>& refusals) const;
  bool is_fast(const std::vector<Candidate>& candidates) const {
    return !candidates.empty() && !candidates.front().tactic->name().ends_with(".reference");
  }
  std::optional<EpilogueSplit> split_of(const Node& node) const;
  Result<MenuNode::InputCopy> input_copy(MenuValueId from, AxisOrder order, DType dtype) const;
  Result<MenuValueId> add_copy(MenuValueId from, AxisOrder order, DType dtype, std::string name, std::string why);

  std::shared_ptr<const Graph> graph_;
  const Backend& backend_;
  const LowerOptions& options_;
  DType activation_;
  SlotBounds bounds_;
  std::vector<bool> early_slots_;  // known before the first step: of inputs, and of expressions over such
  std::vector<bool> known_slots_;  // of inputs, of expressions, and of the nodes lowered so far
  Menu menu_;
  std::vector<EpilogueSplit> splits_;
  std::vector<MenuValueId> menu_value_;  // by graph value
  std::map<std::pair<ValueId, std::string>, MenuValueId> constants_;
  std::map<std::tuple<MenuValueId, std::string, DType>, MenuValueId> copies_;
};

CallOperand operand_of(const MenuValue& value) {
  CallOperand operand;
  operand.type = value.type;
  operand.max_dims = value.max_dims;
  operand.order = value.order;
  operand.is_constant = value.constant != nullptr;
  if (value.constant) operand.value = value.constant->view;
  return operand;
}

// What a call's constants take where the kernel reads them as they are.
int64_t raw_constant_bytes(const OpCall& call, uint64_t packs) {
  int64_t bytes = 0;
  for (size_t i = 0; i < call.in.size(); ++i)
    if (call.in[i].is_constant && !(i < 64 && (packs >> i & 1)))
      bytes += align_up(call.in[i].value.elements() * size_of(call.in[i].type.dtype), 64);
  return bytes;
}

// Whether a candidate is the same kernel for vectors of twice the width: timing both costs time and memory for nothing.
bool is_half_as_wide(std::string_view tactic, std::span<const Candidate> candidates) {
  if (!tactic.ends_with(".avx2")) return false;
  const std::string wide = std::string(tactic.substr(0, tactic.size() - 4)) + "avx512";
  return std::any_of(candidates.begin(), candidates.end(),
                     [&](const Candidate& candidate) { return candidate.tactic->name() == wide; });
}

void Lowering::offer(const OpCall& call, std::vector<Candidate>& candidates, std::vector<Refusal>& refusals) const {
  for (const auto& tactic : backend_.tactics()) {
    if (options_.exact && tactic->name().find("winograd") != std::string_view::npos) {
      refusals.push_back({std::string(tactic->name()), "left out by --exact"});
      continue;
    }
    if (const Support support = tactic->supports(call); !support) {
      refusals.push_back({std::string(tactic->name()), support.reason()});
      continue;
    }
    if (is_half_as_wide(tactic->name(), candidates)) {
      refusals.push_back({std::string(tactic->name()), "the same with AVX-512 takes the call"});
      continue;
    }
    Candidate candidate;
    candidate.tactic = tactic.get();
    candidate.workspace = tactic->workspace(call, options_.threads);
    candidate.packed_bytes = align_up(tactic->packed_bytes(call), 64);
    candidate.packs = tactic->packs(call);
    candidate.weight_bytes = candidate.packed_bytes + raw_constant_bytes(call, candidate.packs);
    candidate.rank = static_cast<int32_t>(candidates.size());
    candidate.may_overwrite = tactic->may_overwrite(call);
    candidate.rows_independent = tactic->rows_independent(call);
    candidate.nanoseconds = tactic->stored_cost(call);
    candidates.push_back(candidate);
  }
  if (candidates.size() > 1 && candidates.back().tactic->name().ends_with(".reference")) candidates.pop_back();
}

// An input that a view does not read: its type, and its value where that is known.
CallOperand Lowering::known_operand(ValueId id) const {
  const TensorType& type = graph_->value(id).type;
  if (graph_->is_constant(id)) return constant_operand(id, AxisOrder::row_major(type.rank()));
  return {.type = type, .max_dims = max_dims(type), .order = AxisOrder::row_major(type.rank())};
}

CallOperand Lowering::constant_operand(ValueId id, AxisOrder order) const {
  const Value& value = graph_->value(id);
  CallOperand operand;
  operand.type = value.type;
  operand.max_dims = max_dims(value.type);
  operand.order = order;
  operand.is_constant = true;
  operand.value = value.constant->view;
  return operand;
}

AxisOrder Lowering::output_order(const Node& node, const std::vector<AxisOrder>& in, size_t output) const {
  const int rank = graph_->value(node.outputs[output]).type.rank();
  if (kChannelsLastOps.contains(node.op->name)) return AxisOrder::channels_last(rank);
  bool seen = false;
  AxisOrder order = AxisOrder::row_major(rank);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNoValue || graph_->is_constant(node.inputs[i]) || in[i].rank != rank) continue;
    if (!seen || (in[i].is_channels_last() && rank == 4)) order = in[i];
    seen = true;
  }
  return order;
}

DType Lowering::output_dtype(const Node& node, const AxisOrder& order, size_t output) const {
  const DType dtype = graph_->value(node.outputs[output]).type.dtype;
  if (dtype != DType::f32) return dtype;
  if (order.rank == 4 && order.axes[3] == 1) return activation_;
  // A product of what is stored so is stored so, unless it leaves the model.
  const ValueId id = node.outputs[output];
  const bool leaves = std::find(graph_->outputs().begin(), graph_->outputs().end(), id) != graph_->outputs().end();
  const bool is_product = node.op->name == "MatMul" || node.op->name == "Gemm";
  return is_product && !leaves && natural_dtype(node.inputs[0]) == activation_ ? activation_ : dtype;
}

// Whether an op that would write channels-last writes an output of the model and nothing else: best as that lies.
bool Lowering::is_only_output(const Node& node) const {
  const ValueId value = node.outputs[0];
  return kChannelsLastOps.contains(node.op->name) && node.outputs.size() == 1 && graph_->readers(value).empty() &&
         std::count(graph_->outputs().begin(), graph_->outputs().end(), value) == 1;
}

// In the order in which they are tried: the inputs as they lie (an output of the model as that lies); channels-last;
// row-major.
std::vector<Proposal> Lowering::proposals(const Node& node) const {
  Proposal natural;
  for (const ValueId input : node.inputs) {
    natural.in.push_back(input == kNoValue ? AxisOrder{} : natural_order(input));
    natural.in_dtype.push_back(input == kNoValue ? DType::f32 : natural_dtype(input));
  }
  std::vector<Proposal> list;
  const auto with_inputs = [&](auto order_of) {
    Proposal p = natural;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoValue || !is_read(node, i)) continue;
      const int rank = graph_->value(node.inputs[i]).type.rank();
      if (!graph_->is_constant(node.inputs[i]) || i >= node.base_inputs) p.in[i] = order_of(rank, p.in[i]);
    }
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      p.out.push_back(output_order(node, p.in, o));
      p.out_dtype.push_back(output_dtype(node, p.out.back(), o));
    }
    list.push_back(std::move(p));
  };
  with_inputs([](int, AxisOrder order) { return order; });
  if (is_only_output(node)) {
    list.push_back(list.back());
    list.back().out[0] = AxisOrder::row_major(list.back().out[0].rank);
    list.back().out_dtype[0] = graph_->value(node.outputs[0]).type.dtype;
    std::swap(list[0], list[1]);
  }
  with_inputs([](int rank, AxisOrder order) { return rank == 4 ? AxisOrder::channels_last(4) : order; });
  with_inputs([](int rank, AxisOrder) { return AxisOrder::row_major(rank); });
  if (activation_ != DType::f32) {  // where a tactic takes only f32, its operands are converted by copies
    const size_t count = list.size();
    for (size_t i = 0; i < count; ++i) {
      Proposal mixed = list[i], f32 = list[i];
      for (DType& dtype : f32.out_dtype)
        if (dtype == activation_) dtype = DType::f32;
      for (size_t k = 0; k < mixed.in.size(); ++k)
        if (mixed.in_dtype[k] == DType::f32 && mixed.in[k].rank == 4 && mixed.in[k].is_channels_last() &&
            node.inputs[k] != kNoValue && !graph_->is_constant(node.inputs[k]))
          mixed.in_dtype[k] = activation_;
      list.push_back(mixed);
      list.push_back(f32);
      for (DType& dtype : f32.in_dtype)
        if (dtype == activation_) dtype = DType::f32;
      list.push_back(f32);
    }
  }
  return list;
}

OpCall Lowering::make_call(const Node& node, const Proposal& p) const {
  OpCall call;
  call.op = node.op;
  call.attrs = node.attrs;
  call.epilogues = node.epilogues;
  call.base_inputs = node.base_inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNoValue || !is_read(node, i)) {
      call.in.push_back({.present = false});
      continue;
    }
    if (graph_->is_constant(node.inputs[i])) {
      call.in.push_back(constant_operand(node.inputs[i], p.in[i]));
      continue;
    }
    CallOperand operand = operand_of(menu_.value(menu_value_[static_cast<size_t>(node.inputs[i])]));
    operand.order = p.in[i];
    operand.type.dtype = p.in_dtype[i];
    call.in.push_back(std::move(operand));
  }
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    CallOperand operand;
    operand.type = graph_->value(node.outputs[o]).type;
    operand.type.dtype = p.out_dtype[o];
    operand.max_dims = max_dims(operand.type);
    operand.order = p.out[o];
    call.out.push_back(std::move(operand));
  }
  return call;
}

Result<MenuValueId> Lowering::add_copy(MenuValueId from, AxisOrder order, DType dtype, std::string name,
                                       std::string why) {
  TensorType type = menu_.value(from).type;
  type.dtype = dtype;
  const MenuValueId to = add_value(name, type, order);
  MenuNode node;
  node.name = std::move(name);
  node.why = std::move(why);
  node.call.op = ops::find("Copy", "memline");
  node.call.in = {operand_of(menu_.value(from))};
  node.call.base_inputs = 1;
  node.call.out = {operand_of(menu_.value(to))};
  node.inputs = {from};
  node.outputs = {to};
  offer(node.call, node.candidates, node.refusals);
  if (node.candidates.empty())
    return unsupported("no tactic copies '{}' from {} to {}", menu_.value(from).name, menu_.value(from).order.text(),
                       order.text());
  menu_.nodes.push_back(std::move(node));
  return to;
}

Result<MenuNode::InputCopy> Lowering::input_copy(MenuValueId from, AxisOrder order, DType dtype) const {
  MenuNode::InputCopy copy;
  copy.call.op = ops::find("Copy", "memline");
  copy.call.in = {operand_of(menu_.value(from))};
  copy.call.base_inputs = 1;
  copy.call.out = {operand_of(menu_.value(from))};
  copy.call.out[0].order = order;
  copy.call.out[0].type.dtype = dtype;
  copy.call.out[0].is_constant = false;
  copy.call.out[0].value = {};
  std::vector<Candidate> candidates;
  std::vector<Refusal> refusals;
  offer(copy.call, candidates, refusals);
  if (candidates.empty()) return unsupported("no tactic copies '{}'", menu_.value(from).name);
  copy.candidate = candidates.front();
  return copy;
}

Result<MenuValueId> Lowering::in_order(MenuValueId id, AxisOrder order, DType dtype, std::string_view why) {
  const MenuValue& value = menu_.value(id);
  if (value.type.dtype == dtype && same_memory(value.max_dims, value.type.dims, value.order, order)) return id;
  const auto key = std::tuple(id, order.text(), dtype);
  if (const auto found = copies_.find(key); found != copies_.end()) return found->second;
  std::string reason = fmt::format("{} needs {}@{}, '{}' is {}@{}", why, dtype, order.text(), value.name,
                                   value.type.dtype, value.order.text());
  MEML_TRY(const MenuValueId copy, add_copy(id, order, dtype, value.name + "@" + order.text(), std::move(reason)));
  copies_[key] = copy;
  return copy;
}

Status Lowering::lower_view(const Node& node) {
  const ValueId source = node.inputs[0];
  MenuValueId from = menu_value_[static_cast<size_t>(source)];
  const ViewContext context(*graph_, node);
  const auto orders_from = [&](const AxisOrder& order) -> std::optional<std::vector<AxisOrder>> {
    std::vector<AxisOrder> out;
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      const auto placed = node.op->views.output(node.attrs, context.infer(), o, 0,
                                                dense_placement(menu_.value(from).stride_dims, order));
      if (!placed) return std::nullopt;
      const auto found = order_of(*placed, graph_->value(node.outputs[o]).type.dims, menu_.graph->opt_slots());
      if (!found) return std::nullopt;
      out.push_back(*found);
    }
    return out;
  };
  std::optional<std::vector<AxisOrder>> orders = orders_from(menu_.value(from).order);
  if (!orders) {
    const AxisOrder row_major = AxisOrder::row_major(menu_.value(from).order.rank);
    orders = orders_from(row_major);
    if (!orders) return lower_kernel(node);
    MEML_TRY(from, in_order(from, row_major, menu_.value(from).type.dtype, node.op->name));
  }
  MenuNode view;
  view.kind = MenuNodeKind::view;
  view.name = node.name;
  view.inputs.assign(node.inputs.size(), -1);
  view.inputs[0] = from;
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    TensorType type = graph_->value(node.outputs[o]).type;
    type.dtype = menu_.value(from).type.dtype;
    const MenuValueId added = add_value(graph_->value(node.outputs[o]).name, type, (*orders)[o]);
    menu_value_[static_cast<size_t>(node.outputs[o])] = added;
    view.outputs.push_back(added);
  }
  view.call.op = node.op;
  view.call.attrs = node.attrs;
  view.call.base_inputs = node.base_inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNoValue)
      view.call.in.push_back({.present = false});
    else if (i == 0)
      view.call.in.push_back(operand_of(menu_.value(from)));
    else
      view.call.in.push_back(known_operand(node.inputs[i]));
    if (node.inputs[i] != kNoValue && graph_->value(node.inputs[i]).integers)
      view.call.in.back().integers = *graph_->value(node.inputs[i]).integers;
  }
  MEML_TRY(MenuNode::InputCopy copy, input_copy(from, menu_.value(from).order, menu_.value(from).type.dtype));
  view.input_copies.push_back(std::move(copy));
  for (const MenuValueId out : view.outputs) view.call.out.push_back(operand_of(menu_.value(out)));
  menu_.nodes.push_back(std::move(view));
  return {};
}

Status Lowering::lower_gather(const Node& node) {
  const ValueId output = node.outputs[0];
  std::vector<AxisOrder> in_orders;
  for (const ValueId input : node.inputs) in_orders.push_back(natural_order(input));
  const AxisOrder order = output_order(node, in_orders, 0);
  TensorType type = graph_->value(output).type;
  for (const ValueId input : node.inputs)
    if (!graph_->is_constant(input)) {
      type.dtype = natural_dtype(input);
      break;
    }
  MenuNode gather;
  gather.kind = MenuNodeKind::gather;
  gather.name = node.name;
  gather.call.op = node.op;
  gather.call.attrs = node.attrs;
  gather.call.base_inputs = node.base_inputs;
  const MenuValueId out = add_value(graph_->value(output).name, type, order);
  menu_value_[static_cast<size_t>(output)] = out;
  gather.outputs = {out};
  for (const ValueId input : node.inputs) {
    const MenuValueId id =
        graph_->is_constant(input) ? constant_in_order(input, order) : menu_value_[static_cast<size_t>(input)];
    gather.inputs.push_back(id);
    gather.call.in.push_back(operand_of(menu_.value(id)));
    MEML_TRY(MenuNode::InputCopy copy, input_copy(id, order, type.dtype));
    gather.input_copies.push_back(std::move(copy));
  }
  gather.call.out.push_back(operand_of(menu_.value(out)));
  menu_.nodes.push_back(std::move(gather));
  return {};
}

// How many epilogues may stay so that a tactic better than the reference takes the base op.
std::optional<EpilogueSplit> Lowering::split_of(const Node& node) const {
  for (size_t kept = node.epilogues.size(); kept-- > 0;) {
    if (!can_split(node, kept)) continue;
    const Node base = with_epilogues(node, kept);
    for (const Proposal& proposal : proposals(base)) {
      std::vector<Candidate> offered;
      std::vector<Refusal> refused;
      offer(make_call(base, proposal), offered, refused);
      if (is_fast(offered)) return EpilogueSplit{static_cast<NodeId>(&node - graph_->nodes().data()), kept};
    }
  }
  return std::nullopt;
}

Status Lowering::lower_kernel(const Node& node) {
  const std::vector<Proposal> list = proposals(node);
  std::vector<Candidate> candidates;
  std::vector<Refusal> refusals;
  OpCall call;
  const Proposal* taken = nullptr;
  for (const Proposal& proposal : list) {
    OpCall proposed = make_call(node, proposal);
    std::vector<Candidate> offered;
    std::vector<Refusal> refused;
    offer(proposed, offered, refused);
    if (offered.empty() || (taken != nullptr && !is_fast(offered))) continue;
    taken = &proposal;
    call = std::move(proposed);
    candidates = std::move(offered);
    refusals = std::move(refused);
    if (is_fast(candidates)) break;
  }
  if (taken == nullptr)
    return unsupported("{} '{}': no tactic of backend '{}' takes it", node.op->name, node.name, backend_.name());
  if (!is_fast(candidates))
    if (const auto split = split_of(node)) splits_.push_back(*split);

  MenuNode lowered;
  lowered.name = node.name;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId input = node.inputs[i];
    if (input == kNoValue || !is_read(node, i)) {
      lowered.inputs.push_back(-1);
    } else if (graph_->is_constant(input)) {
      lowered.inputs.push_back(constant_in_order(input, taken->in[i]));
    } else {
      MEML_TRY(const MenuValueId id, in_order(menu_value_[static_cast<size_t>(input)], taken->in[i], taken->in_dtype[i],
                                              fmt::format("{} '{}'", node.op->name, node.name)));
      lowered.inputs.push_back(id);
      call.in[i].order = menu_.value(id).order;
    }
  }
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    TensorType type = graph_->value(node.outputs[o]).type;
    type.dtype = taken->out_dtype[o];
    const MenuValueId id = add_value(graph_->value(node.outputs[o]).name, type, taken->out[o]);
    menu_value_[static_cast<size_t>(node.outputs[o])] = id;
    lowered.outputs.push_back(id);
  }
  lowered.flops = flops_of(call);
  lowered.call = std::move(call);
  lowered.candidates = std::move(candidates);
  lowered.refusals = std::move(refusals);
  menu_.nodes.push_back(std::move(lowered));
  return {};
}

Status Lowering::lower_node(const Node& node) {
  if (!node.blocks.empty()) return unsupported("{} '{}': control flow is not compiled yet", node.op->name, node.name);
  const bool from_activation =
      !node.inputs.empty() && node.inputs[0] != kNoValue && !graph_->is_constant(node.inputs[0]);
  if (node.epilogues.empty() && node.op->views.output && from_activation) return lower_view(node);
  if (node.epilogues.empty() && node.op->views.input) return lower_gather(node);
  return lower_kernel(node);
}

// Views know their extents, and kernels were not given those that they do not read.
void Lowering::drop_unread_extents() {
  std::set<MenuValueId> read(menu_.outputs.begin(), menu_.outputs.end());
  for (const MenuNode& node : menu_.nodes) read.insert(node.inputs.begin(), node.inputs.end());
  std::erase_if(menu_.nodes,
                [&](const MenuNode& node) { return !node.call.op->reference && !read.contains(node.outputs[0]); });
}

// A model output is dense row-major, has the model's dtype, and is written by a step of its own.
Status Lowering::add_outputs() {
  std::set<MenuValueId> used(menu_.inputs.begin(), menu_.inputs.end());
  std::set<MenuValueId> from_view;
  for (const MenuNode& node : menu_.nodes)
    if (node.kind == MenuNodeKind::view) from_view.insert(node.outputs.begin(), node.outputs.end());
  for (size_t i = 0; i < graph_->outputs().size(); ++i) {
    const ValueId output = graph_->outputs()[i];
    const Value& value = graph_->value(output);
    const AxisOrder order = AxisOrder::row_major(value.type.rank());
    MenuValueId id = value.constant ? constant_in_order(output, order) : menu_value_[static_cast<size_t>(output)];
    const MenuValue& from = menu_.value(id);
    std::string why;
    if (from.constant)
      why = "the output is a constant";
    else if (used.contains(id))
      why = "the value is an input, or an output already";
    else if (from_view.contains(id))
      why = "the output is a view of another value";
    else if (from.type.dtype != value.type.dtype)
      why = "the output has another dtype";
    else if (dense_placement(from.stride_dims, from.order).strides !=
             dense_placement(from.type.dims, from.order).strides)
      why = "its extents are known only when it is written";
    else if (!same_memory(from.max_dims, from.type.dims, from.order, order))
      why = "outputs are row-major";
    if (!why.empty()) {
      MEML_TRY(id, add_copy(id, order, value.type.dtype, graph_->output_names()[i] + "@output", std::move(why)));
    }
    used.insert(id);
    menu_.values[static_cast<size_t>(id)].output = static_cast<int32_t>(i);
    menu_.outputs.push_back(id);
  }
  return {};
}

}  // namespace

Result<Menu> lower(std::shared_ptr<const Graph> graph, const Backend& backend, const LowerOptions& options) {
  MEML_TRY(const DType activation, backend.activation_dtype(options.precision));
  while (true) {  // each round shortens the lists that it splits
    Lowering lowering(graph, backend, options, activation);
    MEML_TRY(Menu menu, lowering.run());
    if (lowering.splits().empty()) return menu;
    MEML_TRY(Graph split, split_epilogues(*graph, lowering.splits()));
    graph = std::make_shared<const Graph>(std::move(split));
  }
}

}  // namespace memline
