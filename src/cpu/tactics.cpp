#include "cpu/tactics.h"

#include "cpu/copy/copy_tactic.h"
#include "cpu/gemm/indirect_conv.h"
#include "cpu/reference/reference.h"
#include "cpu/winograd/winograd_tactic.h"

namespace memline::cpu {

namespace {

void add_winograd(std::vector<std::unique_ptr<Tactic>>& list, CpuLevel level) {
  using At = WinogradWeightsAt;
  if (level >= CpuLevel::avx512) {
    list.push_back(winograd_tactic("cpu.winograd43.packed.avx512", winograd43_avx512(), At::build));
    list.push_back(winograd_tactic("cpu.winograd43.incall.avx512", winograd43_avx512(), At::call));
    list.push_back(winograd_tactic("cpu.winograd23.packed.avx512", winograd23_avx512(), At::build));
  }
  list.push_back(winograd_tactic("cpu.winograd43.packed.avx2", winograd43_avx2(), At::build));
  list.push_back(winograd_tactic("cpu.winograd43.incall.avx2", winograd43_avx2(), At::call));
  list.push_back(winograd_tactic("cpu.winograd23.packed.avx2", winograd23_avx2(), At::build));
}

}  // namespace

std::vector<std::unique_ptr<Tactic>> make_tactics(CpuLevel level) {
  std::vector<std::unique_ptr<Tactic>> list;
  add_winograd(list, level);
  if (level >= CpuLevel::avx512)
    list.push_back(indirect_conv_tactic("cpu.indirect_conv.avx512", avx512::strip_kernels_f32()));
  list.push_back(indirect_conv_tactic("cpu.indirect_conv.avx2", avx2::strip_kernels_f32()));
  list.push_back(copy_tactic());
  list.push_back(reference_tactic());
  return list;
}

}  // namespace memline::cpu
