// Matrix products whose b is computed at run time: each task packs one block of columns of b into its scratch and
// multiplies the rows of its group by it. b may have any strides, so a transposed b costs nothing more. Sum, limits and
// layouts as in matmul.cpp.
#include <string>

#include "cpu/gemm/matmul.h"
#include "cpu/gemm/matrix_product.h"
#include "cpu/gemm/matrix_rows.h"
#include "cpu/gemm/panel.h"

namespace memline::cpu {
namespace {

constexpr int64_t kRows = 96;
constexpr int64_t kGatheredBytes = 128 << 10;

struct Scratch {
  int64_t rows, steps, copy_bytes, panel_bytes;

  Scratch(const MatrixProduct& product, const StripKernels& kernels)
      : rows(kRows), steps(static_cast<int64_t>(product.epilogues.size())), copy_bytes(0) {
    const int64_t element = kernels.pair == 1 ? 4 : 2, row_bytes = std::max<int64_t>(1, product.depth) * element;
    int vectors = 0;
    for (int v = 1; v <= StripKernels::kMaxVectors; ++v)
      if (kernels.strip[v]) vectors = v;
    panel_bytes = align_up(product.packed(kernels).padded_depth() * vectors * kernels.lanes * element, 64);
    if (!product.copies_a) return;
    rows = std::clamp<int64_t>(kGatheredBytes / row_bytes / 12 * 12, 12, kRows);
    copy_bytes = align_up(rows * row_bytes, 64);
  }
  int64_t bytes() const { return panel_bytes + PixelList::bytes(rows, 1, steps) + copy_bytes; }
};

class RuntimeMatMulKernel final : public Kernel {
 public:
  RuntimeMatMulKernel(const OpCall& call, const StripKernels& kernels)
      : kernels_(kernels), product_(call), scratch_(product_, kernels), row_axis_(call.row_axis) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView& out = args.out[0];
    const TensorView b = product_.b(args.in[1]);
    const StripEpilogue epilogue(product_.epilogues, nullptr, args.in, out, out.rank - 1);
    const MatrixRows rows(product_.a(args.in[0]), b, out, row_axis_, args.rows, b.rank > 2, epilogue);
    const PackedShape shape = MatrixProduct::packed(kernels_, rows.depth(), out.dim(out.rank - 1));
    const int64_t blocks = shape.blocks.count(), units = rows.groups() * blocks, threads = args.parallel->width();
    // Rows are cut only where there are too few blocks: each part packs again.
    const int64_t parts =
        units == 0 ? 1 : std::clamp<int64_t>(2 * threads / units, 1, std::max<int64_t>(1, rows.rows() / kRows));
    args.parallel->for_each(units * parts, [&](int64_t task, int participant) {
      const int64_t part = task % parts, block = task / parts % blocks, group = task / parts / blocks;
      multiply(b, epilogue, rows, shape, block, group, {rows.rows() * part / parts, rows.rows() * (part + 1) / parts},
               args.workspace.data() + participant * scratch_.bytes());
    });
    return {};
  }

 private:
  void multiply(const TensorView& b, const StripEpilogue& epilogue, const MatrixRows& rows, const PackedShape& shape,
                int64_t block, int64_t group, ops::RowRange part, std::byte* scratch) const {
    std::byte* panel = scratch;
    pack_panel(b, rows.b_offset(group), shape, block, product_.alpha, panel);
    scratch += scratch_.panel_bytes;
    PixelList list = PixelList::carve(scratch, scratch_.rows, 1, scratch_.steps);
    const StripSession session(kernels_, shape.depth);
    for (int64_t begin = part.begin; begin < part.end; begin += scratch_.rows) {
      rows.list(group, begin, std::min(begin + scratch_.rows, part.end), list);
      if (product_.copies_a) rows.gather(list, scratch);
      StripArgs strip{.inputs = list.inputs,
                      .input_stride = list.capacity,
                      .taps = 1,
                      .depth = shape.depth,
                      .weights = panel,
                      .pixels = list.count,
                      .outputs = list.outputs,
                      .first_channel = shape.blocks.first_channel(block),
                      .channels = shape.blocks.channels(block)};
      epilogue.fill(strip, list.offsets);
      kernels_.strip[shape.blocks.vectors(block)](strip);
    }
  }

  StripKernels kernels_;
  MatrixProduct product_;
  Scratch scratch_;
  int row_axis_;
};

class RuntimeMatMul final : public Tactic {
 public:
  RuntimeMatMul(std::string_view name, const StripKernels& kernels) : name_(name), kernels_(kernels) {}

  std::string_view name() const override { return name_; }
  Support supports(const OpCall& call) const override {
    const Support support = product_supported(call, kernels_);
    if (!support) return support;
    const DType dtype = call.in[0].type.dtype, b = call.in[1].type.dtype;
    MEML_REFUSE_IF(b != dtype, "b is {}, needs {}", b, dtype);
    return Support::yes();
  }
  Workspace workspace(const OpCall& call, int) const override {
    return {.shared = 0, .per_thread = Scratch(MatrixProduct(call), kernels_).bytes()};
  }
  double stored_cost(const OpCall& call) const override { return 1.1 * MatrixProduct(call).cost(call, kernels_); }
  uint64_t may_overwrite(const OpCall& call) const override { return epilogue_may_overwrite(call); }
  bool rows_independent(const OpCall& call) const override { return call.row_axis < call.out[0].type.rank() - 1; }
  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<RuntimeMatMulKernel>(call, kernels_);
  }

 private:
  std::string name_;
  StripKernels kernels_;
};

}  // namespace

std::unique_ptr<Tactic> runtime_matmul_tactic(std::string_view name, const StripKernels& kernels) {
  return std::make_unique<RuntimeMatMul>(name, kernels);
}

}  // namespace memline::cpu
