// The CPU as a backend: its level and the tactics that level runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "cpu/cpu_level.h"

namespace memline::cpu {

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(CpuLevel level);

  std::string_view name() const override { return "cpu"; }
  std::string target() const override;  // "cpu avx2"
  std::span<const std::unique_ptr<Tactic>> tactics() const override { return tactics_; }
  Result<DType> activation_dtype(std::string_view precision) const override;
  CpuLevel level() const { return level_; }

 private:
  CpuLevel level_;
  std::vector<std::unique_ptr<Tactic>> tactics_;
};

}  // namespace memline::cpu
