// The text form of expressions: infix for + - *, calls for the rest.
//   sum     = ["-"] product {("+" | "-") product}         "s0*4-s1+3"
//   product = factor {"*" factor}
//   factor  = ["-"] integer | "s" integer | "(" sum ")" | call
//   call    = floordiv | ceildiv | mod | min | max | equal | less | select "(" sum {", " sum} ")"
//           | floor | ceil | round | trunc "(" float ")"
//   float   = atom [("+" | "-" | "*" | "/") atom]          one operation: the order of float arithmetic is part of the
//   meaning atom    = number | "(" float ")" | "f32(" sum ")" | min "(" float "," float ")" | max "(" float "," float
//   ")"
// The parser does not trust its text: length and nesting are limited.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/size.h"
#include "tensor/dim_node.h"

namespace memline {
namespace {

constexpr size_t kMaxText = 16384;
constexpr int kMaxNesting = 64;

struct Call {
  std::string_view name;
  DimKind kind;
};
constexpr std::array<Call, 7> kDimCalls = {{{"floordiv", DimKind::floor_div},
                                            {"mod", DimKind::mod},
                                            {"min", DimKind::min},
                                            {"max", DimKind::max},
                                            {"equal", DimKind::equal},
                                            {"less", DimKind::less},
                                            {"select", DimKind::select}}};
constexpr std::array<Call, 4> kRoundings = {
    {{"floor", DimKind::floor}, {"ceil", DimKind::ceil}, {"round", DimKind::round}, {"trunc", DimKind::trunc}}};
constexpr std::array<Call, 4> kFloatOperators = {
    {{"+", DimKind::add}, {"-", DimKind::subtract}, {"*", DimKind::multiply}, {"/", DimKind::divide}}};
constexpr std::array<Call, 2> kFloatCalls = {{{"min", DimKind::float_min}, {"max", DimKind::float_max}}};

template <size_t n>
const Call* find(const std::array<Call, n>& calls, DimKind kind) {
  const auto found = std::find_if(calls.begin(), calls.end(), [&](const Call& call) { return call.kind == kind; });
  return found == calls.end() ? nullptr : &*found;
}
template <size_t n>
const Call* find(const std::array<Call, n>& calls, std::string_view name) {
  const auto found = std::find_if(calls.begin(), calls.end(), [&](const Call& call) { return call.name == name; });
  return found == calls.end() ? nullptr : &*found;
}

std::string float_text(const FloatExpr& x);

std::string factor_text(const DimExpr& factor) {
  const DimNode* node = DimNode::of(factor);
  return node != nullptr && node->kind == DimKind::sum ? "(" + factor.text() + ")" : factor.text();
}

// A negative number follows a '-' as its absolute value; the least int64_t has none and is written after a '+'.
void append_signed(std::string& text, int64_t coefficient, const std::string& term) {
  const bool negative = coefficient < 0 && coefficient != std::numeric_limits<int64_t>::min();
  const int64_t shown = negative ? -coefficient : coefficient;
  if (negative)
    text += '-';
  else if (!text.empty())
    text += '+';
  if (term.empty())
    text += std::to_string(shown);
  else
    text += shown == 1 ? term : fmt::format("{}*{}", term, shown);
}

std::string sum_text(const DimNode& node) {
  std::string text;
  for (size_t i = 0; i < node.dims.size(); ++i) append_signed(text, node.coefficients[i], node.dims[i].text());
  if (node.constant != 0) append_signed(text, node.constant, "");
  return text;
}

std::string node_text(const DimNode& node) {
  if (node.kind == DimKind::slot) return fmt::format("s{}", node.constant);
  if (node.kind == DimKind::sum) return sum_text(node);
  std::string text;
  if (node.kind == DimKind::product) {
    for (const DimExpr& factor : node.dims) text.append(text.empty() ? "" : "*").append(factor_text(factor));
    return text;
  }
  if (const Call* rounding = find(kRoundings, node.kind))
    return fmt::format("{}({})", rounding->name, float_text(node.floats[0]));
  for (const DimExpr& argument : node.dims) text.append(text.empty() ? "" : ", ").append(argument.text());
  return fmt::format("{}({})", find(kDimCalls, node.kind)->name, text);
}

std::string float_atom_text(const FloatExpr& x) {
  return find(kFloatOperators, DimNode::of(x).kind) != nullptr ? "(" + float_text(x) + ")" : float_text(x);
}

std::string float_text(const FloatExpr& x) {
  const DimNode& node = DimNode::of(x);
  if (node.kind == DimKind::number) return fmt::format("{}", node.number);
  if (node.kind == DimKind::from_dim) return fmt::format("f32({})", node.dims[0].text());
  if (const Call* call = find(kFloatCalls, node.kind))
    return fmt::format("{}({}, {})", call->name, float_text(node.floats[0]), float_text(node.floats[1]));
  return fmt::format("{}{}{}", float_atom_text(node.floats[0]), find(kFloatOperators, node.kind)->name,
                     float_atom_text(node.floats[1]));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<DimExpr> whole() {
    if (text_.size() > kMaxText)
      return invalid_argument("an expression of {} characters is too long, at most {}", text_.size(), kMaxText);
    MEML_TRY(DimExpr expression, dim_sum());
    if (!rest().empty()) return expected("the end");
    return expression;
  }

 private:
  std::string_view rest() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return text_.substr(at_);
  }
  bool take(char c) {
    if (rest().empty() || rest().front() != c) return false;
    ++at_;
    return true;
  }
  bool peek_digit() { return !rest().empty() && rest().front() >= '0' && rest().front() <= '9'; }
  std::string_view take_name() {
    const std::string_view text = rest();
    size_t length = 0;
    while (length < text.size() &&
           ((text[length] >= 'a' && text[length] <= 'z') || (length > 0 && text[length] >= '0' && text[length] <= '9')))
      ++length;
    at_ += length;
    return text.substr(0, length);
  }
  Failure expected(std::string_view what) {
    constexpr size_t kShown = 60;
    return invalid_argument("'{}{}' is not an expression: expected {} at character {}", text_.substr(0, kShown),
                            text_.size() > kShown ? "..." : "", what, at_ + 1);
  }
  Status enter() {
    if (++nesting_ > kMaxNesting) return invalid_argument("an expression is nested deeper than {}", kMaxNesting);
    return {};
  }

