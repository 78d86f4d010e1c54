// How a copy between two views is cut:
//   * axes of extent 1 vanish, axes that lie next to each other in both views merge, the rest is sorted by stride in
//     `out`;
//   * the innermost axis contiguous on both sides: rows, cut into chunks of about 16 KiB;
//   * contiguous on different axes: a transposition in blocks of 64 x 64 (16 KiB a side stays in L1);
//   * neither: strided loops along the innermost axis of `out`.
// Each case has a list of independent blocks; a task is a run of consecutive blocks, four tasks a participant. Speed:
// f32 NCHW <-> NHWC of 16 to 128 channels 22-27 GB/s read and written from L3; 3 channels at 640x640 5-7 GB/s, where
// memcpy from memory had 9 (Zen 3, one thread, 2 vCPU shared with other work, 2026-12-01).
#include "cpu/copy/strided_copy.h"

#include <algorithm>
#include <array>

#include "cpu/copy/copy_kernels.h"

namespace memline::cpu {
namespace {

struct Axis {
  int64_t extent, in_stride, out_stride;
};

// The axes of the copy, outermost in `out` first.
struct Shape {
  std::array<Axis, kMaxRank> axes{};
  int rank = 0;
  bool empty = false;
};

Shape simplify(const TensorView& in, const TensorView& out) {
  Shape shape;
  for (int i = 0; i < in.rank; ++i) {
    if (in.dim(i) == 0) shape.empty = true;
    if (in.dim(i) != 1) shape.axes[static_cast<size_t>(shape.rank++)] = {in.dim(i), in.stride(i), out.stride(i)};
  }
  const auto begin = shape.axes.begin(), end = begin + shape.rank;
  std::sort(begin, end, [](const Axis& a, const Axis& b) {
    return a.out_stride != b.out_stride ? a.out_stride > b.out_stride : a.in_stride > b.in_stride;
  });
  int kept = 0;
  for (auto axis = begin; axis != end; ++axis) {
    Axis* outer = kept > 0 ? &shape.axes[static_cast<size_t>(kept - 1)] : nullptr;
    if (outer && outer->in_stride == axis->extent * axis->in_stride &&
        outer->out_stride == axis->extent * axis->out_stride)
      *outer = {outer->extent * axis->extent, axis->in_stride, axis->out_stride};
    else
      shape.axes[static_cast<size_t>(kept++)] = *axis;
  }
  shape.rank = kept;
  return shape;
}

// One copy, cut into blocks along two axes (`a` and `b`, removed from `outer`) and single steps along the others.
struct Job {
  CopyKernels kernels;
  const std::byte* in;
  std::byte* out;
  int64_t in_size, out_size;
  Shape outer;
  Axis a{1, 0, 0}, b{1, 0, 0};  // rows and strided: b alone, the innermost axis of out. tile: see CopyKernels
  int64_t block_a = 1, block_b = 1;
  bool contiguous = false, transposed = false;

  int64_t blocks_a() const { return (a.extent + block_a - 1) / block_a; }
  int64_t blocks_b() const { return (b.extent + block_b - 1) / block_b; }
  int64_t blocks() const {
    int64_t n = blocks_a() * blocks_b();
    for (int i = 0; i < outer.rank; ++i) n *= outer.axes[static_cast<size_t>(i)].extent;
    return n;
  }

  void run_block(int64_t block) const {
    const int64_t at_b = block % blocks_b() * block_b;
    block /= blocks_b();
    const int64_t at_a = block % blocks_a() * block_a;
    block /= blocks_a();
    int64_t from = at_a * a.in_stride + at_b * b.in_stride, to = at_a * a.out_stride + at_b * b.out_stride;
    for (int i = outer.rank - 1; i >= 0; --i) {
      const Axis& axis = outer.axes[static_cast<size_t>(i)];
      const int64_t index = block % axis.extent;
      block /= axis.extent;
      from += index * axis.in_stride;
      to += index * axis.out_stride;
    }
    const std::byte* source = in + from * in_size;
    std::byte* target = out + to * out_size;
    const int64_t na = std::min(block_a, a.extent - at_a), nb = std::min(block_b, b.extent - at_b);
    if (transposed)
      kernels.tile(source, b.in_stride, target, a.out_stride, na, nb);
    else if (contiguous)
      kernels.row(source, target, nb);
    else
      kernels.strided(source, b.in_stride, target, b.out_stride, nb);
  }
};

Job plan_job(const TensorView& in, const TensorView& out) {
  Job job{.kernels = copy_kernels_avx2(in.dtype, out.dtype),
          .in = in.as<const std::byte>(),
          .out = out.as<std::byte>(),
          .in_size = size_of(in.dtype),
          .out_size = size_of(out.dtype),
          .outer = simplify(in, out)};
  Shape& outer = job.outer;
  if (outer.rank == 0) {
    job.contiguous = true;
    return job;
  }
  job.b = outer.axes[static_cast<size_t>(--outer.rank)];
  job.contiguous = job.b.in_stride == 1 && job.b.out_stride == 1;
  job.block_b = 4096;
  if (job.contiguous || job.b.out_stride != 1) return job;
  for (int i = 0; i < outer.rank; ++i) {
    if (outer.axes[static_cast<size_t>(i)].in_stride != 1) continue;
    job.a = outer.axes[static_cast<size_t>(i)];
    std::copy(outer.axes.begin() + i + 1, outer.axes.begin() + outer.rank, outer.axes.begin() + i);
    --outer.rank;
    job.transposed = true;
    job.block_a = job.block_b = 64;
    break;
  }
  return job;
}

}  // namespace

bool can_copy(DType from, DType to) { return copy_kernels_avx2(from, to).row != nullptr; }

void copy_strided(const TensorView& in, const TensorView& out, Parallel& parallel) noexcept {
  const Job job = plan_job(in, out);
  if (job.outer.empty) return;
  const int64_t blocks = job.blocks();
  const int64_t tasks = std::min<int64_t>(blocks, int64_t{4} * parallel.width());
  parallel.for_each(tasks, [&](int64_t task, int) {
    for (int64_t block = blocks * task / tasks; block < blocks * (task + 1) / tasks; ++block) job.run_block(block);
  });
}

}  // namespace memline::cpu
