#include "cpu/cpu_level.h"

#include <gtest/gtest.h>

namespace memline::cpu {
namespace {

CpuFeatures avx2_cpu() {
  CpuFeatures f;
  f.avx2 = f.fma = f.f16c = f.bmi2 = f.os_saves_ymm = true;
  return f;
}
CpuFeatures amx_cpu() {
  CpuFeatures f = avx2_cpu();
  f.avx512_f_bw_dq_vl_cd = f.avx512_vnni = f.avx512_bf16 = f.amx_tile_bf16_int8 = true;
  f.os_saves_zmm = f.os_saves_tiles = f.tiles_permitted = true;
  return f;
}

TEST(CpuLevel, NamesReadBack) {
  for (const char* name : {"avx2", "avx512", "avx512_vnni", "avx512_bf16", "amx"}) {
    const auto level = parse_cpu_level(name);
    ASSERT_TRUE(level.has_value()) << name;
    EXPECT_EQ(cpu_level_name(*level), name);
  }
  EXPECT_EQ(parse_cpu_level("sse2").error().code, Code::invalid_argument);
}

TEST(CpuLevel, BelowAvx2IsUnsupported) {
  CpuFeatures f = avx2_cpu();
  f.fma = false;
  const auto level = highest_level(f);
  ASSERT_FALSE(level.has_value());
  EXPECT_EQ(level.error().code, Code::unsupported);
}

TEST(CpuLevel, ALevelNeedsRegistersThatTheOperatingSystemSaves) {
  CpuFeatures f = amx_cpu();
  EXPECT_EQ(*highest_level(f), CpuLevel::amx);
  f.tiles_permitted = false;
  EXPECT_EQ(*highest_level(f), CpuLevel::avx512_bf16);
  f.tiles_permitted = true;
  f.os_saves_tiles = false;
  EXPECT_EQ(*highest_level(f), CpuLevel::avx512_bf16);
  f.os_saves_zmm = false;
  EXPECT_EQ(*highest_level(f), CpuLevel::avx2);
  f.os_saves_ymm = false;
  EXPECT_EQ(highest_level(f).error().code, Code::unsupported);
}

TEST(CpuLevel, ALevelNeedsAllBelowIt) {
  CpuFeatures f = amx_cpu();
  f.avx512_vnni = false;
  EXPECT_EQ(*highest_level(f), CpuLevel::avx512);
}

TEST(CpuLevel, ThisMachinesLevelCanBeChosenAndAllBelowIt) {
  const auto highest = detect_cpu_level();
  ASSERT_TRUE(highest.has_value());
  EXPECT_EQ(*choose_cpu_level(""), *highest);
  EXPECT_EQ(*choose_cpu_level("avx2"), CpuLevel::avx2);
  if (*highest < CpuLevel::amx) {
    EXPECT_EQ(choose_cpu_level("amx").error().code, Code::unsupported);
  }
}

}  // namespace
}  // namespace memline::cpu
