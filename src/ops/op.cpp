#include "ops/op.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "tensor/half.h"

namespace memline::ops {
namespace {

template <typename T>
Result<T> value_or(Result<std::optional<T>> found, T otherwise) {
  if (!found) return Failure(std::move(found).error());
  return found->has_value() ? **std::move(found) : std::move(otherwise);
}

template <typename T>
Status keep_found(Result<std::optional<T>> found, T& value) {
  if (!found) return Failure(std::move(found).error());
  if (found->has_value()) value = **std::move(found);
  return {};
}

// The numbers of ONNX's TensorProto.DataType.
std::optional<DType> dtype_of_onnx(int64_t number) {
  switch (number) {
    case 1:
      return DType::f32;
    case 2:
      return DType::u8;
    case 3:
      return DType::i8;
    case 4:
      return DType::u16;
    case 5:
      return DType::i16;
    case 6:
      return DType::i32;
    case 7:
      return DType::i64;
    case 9:
      return DType::boolean;
    case 10:
      return DType::f16;
    case 11:
      return DType::f64;
    case 12:
      return DType::u32;
    case 13:
      return DType::u64;
    case 16:
      return DType::bf16;
    default:
      return std::nullopt;
  }
}

template <typename T>
T load(const TensorView& view, int64_t offset) {
  T value;
  std::memcpy(&value, static_cast<const T*>(view.data) + offset, sizeof value);
  return value;
}

int64_t load_int(const TensorView& view, int64_t offset) {
  switch (view.dtype) {
    case DType::i8:
      return load<int8_t>(view, offset);
    case DType::u8:
    case DType::boolean:
      return load<uint8_t>(view, offset);
    case DType::i16:
      return load<int16_t>(view, offset);
    case DType::u16:
      return load<uint16_t>(view, offset);
    case DType::i32:
      return load<int32_t>(view, offset);
    case DType::u32:
      return load<uint32_t>(view, offset);
    default:
      return load<int64_t>(view, offset);
  }
}

float load_float(const TensorView& view, int64_t offset) {
  switch (view.dtype) {
    case DType::f16:
      return f16_to_f32(load<uint16_t>(view, offset));
    case DType::bf16:
      return bf16_to_f32(load<uint16_t>(view, offset));
    case DType::f64:
      return static_cast<float>(load<double>(view, offset));
    default:
      return load<float>(view, offset);
  }
}

// All elements of a constant in row-major order, whatever its strides.
template <typename T, typename Load>
std::vector<T> elements_of(const TensorView& view, Load&& load_element) {
  std::vector<T> values;
  const int64_t count = view.elements();
  values.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0, rest = i;
    for (int axis = view.rank - 1; axis >= 0; --axis) {
      offset += rest % view.dim(axis) * view.stride(axis);
      rest /= view.dim(axis);
    }
    values.push_back(load_element(view, offset));
  }
  return values;
}

// Shapes, pads and the like have at most two numbers an axis.
constexpr int64_t kMostMeasured = 2 * kMaxRank;

std::string count_text(size_t at_least, size_t at_most) {
  if (at_least == at_most) return fmt::format("{} input{}", at_least, at_least == 1 ? "" : "s");
  if (at_most == static_cast<size_t>(-1)) return fmt::format("at least {} input{}", at_least, at_least == 1 ? "" : "s");
  return fmt::format("{} to {} inputs", at_least, at_most);
}

}  // namespace

void AttrReader::set_int64_input(size_t index, const std::vector<int64_t>& values) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  set_constant_input(index, DType::i64, dims, std::as_bytes(std::span(values)));
}

void AttrReader::set_f32_input(size_t index, float value) {
  set_constant_input(index, DType::f32, {}, std::as_bytes(std::span(&value, 1)));
}

Result<int64_t> AttrReader::int_or(std::string_view name, int64_t otherwise) const {
  return value_or(find_int(name), otherwise);
}
Result<float> AttrReader::float_or(std::string_view name, float otherwise) const {
  return value_or(find_float(name), otherwise);
}
Result<std::string> AttrReader::string_or(std::string_view name, std::string_view otherwise) const {
  return value_or(find_string(name), std::string(otherwise));
}
Result<std::vector<int64_t>> AttrReader::ints_or(std::string_view name, std::vector<int64_t> otherwise) const {
  return value_or(find_ints(name), std::move(otherwise));
}

Status InferContext::expect_inputs(size_t at_least, size_t at_most) const {
  if (size() < at_least || size() > at_most)
    return invalid_model("expects {}, got {}", count_text(at_least, at_most), size());
  for (size_t i = 0; i < at_least; ++i)
    if (!has(i)) return invalid_model("input {} is required, but absent", i);
  return {};
}

