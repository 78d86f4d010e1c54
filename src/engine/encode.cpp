// Program -> bytes: the table of expressions (text, in the order of first use), then the fields of engine/fields.h.
// Expressions that are constants stand in place.
#include <unordered_map>

#include "engine/bytes.h"
#include "engine/fields.h"
#include "engine/file.h"

namespace memline::engine {
namespace {

class Encoder {
 public:
  void operator()(bool value) { body_.u64(value ? 1 : 0); }
  void operator()(int32_t value) { body_.i64(value); }
  void operator()(int64_t value) { body_.i64(value); }
  void operator()(double value) { body_.f64(value); }
  void operator()(const std::string& value) { body_.text(value); }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void operator()(Enum value) { body_.u64(static_cast<uint64_t>(value)); }

  // An even number is a constant (zigzagged), an odd one an index into the table. Constants of more than 62 bits are in
  // the table.
  void operator()(const DimExpr& expression) {
    constexpr int64_t kInPlace = int64_t{1} << 62;
    const auto constant = expression.constant();
    if (constant && *constant < kInPlace && *constant >= -kInPlace)
      body_.u64((static_cast<uint64_t>(*constant) << 1 ^ static_cast<uint64_t>(*constant >> 63)) << 1);
    else
      body_.u64(static_cast<uint64_t>(index_of(expression)) << 1 | 1);
  }

  template <typename T>
  void operator()(const std::vector<T>& list) {
    body_.u64(list.size());
    for (const T& element : list) (*this)(element);
  }
  void operator()(const std::map<std::string, std::string>& map) {
    body_.u64(map.size());
    for (const auto& [key, value] : map) {
      body_.text(key);
      body_.text(value);
    }
  }
  template <typename T>
  requires requires(Encoder& encoder, const T& table) { fields(encoder, table); }
  void operator()(const T& table) { fields(*this, table); }

  std::vector<std::byte> finish() const {
    ByteWriter all;
    all.u64(expressions_.size());
    for (const std::string& text : expressions_) all.text(text);
    all.append(body_.bytes());
    return all.take();
  }

 private:
  size_t index_of(const DimExpr& expression) {
    std::string text = expression.text();
    const auto [at, is_new] = indices_.try_emplace(text, expressions_.size());
    if (is_new) expressions_.push_back(std::move(text));
    return at->second;
  }

  ByteWriter body_;
  std::vector<std::string> expressions_;
  std::unordered_map<std::string, size_t> indices_;
};

}  // namespace

std::vector<std::byte> encode(const Program& program) {
  Encoder encoder;
  encoder(program);
  return encoder.finish();
}

}  // namespace memline::engine
