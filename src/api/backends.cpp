#include "api/backends.h"

#include "cpu/backend.h"

namespace memline::api {

Result<std::shared_ptr<const Backend>> backend_for_build(const std::string& device, const std::string& cpu_level) {
  if (device.starts_with("cuda")) return unsupported("device '{}': this build of memline has no CUDA backend", device);
  if (device != "cpu") return invalid_argument("'{}' is not a device: needs cpu or cuda[:N]", device);
  MEML_TRY(const cpu::CpuLevel level, cpu::choose_cpu_level(cpu_level));
  return std::make_shared<const cpu::CpuBackend>(level);
}

Result<std::shared_ptr<const Backend>> backend_for_target(const std::string& target) {
  constexpr std::string_view kRebuild = "build it again on this machine: memline build MODEL.onnx -o ENGINE.mline";
  if (!target.starts_with("cpu "))
    return fail(Code::unsupported, "engine_target",
                "the engine is made for '{}', which this build of memline cannot run; {}", target, kRebuild);
  MEML_TRY(const cpu::CpuLevel best, cpu::detect_cpu_level());
  const auto level = cpu::parse_cpu_level(std::string_view(target).substr(4));
  if (!level || *level > best)
    return fail(Code::unsupported, "engine_target", "the engine is made for '{}', this machine's best is 'cpu {}'; {}",
                target, cpu::cpu_level_name(best), kRebuild);
  return std::make_shared<const cpu::CpuBackend>(*level);
}

}  // namespace memline::api
