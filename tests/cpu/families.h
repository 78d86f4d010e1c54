// What the tests of kernel families share: the tactics of one level, by name.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cpu/tactics.h"
#include "support/tactic_check.h"

namespace memline::cpu {

class FamilyTest : public ::testing::TestWithParam<CpuLevel> {
 protected:
  void SetUp() override {
    if (GetParam() > *detect_cpu_level()) GTEST_SKIP() << "this CPU does not reach " << cpu_level_name(GetParam());
    tactics_ = make_tactics(GetParam());
  }
  // "cpu.<kind>.<level>", or "cpu.<kind>" for a tactic that has one form for all levels.
  const Tactic& tactic(const std::string& kind) const {
    for (const auto& tactic : tactics_)
      if (tactic->name() == "cpu." + kind + "." + std::string(cpu_level_name(GetParam())) ||
          tactic->name() == "cpu." + kind)
        return *tactic;
    ADD_FAILURE() << "no tactic " << kind;
    return *tactics_.back();
  }

  std::vector<std::unique_ptr<Tactic>> tactics_;
};

inline std::string level_of(const ::testing::TestParamInfo<CpuLevel>& info) {
  return std::string(cpu_level_name(info.param));
}

}  // namespace memline::cpu
