#include "onnx/tensor_data.h"

#include <sys/mman.h>

#include <charconv>
#include <cstring>
#include <protozero/varint.hpp>

#include "base/mapping.h"
#include "base/size.h"
#include "onnx/external_path.h"

namespace memline::onnx {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kWorthReleasing = 64 * 1024;

struct ElementKind {
  std::string_view name;
  std::optional<DType> dtype;
  uint32_t typed_field;  // where the values stand when they are not raw
};

ElementKind kind_of(int32_t number) {
  switch (number) {
    case 1:
      return {"f32", DType::f32, 4};
    case 2:
      return {"u8", DType::u8, 5};
    case 3:
      return {"i8", DType::i8, 5};
    case 4:
      return {"u16", DType::u16, 5};
    case 5:
      return {"i16", DType::i16, 5};
    case 6:
      return {"i32", DType::i32, 5};
    case 7:
      return {"i64", DType::i64, 7};
    case 8:
      return {"string", std::nullopt, 6};
    case 9:
      return {"bool", DType::boolean, 5};
    case 10:
      return {"f16", DType::f16, 5};
    case 11:
      return {"f64", DType::f64, 10};
    case 12:
      return {"u32", DType::u32, 11};
    case 13:
      return {"u64", DType::u64, 11};
    case 14:
      return {"complex64", std::nullopt, 4};
    case 15:
      return {"complex128", std::nullopt, 10};
    case 16:
      return {"bf16", DType::bf16, 5};
    default:
      return {"", std::nullopt, 0};
  }
}

Result<int64_t> count_elements(const TensorMessage& tensor) {
  int64_t elements = 1;
  if (tensor.dims.size() > static_cast<size_t>(kMaxRank))
    return unsupported("it has {} dimensions, at most {} are handled", tensor.dims.size(), kMaxRank);
  for (const int64_t dim : tensor.dims) {
    if (dim < 0) return invalid_model("it has the dimension {}", dim);
    elements = saturating_mul(elements, dim);
  }
  return elements;
}

// Lets go of the file's pages whose bytes were just copied, so that a model's weights are not resident twice.
void release_pages(Bytes bytes) {
  const auto begin = align_up(reinterpret_cast<int64_t>(bytes.data()), kPage);
  const auto end = reinterpret_cast<int64_t>(bytes.data() + bytes.size()) / kPage * kPage;
  if (end - begin >= kWorthReleasing)
    ::madvise(reinterpret_cast<void*>(begin), static_cast<size_t>(end - begin), MADV_DONTNEED);
}

Constant from_bytes(DType dtype, const std::vector<int64_t>& dims, Bytes bytes,
                    const std::shared_ptr<const void>& owner, bool is_mapped_file) {
  const bool aligned = reinterpret_cast<uintptr_t>(bytes.data()) % static_cast<uintptr_t>(size_of(dtype)) == 0;
  // A constant is read only; views carry one kind of pointer for inputs and outputs.
  if (aligned && !bytes.empty()) return {dense_view(dtype, const_cast<char*>(bytes.data()), dims), owner};
  Constant copy = make_constant(dtype, dims, std::as_bytes(std::span<const char>(bytes)));
  if (is_mapped_file) release_pages(bytes);
  return copy;
}

// Stores the low bytes of each value: ONNX keeps narrow integers and 16-bit floats in int32 values.
class TypedWriter {
 public:
  TypedWriter(const TensorView& view, int64_t elements) : view_(view), elements_(elements) {}

  void put(uint64_t value) {
    if (written_ < elements_)
      std::memcpy(static_cast<char*>(view_.data) + written_ * size_of(view_.dtype), &value,
                  static_cast<size_t>(size_of(view_.dtype)));
    ++written_;
  }
  // float_data and double_data hold fixed-width values, the others varints.
  Status put_run(Bytes run, uint32_t field) {
    const size_t width = field == 4 ? 4 : field == 10 ? 8 : 0;
    if (width != 0) {
      if (run.size() % width != 0) return invalid_model("its list of values ends inside a value");
      for (size_t i = 0; i < run.size(); i += width) {
        uint64_t value = 0;
        std::memcpy(&value, run.data() + i, width);
        put(value);
      }
      return {};
    }
    const char* at = run.data();
    const char* const end = at + run.size();
    try {
      while (at != end) put(protozero::decode_varint(&at, end));
    } catch (const std::exception& error) {
      return invalid_model("its list of values is damaged ({})", error.what());
    }
    return {};
  }
  int64_t written() const { return written_; }

