// Extents: a small integer tensor whose elements are expressions over slots. Ours: no model has it. It has no
// reference, because only a run knows the slots. Its inputs are not read: they are the values in whose dims the counts
// that it speaks of stand for the first time, so that it comes behind them.
#include "ops/extents.h"

#include "ops/shape_values.h"

namespace memline::ops {
namespace {

Result<TensorTypes> infer(const ExtentsAttrs& attrs, const InferContext&) {
  MEML_TRY(const std::vector<DimExpr> elements, parse_elements(attrs));
  int64_t count = 1;
  for (const int64_t dim : attrs.dims) count *= dim;
  if (count != static_cast<int64_t>(elements.size()) || count > kMaxIntegers)
    return invalid_argument("has {} elements for {} places", elements.size(), count);
  return TensorTypes{{.dtype = attrs.dtype, .dims = {attrs.dims.begin(), attrs.dims.end()}}};
}

Result<Integers> values(const ExtentsAttrs& attrs, const InferContext&) {
  MEML_TRY(std::vector<DimExpr> elements, parse_elements(attrs));
  return Integers(std::move(elements));
}

}  // namespace

std::string elements_text(const std::vector<DimExpr>& elements) {
  std::string text;
  for (const DimExpr& element : elements) text += (text.empty() ? "" : ";") + element.text();
  return text;
}

Result<std::vector<DimExpr>> parse_elements(const ExtentsAttrs& attrs) {
  std::vector<DimExpr> elements;
  for (std::string_view rest = attrs.elements; !rest.empty();) {
    const size_t end = std::min(rest.find(';'), rest.size());
    MEML_TRY(DimExpr element, DimExpr::parse(rest.substr(0, end)));
    elements.push_back(std::move(element));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return elements;
}

OpDef extents() { return define_op<ExtentsAttrs>("Extents", {.domain = "memline", .infer = infer, .values = values}); }

}  // namespace memline::ops
