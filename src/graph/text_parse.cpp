// parse_graph(): see text.h. One statement a line, read left to right by a scanner; nothing is looked ahead but
// characters.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "base/size.h"
#include "graph/infer.h"
#include "graph/seeded.h"
#include "graph/text.h"
#include "graph/text_names.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace memline {
namespace {

constexpr int64_t kMaxSeededElements = int64_t{1} << 24;

// One line, without its comment.
class Scanner {
 public:
  explicit Scanner(std::string_view line) : rest_(line) { skip_spaces(); }

  bool done() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    advance(token.size());
    return true;
  }
  Status expect(std::string_view token) {
    if (take(token)) return {};
    return invalid_argument("expected '{}' at '{}'", token, rest_);
  }

  // A word, "_", or a quoted text.
  Result<std::string> name() {
    if (!rest_.empty() && rest_[0] == '"') return quoted();
    size_t end = 0;
    while (end < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[end])) || rest_[end] == '_' || rest_[end] == '.'))
      ++end;
    if (end == 0) return invalid_argument("expected a name at '{}'", rest_);
    return std::string(advance(end));
  }

  Result<std::string> quoted() {
    std::string text;
    for (size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '"') {
        advance(i + 1);
        return text;
      }
      if (rest_[i] == '\\' && i + 1 < rest_.size()) {
        ++i;
        text += rest_[i] == 'n' ? '\n' : rest_[i];
      } else {
        text += rest_[i];
      }
    }
    return invalid_argument("a quote is not closed at '{}'", rest_);
  }

  Result<int64_t> integer() {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return invalid_argument("expected an integer at '{}'", rest_);
    advance(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  Result<double> number() {
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return invalid_argument("expected a number at '{}'", rest_);
    advance(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  // "f32[1,3,min(h, 8)]"
  Result<std::string> type() {
    const size_t open = rest_.find('['), close = rest_.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
      return invalid_argument("expected a type at '{}'", rest_);
    return std::string(advance(close + 1));
  }

  // Everything up to one of the tokens, quotes respected.
  std::string_view until(std::string_view a, std::string_view b) {
    bool in_quotes = false;
    size_t end = 0;
    for (; end < rest_.size(); ++end) {
      if (rest_[end] == '"' && (end == 0 || rest_[end - 1] != '\\')) in_quotes = !in_quotes;
      if (!in_quotes && (rest_.substr(end).starts_with(a) || rest_.substr(end).starts_with(b))) break;
    }
    std::string_view taken = advance(end);
    while (!taken.empty() && std::isspace(static_cast<unsigned char>(taken.back()))) taken.remove_suffix(1);
    return taken;
  }

 private:
  std::string_view advance(size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    skip_spaces();
    return taken;
  }
  void skip_spaces() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0]))) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

std::string_view without_comment(std::string_view line) {
  bool in_quotes = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) in_quotes = !in_quotes;
    if (line[i] == '#' && !in_quotes) return line.substr(0, i);
  }
  return line;
}

class Parser {
 public:
  Status line(std::string_view text) {
    Scanner in(text);
    if (in.done()) return {};
    if (in.take("slot ")) return slot(in);
    if (in.take("metadata ")) return metadata(in);
    if (in.take("Output(")) return outputs(in);
    return assignment(in);
  }

  Result<Graph> finish() {
    if (!has_outputs_) return invalid_argument("the graph has no Output(...)");
    return builder_.finish();
  }

 private:
  Status slot(Scanner& in) {
    const bool quoted = in.rest().starts_with('"');
    MEML_TRY(std::string name, in.name());
    if (!quoted && !text_names::is_slot_word(name))
      return invalid_argument("'{}' cannot name a slot unless quoted", name);
    MEML_TRY_STATUS(in.expect("min="));
    MEML_TRY(const int64_t least, in.integer());
    MEML_TRY_STATUS(in.expect("opt="));
    MEML_TRY(const int64_t opt, in.integer());
    MEML_TRY_STATUS(in.expect("max="));
    MEML_TRY(const int64_t most, in.integer());
    if (least < 0 || least > opt || opt > most) return invalid_argument("slot '{}' needs 0 <= min <= opt <= max", name);
    slot_words_.push_back(quoted ? fmt::format("s{}", slot_words_.size()) : name);
    builder_.add_slot(std::move(name), {least, most}, opt);
    ++slots_;
    return end_of_line(in);
  }

