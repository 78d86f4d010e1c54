#include "fit/homes.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "base/size.h"
#include "choose/view_order.h"
#include "fit/inverse_view.h"
#include "ops/select_branch.h"

namespace memline {
namespace {

class Placer {
 public:
  explicit Placer(const Menu& menu) : menu_(menu), bounds_(menu.graph->slot_bounds()), opt_(menu.graph->opt_slots()) {
    finder_.assign(menu.graph->slots().size(), -1);
    homes_.of_value.resize(menu.values.size());
    producer_.assign(menu.values.size(), {-1, 0});
    writers_.resize(menu.values.size());
    for (size_t n = 0; n < menu.nodes.size(); ++n)
      for (size_t o = 0; o < menu.nodes[n].outputs.size(); ++o)
        producer_[static_cast<size_t>(menu.nodes[n].outputs[o])] = {static_cast<int32_t>(n), o};
  }

  Homes run() {
    for (const MenuValueId input : menu_.inputs) new_root(input);
    for (size_t n = menu_.nodes.size(); n-- > 0;)
      if (menu_.nodes[n].kind == MenuNodeKind::gather) place_gather(menu_.nodes[n]);
    for (size_t n = 0; n < menu_.nodes.size(); ++n) {
      switch (menu_.nodes[n].kind) {
        case MenuNodeKind::kernel:
          add_kernel(static_cast<int32_t>(n));
          break;
        case MenuNodeKind::view:
          add_view(static_cast<int32_t>(n));
          break;
        case MenuNodeKind::gather:
          add_gather_copies(static_cast<int32_t>(n));
          break;
      }
    }
    find_guards();
    return std::move(homes_);
  }

 private:
  Home& home(MenuValueId id) { return homes_.of_value[static_cast<size_t>(id)]; }
  bool has_home(MenuValueId id) { return home(id).root >= 0; }
  const std::vector<DimExpr>& dims(MenuValueId id) const { return menu_.value(id).type.dims; }

  int64_t dense_bytes(const MenuValue& value) const {
    const DimExpr bytes = product(value.type.dims) * DimExpr(size_of(value.type.dtype));
    return bounds_.maximum(bytes);
  }

  void new_root(MenuValueId id) {
    const MenuValue& value = menu_.value(id);
    Root root{.name = value.name, .bytes = dense_bytes(value)};
    if (value.input >= 0) root.region = memory::Region::input, root.index = value.input;
    if (value.output >= 0) root.region = memory::Region::output, root.index = value.output;
    homes_.roots.push_back(std::move(root));
    home(id) = {static_cast<int32_t>(homes_.roots.size() - 1), dense_placement(value.stride_dims, value.order)};
  }

  // The value at the end of a chain of views that `id` looks at.
  MenuValueId source_of(MenuValueId id) const {
    for (;;) {
      const auto [node, output] = producer_[static_cast<size_t>(id)];
      if (node < 0 || menu_.nodes[static_cast<size_t>(node)].kind != MenuNodeKind::view) return id;
      id = menu_.nodes[static_cast<size_t>(node)].inputs[0];
    }
  }

  // Where the source of `id` must lie so that `id` lies at `wanted`.
  std::optional<ops::Placement> source_placement(MenuValueId id, ops::Placement wanted) const {
    for (;;) {
      const auto [n, output] = producer_[static_cast<size_t>(id)];
      if (n < 0 || menu_.nodes[static_cast<size_t>(n)].kind != MenuNodeKind::view) return wanted;
      const MenuNode& view = menu_.nodes[static_cast<size_t>(n)];
      auto input = inverse_view(view, output, wanted);
      if (!input) return std::nullopt;
      wanted = std::move(*input);
      id = view.inputs[0];
    }
  }

  // Where `source` must lie so that each input of the gather that looks at it lies in its slot. nullopt unless those
  // inputs are exactly its parts: then nothing of it lies outside their slots.
  std::optional<ops::Placement> placement_for_gather(const MenuNode& gather, MenuValueId source) {
    DimExpr held = 0;
    std::set<MenuValueId> seen;
    std::optional<ops::Placement> placement;
    for (size_t i = 0; i < gather.inputs.size(); ++i) {
      const MenuValueId input = gather.inputs[i];
      if (source_of(input) != source) continue;
      if (!seen.insert(input).second)
        continue;  // the same part again: it lies in its first slot and is copied from there
      const auto wanted = source_placement(input, slots_[{gather.outputs[0], i}].at);
      if (!wanted || (placement && !same_placement(*placement, *wanted, dims(source)))) return std::nullopt;
      placement = wanted;
      held = held + product(dims(input));
    }
    return held == product(dims(source)) ? placement : std::nullopt;
  }

