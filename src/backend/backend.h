// Backend: the empty shape of a device, filled by cpu/ and cuda/.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backend/tactic.h"

namespace memline {

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;  // "cpu"
  virtual std::string target() const = 0;     // what an engine is made for and the timing cache is keyed by: "cpu avx2"
  // Ordered, best first, the reference last.
  virtual std::span<const std::unique_ptr<Tactic>> tactics() const = 0;
  // The storage dtype for f32 values under a precision, or unsupported ("bf16 needs AVX512-BF16").
  virtual Result<DType> activation_dtype(std::string_view precision) const = 0;

  // nullptr when this backend has no tactic of that name.
  const Tactic* find_tactic(std::string_view tactic_name) const {
    for (const auto& tactic : tactics())
      if (tactic->name() == tactic_name) return tactic.get();
    return nullptr;
  }
};

}  // namespace memline