  Status metadata(Scanner& in) {
    MEML_TRY(std::string key, in.name());
    MEML_TRY(std::string text, in.name());
    builder_.set_metadata(std::move(key), std::move(text));
    return end_of_line(in);
  }

  Status outputs(Scanner& in) {
    std::vector<ValueId> values;
    std::vector<std::string> names;
    while (!in.take(")")) {
      if (!values.empty()) MEML_TRY_STATUS(in.expect(","));
      MEML_TRY(std::string name, in.name());
      names.push_back(name);
      if (in.take("=")) {
        MEML_TRY(name, in.name());
      }
      MEML_TRY(const ValueId id, find(name));
      values.push_back(id);
    }
    has_outputs_ = true;
    MEML_TRY_STATUS(end_of_line(in));
    return builder_.set_outputs(std::move(values), std::move(names));
  }

  Status assignment(Scanner& in) {
    std::vector<std::string> names;
    do {
      MEML_TRY(std::string name, in.name());
      if (ids_.contains(name) || std::find(names.begin(), names.end(), name) != names.end())
        return invalid_argument("'{}' is defined twice", name);
      names.push_back(std::move(name));
    } while (in.take(","));
    MEML_TRY_STATUS(in.expect("="));
    MEML_TRY(const std::string op, in.name());
    if (op == "Input") return input(in, names);
    if (op == "Constant") return constant(in, names);
    return node(in, op, std::move(names));
  }

  Status input(Scanner& in, const std::vector<std::string>& names) {
    MEML_TRY_STATUS(in.expect("()"));
    MEML_TRY(TensorType type, this->type(in));
    if (names.size() != 1) return invalid_argument("Input gives one value");
    for (const DimExpr& dim : type.dims) {
      std::vector<int32_t> used;
      dim.collect_slots(used);
      for (const int32_t slot : used)
        if (slot < 0 || slot >= slots_)
          return invalid_argument("input '{}' uses slot s{} of {}", names[0], slot, slots_);
    }
    ids_[names[0]] = builder_.add_input(names[0], std::move(type));
    return end_of_line(in);
  }

  Status constant(Scanner& in, const std::vector<std::string>& names) {
    MEML_TRY_STATUS(in.expect("()"));
    if (names.size() != 1) return invalid_argument("Constant gives one value");
    MEML_TRY(const TensorType type, this->type(in));
    MEML_TRY(Constant constant, seeded(type, names[0]));
    if (in.take("{")) MEML_TRY_STATUS(elements(in, constant.view));
    ids_[names[0]] = builder_.add_constant(names[0], std::move(constant));
    return end_of_line(in);
  }

