#include "cli/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <fstream>

#include "base/mapping.h"
#include "base/result.h"
#include "base/size.h"

namespace memline::cli {
namespace {

struct Descr {
  std::string_view text;
  DType dtype;
};
constexpr Descr kDescrs[] = {{"<f4", DType::f32}, {"<f2", DType::f16}, {"<f8", DType::f64}, {"|i1", DType::i8},
                             {"|u1", DType::u8},  {"<i2", DType::i16}, {"<u2", DType::u16}, {"<i4", DType::i32},
                             {"<u4", DType::u32}, {"<i8", DType::i64}, {"<u8", DType::u64}, {"|b1", DType::boolean}};

// The text behind `'key':` in the header's Python dictionary.
std::string_view entry(std::string_view header, std::string_view key) {
  const size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

Result<std::vector<int64_t>> parse_shape(std::string_view text, const std::string& path) {
  std::vector<int64_t> dims;
  const size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos)
    return invalid_argument("'{}': its header has no shape", path);
  std::string_view list = text.substr(1, close - 1);
  while (!list.empty()) {
    if (list.front() == ' ' || list.front() == ',') {
      list.remove_prefix(1);
      continue;
    }
    int64_t dim = 0;
    const auto [rest, error] = std::from_chars(list.data(), list.data() + list.size(), dim);
    if (error != std::errc() || dim < 0)
      return invalid_argument("'{}': its header has the shape {}", path, text.substr(0, close + 1));
    dims.push_back(dim);
    list.remove_prefix(static_cast<size_t>(rest - list.data()));
  }
  return dims;
}

}  // namespace

int64_t dtype_bytes(DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::i64:
    case DType::u64:
      return 8;
    case DType::f32:
    case DType::i32:
    case DType::u32:
      return 4;
    case DType::f16:
    case DType::bf16:
    case DType::i16:
    case DType::u16:
      return 2;
    default:
      return 1;
  }
}

Result<NpyArray> read_npy(const std::string& path) {
  MEML_TRY(const auto file, MappedFile::open(path));
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  if (text.size() < 10 || !text.starts_with("\x93NUMPY")) return invalid_argument("'{}' is not a .npy file", path);
  const bool wide = text[6] >= 2;
  if (text.size() < (wide ? 12u : 10u)) return invalid_argument("'{}' is cut: its header is not whole", path);
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  const size_t header_bytes = wide ? byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24 : byte(8) | byte(9) << 8;
  const size_t begin = wide ? 12 : 10;
  if (header_bytes > text.size() - begin) return invalid_argument("'{}' is cut: its header is not whole", path);
  const std::string_view header = text.substr(begin, header_bytes);

  NpyArray array;
  const std::string_view descr = entry(header, "descr");
  bool known = false;
  for (const Descr& d : kDescrs)
    if (descr.size() > 4 && descr.substr(1, 3) == d.text) array.dtype = d.dtype, known = true;
  if (!known)
    return invalid_argument("'{}' holds {}, which Memline does not read", path, descr.substr(0, descr.find(',')));
  if (!entry(header, "fortran_order").starts_with("False"))
    return invalid_argument("'{}' is in Fortran order: needs C order", path);
  MEML_TRY(array.dims, parse_shape(entry(header, "shape"), path));
  int64_t bytes = dtype_bytes(array.dtype);
  for (const int64_t dim : array.dims) bytes = saturating_mul(bytes, dim);
  const std::string_view data = text.substr(begin + header_bytes);
  if (static_cast<int64_t>(data.size()) != bytes)
    return invalid_argument("'{}' has {} bytes of data, its shape needs {}", path, data.size(), bytes);
  array.bytes.assign(data.begin(), data.end());
  return array;
}

Status write_npy(const std::string& path, const TensorRef& tensor) {
  std::string_view descr = "<f4";
  for (const Descr& d : kDescrs)
    if (d.dtype == tensor.dtype) descr = d.text;
  if (tensor.dtype == DType::bf16) descr = "<u2";  // NumPy has no bf16: its bits
  std::string shape;
  int64_t bytes = dtype_bytes(tensor.dtype);
  for (int i = 0; i < tensor.rank; ++i) {
    shape += fmt::format("{}, ", tensor.dims[static_cast<size_t>(i)]);
    bytes *= tensor.dims[static_cast<size_t>(i)];
  }
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  header.append(64 - (10 + header.size() + 1) % 64, ' ').push_back('\n');
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const char prefix[10] = {'\x93',
                           'N',
                           'U',
                           'M',
                           'P',
                           'Y',
                           1,
                           0,
                           static_cast<char>(header.size() & 0xff),
                           static_cast<char>(header.size() >> 8)};
  file.write(prefix, sizeof(prefix));
  file << header;
  file.write(static_cast<const char*>(tensor.data), bytes);
  file.close();
  if (!file) return io_error("'{}' cannot be written: {}", path, std::strerror(errno));
  return {};
}

}  // namespace memline::cli
