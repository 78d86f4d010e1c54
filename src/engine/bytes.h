// ByteWriter and ByteReader: how tables become bytes. Integers are LEB128 (7 bits a byte, low first; signed ones
// zigzagged), doubles 8 bytes little-endian, strings and lists a count and their elements.
//   * The reader trusts nothing: the first failure sticks, everything read after it is empty or 0, and a count larger
//     than the bytes that are left can hold fails before anything is allocated.
//   * The bytes are canonical: the reader refuses an integer with superfluous bytes, so equal tables are equal bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memline::engine {

class ByteWriter {
 public:
  void u64(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::byte>(value | 0x80));
    bytes_.push_back(static_cast<std::byte>(value));
  }
  void i64(int64_t value) { u64(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63)); }
  void f64(double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) bytes_.push_back(static_cast<std::byte>(bits >> shift));
  }
  void text(std::string_view text) {
    u64(text.size());
    append(std::as_bytes(std::span(text)));
  }
  void append(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes)
      : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

  // nullptr while nothing went wrong. `what` of the first failure is kept.
  const char* failure() const { return failure_; }
  int64_t failed_at() const { return failed_at_; }
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  void fail(const char* what) {
    if (failure_ == nullptr) {
      failure_ = what;
      failed_at_ = at_ - begin_;
    }
    at_ = end_;
  }

  uint64_t u64() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return fail("the table ends inside a number"), 0;
      const auto byte = static_cast<uint8_t>(*at_++);
      if (shift == 63 && byte > 1) break;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (byte == 0 && shift > 0) break;
        return value;
      }
    }
    return fail("a number is not well formed"), 0;
  }
  int64_t i64() {
    const uint64_t value = u64();
    return static_cast<int64_t>(value >> 1 ^ (0 - (value & 1)));
  }
  double f64() {
    if (left() < 8) return fail("the table ends inside a number"), 0;
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= static_cast<uint64_t>(*at_++) << (8 * i);
    return std::bit_cast<double>(bits);
  }
  // An integer of a narrower type, or a value of an enum that ends at `last`.
  template <typename Int>
  Int narrow() {
    const int64_t value = i64();
    if (value < std::numeric_limits<Int>::min() || value > std::numeric_limits<Int>::max())
      return fail("a number is too large"), Int{};
    return static_cast<Int>(value);
  }
  template <typename Enum>
  Enum choice(Enum last) {
    const uint64_t value = u64();
    if (value > static_cast<uint64_t>(last)) return fail("a choice does not exist"), Enum{};
    return static_cast<Enum>(value);
  }
  // A number of elements that each take at least `least_bytes`.
  size_t count(size_t least_bytes, size_t most = std::numeric_limits<size_t>::max()) {
    const uint64_t value = u64();
    if (value > most) return fail("a list is too long"), 0;
    if (value > left() / least_bytes) return fail("a list is longer than the table"), 0;
    return static_cast<size_t>(value);
  }
  std::string_view text() {
    const size_t size = count(1);
    const std::string_view text(reinterpret_cast<const char*>(at_), size);
    at_ += size;
    return text;
  }

 private:
  const std::byte* begin_;
  const std::byte* at_;
  const std::byte* end_;
  const char* failure_ = nullptr;
  int64_t failed_at_ = 0;
};

}  // namespace memline::engine
