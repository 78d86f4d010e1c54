// MaskRuns: an object's logits are computed once a cell into a table, then sampled for each pixel of its box; the
// samples of the columns are in tables made once a run. Objects come one after the other, since their runs share one
// pool.
#include <algorithm>

#include "base/size.h"
#include "cpu/vision/vision_tactics.h"
#include "ops/mask_runs.h"

namespace memline::cpu {
namespace {

struct Tables {
  float* cells;                // [cells high, cells wide]: an object's logits, kOutsideLogit outside its cells
  ops::LinearSample* columns;  // source x -> two columns of the scaled picture
  ops::LinearSample* cell_x;   // network x -> two columns of cells
};

class MaskRunsKernel final : public Kernel {
 public:
  explicit MaskRunsKernel(const ops::MaskRunsAttrs& attrs) : attrs_(attrs) {}

  RunStatus run(const KernelArgs& args) noexcept override {
    const TensorView &boxes = args.in[0], &coefficients = args.in[1], &prototypes = args.in[2];
    const int64_t height = args.in[3].dim(0), width = args.in[3].dim(1);
    const int64_t cells_high = prototypes.dim(2), cells_wide = prototypes.dim(3);
    const ops::LetterboxGeometry g = ops::letterbox_geometry(width, height, attrs_.width, attrs_.height);
    Tables t{};
    t.cells = reinterpret_cast<float*>(args.workspace.data());
    t.cell_x = reinterpret_cast<ops::LinearSample*>(t.cells + align_up(cells_high * cells_wide, 16));
    t.columns = t.cell_x + align_up(attrs_.width, 8);
    for (int64_t x = 0; x < attrs_.width; ++x) t.cell_x[x] = ops::linear_sample(x, attrs_.width, cells_wide);
    for (int64_t x = 0; x < width; ++x) t.columns[x] = ops::linear_sample(x, width, g.width);

    auto* const runs = args.out[1].as<uint32_t>();
    auto* const first = args.out[2].as<int64_t>();
    int64_t used = 0;
    first[0] = 0;
    for (int64_t k = 0; k < boxes.dim(0); ++k) {
      float box[4];
      for (int64_t i = 0; i < 4; ++i) box[i] = boxes.as<const float>()[k * boxes.stride(0) + i * boxes.stride(1)];
      const ops::MaskBox area = ops::mask_box(box, g, width, height);
      const float corners[4] = {area.x0, area.y0, area.x1, area.y1};
      const TensorView& out = args.out[0];
      for (int64_t i = 0; i < 4; ++i) out.as<float>()[k * out.stride(0) + i * out.stride(1)] = corners[i];
      fill_cells(t, coefficients.as<const float>() + k * coefficients.stride(0), coefficients.stride(1), prototypes,
                 ops::mask_cells(box, attrs_.width / cells_wide, cells_wide, cells_high));
      ops::RunWriter writer(runs + used, args.out[1].dim(0) - used);
      for (int64_t y = area.top; y < area.top + area.height && !writer.full(); ++y)
        write_row(t, area, g, ops::linear_sample(y, height, g.height), cells_high, cells_wide, writer);
      const int64_t count = writer.finish();
      args.out[3].as<uint8_t>()[k * args.out[3].stride(0)] = writer.full() ? 1 : 0;
      if (!writer.full()) used += count;
      first[(k + 1) * args.out[2].stride(0)] = used;
    }
    args.out[1].dims[0] = used;
    return {};
  }

 private:
  static void fill_cells(const Tables& t, const float* coefficients, int64_t stride, const TensorView& prototypes,
                         const ops::MaskCells& cells) noexcept {
    const int64_t wide = prototypes.dim(3);
    std::fill_n(t.cells, prototypes.dim(2) * wide, ops::kOutsideLogit);
    for (int64_t y = cells.y0; y < cells.y1; ++y) {
      float* const row = t.cells + y * wide;
      std::fill(row + cells.x0, row + std::max(cells.x0, cells.x1), 0.0f);
      for (int64_t m = 0; m < prototypes.dim(1); ++m) {  // each cell's sum runs over m in order
        const float weight = coefficients[m * stride];
        const float* p = prototypes.as<const float>() + m * prototypes.stride(1) + y * prototypes.stride(2);
        for (int64_t x = cells.x0; x < cells.x1; ++x) row[x] += weight * p[x * prototypes.stride(3)];
      }
    }
  }

  void write_row(const Tables& t, const ops::MaskBox& area, const ops::LetterboxGeometry& g, const ops::LinearSample& v,
                 int64_t cells_high, int64_t cells_wide, ops::RunWriter& writer) const noexcept {
    const ops::LinearSample rows[2] = {ops::linear_sample(g.top + v.near, attrs_.height, cells_high),
                                       ops::linear_sample(g.top + v.far, attrs_.height, cells_high)};
    const auto at = [&](const ops::LinearSample& row, int64_t column) {
      const ops::LinearSample& h = t.cell_x[g.left + column];
      const float *upper = t.cells + row.near * cells_wide, *lower = t.cells + row.far * cells_wide;
      const float near = upper[h.near] + (upper[h.far] - upper[h.near]) * h.weight;
      const float far = lower[h.near] + (lower[h.far] - lower[h.near]) * h.weight;
      return near + (far - near) * row.weight;
    };
    for (int64_t x = area.left; x < area.left + area.width; ++x) {
      const ops::LinearSample& h = t.columns[x];
      const float a = at(rows[0], h.near), b = at(rows[0], h.far), d = at(rows[1], h.near), e = at(rows[1], h.far);
      const float near = a + (b - a) * h.weight, far = d + (e - d) * h.weight;
      writer.add(near + (far - near) * v.weight > 0, 1);
    }
  }

  ops::MaskRunsAttrs attrs_;
};

class MaskRunsTactic final : public Tactic {
 public:
  std::string_view name() const override { return "cpu.mask_runs"; }
  Support supports(const OpCall& call) const override {
    MEML_REFUSE_IF(call.op->name != "MaskRuns", "the op is {}", call.op->name);
    for (size_t i = 0; i < 3; ++i)
      MEML_REFUSE_IF(call.in[i].type.dtype != DType::f32, "input {} is {}, needs f32", i, call.in[i].type.dtype);
    MEML_REFUSE_IF(!call.epilogues.empty(), "takes no epilogues");
    return Support::yes();
  }
  Workspace workspace(const OpCall& call, int) const override {
    const auto& cells = call.in[2].max_dims;
    const int64_t samples =
        align_up(call.attrs.as<ops::MaskRunsAttrs>().width, 8) + align_up(call.in[3].max_dims[1], 8);
    return {.shared = align_up(
                align_up(cells[2] * cells[3], 16) * 4 + samples * static_cast<int64_t>(sizeof(ops::LinearSample)), 64)};
  }
  double stored_cost(const OpCall& call) const override {
    return 20.0 * static_cast<double>(call.in[3].max_dims[0] * call.in[3].max_dims[1]);
  }
  Result<std::unique_ptr<Kernel>> make(const OpCall& call, std::span<const std::byte>) const override {
    return std::make_unique<MaskRunsKernel>(call.attrs.as<ops::MaskRunsAttrs>());
  }
};

}  // namespace

std::unique_ptr<Tactic> mask_runs_tactic() { return std::make_unique<MaskRunsTactic>(); }

}  // namespace memline::cpu
