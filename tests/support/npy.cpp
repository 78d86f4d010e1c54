#include "support/npy.h"

#include <charconv>
#include <cstring>
#include <map>

#include "base/mapping.h"

namespace memline::test {
namespace {

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  text.remove_prefix(from + begin.size());
  return text.substr(0, text.find(end));
}

std::optional<DType> dtype_of(std::string_view descr) {
  static const std::map<std::string_view, DType> kTypes = {
      {"<f4", DType::f32}, {"<f2", DType::f16}, {"<f8", DType::f64}, {"|i1", DType::i8},
      {"|u1", DType::u8},  {"<i2", DType::i16}, {"<u2", DType::u16}, {"<i4", DType::i32},
      {"<u4", DType::u32}, {"<i8", DType::i64}, {"<u8", DType::u64}, {"|b1", DType::boolean}};
  const auto found = kTypes.find(descr);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

Result<Constant> read_npy(const std::string& path) {
  MEML_TRY(const auto file, MappedFile::open(path));
  const std::string_view bytes(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  if (bytes.size() < 12 || bytes.substr(0, 6) != "\x93NUMPY") return invalid_argument("'{}' is no .npy file", path);
  const size_t header_at = bytes[6] == 1 ? 10 : 12;
  uint32_t header_size = 0;
  std::memcpy(&header_size, bytes.data() + 8, bytes[6] == 1 ? 2 : 4);
  const std::string_view header = bytes.substr(header_at, header_size), data = bytes.substr(header_at + header_size);
  const auto dtype = dtype_of(between(header, "'descr': '", "'"));
  if (!dtype || header.find("'fortran_order': False") == std::string_view::npos)
    return unsupported("'{}' has the header {}", path, header);
  std::vector<int64_t> dims;
  int64_t size = size_of(*dtype);
  std::string_view shape = between(header, "'shape': (", ")");
  while (!shape.empty()) {
    int64_t dim = 0;
    const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), dim);
    if (error == std::errc()) {
      dims.push_back(dim);
      size *= dim;
      shape.remove_prefix(static_cast<size_t>(end - shape.data()));
    } else {
      shape.remove_prefix(1);
    }
  }
  if (static_cast<int64_t>(data.size()) != size)
    return invalid_argument("'{}' holds {} bytes, needs {}", path, data.size(), size);
  return make_constant(*dtype, dims, std::as_bytes(std::span<const char>(data)));
}

}  // namespace memline::test
