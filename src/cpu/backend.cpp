#include "cpu/backend.h"

#include "cpu/tactics.h"

namespace memline::cpu {

CpuBackend::CpuBackend(CpuLevel level) : level_(level), tactics_(make_tactics(level)) {}

std::string CpuBackend::target() const { return "cpu " + std::string(cpu_level_name(level_)); }

Result<DType> CpuBackend::activation_dtype(std::string_view precision) const {
  if (precision == "fp32") return DType::f32;
  if (precision == "bf16") {
    if (level_ >= CpuLevel::avx512_bf16) return DType::bf16;
    return fail(Code::unsupported, "cpu_level",
                "precision bf16 needs a CPU with AVX512-BF16 or AMX, this engine's level is {}",
                cpu_level_name(level_));
  }
  if (precision == "int8" || precision == "auto" || precision == "fp16" || precision == "tf32")
    return unsupported("precision '{}' is not built for the CPU yet: fp32 and bf16 are", precision);
  return invalid_argument("'{}' is not a precision: needs fp32 or bf16", precision);
}

}  // namespace memline::cpu
