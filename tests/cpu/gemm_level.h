// The levels the GEMM family is tested on: its kernels' element type, and how far a result may be from the reference.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cpu/tactics.h"
#include "support/tactic_check.h"

namespace memline::cpu {

class GemmLevelTest : public ::testing::TestWithParam<CpuLevel> {
 protected:
  void SetUp() override {
    if (GetParam() > *detect_cpu_level()) GTEST_SKIP() << "this CPU does not reach " << cpu_level_name(GetParam());
    tactics_ = make_tactics(GetParam());
  }
  DType dtype() const { return GetParam() >= CpuLevel::avx512_bf16 ? DType::bf16 : DType::f32; }
  // f32: sums of up to a few thousand products of numbers in [-1, 1], in another order than the reference's.
  // bf16: weights and results have 8 bits.
  testing::Tolerance tolerance() const {
    return dtype() == DType::f32 ? testing::Tolerance{.relative = 2e-6, .absolute = 1e-6}
                                 : testing::Tolerance{.relative = 1e-2, .absolute = 1e-3};
  }
  // The family's tactic of this level: "stem_conv" -> "cpu.stem_conv.avx2". Null, and a failure, when it is not listed.
  const Tactic* tactic(const std::string& family) const {
    const std::string name = "cpu." + family + "." + std::string(cpu_level_name(GetParam()));
    for (const auto& tactic : tactics_)
      if (tactic->name() == name) return tactic.get();
    ADD_FAILURE() << name << " is not in the list";
    return nullptr;
  }

 private:
  std::vector<std::unique_ptr<Tactic>> tactics_;
};

inline auto gemm_levels() {
  return ::testing::Values(CpuLevel::avx2, CpuLevel::avx512, CpuLevel::avx512_bf16, CpuLevel::amx);
}
inline std::string gemm_level_name(const ::testing::TestParamInfo<CpuLevel>& info) {
  return std::string(cpu_level_name(info.param));
}

}  // namespace memline::cpu