  bool can_write_at(MenuValueId id, const MenuNode& gather, const ops::Placement& at) const {
    const MenuValue& value = menu_.value(id);
    if (value.constant != nullptr || value.input >= 0 || value.output >= 0) return false;
    if (value.stride_dims != value.type.dims) return false;  // where the next input begins is not known yet
    if (value.type.dtype != menu_.value(gather.outputs[0]).type.dtype) return false;
    const auto order = order_of(at, value.type.dims, opt_);
    return order && same_memory(value.max_dims, value.type.dims, *order, value.order);
  }

  void place_gather(const MenuNode& gather) {
    const MenuValueId out = gather.outputs[0];
    if (!has_home(out)) new_root(out);
    const CallContext context(gather.call);
    for (size_t i = 0; i < gather.inputs.size(); ++i) {
      const auto at = gather.call.op->views.input(gather.call.attrs, context.infer(), i, home(out).at);
      MEML_CHECK(at.has_value());
      slots_[{out, i}] = {home(out).root, *at};
    }
    for (const MenuValueId input : gather.inputs) {
      const MenuValueId source = source_of(input);
      if (has_home(source)) continue;
      const auto at = placement_for_gather(gather, source);
      if (at && can_write_at(source, gather, *at)) home(source) = {home(out).root, *at};
    }
  }

  // The tasks that find the counts in `expression`.
  void add_finders(const DimExpr& expression, std::set<int32_t>& tasks) const {
    std::vector<int32_t> slots;
    expression.collect_slots(slots);
    for (const int32_t slot : slots) {
      if (const auto& value = menu_.graph->slots()[static_cast<size_t>(slot)].value) add_finders(*value, tasks);
      if (finder_[static_cast<size_t>(slot)] >= 0) tasks.insert(finder_[static_cast<size_t>(slot)]);
    }
  }

  // A task comes behind those that find the counts in its extents and strides, whether or not it reads their results.
  std::set<int32_t> finders_of(const Task& task) const {
    std::set<int32_t> tasks;
    for (const auto* values : {&task.in, &task.out})
      for (const MenuValueId value : *values)
        if (value >= 0)
          for (const DimExpr& dim : dims(value)) add_finders(dim, tasks);
    for (const auto* homes : {&task.in_homes, &task.out_homes})
      for (const Home& home : *homes) {
        add_finders(home.at.offset, tasks);
        for (const DimExpr& stride : home.at.strides) add_finders(stride, tasks);
      }
    return tasks;
  }

  void note_counts(const MenuNode& node, int32_t task) {
    for (const MenuValueId output : node.outputs) {
      if (output < 0) continue;
      const MenuValue& value = menu_.value(output);
      for (size_t axis = 0; axis < value.type.dims.size(); ++axis)
        if (const auto slot = value.type.dims[axis].slot_index();
            slot && value.stride_dims[axis] != value.type.dims[axis])
          finder_[static_cast<size_t>(*slot)] = task;
    }
  }

  int32_t add_task(Task task) {
    const auto id = static_cast<int32_t>(homes_.tasks.size());
    std::set<int32_t> before = finders_of(task);
    for (const MenuValueId input : task.in)
      if (input >= 0)
        before.insert(writers_[static_cast<size_t>(input)].begin(), writers_[static_cast<size_t>(input)].end());
    homes_.after.emplace_back(before.begin(), before.end());
    homes_.tasks.push_back(std::move(task));
    return id;
  }

  void add_kernel(int32_t n) {
    const MenuNode& node = menu_.nodes[static_cast<size_t>(n)];
    Task task{.node = n, .in = node.inputs, .out = node.outputs};
    for (const MenuValueId output : node.outputs)
      if (output >= 0 && !has_home(output)) new_root(output);
    for (const MenuValueId input : node.inputs) task.in_homes.push_back(input >= 0 ? home(input) : Home{});
    for (const MenuValueId output : node.outputs) task.out_homes.push_back(output >= 0 ? home(output) : Home{});
    const int32_t id = add_task(std::move(task));
    for (const MenuValueId output : node.outputs)
      if (output >= 0) writers_[static_cast<size_t>(output)] = {id};
    note_counts(node, id);
  }

  int32_t add_copy(int32_t n, size_t input, const Home& to) {
    const MenuValueId from = menu_.nodes[static_cast<size_t>(n)].inputs[input];
    Task task{.node = n, .copied_input = static_cast<int32_t>(input), .in = {from}, .out = {-1}};
    task.in_homes = {home(from)};
    task.out_homes = {to};
    return add_task(std::move(task));
  }