  Result<int64_t> integer() {
    int64_t value = 0;
    const std::string_view text = rest();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return expected("an integer that fits 64 bits");
    at_ += static_cast<size_t>(end - text.data());
    return value;
  }

  Result<DimExpr> dim_sum() {
    MEML_TRY_STATUS(enter());
    int64_t constant = 0;
    std::vector<int64_t> signs;
    std::vector<DimExpr> terms;
    // A leading '-' before a digit belongs to the number: the least int64_t has no positive twin.
    bool negative =
        !rest().empty() && rest().front() == '-' && !(rest().size() > 1 && rest()[1] >= '0' && rest()[1] <= '9');
    if (negative) ++at_;
    while (true) {
      MEML_TRY(const DimExpr term, dim_product());
      const DimExpr signed_term = negative ? DimExpr(0) - term : term;
      split_into(signed_term, constant, signs, terms);
      if (take('+'))
        negative = false;
      else if (take('-'))
        negative = true;
      else
        break;
    }
    --nesting_;
    return sum(constant, signs, terms);
  }

  static void split_into(const DimExpr& term, int64_t& constant, std::vector<int64_t>& coefficients,
                         std::vector<DimExpr>& terms) {
    const DimNode* node = DimNode::of(term);
    if (node == nullptr) {
      constant = saturating_add(constant, *term.constant());
    } else if (node->kind == DimKind::sum) {
      constant = saturating_add(constant, node->constant);
      coefficients.insert(coefficients.end(), node->coefficients.begin(), node->coefficients.end());
      terms.insert(terms.end(), node->dims.begin(), node->dims.end());
    } else {
      coefficients.push_back(1);
      terms.push_back(term);
    }
  }

  Result<DimExpr> dim_product() {
    std::vector<DimExpr> factors;
    do {
      MEML_TRY(DimExpr factor, dim_factor());
      factors.push_back(std::move(factor));
    } while (take('*'));
    return factors.size() == 1 ? factors[0] : product(factors);
  }

