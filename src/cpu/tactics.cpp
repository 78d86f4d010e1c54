#include "cpu/tactics.h"

#include "cpu/copy/copy_tactic.h"
#include "cpu/depthwise/depthwise_tactic.h"
#include "cpu/elementwise/elementwise_tactic.h"
#include "cpu/gemm/attention.h"
#include "cpu/gemm/indirect_conv.h"
#include "cpu/gemm/matmul.h"
#include "cpu/gemm/stem_conv.h"
#include "cpu/gemm/transposed_conv.h"
#include "cpu/integers/extents_tactic.h"
#include "cpu/integers/measure_tactic.h"
#include "cpu/layer_norm/layer_norm_tactic.h"
#include "cpu/pool/pool_tactic.h"
#include "cpu/reduce/reduce_tactic.h"
#include "cpu/reference/reference.h"
#include "cpu/resize/resize_tactic.h"
#include "cpu/sampling/sampling_tactics.h"
#include "cpu/softmax/softmax_tactic.h"
#include "cpu/vision/vision_tactics.h"
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

// What moves more than it multiplies.
void add_light(std::vector<std::unique_ptr<Tactic>>& list, CpuLevel level) {
  if (level >= CpuLevel::avx512) {
    list.push_back(depthwise_tactic("cpu.depthwise.avx512", depthwise_avx512()));
    list.push_back(elementwise_tactic("cpu.elementwise.avx512", elementwise_avx512()));
    list.push_back(pool_tactic("cpu.pool.avx512", pool_avx512()));
    list.push_back(resize_tactic("cpu.resize.avx512", resize_avx512()));
    list.push_back(softmax_tactic("cpu.softmax.avx512", softmax_avx512()));
    list.push_back(layer_norm_tactic("cpu.layer_norm.avx512", layer_norm_avx512()));
    list.push_back(reduce_tactic("cpu.reduce.avx512", reduce_avx512()));
    list.push_back(grid_sample_tactic("cpu.grid_sample.avx512", sampling_avx512()));
    list.push_back(roi_align_tactic("cpu.roi_align.avx512", sampling_avx512()));
  }
  list.push_back(depthwise_tactic("cpu.depthwise.avx2", depthwise_avx2()));
  list.push_back(elementwise_tactic("cpu.elementwise.avx2", elementwise_avx2()));
  list.push_back(pool_tactic("cpu.pool.avx2", pool_avx2()));
  list.push_back(resize_tactic("cpu.resize.avx2", resize_avx2()));
  list.push_back(softmax_tactic("cpu.softmax.avx2", softmax_avx2()));
  list.push_back(layer_norm_tactic("cpu.layer_norm.avx2", layer_norm_avx2()));
  list.push_back(reduce_tactic("cpu.reduce.avx2", reduce_avx2()));
  list.push_back(grid_sample_tactic("cpu.grid_sample.avx2", sampling_avx2()));
  list.push_back(roi_align_tactic("cpu.roi_align.avx2", sampling_avx2()));
  list.push_back(resize_nearest_tactic());
  list.push_back(copy_tactic());
  list.push_back(extents_tactic());
  list.push_back(measure_tactic());
}

// Convolutions and matrix products by strips, for one level's kernels.
void add_gemm(std::vector<std::unique_ptr<Tactic>>& list, std::string_view level, const StripKernels& kernels) {
  list.push_back(stem_conv_tactic(fmt::format("cpu.stem_conv.{}", level), kernels));
  list.push_back(indirect_conv_tactic(fmt::format("cpu.indirect_conv.{}", level), kernels));
  list.push_back(transposed_conv_tactic(fmt::format("cpu.transposed_conv.{}", level), kernels));
  list.push_back(matmul_tactic(fmt::format("cpu.matmul.{}", level), kernels));
  list.push_back(runtime_matmul_tactic(fmt::format("cpu.runtime_matmul.{}", level), kernels));
}

}  // namespace

std::vector<std::unique_ptr<Tactic>> make_tactics(CpuLevel level) {
  std::vector<std::unique_ptr<Tactic>> list;
  add_winograd(list, level);
  add_light(list, level);
  if (level >= CpuLevel::amx) add_gemm(list, "amx", amx::strip_kernels_bf16());
  if (level >= CpuLevel::avx512_bf16) add_gemm(list, "avx512_bf16", avx512_bf16::strip_kernels_bf16());
  if (level >= CpuLevel::avx512) {
    add_gemm(list, "avx512", avx512::strip_kernels_f32());
    list.push_back(attention_tactic("cpu.attention.avx512", avx512::strip_kernels_f32(), softmax_avx512()));
  }
  add_gemm(list, "avx2", avx2::strip_kernels_f32());
  list.push_back(attention_tactic("cpu.attention.avx2", avx2::strip_kernels_f32(), softmax_avx2()));
  list.push_back(image_to_tensor_tactic());
  list.push_back(yolo8_select_tactic());
  list.push_back(mask_runs_tactic());
  list.push_back(reference_tactic());
  return list;
}

}  // namespace memline::cpu