Status InferContext::expect_float(size_t i) const {
  if (!is_float(dtype(i))) return invalid_model("input {} is {}, needs a floating-point type", i, dtype(i));
  return {};
}

Status InferContext::expect_rank(size_t i, int at_least, int at_most) const {
  if (rank(i) >= at_least && rank(i) <= at_most) return {};
  if (at_least == at_most)
    return invalid_model("input {} is {} of rank {}, needs rank {}", i, type(i).text(), rank(i), at_least);
  return invalid_model("input {} is {} of rank {}, needs rank {} to {}", i, type(i).text(), rank(i), at_least, at_most);
}

Status InferContext::expect_same_dtype(size_t i, size_t j) const {
  if (dtype(i) != dtype(j))
    return invalid_model("input {} is {} but input {} is {}: they must be the same", i, dtype(i), j, dtype(j));
  return {};
}

Result<std::vector<int64_t>> InferContext::constant_ints(size_t i, std::string_view what) const {
  if (const TensorView* view = constant(i)) {
    if (is_float(view->dtype) || view->dtype == DType::u64)
      return invalid_model("{} (input {}) is {}, needs an integer type", what, i, view->dtype);
    return elements_of<int64_t>(*view, load_int);
  }
  const std::vector<DimExpr>* tracked = values(i);
  std::vector<int64_t> known;
  if (tracked != nullptr)
    for (const DimExpr& value : *tracked)
      if (value.is_constant()) known.push_back(*value.constant());
  if (tracked == nullptr || known.size() != tracked->size())
    return unsupported("{} (input {}) is computed at run time; it must be known when the engine is built", what, i);
  return known;
}

Result<std::vector<DimExpr>> InferContext::integers(size_t i, std::string_view what, Interval range) const {
  if (const std::vector<DimExpr>* known = values(i)) return *known;
  std::optional<int64_t> count = product(dims(i)).constant();
  if (slots_ == nullptr || !count || *count < 0 || *count > kMostMeasured)
    return unsupported("{} (input {}, {}) is computed from data at run time", what, i, type(i).text());
  return slots_->measure(i, std::vector<Interval>(static_cast<size_t>(*count), range), what);
}

Result<DimExpr> InferContext::limited_count(std::string_view what) const {
  const auto limit = slots_ == nullptr ? std::nullopt : slots_->limit();
  if (!limit) return unsupported("{} depends on data, and nothing bounds it; give a bound: --max NODE=N", what);
  return count(what, *limit);
}

int64_t InferContext::bound(const DimExpr& expression) const {
  constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();
  if (expression.is_constant()) return *expression.constant();
  return slots_ == nullptr ? kUnknown : slots_->bound(expression).value_or(kUnknown);
}

Result<std::vector<float>> InferContext::constant_floats(size_t i, std::string_view what) const {
  const TensorView* view = constant(i);
  if (view == nullptr)
    return unsupported("{} (input {}) is computed at run time; it must be known when the engine is built", what, i);
  if (!is_float(view->dtype))
    return invalid_model("{} (input {}) is {}, needs a floating-point type", what, i, view->dtype);
  return elements_of<float>(*view, load_float);
}

namespace detail {

Status read_field(const AttrReader& reader, std::string_view name, int64_t& value) {
  return keep_found(reader.find_int(name), value);
}
Status read_field(const AttrReader& reader, std::string_view name, float& value) {
  return keep_found(reader.find_float(name), value);
}
Status read_field(const AttrReader& reader, std::string_view name, std::string& value) {
  return keep_found(reader.find_string(name), value);
}
Status read_field(const AttrReader& reader, std::string_view name, std::vector<int64_t>& value) {
  return keep_found(reader.find_ints(name), value);
}
Status read_field(const AttrReader& reader, std::string_view name, std::vector<float>& value) {
  return keep_found(reader.find_floats(name), value);
}

Status read_field(const AttrReader& reader, std::string_view name, bool& value) {
  int64_t number = value ? 1 : 0;
  MEML_TRY_STATUS(read_field(reader, name, number));
  if (number != 0 && number != 1) return invalid_model("attribute '{}' is {}, needs 0 or 1", name, number);
  value = number == 1;
  return {};
}

Status read_field(const AttrReader& reader, std::string_view name, DType& value) {
  MEML_TRY(const std::optional<int64_t> number, reader.find_int(name));
  if (!number) return {};
  const std::optional<DType> dtype = dtype_of_onnx(*number);
  if (!dtype)
    return unsupported("attribute '{}' asks for element type {} of ONNX, which is not supported", name, *number);
  value = *dtype;
  return {};
}

}  // namespace detail
}  // namespace memline::ops
