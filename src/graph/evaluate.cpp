#include "graph/evaluate.h"

#include <algorithm>
#include <cstdlib>

#include "base/size.h"
#include "graph/guards.h"
#include "graph/infer.h"
#include "ops/reference.h"
#include "ops/select_branch.h"

namespace memline {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 46;

Result<Constant> allocate(DType dtype, std::span<const int64_t> dims) {
  int64_t bytes = size_of(dtype);
  for (const int64_t dim : dims) bytes = saturating_mul(bytes, dim);
  if (bytes > kMaxBytes) return out_of_memory("{} bytes are more than any machine has", bytes);
  MEML_TRY(std::shared_ptr<void> owner, constant_memory(bytes));
  return Constant{dense_view(dtype, owner.get(), dims), owner};
}

std::vector<int64_t> dims_of(const TensorView& view) { return {view.dims.begin(), view.dims.begin() + view.rank}; }

// Base and epilogues into `out`, whose views take their true extents. Epilogues work on f32 and are rounded once.
Status run_reference(const Node& node, std::span<const TensorView> in, std::vector<Constant>& out) {
  if (!node.blocks.empty()) return unsupported("nodes with blocks are not evaluated on references");
  std::vector<TensorView> views;
  for (const Constant& output : out) views.push_back(output.view);
  Constant wide;
  const bool through_f32 = !node.epilogues.empty() && out[0].view.dtype != DType::f32;
  if (through_f32) {
    MEML_TRY(wide, allocate(DType::f32, dims_of(out[0].view)));
    views[0] = wide.view;
  }
  node.op->reference(node.attrs, in.first(node.base_inputs), views);
  if (!node.epilogues.empty()) ops::apply_reference(node.epilogues, in, node.op->channel_axis, views[0]);
  for (size_t i = through_f32 ? 1 : 0; i < out.size(); ++i) out[i].view = views[i];
  if (through_f32) ops::copy(wide.view, out[0].view);
  return {};
}

class Evaluation {
 public:
  Evaluation(const Graph& graph, const EvaluateOptions& options)
      : graph_(graph),
        options_(options),
        slots_(graph.slots().size()),
        known_(slots_.size()),
        values_(graph.value_count()),
        uses_(graph.value_count()),
        bytes_(graph.value_count()) {
    for (size_t i = 0; i < values_.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      uses_[i] = graph.readers(id).size() + (graph.is_output(id) ? 1 : 0);
      if (graph.is_constant(id)) values_[i] = *graph.value(id).constant;
    }
  }

  Status set_input(size_t index, const TensorView& view) {
    const ValueId id = graph_.inputs()[index];
    const TensorType& type = graph_.value(id).type;
    if (view.dtype != type.dtype || view.rank != type.rank())
      return invalid_argument("input '{}' is {} of rank {}, needs {}", graph_.value(id).name, view.dtype, view.rank,
                              type.text());
    for (int axis = 0; axis < view.rank; ++axis)
      if (const auto slot = type.dims[static_cast<size_t>(axis)].slot_index()) set_slot(*slot, view.dim(axis));
    for (int axis = 0; axis < view.rank; ++axis) {
      const int64_t needed = type.dims[static_cast<size_t>(axis)].evaluate(slots_.data());
      if (view.dim(axis) != needed)
        return invalid_argument("input '{}': dimension {} is {}, needs {}", graph_.value(id).name, axis, view.dim(axis),
                                needed);
    }
    values_[static_cast<size_t>(id)] = {view, nullptr};
    return {};
  }

  Status run() {
    compute_slots();
    for (const Condition& condition : graph_.conditions())
      if (condition.left.evaluate(slots_.data()) != condition.right.evaluate(slots_.data()) &&
          is_known(condition.left) && is_known(condition.when) && condition.when.evaluate(slots_.data()) != 0)
        return invalid_argument("{} does not hold for these shapes", condition.demanded_by);
    const std::vector<Guards> guards = guards_of(graph_);
    for (size_t i = 0; i < graph_.nodes().size(); ++i)
      MEML_TRY_STATUS(run_node(static_cast<NodeId>(i), is_wanted(guards[i])));
    return {};
  }

  // Not where a condition that is known already says that nobody needs it.
  bool is_wanted(const Guards& guards) const {
    return std::ranges::all_of(guards, [&](const Guard& guard) {
      const TensorView& condition = value(graph_.node(guard.select).inputs[ops::kSelectCondition]).view;
      return condition.data == nullptr || (*condition.as<const uint8_t>() != 0) == guard.when;
    });
  }

  Status run_node(NodeId id, bool is_wanted) {
    const Node& node = graph_.node(id);
    Status status = is_wanted ? compute(node) : Status();
    if (!status) return with_prefix(std::move(status).error(), node_label(*node.op, node.name));
    for (const ValueId input : node.inputs)
      if (input != kNoValue && --uses_[static_cast<size_t>(input)] == 0) release(input);
    for (const ValueId output : node.outputs)
      if (uses_[static_cast<size_t>(output)] == 0) release(output);
    return {};
  }

  const Constant& value(ValueId id) const { return values_[static_cast<size_t>(id)]; }

 private:
  void set_slot(int32_t slot, int64_t value) {
    slots_[static_cast<size_t>(slot)] = value;
    known_[static_cast<size_t>(slot)] = true;
  }
  // Slots that are computed from others, in order; again after a count has become known.
  void compute_slots() {
    for (size_t i = 0; i < slots_.size(); ++i)
      if (graph_.slots()[i].value) set_slot(static_cast<int32_t>(i), graph_.slots()[i].value->evaluate(slots_.data()));
  }
  bool is_known(const DimExpr& expression) const {
    std::vector<int32_t> used;
    expression.collect_slots(used);
    for (const int32_t slot : used)
      if (!known_[static_cast<size_t>(slot)]) return false;
    return true;
  }