  Result<DimExpr> dim_factor() {
    if (take('(')) {
      MEML_TRY(DimExpr inside, dim_sum());
      if (!take(')')) return expected("')'");
      return inside;
    }
    if (peek_digit() || (!rest().empty() && rest().front() == '-')) {
      MEML_TRY(const int64_t value, integer());
      return DimExpr(value);
    }
    const size_t begin = at_;
    const std::string_view name = take_name();
    if (name.size() > 1 && name[0] == 's' && name[1] >= '0' && name[1] <= '9') {
      int32_t index = 0;
      const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), index);
      if (error == std::errc() && end == name.data() + name.size()) return DimExpr::slot(index);
    } else if (take('(')) {
      if (const Call* rounding = find(kRoundings, name)) return rounding_call(rounding->kind);
      if (const Call* call = find(kDimCalls, name)) return dim_call(call->kind);
      if (name == "ceildiv") return dim_call(DimKind::product);
    }
    at_ = begin;
    return expected("a number, a slot or a function");
  }

  Result<DimExpr> rounding_call(DimKind kind) {
    MEML_TRY(const FloatExpr x, float_sum());
    if (!take(')')) return expected("')'");
    return make_rounding(static_cast<int>(kind), x);
  }

  // DimKind::product stands for ceil_div, which has no node of its own.
  Result<DimExpr> dim_call(DimKind kind) {
    std::vector<DimExpr> arguments;
    do {
      MEML_TRY(DimExpr argument, dim_sum());
      arguments.push_back(std::move(argument));
    } while (take(','));
    if (!take(')')) return expected("')'");
    const bool any = kind == DimKind::min || kind == DimKind::max;
    if (any && arguments.size() >= 2) return extremum(kind, std::move(arguments));
    if (any || arguments.size() != (kind == DimKind::select ? 3u : 2u))
      return expected("another number of arguments before this");
    switch (kind) {
      case DimKind::floor_div:
        return floor_div(arguments[0], arguments[1]);
      case DimKind::mod:
        return mod(arguments[0], arguments[1]);
      case DimKind::equal:
        return equal(arguments[0], arguments[1]);
      case DimKind::less:
        return less(arguments[0], arguments[1]);
      case DimKind::select:
        return select(arguments[0], arguments[1], arguments[2]);
      default:
        return ceil_div(arguments[0], arguments[1]);
    }
  }

  Result<FloatExpr> float_sum() {
    MEML_TRY_STATUS(enter());
    MEML_TRY(FloatExpr left, float_atom());
    for (const Call& call : kFloatOperators) {
      if (!take(call.name[0])) continue;
      MEML_TRY(const FloatExpr right, float_atom());
      left = make_float(static_cast<int>(call.kind), left, right);
      break;
    }
    --nesting_;
    return left;
  }

  Result<FloatExpr> float_atom() {
    if (take('(')) {
      MEML_TRY(FloatExpr inside, float_sum());
      if (!take(')')) return expected("')'");
      return inside;
    }
    const std::string_view text = rest();
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc()) {
      at_ += static_cast<size_t>(end - text.data());
      return FloatExpr(value);
    }
    const std::string_view name = take_name();
    if (!take('(')) return expected("a number, f32(, min( or max(");
    if (name == "f32") {
      MEML_TRY(const DimExpr dim, dim_sum());
      if (!take(')')) return expected("')'");
      return FloatExpr(dim);
    }
    const Call* call = find(kFloatCalls, name);
    if (call == nullptr) return expected("f32, min or max before this");
    MEML_TRY(const FloatExpr a, float_sum());
    if (!take(',')) return expected("','");
    MEML_TRY(const FloatExpr b, float_sum());
    if (!take(')')) return expected("')'");
    return make_float(static_cast<int>(call->kind), a, b);
  }

  std::string_view text_;
  size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

std::string DimExpr::text() const { return node_ == nullptr ? std::to_string(value_) : node_text(*node_); }

std::string FloatExpr::text() const { return float_text(*this); }

Result<DimExpr> DimExpr::parse(std::string_view text) { return Parser(text).whole(); }

}  // namespace memline
