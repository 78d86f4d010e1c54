// What ScatterElements and ScatterND do with an update: replace the element, or combine it with what is there.
#pragma once

#include "ops/elementwise.h"
#include "ops/reference.h"
#include "ops/scalar_math.h"

namespace memline::ops {

enum class Reduction { none, add, mul, max, min };

inline std::optional<Reduction> parse_reduction(std::string_view name) {
  if (name == "none") return Reduction::none;
  if (name == "add") return Reduction::add;
  if (name == "mul") return Reduction::mul;
  if (name == "max") return Reduction::max;
  if (name == "min") return Reduction::min;
  return std::nullopt;
}

inline Status expect_reduction(const InferContext& in, std::string_view name) {
  const std::optional<Reduction> reduction = parse_reduction(name);
  if (!reduction) return invalid_model("reduction is '{}', needs none, add, mul, max or min", name);
  return *reduction == Reduction::none ? Status() : expect_accepted(in, 0, Accepts::numbers);
}

// out[to] = out[to] combined with updates[from].
inline void update_element(Reduction reduction, const TensorView& updates, int64_t from, const TensorView& out,
                           int64_t to) {
  with_compute(updates.dtype, [&](auto tag) {
    using C = decltype(tag);
    const C update = load<C>(updates, from);
    const C old = reduction == Reduction::none ? C{} : load<C>(out, to);
    switch (reduction) {
      case Reduction::none:
        return store(out, to, update);
      case Reduction::add:
        return store(out, to, wrapping_add(old, update));
      case Reduction::mul:
        return store(out, to, wrapping_mul(old, update));
      case Reduction::max:
        return store(out, to, nan_max(old, update));
      case Reduction::min:
        return store(out, to, nan_min(old, update));
    }
  });
}

}  // namespace memline::ops
