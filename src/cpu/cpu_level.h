// The levels of x86-64 that kernels are compiled for, each holding all before it, and which of them a CPU and its
// operating system run. An engine stores the level it was built for.
#pragma once

#include <string_view>

#include "base/result.h"

namespace memline::cpu {

enum class CpuLevel { avx2, avx512, avx512_vnni, avx512_bf16, amx };

std::string_view cpu_level_name(CpuLevel level);  // "avx512_bf16", as --cpu-level takes it
Result<CpuLevel> parse_cpu_level(std::string_view name);

// What cpuid and xgetbv say; of tiles also whether the kernel lets this process use them, for which it is asked.
struct CpuFeatures {
  bool avx2 = false, fma = false, f16c = false, bmi2 = false;
  bool avx512_f_bw_dq_vl_cd = false, avx512_vnni = false, avx512_bf16 = false;
  bool amx_tile_bf16_int8 = false;
  bool os_saves_ymm = false, os_saves_zmm = false, os_saves_tiles = false, tiles_permitted = false;
};
CpuFeatures read_cpu_features();

// The highest level these features run; unsupported when that is below AVX2.
Result<CpuLevel> highest_level(const CpuFeatures& features);
Result<CpuLevel> detect_cpu_level();

// The level to use: the CPU's highest, or `wanted` (a name; empty means the highest). A wanted level above the CPU's is
// unsupported.
Result<CpuLevel> choose_cpu_level(std::string_view wanted);

}  // namespace memline::cpu
