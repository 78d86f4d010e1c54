// A level needs its instructions (cpuid) and registers that the operating system keeps across a switch (xgetbv): both
// are asked. Tiles need a third: Linux keeps their 8 KiB for processes that ask (arch_prctl), for all their threads.
#include "cpu/cpu_level.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace memline::cpu {
namespace {

struct LevelName {
  CpuLevel level;
  std::string_view name;
};
constexpr std::array kLevels = {
    LevelName{CpuLevel::avx2, "avx2"},
    LevelName{CpuLevel::avx512, "avx512"},
    LevelName{CpuLevel::avx512_vnni, "avx512_vnni"},
    LevelName{CpuLevel::avx512_bf16, "avx512_bf16"},
    LevelName{CpuLevel::amx, "amx"},
};

struct Cpuid {
  unsigned a = 0, b = 0, c = 0, d = 0;  // all 0 when the CPU has no such leaf
  Cpuid(unsigned leaf, unsigned subleaf) { __get_cpuid_count(leaf, subleaf, &a, &b, &c, &d); }
};
constexpr bool has(unsigned word, int bit) { return (word >> bit & 1u) != 0; }

uint64_t saved_registers() {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

// Asking again changes nothing.
bool ask_for_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

std::string_view cpu_level_name(CpuLevel level) { return kLevels[static_cast<size_t>(level)].name; }

Result<CpuLevel> parse_cpu_level(std::string_view name) {
  for (const LevelName& known : kLevels)
    if (known.name == name) return known.level;
  return invalid_argument("unknown CPU level '{}': it is one of avx2, avx512, avx512_vnni, avx512_bf16, amx", name);
}

CpuFeatures read_cpu_features() {
  const Cpuid basic(1, 0), extended(7, 0), extended1(7, 1);
  CpuFeatures f;
  f.fma = has(basic.c, 12);
  f.f16c = has(basic.c, 29);
  f.avx2 = has(extended.b, 5);
  f.bmi2 = has(extended.b, 3) && has(extended.b, 8);
  f.avx512_f_bw_dq_vl_cd =
      has(extended.b, 16) && has(extended.b, 30) && has(extended.b, 17) && has(extended.b, 31) && has(extended.b, 28);
  f.avx512_vnni = has(extended.c, 11);
  f.avx512_bf16 = has(extended1.a, 5);
  f.amx_tile_bf16_int8 = has(extended.d, 24) && has(extended.d, 22) && has(extended.d, 25);
  if (has(basic.c, 27)) {  // OSXSAVE: xgetbv exists
    const uint64_t saved = saved_registers();
    f.os_saves_ymm = (saved & 0x6) == 0x6;
    f.os_saves_zmm = (saved & 0xe6) == 0xe6;
    f.os_saves_tiles = (saved & 0x60000) == 0x60000;
    f.tiles_permitted = f.amx_tile_bf16_int8 && f.os_saves_tiles && ask_for_tiles();
  }
  return f;
}

Result<CpuLevel> highest_level(const CpuFeatures& f) {
  if (!(f.avx2 && f.fma && f.f16c && f.bmi2))
    return unsupported("this CPU has no AVX2 with FMA, F16C and BMI; Memline needs them");
  if (!f.os_saves_ymm) return unsupported("the operating system does not save AVX registers; Memline needs AVX2");
  if (!f.avx512_f_bw_dq_vl_cd || !f.os_saves_zmm) return CpuLevel::avx2;
  if (!f.avx512_vnni) return CpuLevel::avx512;
  if (!f.avx512_bf16) return CpuLevel::avx512_vnni;
  if (!f.amx_tile_bf16_int8 || !f.os_saves_tiles || !f.tiles_permitted) return CpuLevel::avx512_bf16;
  return CpuLevel::amx;
}

Result<CpuLevel> detect_cpu_level() { return highest_level(read_cpu_features()); }

Result<CpuLevel> choose_cpu_level(std::string_view wanted) {
  MEML_TRY(const CpuLevel highest, detect_cpu_level());
  if (wanted.empty()) return highest;
  MEML_TRY(const CpuLevel level, parse_cpu_level(wanted));
  if (level > highest)
    return unsupported("CPU level '{}' was asked for; this CPU reaches '{}'", wanted, cpu_level_name(highest));
  return level;
}

}  // namespace memline::cpu
