#include "choose/timer.h"

#include <algorithm>
#include <chrono>

#include "base/denormals.h"
#include "base/mapping.h"
#include "base/size.h"
#include "tensor/half.h"

namespace memline {
namespace {

int64_t operand_bytes(const CallOperand& operand) {
  int64_t bytes = size_of(operand.type.dtype);
  for (const int64_t dim : operand.max_dims) bytes = saturating_mul(bytes, dim);
  return saturating_add(bytes, 63) & ~int64_t{63};
}

// Values a trained network would see: spread around 0, none denormal.
void fill(const TensorView& view) {
  uint32_t state = 0x9e3779b9u;
  const int64_t n = view.elements();
  for (int64_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    const float value = static_cast<float>(static_cast<int32_t>(state >> 8) - (1 << 23)) * 0x1p-23f;
    switch (view.dtype) {
      case DType::f32:
        view.as<float>()[i] = value;
        break;
      case DType::bf16:
        view.as<uint16_t>()[i] = f32_to_bf16(value);
        break;
      case DType::f16:
        view.as<uint16_t>()[i] = f32_to_f16(value);
        break;
      case DType::i8:
      case DType::u8:
        view.as<uint8_t>()[i] = static_cast<uint8_t>(state >> 24);
        break;
      default:
        break;  // integers stay 0: a valid index
    }
  }
}

TensorView view_of(const CallOperand& operand, std::byte* data) {
  TensorView view = dense_view(operand.type.dtype, data, operand.max_dims);
  view.set_dense(operand.order);
  return view;
}

struct Prepared {
  Pages packed;
  std::unique_ptr<Kernel> kernel;
};

}  // namespace

int64_t timing_bytes(const OpCall& call, std::span<const Candidate> candidates, int threads) {
  int64_t bytes = 0, packed = 0, workspace = 0;
  for (const CallOperand& operand : call.in)
    if (operand.present) bytes = saturating_add(bytes, operand_bytes(operand));
  for (const CallOperand& operand : call.out) bytes = saturating_add(bytes, operand_bytes(operand));
  for (const Candidate& candidate : candidates) {
    packed += candidate.packed_bytes;
    workspace = std::max(workspace, candidate.workspace.total(threads));
  }
  return saturating_add(bytes, packed + workspace);
}

Result<std::vector<double>> time_candidates(const OpCall& call, std::span<const Candidate* const> candidates,
                                            int rounds, Parallel& parallel, const std::atomic<bool>* cancel) {
  int64_t bytes = 0, workspace_bytes = 0;
  for (const CallOperand& operand : call.in)
    bytes += operand.present && !operand.is_constant ? operand_bytes(operand) : 0;
  for (const CallOperand& operand : call.out) bytes += operand_bytes(operand);
  for (const Candidate* candidate : candidates)
    workspace_bytes = std::max(workspace_bytes, candidate->workspace.total(parallel.width()));
  MEML_TRY(const Pages operands, Pages::take(bytes));
  MEML_TRY(const Pages workspace, Pages::take(workspace_bytes));

  std::byte* next = operands.bytes().data();
  std::vector<TensorView> in, out;
  for (const CallOperand& operand : call.in) {
    if (!operand.present) {
      in.push_back({});
    } else if (operand.is_constant) {
      in.push_back(operand.value);
    } else {
      in.push_back(view_of(operand, next));
      fill(in.back());
      next += operand_bytes(operand);
    }
  }
  for (const CallOperand& operand : call.out) {
    out.push_back(view_of(operand, next));
    next += operand_bytes(operand);
  }

  std::vector<Prepared> prepared;
  for (const Candidate* candidate : candidates) {
    MEML_TRY(Pages packed, Pages::take(candidate->packed_bytes));
    MEML_TRY_STATUS(candidate->tactic->pack(
        call, packed.bytes().first(static_cast<size_t>(candidate->tactic->packed_bytes(call)))));
    MEML_TRY(std::unique_ptr<Kernel> kernel, candidate->tactic->make(call, packed.bytes()));
    prepared.push_back({std::move(packed), std::move(kernel)});
  }

  const FlushDenormals flush;  // as in a run
  std::vector<std::vector<double>> times(candidates.size());
  for (int round = -1; round < rounds; ++round) {
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (cancel != nullptr && cancel->load(std::memory_order_relaxed))
        return fail(Code::cancelled, {}, "cancelled while timing");
      std::vector<TensorView> outputs = out;
      KernelArgs args{.in = in, .out = outputs, .workspace = workspace.bytes(), .parallel = &parallel};
      if (!outputs.empty() && outputs[0].rank > call.row_axis) args.rows = {0, outputs[0].dim(call.row_axis)};
      const auto begin = std::chrono::steady_clock::now();
      const RunStatus status = prepared[c].kernel->run(args);
      const auto end = std::chrono::steady_clock::now();
      if (!status.ok())
        return fail(status.code, {}, "{} failed while it was timed: {}", candidates[c]->tactic->name(), status.message);
      if (round >= 0) times[c].push_back(std::chrono::duration<double, std::nano>(end - begin).count());
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& samples : times) {
    std::nth_element(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2), samples.end());
    medians.push_back(samples[samples.size() / 2]);
  }
  return medians;
}

}  // namespace memline