  void add_view(int32_t n) {
    const MenuNode& node = menu_.nodes[static_cast<size_t>(n)];
    const MenuValueId from = node.inputs[0];
    const CallContext context(node.call);
    Home source = home(from);
    std::set<int32_t> writers = writers_[static_cast<size_t>(from)];
    const auto expressible = [&] {
      for (size_t o = 0; o < node.outputs.size(); ++o)
        if (!node.call.op->views.output(node.call.attrs, context.infer(), o, 0, source.at)) return false;
      return true;
    };
    if (!expressible()) {
      homes_.roots.push_back({.name = menu_.value(from).name + "@dense", .bytes = dense_bytes(menu_.value(from))});
      source = {static_cast<int32_t>(homes_.roots.size() - 1), dense_placement(dims(from), menu_.value(from).order)};
      writers = {add_copy(n, 0, source)};
    }
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      const auto at = node.call.op->views.output(node.call.attrs, context.infer(), o, 0, source.at);
      MEML_CHECK(at.has_value());
      home(node.outputs[o]) = {source.root, *at};
      writers_[static_cast<size_t>(node.outputs[o])] = writers;
    }
  }

  void add_gather_copies(int32_t n) {
    const MenuNode& node = menu_.nodes[static_cast<size_t>(n)];
    std::set<int32_t>& writers = writers_[static_cast<size_t>(node.outputs[0])];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const MenuValueId input = node.inputs[i];
      const Home& slot = slots_[{node.outputs[0], i}];
      const bool in_place =
          has_home(input) && home(input).root == slot.root && same_placement(home(input).at, slot.at, dims(input));
      if (in_place) {
        const auto& from = writers_[static_cast<size_t>(input)];
        writers.insert(from.begin(), from.end());
      } else {
        writers.insert(add_copy(n, i, slot));
      }
    }
  }

  // What an input of a task needs: those who write it, and those who find its extents.
  std::set<int32_t> makers_of(const Task& task, size_t input) const {
    if (task.in[input] < 0) return {};
    std::set<int32_t> tasks = writers_[static_cast<size_t>(task.in[input])];
    for (const DimExpr& dim : dims(task.in[input])) add_finders(dim, tasks);
    add_finders(task.in_homes[input].at.offset, tasks);
    for (const DimExpr& stride : task.in_homes[input].at.strides) add_finders(stride, tasks);
    return tasks;
  }

  bool is_select(const Task& task) const {
    return task.copied_input < 0 && ops::is_select(*menu_.nodes[static_cast<size_t>(task.node)].call.op);
  }

  void find_guards() {
    const size_t count = homes_.tasks.size();
    GuardFinder finder(count);
    for (const MenuValueId output : menu_.outputs)
      for (const int32_t writer : writers_[static_cast<size_t>(output)])
        finder.need_always(static_cast<size_t>(writer));
    for (size_t reader = count; reader-- > 0;) {
      const Task& task = homes_.tasks[reader];
      std::set<int32_t> always(homes_.after[reader].begin(), homes_.after[reader].end());
      if (is_select(task)) {
        for (const size_t branch : {ops::kSelectThen, ops::kSelectElse})
          for (const int32_t maker : makers_of(task, branch)) {
            finder.need(static_cast<size_t>(maker), reader,
                        Guard{static_cast<int32_t>(reader), branch == ops::kSelectThen});
            always.erase(maker);
          }
        always.merge(makers_of(task, ops::kSelectCondition));
      }
      for (const int32_t maker : always) finder.need(static_cast<size_t>(maker), reader, std::nullopt);
    }
    for (size_t i = 0; i < count; ++i) homes_.guards.push_back(finder.of(i));
    for (size_t i = 0; i < count; ++i) {
      std::set<int32_t> before(homes_.after[i].begin(), homes_.after[i].end());
      for (const Guard& guard : homes_.guards[i])
        before.merge(makers_of(homes_.tasks[static_cast<size_t>(guard.select)], ops::kSelectCondition));
      homes_.after[i].assign(before.begin(), before.end());
    }
  }

  const Menu& menu_;
  SlotBounds bounds_;
  std::vector<int64_t> opt_;
  Homes homes_;
  std::vector<std::pair<int32_t, size_t>> producer_;      // menu value -> node, output
  std::vector<std::set<int32_t>> writers_;                // menu value -> tasks that write it
  std::vector<int32_t> finder_;                           // slot -> the task that finds it, or -1
  std::map<std::pair<MenuValueId, size_t>, Home> slots_;  // gather output, input -> where it must lie
};

}  // namespace

Homes place_values(const Menu& menu) { return Placer(menu).run(); }

}  // namespace memline
