// print(): see text.h. Slots are numbered anew, input dimensions first and then counts in the order of nodes, as
// parse_graph() will.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "graph/text.h"
#include "graph/text_names.h"
#include "ops/reference.h"

namespace memline {
namespace {

constexpr int64_t kPrintedElements = 16;

class Printer {
 public:
  explicit Printer(const Graph& graph, std::string indent = "") : graph_(graph), indent_(std::move(indent)) {}

  std::string run() {
    for (const auto& [key, text] : graph_.metadata())
      line("metadata {} {}", text_names::quote(key), text_names::quote(text));
    number_slots();
    for (const ValueId input : graph_.inputs()) {
      const Value& value = graph_.value(input);
      line("{} = Input() {}", name(input), type_text(value.type));
    }
    for (size_t i = 0; i < graph_.value_count(); ++i)
      if (graph_.is_constant(static_cast<ValueId>(i))) constant(static_cast<ValueId>(i));
    for (const Node& node : graph_.nodes()) this->node(node);
    outputs();
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += indent_ + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  std::string name(ValueId id) const {
    if (id == kNoValue) return "_";
    return text_names::word(graph_.value(id).name);
  }

  void number_slots() {
    std::vector<int32_t> order;
    const auto add = [&](const TensorType& type) {
      for (const DimExpr& dim : type.dims) {
        std::vector<int32_t> slots;
        dim.collect_slots(slots);
        for (const int32_t slot : slots)
          if (std::find(order.begin(), order.end(), slot) == order.end()) order.push_back(slot);
      }
    };
    for (const ValueId input : graph_.inputs()) add(graph_.value(input).type);
    const size_t declared = order.size();
    for (size_t i = 0; i < graph_.slots().size(); ++i)
      if (std::find(order.begin(), order.end(), static_cast<int32_t>(i)) == order.end())
        order.push_back(static_cast<int32_t>(i));
    renumber_.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      const Slot& slot = graph_.slots()[static_cast<size_t>(order[i])];
      renumber_[static_cast<size_t>(order[i])] = DimExpr::slot(static_cast<int32_t>(i));
      const bool named = i < declared && text_names::is_slot_word(slot.name);
      slot_words_.push_back(named ? slot.name : fmt::format("s{}", i));
      if (i < declared)
        line("slot {} min={} opt={} max={}", named ? slot.name : text_names::quote(slot.name), slot.range.min, slot.opt,
             slot.range.max);
    }
  }

  std::string type_text(TensorType type) const {
    for (DimExpr& dim : type.dims) dim = dim.substitute(renumber_);
    return text_names::rename_slots(type.text(), slot_words_);
  }

  void constant(ValueId id) {
    const Value& value = graph_.value(id);
    const TensorView& view = value.constant->view;
    if (view.elements() > kPrintedElements) return line("{} = Constant() {}", name(id), type_text(value.type));
    std::string elements;
    ops::walk<1>(view.rank, view.dims, {view.strides}, [&](const auto& at) {
      elements += elements.empty() ? "" : ", ";
      if (view.dtype == DType::f64)
        elements += fmt::format("{}", ops::load<double>(view, at[0]));
      else if (is_float(view.dtype))
        elements += fmt::format("{}", ops::load<float>(view, at[0]));
      else
        elements += fmt::format("{}", ops::load<int64_t>(view, at[0]));
    });
    line("{} = Constant() {} {{{}}}", name(id), type_text(value.type), elements);
  }

  void node(const Node& node) {
    std::string left, arguments, types;
    for (const ValueId output : node.outputs) {
      left += (left.empty() ? "" : ", ") + name(output);
      types += (types.empty() ? "" : ", ") + type_text(graph_.value(output).type);
    }
    for (const ValueId input : node.inputs) arguments += (arguments.empty() ? "" : ", ") + name(input);
    const std::string op =
        node.op->domain.empty() ? std::string(node.op->name) : fmt::format("{}.{}", node.op->domain, node.op->name);
    const bool own_name = node.outputs.empty() || node.name != graph_.value(node.outputs[0]).name;
    std::string rest;
    if (!node.attrs.text().empty()) rest += " " + node.attrs.text();
    for (size_t i = 0; i < node.epilogues.size(); ++i)
      rest += (i == 0 ? " | " : " ") + ops::epilogue_text(node.epilogues[i]);
    line("{} = {}{}({}){} -> {}", left, op, own_name ? " " + text_names::quote(node.name) : "", arguments, rest, types);
    for (const auto& block : node.blocks)
      text_ += indent_ + "{\n" + Printer(*block, indent_ + "  ").run() + indent_ + "}\n";
  }

  void outputs() {
    std::string list;
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ValueId id = graph_.outputs()[i];
      const std::string& user_name = graph_.output_names()[i];
      list += list.empty() ? "" : ", ";
      if (user_name != graph_.value(id).name) list += text_names::word(user_name) + "=";
      list += name(id);
    }
    line("Output({})", list);
  }

  const Graph& graph_;
  std::string indent_, text_;
  std::vector<DimExpr> renumber_;
  std::vector<std::string> slot_words_;
};

}  // namespace

std::string print(const Graph& graph) { return Printer(graph).run(); }

}  // namespace memline
