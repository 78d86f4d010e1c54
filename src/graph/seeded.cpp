#include "graph/seeded.h"

#include "ops/reference.h"

namespace memline {
namespace {

// SplitMix64, seeded with FNV-1a of the name.
class Random {
 public:
  explicit Random(std::string_view name) {
    for (const char c : name) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  uint64_t next() {
    uint64_t x = (state_ += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace

Constant seeded_constant(DType dtype, std::span<const int64_t> dims, std::string_view name) {
  int64_t elements = 1;
  for (const int64_t dim : dims) elements *= dim;
  Constant constant = make_zeros(dtype, dims);
  Random random(name);
  const bool variance = name.starts_with("var");
  for (int64_t i = 0; i < elements; ++i) {
    if (is_float(dtype))
      ops::store(constant.view, i, variance ? random.unit() + 0.5 : random.unit() * 2 - 1);
    else
      ops::store(constant.view, i, static_cast<int64_t>(random.next() % 8));
  }
  return constant;
}

}  // namespace memline
