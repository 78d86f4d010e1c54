// Matrix products as strips of one tap, b constant.
//   * Layout: a [.., M, K] with any strides (rows are gathered into scratch where K is not innermost); b packed once
//     for each matrix of its leading axes (packed_blocks.h), alpha in it; y [.., M, N] with N innermost.
//   * Tiling: tasks of up to kRows rows by a range of column blocks. One row (a fully connected layer) reads the
//     weights once, shared out by columns: 1x2048 by 2048x1000 runs at 37 GB/s of weights from L3 (Zen 3, one thread
//     of two virtual CPUs, 2026-12-01), two rows take the same time.
//   * Sum: k in ascending order, one accumulator an element.
//   * Limits: no vectors (rank 1), f32 (bf16 with the bf16 kernels), beta 0 or 1.
#include "cpu/gemm/matmul.h"

#include <string>

#include "cpu/gemm/matrix_product.h"
#include "cpu/gemm/matrix_rows.h"
#include "cpu/gemm/work_shares.h"
#include "ops/reference.h"

namespace memline::cpu {
namespace {

constexpr int64_t kRows = 96;
constexpr int64_t kGatheredBytes = 128 << 10;

// What a kernel and its workspace agree on.
struct Scratch {
  int64_t rows, steps, copy_bytes;

  Scratch(const MatrixProduct& product, const StripKernels& kernels)
      : rows(kRows), steps(static_cast<int64_t>(product.epilogues.size())), copy_bytes(0) {
    if (!product.copies_a) return;
    const int64_t row_bytes = std::max<int64_t>(1, product.depth) * (kernels.pair == 1 ? 4 : 2);
    rows = std::clamp<int64_t>(kGatheredBytes / row_bytes / 12 * 12, 12, kRows);
    copy_bytes = align_up(rows * row_bytes, 64);
  }
  int64_t bytes() const { return PixelList::bytes(rows, 1, steps) + copy_bytes; }
};

int64_t leading_matrices(const OpCall& call) {
  int64_t matrices = 1;
  const std::vector<int64_t>& dims = call.in[1].max_dims;
  for (size_t i = 0; i + 2 < dims.size(); ++i) matrices *= dims[i];
  return matrices;
}

class MatMulKernel final : public Kernel {
 public:
  MatMulKernel(const OpCall& call, const StripKernels& kernels, std::span<const std::byte> packed)
      : kernels_(kernels),
        product_(call),
        shape_(product_.packed(kernels)),
        scratch_(product_, kernels),
        row_axis_(call.row_axis),
        grouped_(leading_matrices(call) > 1),
        packed_(packed.data()) {
    // Strides of b in matrices: where the matrix of a group is among the packed ones.
    for (const int64_t d : call.in[1].max_dims) matrices_.dims[matrices_.rank++] = d;
    int64_t stride = 1;
    for (int i = matrices_.rank - 3; i >= 0; --i) {
      matrices_.strides[static_cast<size_t>(i)] = stride;
      stride *= matrices_.dim(i);
    }
  }

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView& out = args.out[0];
    const StripEpilogue epilogue(product_.epilogues, nullptr, args.in, out, out.rank - 1);
    const MatrixRows rows(product_.a(args.in[0]), matrices_, out, row_axis_, args.rows, grouped_, epilogue);
    const WorkShares shares(rows.rows(), scratch_.rows, rows.groups(), shape_.blocks.count(), args.parallel->width(),
                            kernels_.chunk_unit);
    args.parallel->for_each(shares.tasks(), [&](int64_t index, int participant) {
      std::byte* scratch = args.workspace.data() + participant * scratch_.bytes();
      PixelList list = PixelList::carve(scratch, scratch_.rows, 1, scratch_.steps);
      const auto [group, begin, end, first, last] = shares.task(index);
      rows.list(group, begin, end, list);
      if (product_.copies_a) rows.gather(list, scratch);
      const StripSession session(kernels_, shape_.depth);
      const std::byte* weights = packed_ + rows.b_offset(group) * shape_.bytes();
      for (int64_t block = first; block < last; ++block)
        run_strip(list, epilogue, block, last, weights + shape_.block_offset(block));
    });
    return {};
  }

 private:
  void run_strip(const PixelList& list, const StripEpilogue& epilogue, int64_t block, int64_t last_block,
                 const std::byte* weights) const {
    StripArgs strip{.inputs = list.inputs,
                    .input_stride = list.capacity,
                    .taps = 1,
                    .depth = shape_.depth,
                    .weights = weights,
                    .pixels = list.count,
                    .outputs = list.outputs,
                    .first_channel = shape_.blocks.first_channel(block),
                    .channels = shape_.blocks.channels(block)};
    if (block + 1 < last_block) fetch_next_block(kernels_, shape_, block, strip);
    epilogue.fill(strip, list.offsets);
    kernels_.strip[shape_.blocks.vectors(block)](strip);
  }

  StripKernels kernels_;
  MatrixProduct product_;
  PackedShape shape_;
  Scratch scratch_;
  TensorView matrices_;
  int row_axis_;
  bool grouped_;
  const std::byte* packed_;
};

class MatMul final : public Tactic {
 public:
  MatMul(std::string_view name, const StripKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }
  Support supports(const OpCall& call) const override {
    const Support support = product_supported(call, kernels_);
    if (!support) return support;
    MEML_REFUSE_IF(!call.in[1].is_constant, "b is computed at run time");
    return Support::yes();
  }
  Workspace workspace(const OpCall& call, int) const override {
    return {.shared = 0, .per_thread = Scratch(MatrixProduct(call), kernels_).bytes()};
  }
  double stored_cost(const OpCall& call) const override { return MatrixProduct(call).cost(call, kernels_); }
  uint64_t may_overwrite(const OpCall& call) const override { return epilogue_may_overwrite(call); }
  bool rows_independent(const OpCall& call) const override { return call.row_axis < call.out[0].type.rank() - 1; }

  uint64_t packs(const OpCall&) const override { return uint64_t{1} << 1; }
  int64_t packed_bytes(const OpCall& call) const override {
    return MatrixProduct(call).packed(kernels_).bytes() * leading_matrices(call);
  }
  Status pack(const OpCall& call, std::span<std::byte> out) const override {
    const MatrixProduct product(call);
    const PackedShape shape = product.packed(kernels_);
    const TensorView b = product.b(call.in[1].value);
    const int64_t k_stride = b.stride(b.rank - 2), n_stride = b.stride(b.rank - 1),
                  size = product.depth * product.columns;
    std::byte* next = out.data();
    for (int64_t matrix = 0; matrix < leading_matrices(call); ++matrix) {  // dense: `value` is row-major
      for (int64_t block = 0; block < shape.blocks.count(); ++block) {
        pack_block(shape, block, next, [&](int64_t n, int64_t, int64_t k) {
          return product.alpha * ops::load<float>(b, matrix * size + k * k_stride + n * n_stride);
        });
        next += shape.block_bytes(shape.blocks.width(block));
      }
    }
    return {};
  }
  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte> packed) const override {
    return std::make_unique<MatMulKernel>(call, kernels_, packed);
  }

 private:
  std::string name_;
  StripKernels kernels_;
};

}  // namespace

std::unique_ptr<Tactic> matmul_tactic(std::string_view name, const StripKernels& kernels) {
  return std::make_unique<MatMul>(name, kernels);
}

}  // namespace memline::cpu