 private:
  const TensorView& view_;
  int64_t elements_, written_ = 0;
};

// A value takes at least one byte of the file, so a declared count above the bytes present is wrong before anything is
// allocated.
Result<Constant> from_typed(const TensorMessage& tensor, DType dtype, int64_t elements) {
  int64_t at_most = static_cast<int64_t>(tensor.loose.size());
  for (const Bytes run : tensor.typed_runs) at_most += static_cast<int64_t>(run.size());
  if (elements > at_most) return invalid_model("it needs {} values, but holds at most {}", elements, at_most);
  Constant constant = make_zeros(dtype, tensor.dims);
  TypedWriter writer(constant.view, elements);
  for (const Bytes run : tensor.typed_runs) MEML_TRY_STATUS(writer.put_run(run, tensor.typed_field));
  for (const uint64_t value : tensor.loose) writer.put(value);
  if (writer.written() != elements)
    return invalid_model("it needs {} values, but holds {}", elements, writer.written());
  return constant;
}

Result<int64_t> parse_number(std::string_view key, std::string_view text) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return invalid_model("its external {} is '{}'", key, text);
  return value;
}

}  // namespace

std::optional<DType> element_type(int32_t number) { return kind_of(number).dtype; }

std::string element_type_name(int32_t number) {
  const ElementKind kind = kind_of(number);
  return kind.name.empty() ? fmt::format("type {}", number) : std::string(kind.name);
}

Result<Constant> TensorReader::read(const TensorMessage& tensor) {
  auto constant = read_unnamed(tensor);
  if (!constant) return with_prefix(std::move(constant).error(), fmt::format("tensor '{}'", tensor.name));
  return constant;
}

Result<Constant> TensorReader::read_unnamed(const TensorMessage& tensor) {
  const ElementKind kind = kind_of(tensor.data_type);
  if (!kind.dtype) return unsupported("its elements are of {}", element_type_name(tensor.data_type));
  const DType dtype = *kind.dtype;
  MEML_TRY(const int64_t elements, count_elements(tensor));
  const int64_t needed = saturating_mul(elements, size_of(dtype));
  if (tensor.is_external) {
    MEML_TRY(const Source source, external(tensor, needed));
    return from_bytes(dtype, tensor.dims, source.bytes, source.owner, source.is_mapped_file);
  }
  if (tensor.typed_field != 0) {
    if (tensor.raw_data && !tensor.raw_data->empty()) return invalid_model("it has both raw and typed values");
    if (tensor.typed_field != kind.typed_field) return invalid_model("its {} values stand in the wrong field", dtype);
    return from_typed(tensor, dtype, elements);
  }
  const Bytes raw = tensor.raw_data.value_or(Bytes());
  if (static_cast<int64_t>(raw.size()) != needed)
    return invalid_model("it needs {} bytes, but holds {}", needed, raw.size());
  return from_bytes(dtype, tensor.dims, raw, owner_, is_mapped_file_);
}

Result<TensorReader::Source> TensorReader::external(const TensorMessage& tensor, int64_t needed) {
  std::string_view location;
  int64_t offset = 0, length = -1;
  for (const auto& [key, value] : tensor.external_data) {
    if (key == "location") location = value;
    if (key == "offset") {
      MEML_TRY(offset, parse_number(key, value));
    }
    if (key == "length") {
      MEML_TRY(length, parse_number(key, value));
    }
  }
  MEML_TRY(const std::string path, resolve_external(folder_, location));
  auto found = files_.find(path);
  if (found == files_.end()) {
    MEML_TRY(const std::shared_ptr<const MappedFile> file, MappedFile::open(path));
    const std::span<const std::byte> bytes = file->bytes();
    found = files_.emplace(path, Source{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file, true}).first;
  }
  const Bytes all = found->second.bytes;
  if (length >= 0 && length != needed)
    return invalid_model("it needs {} bytes, but its external length is {}", needed, length);
  if (offset > static_cast<int64_t>(all.size()) || needed > static_cast<int64_t>(all.size()) - offset)
    return invalid_model("it needs {} bytes from {} of '{}', which has {}", needed, offset, location, all.size());
  return Source{all.substr(static_cast<size_t>(offset), static_cast<size_t>(needed)), found->second.owner, true};
}

}  // namespace memline::onnx
