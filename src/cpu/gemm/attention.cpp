// Attention: softmax(scale * q k) v, the scores of a few rows at a time.
//   * A task packs the keys and values of one group (an element of the leading axes) as strips' weights, the scale
//     in the keys; then, kRows rows of q at a time, it computes their scores into scratch, their softmax in place, and
//     the product with v into y. Scores never leave the cache: kRows * keys * 4 bytes a participant.
//   * Layout: q and y with their last axis innermost, other strides and those of k and v as they come, f32.
//   * Sum: over D, over the row's keys as in softmax.inl.h, over the keys: independent of batch, rows, tasks, threads.
//   * Limits: f32, no epilogues.
#include "cpu/gemm/attention.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "cpu/gemm/panel.h"
#include "cpu/gemm/pixel_list.h"
#include "cpu/gemm/strip_epilogue.h"
#include "ops/attention.h"

namespace memline::cpu {
namespace {

constexpr int64_t kRows = 48;  // a multiple of every tile: 4, 6, 8, 12

PackedShape packed_shape(const StripKernels& kernels, int64_t depth, int64_t columns) {
  return {.blocks = BlockLayout(kernels, columns), .taps = 1, .depth = depth, .pair = 1, .tiles = kernels.tiles};
}

// What a participant holds, at the bound.
struct Scratch {
  int64_t keys_bytes, values_bytes, score_stride, scores_bytes, list_bytes;

  Scratch(const StripKernels& kernels, int64_t depth, int64_t keys, int64_t columns)
      : keys_bytes(align_up(packed_shape(kernels, depth, keys).bytes(), 64)),
        values_bytes(align_up(packed_shape(kernels, keys, columns).bytes(), 64)),
        score_stride(align_up(keys, 16)),
        scores_bytes(kRows * score_stride * int64_t{sizeof(float)}),
        list_bytes(PixelList::bytes(kRows, 1, 0)) {}
  static Scratch of(const OpCall& call, const StripKernels& kernels) {
    const std::vector<int64_t>&k = call.in[1].max_dims, &v = call.in[2].max_dims;
    return Scratch(kernels, k[k.size() - 2], k.back(), v.back());
  }
  int64_t bytes() const { return keys_bytes + values_bytes + scores_bytes + 2 * list_bytes; }
};

class AttentionKernel final : public Kernel {
 public:
  AttentionKernel(const OpCall& call, const StripKernels& strips, const SoftmaxKernels& softmax)
      : strips_(strips),
        softmax_(softmax),
        scale_(call.attrs.as<ops::AttentionAttrs>().scale),
        scratch_bytes_(Scratch::of(call, strips).bytes()),
        takes_rows_(call.row_axis == call.out[0].type.rank() - 2) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView& out = args.out[0];
    const int m = out.rank - 2;
    const ops::RowRange rows = takes_rows_ ? args.rows : ops::RowRange{0, out.dim(m)};
    const int64_t count = rows.end - rows.begin;
    int64_t groups = 1;
    for (int axis = 0; axis < m; ++axis) groups *= out.dim(axis);
    if (groups == 0 || count <= 0 || out.dim(m + 1) == 0) return {};
    // Rows are cut only where there are too few groups: each part packs again.
    const int64_t parts = std::clamp<int64_t>(2 * args.parallel->width() / groups, 1, ceil_div(count, kRows));
    args.parallel->for_each(groups * parts, [&](int64_t task, int participant) {
      const int64_t part = task % parts;
      attend(args, task / parts, {rows.begin + count * part / parts, rows.begin + count * (part + 1) / parts},
             args.workspace.data() + participant * scratch_bytes_);
    });
    return {};
  }

 private:
  static int64_t group_offset(const TensorView& view, int64_t group) {
    int64_t offset = 0;
    for (int axis = view.rank - 3; axis >= 0; group /= view.dim(axis), --axis)
      offset += group % view.dim(axis) * view.stride(axis);
    return offset;
  }

  // Rows of `first` (count rows, `row_stride` elements apart) times the packed matrix, into rows of `to`.
  void multiply(const float* first, int64_t row_stride, int64_t count, const PackedShape& shape,
                const std::byte* weights, float* to, int64_t to_stride, PixelList list) const {
    list.count = count;
    for (int64_t r = 0; r < count; ++r) {
      list.inputs[r] = first + r * row_stride;
      list.outputs[r] = to + r * to_stride;
    }
    for (int64_t block = 0; block < shape.blocks.count(); ++block) {
      StripArgs strip{};
      strip.inputs = list.inputs;
      strip.input_stride = list.capacity;
      strip.taps = 1;
      strip.depth = shape.depth;
      strip.weights = weights + shape.block_offset(block);
      strip.pixels = count;
      strip.outputs = list.outputs;
      strip.first_channel = shape.blocks.first_channel(block);
      strip.channels = shape.blocks.channels(block);
      strip.direct = true;
      strip.low = -std::numeric_limits<float>::infinity();
      strip.high = std::numeric_limits<float>::infinity();
      strips_.strip[shape.blocks.vectors(block)](strip);
    }
  }

