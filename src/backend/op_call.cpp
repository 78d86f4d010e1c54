// The text form of an OpCall:
//   name(inputs; epilogue inputs) attributes | epilogues -> outputs rows=3
// An operand is `_` when absent, else `const f32[1,16,8,8]@0231<=[4,16,8,8]`: the order of axes in memory stands behind
// @, the largest extents behind <= when they are not the extents themselves. Ops of a domain of their own carry it:
// memline.BoxDecode. What is empty or has its default (row axis 2) is left out.
#include "backend/op_call.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "base/check.h"
#include "ops/registry.h"

namespace memline {
namespace {

constexpr auto kNone = std::string_view::npos;

// Where `separator` stands in `text` outside brackets and quotes.
size_t find_outside(std::string_view text, std::string_view separator) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (depth == 0 && text.substr(i, separator.size()) == separator) return i;
    if (c == '"') quoted = true;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
  }
  return kNone;
}

// The text before `separator`, which is taken away with it; all of `text` when there is none.
std::string_view take_until(std::string_view& text, std::string_view separator) {
  const size_t at = find_outside(text, separator);
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at == kNone ? text.size() : at + separator.size());
  return head;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) parts.push_back(take_until(text, separator));
  return parts;
}

template <typename Int>
bool parse_int(std::string_view text, Int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool max_dims_are_dims(const CallOperand& operand) {
  return std::equal(operand.max_dims.begin(), operand.max_dims.end(), operand.type.dims.begin(),
                    operand.type.dims.end(),
                    [](int64_t max, const DimExpr& dim) { return dim.is_constant() && dim.constant() == max; });
}

void append_operand(std::string& text, const CallOperand& operand) {
  if (!operand.present) {
    text += '_';
    return;
  }
  if (operand.is_constant) text += "const ";
  text.append(operand.type.text()).append("@").append(operand.order.text());
  if (!max_dims_are_dims(operand)) fmt::format_to(std::back_inserter(text), "<=[{}]", fmt::join(operand.max_dims, ","));
}

void append_operands(std::string& text, const std::vector<CallOperand>& operands, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    if (i != begin) text += ", ";
    append_operand(text, operands[i]);
  }
}

Result<AxisOrder> parse_order(std::string_view text, int rank) {
  AxisOrder order{.rank = static_cast<uint8_t>(rank), .axes = {}};
  unsigned seen = 0;
  for (size_t i = 0; i < text.size() && i < kMaxRank; ++i) {
    const auto axis = static_cast<unsigned>(text[i] - '0');
    if (axis >= static_cast<unsigned>(rank)) break;
    seen |= 1u << axis;
    order.axes[i] = static_cast<uint8_t>(axis);
  }
  if (static_cast<int>(text.size()) != rank || seen != (1u << rank) - 1)
    return invalid_argument("'{}' is no order of {} axes", text, rank);
  return order;
}

Result<std::vector<int64_t>> parse_max_dims(std::string_view text, const TensorType& type) {
  std::vector<int64_t> dims;
  if (text.empty()) {
    for (const DimExpr& dim : type.dims) {
      if (!dim.is_constant()) return invalid_argument("{} is not fixed and has no largest extents", type.text());
      dims.push_back(*dim.constant());
    }
    return dims;
  }
  if (text.front() != '[' || text.back() != ']') return invalid_argument("'{}' is no list of extents", text);
  for (const std::string_view part : split(text.substr(1, text.size() - 2), ",")) {
    if (!parse_int(part, dims.emplace_back())) return invalid_argument("'{}' is no extent", part);
  }
  if (dims.size() != type.dims.size()) return invalid_argument("{} has {} largest extents", type.text(), dims.size());
  return dims;
}

