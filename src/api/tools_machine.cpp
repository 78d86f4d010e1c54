// tools.hpp: what this machine can run.
#include "cpu/cpu_level.h"
#include "memline/tools.hpp"

namespace memline::tools {

Result<std::string> best_cpu_level() {
  MEML_TRY(const cpu::CpuLevel level, cpu::detect_cpu_level());
  return std::string(cpu::cpu_level_name(level));
}

}  // namespace memline::tools