  // (A panel's own factor would cost it its fast ways.)
  static void pack(const TensorView& matrix, int64_t at, const PackedShape& shape, float factor, std::byte* to) {
    for (int64_t block = 0; block < shape.blocks.count(); ++block)
      pack_panel(matrix, at, shape, block, 1, to + shape.block_offset(block));
    if (factor == 1) return;
    auto* const elements = reinterpret_cast<float*>(to);
    for (int64_t i = 0; i < shape.bytes() / int64_t{sizeof(float)}; ++i) elements[i] *= factor;
  }

  void attend(const KernelArgs& args, int64_t group, ops::RowRange rows, std::byte* workspace) const {
    const TensorView &q = args.in[0], &k = args.in[1], &v = args.in[2], &y = args.out[0];
    const int m = q.rank - 2, last = q.rank - 1;
    const int64_t keys = k.dim(last);
    const PackedShape key_shape = packed_shape(strips_, q.dim(last), keys);
    const PackedShape value_shape = packed_shape(strips_, keys, v.dim(last));
    const Scratch scratch(strips_, q.dim(last), keys, v.dim(last));
    std::byte* const packed_keys = workspace;
    std::byte* const packed_values = packed_keys + scratch.keys_bytes;
    auto* const scores = reinterpret_cast<float*>(packed_values + scratch.values_bytes);
    std::byte* lists = packed_values + scratch.values_bytes + scratch.scores_bytes;
    const PixelList list = PixelList::carve(lists, kRows, 1, 0);
    pack(k, group_offset(k, group), key_shape, scale_, packed_keys);
    pack(v, group_offset(v, group), value_shape, 1, packed_values);
    for (int64_t begin = rows.begin; begin < rows.end; begin += kRows) {
      const int64_t count = std::min(kRows, rows.end - begin);
      multiply(q.as<const float>() + group_offset(q, group) + begin * q.stride(m), q.stride(m), count, key_shape,
               packed_keys, scores, scratch.score_stride, list);
      if (keys > 0)  // without any, the product below is of no terms: zeros
        softmax_.rows_f32({scores, scores, keys, 1, 1, count, scratch.score_stride, scratch.score_stride});
      multiply(scores, scratch.score_stride, count, value_shape, packed_values,
               y.as<float>() + group_offset(y, group) + begin * y.stride(m), y.stride(m), list);
    }
  }

  StripKernels strips_;
  SoftmaxKernels softmax_;
  float scale_;
  int64_t scratch_bytes_;
  bool takes_rows_;
};

class Attention final : public Tactic {
 public:
  Attention(std::string_view name, const StripKernels& strips, const SoftmaxKernels& softmax)
      : name_(name), strips_(strips), softmax_(softmax) {}

  std::string_view name() const override { return name_; }

  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "Attention" || call.op->domain != "memline", "the op is not Attention");
    for (size_t i = 0; i < 3; ++i)
      MEML_REFUSE_IF(call.in[i].type.dtype != DType::f32, "input {} is {}, needs f32", i, call.in[i].type.dtype);
    MEML_REFUSE_IF(call.out[0].type.dtype != DType::f32, "output is {}, needs f32", call.out[0].type.dtype);
    for (const CallOperand* operand : {&call.in[0], &call.out[0]})
      MEML_REFUSE_IF(operand->order.axes[operand->order.rank - 1u] != operand->order.rank - 1,
                     "order {} does not end in the last axis", operand->order.text());
    MEML_REFUSE_IF(!call.epilogues.empty(), "takes no epilogues");
    return Support::yes();
  }
  Workspace workspace(const OpCall& call, int) const override {
    return {.shared = 0, .per_thread = Scratch::of(call, strips_).bytes()};
  }
  double stored_cost(const OpCall& call) const override {
    const std::vector<int64_t>&q = call.in[0].max_dims, &k = call.in[1].max_dims, &v = call.in[2].max_dims;
    double rows = 1;
    for (size_t axis = 0; axis + 1 < q.size(); ++axis) rows *= static_cast<double>(q[axis]);
    const auto keys = static_cast<double>(k.back());
    return 1000 +
           rows * keys * (static_cast<double>(q.back() + v.back()) / products_per_ns(strips_) + 14.0 / softmax_.lanes);
  }
  bool rows_independent(const OpCall& call) const override { return call.row_axis == call.out[0].type.rank() - 2; }
  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<AttentionKernel>(call, strips_, softmax_);
  }

 private:
  std::string name_;
  StripKernels strips_;
  SoftmaxKernels softmax_;
};

}  // namespace

std::unique_ptr<Tactic> attention_tactic(std::string_view name, const StripKernels& strips,
                                         const SoftmaxKernels& softmax) {
  return std::make_unique<Attention>(name, strips, softmax);
}

}  // namespace memline::cpu