Result<CallOperand> parse_operand(std::string_view text) {
  CallOperand operand;
  if (text == "_") {
    operand.present = false;
    return operand;
  }
  constexpr std::string_view kConst = "const ";
  if (text.starts_with(kConst)) {
    operand.is_constant = true;
    text.remove_prefix(kConst.size());
  }
  const std::string_view type = take_until(text, "@");
  const std::string_view order = take_until(text, "<=");
  MEML_TRY(operand.type, TensorType::parse(type));
  if (operand.type.rank() > kMaxRank) return invalid_argument("{} has more than {} axes", type, kMaxRank);
  MEML_TRY(operand.order, parse_order(order, operand.type.rank()));
  MEML_TRY(operand.max_dims, parse_max_dims(text, operand.type));
  if (std::ranges::any_of(operand.max_dims, [](int64_t dim) { return dim < 0; }))
    return invalid_argument("{} has a negative extent", type);
  return operand;
}

Status parse_operands(std::string_view text, std::vector<CallOperand>& operands) {
  for (const std::string_view part : split(text, ", ")) {
    MEML_TRY(operands.emplace_back(), parse_operand(part));
  }
  return {};
}

Result<const ops::OpDef*> find_op(std::string_view name) {
  const size_t dot = name.rfind('.');
  const ops::OpDef* op = dot == kNone ? ops::find(name) : ops::find(name.substr(dot + 1), name.substr(0, dot));
  if (op == nullptr) return not_found("there is no operator '{}'", name);
  return op;
}

Status parse_epilogues(std::string_view text, OpCall& call) {
  for (const std::string_view part : split(text, " ")) {
    MEML_TRY(const ops::Epilogue epilogue, ops::parse_epilogue(part));
    if (epilogue.reads_input() && (epilogue.input < 0 || static_cast<size_t>(epilogue.input) >= call.in.size()))
      return invalid_argument("'{}' reads an input that the call does not have", part);
    call.epilogues.push_back(epilogue);
  }
  return {};
}

Status parse_outputs(std::string_view text, OpCall& call) {
  MEML_TRY_STATUS(parse_operands(take_until(text, " rows="), call.out));
  if (call.out.empty()) return invalid_argument("no outputs");
  if (!text.empty() && (!parse_int(text, call.row_axis) || call.row_axis < 0 || call.row_axis >= kMaxRank))
    return invalid_argument("'{}' is no row axis", text);
  return {};
}

Result<OpCall> parse_call(std::string_view text) {
  OpCall call;
  MEML_TRY(call.op, find_op(take_until(text, "(")));
  std::string_view inputs = take_until(text, ")");
  MEML_TRY_STATUS(parse_operands(take_until(inputs, "; "), call.in));
  call.base_inputs = call.in.size();
  MEML_TRY_STATUS(parse_operands(inputs, call.in));

  if (find_outside(text, " -> ") == kNone) return invalid_argument("no outputs");
  std::string_view middle = take_until(text, " -> ");
  std::string_view attrs = take_until(middle, " | ");
  if (attrs.starts_with(' ')) attrs.remove_prefix(1);
  MEML_TRY(call.attrs, call.op->parse_attrs(attrs));
  MEML_TRY_STATUS(parse_epilogues(middle, call));
  MEML_TRY_STATUS(parse_outputs(text, call));
  return call;
}

}  // namespace

std::string OpCall::text() const {
  MEML_CHECK(op != nullptr && base_inputs <= in.size());
  std::string text;
  if (!op->domain.empty()) text.append(op->domain).append(".");
  text.append(op->name).append("(");
  append_operands(text, in, 0, base_inputs);
  if (base_inputs < in.size()) text += "; ";
  append_operands(text, in, base_inputs, in.size());
  text += ')';
  if (!attrs.text().empty()) text.append(" ").append(attrs.text());
  if (!epilogues.empty()) text += " |";
  for (const ops::Epilogue& epilogue : epilogues) text.append(" ").append(ops::epilogue_text(epilogue));
  text += " -> ";
  append_operands(text, out, 0, out.size());
  if (row_axis != OpCall().row_axis) text.append(" rows=").append(std::to_string(row_axis));
  return text;
}

Result<OpCall> OpCall::parse(std::string_view text) {
  Result<OpCall> call = parse_call(text);
  if (!call) return with_prefix(std::move(call).error(), fmt::format("call '{}'", text));
  return call;
}

}  // namespace memline