  Status node(Scanner& in, const std::string& op, std::vector<std::string> names) {
    GraphBuilder::NodeSpec spec;
    spec.name = names[0];
    const size_t dot = op.rfind('.');
    spec.op = dot == std::string::npos ? ops::find(op) : ops::find(op.substr(dot + 1), op.substr(0, dot));
    if (spec.op == nullptr) return unsupported("there is no operator '{}'", op);
    if (in.rest().starts_with('"')) {
      MEML_TRY(spec.name, in.quoted());
    }
    MEML_TRY(spec.inputs, arguments(in));
    auto attrs = spec.op->parse_attrs(in.until("|", "->"));
    if (!attrs) return with_prefix(std::move(attrs).error(), op);
    spec.attrs = *std::move(attrs);
    MEML_TRY_STATUS(epilogues(in, spec));
    spec.output_names = names;
    MEML_TRY(const std::vector<ValueId> outputs, builder_.add_node(std::move(spec)));
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!ids_.emplace(names[i], outputs[i]).second)  // by a constant among the node's own arguments
        return invalid_argument("'{}' is defined twice", names[i]);
    if (in.take("->")) MEML_TRY_STATUS(check_types(in, outputs));
    return end_of_line(in);
  }

  Result<std::vector<ValueId>> arguments(Scanner& in) {
    std::vector<ValueId> ids;
    MEML_TRY_STATUS(in.expect("("));
    while (!in.take(")")) {
      if (!ids.empty()) MEML_TRY_STATUS(in.expect(","));
      const bool quoted = in.rest().starts_with('"');
      MEML_TRY(const std::string name, in.name());
      if (name == "_" && !quoted) {
        ids.push_back(kNoValue);
      } else if (in.take(":")) {
        MEML_TRY(const TensorType type, this->type(in));
        if (ids_.contains(name)) return invalid_argument("'{}' is defined twice", name);
        MEML_TRY(Constant constant, seeded(type, name));
        ids.push_back(ids_[name] = builder_.add_constant(name, std::move(constant)));
      } else {
        MEML_TRY(const ValueId id, find(name));
        ids.push_back(id);
      }
    }
    return ids;
  }

  static Status epilogues(Scanner& in, GraphBuilder::NodeSpec& spec) {
    spec.base_inputs = spec.inputs.size();
    if (!in.take("|")) return {};
    while (!in.done() && !in.rest().starts_with("->")) {
      const std::string_view text = in.until(" ", "->");
      MEML_TRY(const ops::Epilogue epilogue, ops::parse_epilogue(text));
      spec.epilogues.push_back(epilogue);
      if (epilogue.reads_input() && epilogue.input >= 0)
        spec.base_inputs = std::min(spec.base_inputs, static_cast<size_t>(epilogue.input));
    }
    return {};
  }

  Status check_types(Scanner& in, const std::vector<ValueId>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (i > 0) MEML_TRY_STATUS(in.expect(","));
      MEML_TRY(const TensorType written, type(in));
      const Value& value = builder_.value(outputs[i]);
      if (!(written == value.type))
        return invalid_argument("'{}' is written as {} but is {}", value.name, written.text(), value.type.text());
    }
    return {};
  }

  Result<TensorType> type(Scanner& in) {
    MEML_TRY(const std::string text, in.type());
    MEML_TRY(TensorType type, TensorType::parse(text_names::number_slots(text, slot_words_)));
    if (type.rank() > kMaxRank) return unsupported("{} has more than {} axes", text, kMaxRank);
    for (const DimExpr& dim : type.dims) {
      if (dim.is_constant() && *dim.constant() < 0) return invalid_argument("{} has a negative extent", text);
    }
    return type;
  }

  Result<Constant> seeded(const TensorType& type, const std::string& name) {
    std::vector<int64_t> dims;
    int64_t elements = 1;
    for (const DimExpr& dim : type.dims) {
      if (!dim.is_constant())
        return invalid_argument("constant '{}' has the type {}, which no constant can have", name, type.text());
      dims.push_back(*dim.constant());
      elements = saturating_mul(elements, dims.back());
    }
    if (elements > kMaxSeededElements)
      return invalid_argument("constant '{}' has {} elements, at most {}", name, elements, kMaxSeededElements);
    return seeded_constant(type.dtype, dims, name);
  }

  static Status elements(Scanner& in, const TensorView& view) {
    for (int64_t i = 0; i < view.elements(); ++i) {
      if (i > 0) MEML_TRY_STATUS(in.expect(","));
      if (is_float(view.dtype)) {
        MEML_TRY(const double value, in.number());
        ops::store(view, i, value);
      } else {
        MEML_TRY(const int64_t value, in.integer());
        ops::store(view, i, value);
      }
    }
    return in.expect("}");
  }

  Result<ValueId> find(const std::string& name) const {
    const auto found = ids_.find(name);
    if (found == ids_.end()) return invalid_argument("'{}' is not defined", name);
    return found->second;
  }

  static Status end_of_line(const Scanner& in) {
    if (in.done()) return {};
    return invalid_argument("'{}' is left over", in.rest());
  }

  GraphBuilder builder_;
  std::map<std::string, ValueId> ids_;
  std::vector<std::string> slot_words_;
  int32_t slots_ = 0;
  bool has_outputs_ = false;
};

}  // namespace

Result<Graph> parse_graph(std::string_view text) {
  Parser parser;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    auto status = parser.line(without_comment(text.substr(0, end)));
    if (!status) return with_prefix(std::move(status).error(), fmt::format("line {}", number));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.finish();
}

}  // namespace memline