  void release(ValueId id) {
    Constant& value = values_[static_cast<size_t>(id)];
    if (graph_.producer(id) == kNoNode || value.owner == nullptr) return;
    live_bytes_ -= bytes_[static_cast<size_t>(id)];
    value = {};
  }

  // Room for the value at its extents now; where a count is not known yet, at the count's bound.
  Result<Constant> make_room(ValueId id) {
    const Value& value = graph_.value(id);
    std::vector<int32_t> used;
    for (const DimExpr& dim : value.type.dims) dim.collect_slots(used);
    for (const int32_t slot : used)
      if (!known_[static_cast<size_t>(slot)])
        slots_[static_cast<size_t>(slot)] = graph_.slots()[static_cast<size_t>(slot)].range.max;
    std::vector<int64_t> dims;
    int64_t bytes = size_of(value.type.dtype);
    for (const DimExpr& dim : value.type.dims) {
      dims.push_back(dim.evaluate(slots_.data()));
      if (dims.back() < 0) return invalid_argument("output '{}' would have the extent {}", value.name, dims.back());
      bytes = saturating_mul(bytes, dims.back());
    }
    if (saturating_add(bytes, live_bytes_) > options_.max_live_bytes)
      return fail(Code::over_budget, {}, "output '{}' needs {} bytes beside {} in use, at most {} may be", value.name,
                  bytes, live_bytes_, options_.max_live_bytes);
    bytes_[static_cast<size_t>(id)] = bytes;
    live_bytes_ += bytes;
    return allocate(value.type.dtype, dims);
  }

  Status compute(const Node& node) {
    std::vector<TensorView> in;
    for (const ValueId input : node.inputs) in.push_back(input == kNoValue ? TensorView{} : value(input).view);
    std::vector<Constant> out;
    for (const ValueId output : node.outputs) {
      MEML_TRY(Constant room, make_room(output));
      out.push_back(std::move(room));
    }
    if (node.op->reference)
      MEML_TRY_STATUS(run_reference(node, in, out));
    else
      MEML_TRY_STATUS(write_integers(graph_.value(node.outputs[0]), out[0].view));
    for (size_t i = 0; i < out.size(); ++i) {
      learn_counts(graph_.value(node.outputs[i]).type, out[i].view);
      values_[static_cast<size_t>(node.outputs[i])] = std::move(out[i]);
    }
    return {};
  }

  // An op without a reference is known by what shape arithmetic says of it.
  Status write_integers(const Value& value, const TensorView& view) const {
    if (!value.integers) return unsupported("has no reference");
    for (size_t i = 0; i < value.integers->size(); ++i)
      ops::store(view, static_cast<int64_t>(i), (*value.integers)[i].evaluate(slots_.data()));
    return {};
  }

  void learn_counts(const TensorType& type, const TensorView& view) {
    bool learned = false;
    for (int axis = 0; axis < view.rank; ++axis) {
      const auto slot = type.dims[static_cast<size_t>(axis)].slot_index();
      if (!slot || known_[static_cast<size_t>(*slot)]) continue;
      set_slot(*slot, view.dim(axis));
      learned = true;
    }
    if (learned) compute_slots();
  }

  const Graph& graph_;
  const EvaluateOptions& options_;
  std::vector<int64_t> slots_;
  std::vector<bool> known_;
  std::vector<Constant> values_;
  std::vector<size_t> uses_;
  std::vector<int64_t> bytes_;
  int64_t live_bytes_ = 0;
};

}  // namespace

Result<std::vector<Constant>> evaluate(const Graph& graph, std::span<const TensorView> inputs,
                                       const EvaluateOptions& options) {
  if (inputs.size() != graph.inputs().size())
    return invalid_argument("the graph has {} inputs, {} were given", graph.inputs().size(), inputs.size());
  Evaluation evaluation(graph, options);
  for (size_t i = 0; i < inputs.size(); ++i) MEML_TRY_STATUS(evaluation.set_input(i, inputs[i]));
  MEML_TRY_STATUS(evaluation.run());
  std::vector<Constant> outputs;
  for (const ValueId output : graph.outputs()) outputs.push_back(evaluation.value(output));
  return outputs;
}

Result<std::vector<Constant>> evaluate_node(const Graph& graph, NodeId id, std::span<const TensorView> inputs,
                                            const EvaluateOptions& options) {
  const Node& node = graph.node(id);
  std::vector<Constant> out;
  int64_t bytes = 0;
  for (const ValueId output : node.outputs) {
    const Value& value = graph.value(output);
    std::vector<int64_t> dims;
    int64_t own = size_of(value.type.dtype);
    for (const DimExpr& dim : value.type.dims) {
      dims.push_back(dim.is_constant() ? *dim.constant() : dim.bounds(graph.slot_ranges()).max);
      own = saturating_mul(own, std::max<int64_t>(dims.back(), 0));
    }
    bytes = saturating_add(bytes, own);
    if (bytes > options.max_live_bytes)
      return fail(Code::over_budget, {}, "output '{}' needs {} bytes, at most {} may be", value.name, own,
                  options.max_live_bytes);
    MEML_TRY(Constant room, allocate(value.type.dtype, dims));
    out.push_back(std::move(room));
  }
  MEML_TRY_STATUS(run_reference(node, inputs, out));
  return out;
}

Constant densify(const TensorView& view) {
  const std::vector<int64_t> dims = dims_of(view);
  Constant dense = make_zeros(view.dtype, dims);
  ops::copy(view, dense.view);
  return dense;
}

}  // namespace memline
