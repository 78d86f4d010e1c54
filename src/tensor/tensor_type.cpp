#include "tensor/tensor_type.h"

#include "tensor/layout.h"

namespace memline {
namespace {

// The end of the first dimension of a list: its comma at nesting 0, or the end of the text.
size_t dim_length(std::string_view list) {
  int nesting = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '(') ++nesting;
    if (list[i] == ')') --nesting;
    if (list[i] == ',' && nesting == 0) return i;
  }
  return list.size();
}

}  // namespace

std::string TensorType::text() const {
  std::string text(dtype_name(dtype));
  text += '[';
  for (size_t i = 0; i < dims.size(); ++i) text.append(i == 0 ? "" : ",").append(dims[i].text());
  return text + "]";
}

Result<TensorType> TensorType::parse(std::string_view text) {
  const size_t open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']')
    return invalid_argument("'{}' is not a tensor type: needs the form f32[1,3,640,640]", text);
  const std::optional<DType> dtype = parse_dtype(text.substr(0, open));
  if (!dtype)
    return invalid_argument("'{}' is not a tensor type: '{}' is not an element type", text, text.substr(0, open));
  TensorType type{.dtype = *dtype};
  std::string_view list = text.substr(open + 1, text.size() - open - 2);
  for (bool more = !list.empty(); more;) {
    const size_t length = dim_length(list);
    MEML_TRY(DimExpr dim, DimExpr::parse(list.substr(0, length)));
    if (dim.constant().value_or(0) < 0)
      return invalid_argument("'{}' has the negative extent {}", text, *dim.constant());
    type.dims.push_back(std::move(dim));
    if (type.rank() > kMaxRank) return invalid_argument("'{}' has more than {} dimensions", text, kMaxRank);
    more = length < list.size();
    if (more) list.remove_prefix(length + 1);
  }
  return type;
}

}  // namespace memline
