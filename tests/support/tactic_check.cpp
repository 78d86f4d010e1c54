#include "support/tactic_check.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>

#include "base/size.h"
#include "ops/reference.h"
#include "ops/registry.h"

namespace memline::testing {
namespace {

constexpr int64_t kPage = 4096;

// Bytes that end at a page nobody may touch.
class GuardedBytes {
 public:
  explicit GuardedBytes(int64_t bytes) : mapped_(align_up(bytes, kPage) + kPage), bytes_(bytes) {
    base_ = static_cast<std::byte*>(
        mmap(nullptr, static_cast<size_t>(mapped_), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    MEML_CHECK(base_ != MAP_FAILED);
    MEML_CHECK(mprotect(base_ + mapped_ - kPage, kPage, PROT_NONE) == 0);
  }
  ~GuardedBytes() { munmap(base_, static_cast<size_t>(mapped_)); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  std::byte* data() const { return base_ + mapped_ - kPage - bytes_; }
  std::span<std::byte> span() const { return {data(), static_cast<size_t>(bytes_)}; }

 private:
  std::byte* base_;
  int64_t mapped_, bytes_;
};

// A view whose inner extents are padded, in memory of its own that is NaN wherever the view is not.
class PaddedTensor {
 public:
  PaddedTensor(DType dtype, const std::vector<int64_t>& dims, const AxisOrder& order, int64_t padding) {
    view_.dtype = dtype;
    for (const int64_t d : dims) view_.dims[view_.rank++] = d;
    int64_t stride = 1;
    for (int i = view_.rank - 1; i >= 0; --i) {
      const size_t axis = order.axes[static_cast<size_t>(i)];
      view_.strides[axis] = stride;
      stride *= view_.dims[axis];
      stride += i == 0 ? 0 : padding;
    }
    bytes_ = std::make_unique<GuardedBytes>(span_elements() * size_of(dtype));
    std::memset(bytes_->data(), 0xff, bytes_->span().size());  // a NaN in every float dtype
    view_.data = bytes_->data();
  }
  TensorView view() const { return view_; }
  std::vector<std::byte> bytes() const { return {bytes_->span().begin(), bytes_->span().end()}; }
  // Elements from the first to the last of the view.
  int64_t span_elements() const {
    int64_t last = 0;
    for (size_t i = 0; i < view_.rank; ++i) {
      if (view_.dims[i] == 0) return 0;
      last += (view_.dims[i] - 1) * view_.strides[i];
    }
    return last + 1;
  }

 private:
  TensorView view_;
  std::unique_ptr<GuardedBytes> bytes_;
};

// Two participants that work at the same time.
class TwoThreads final : public Parallel {
 public:
  int width() const noexcept override { return 2; }
  void run(int64_t count, Task task, void* context) noexcept override {
    std::thread other([&] {
      for (int64_t i = 1; i < count; i += 2) task(context, i, 1);
    });
    for (int64_t i = 0; i < count; i += 2) task(context, i, 0);
    other.join();
  }
};

AxisOrder order_of(bool channels_last, size_t rank) {
  return channels_last ? AxisOrder::channels_last(static_cast<int>(rank))
                       : AxisOrder::row_major(static_cast<int>(rank));
}

class NoSlots final : public ops::SlotSource {
 public:
  DimExpr new_slot(std::string_view, const DimExpr& bound) override { return bound; }
};

// The dense row-major values of every input, the call, and what the reference makes of them.
class Problem {
 public:
  Problem(const CheckCall& check, uint32_t seed) : check_(check), random_(seed) {
    call_.op = ops::find(check.op);
    if (call_.op == nullptr) call_.op = ops::find(check.op, "memline");
    MEML_CHECK(call_.op != nullptr);
    call_.attrs = check.attrs;
    call_.epilogues = check.epilogues;
    call_.base_inputs = check.inputs.size();
    call_.row_axis = check.row_axis;
    for (const CheckInput& input : check.inputs) add_input(input);
    for (const CheckInput& input : check.epilogue_inputs) add_input(input);
    add_output();
  }
  const OpCall& call() const { return call_; }
  const PaddedTensor& value(size_t i) const { return *values_[i]; }

  std::vector<float> reference() const {
    std::vector<int64_t> dims = call_.out[0].max_dims;
    PaddedTensor result(DType::f32, dims, AxisOrder::row_major(static_cast<int>(dims.size())), 0);
    std::vector<TensorView> in;
    for (size_t i = 0; i < values_.size(); ++i) in.push_back(call_.in[i].present ? values_[i]->view() : TensorView{});
    TensorView out = result.view();
    call_.op->reference(call_.attrs, std::span(in).first(call_.base_inputs), {&out, 1});
    const int channel = call_.op->channel_axis < 0 ? out.rank + call_.op->channel_axis : call_.op->channel_axis;
    ops::apply_reference(call_.epilogues, in, channel, out);
    return {out.as<float>(), out.as<float>() + out.elements()};
  }

 private:
  void add_input(const CheckInput& input) {
    CallOperand operand{.present = input.present, .max_dims = input.dims, .is_constant = input.constant};
    operand.type.dtype = input.dtype;
    for (const int64_t d : input.dims) operand.type.dims.emplace_back(d);
    operand.order = order_of(input.channels_last, input.dims.size());
    auto value = std::make_unique<PaddedTensor>(input.dtype, input.dims,
                                                AxisOrder::row_major(static_cast<int>(input.dims.size())), 0);
    fill(value->view(), input.values);
    if (input.constant) operand.value = value->view();
    values_.push_back(std::move(value));
    call_.in.push_back(std::move(operand));
  }
  void fill(const TensorView& view, const std::vector<double>& given) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (int64_t i = 0; i < view.elements(); ++i) {
      if (!given.empty()) {
        ops::store(view, i, given[static_cast<size_t>(i)]);
        continue;
      }
      const float x = uniform(random_);
      ops::with_dtype(view.dtype, [&](auto tag) {
        view.as<decltype(tag)>()[i] = ops::to_stored<decltype(tag)>(is_float(view.dtype) ? x : std::floor(x * 8));
      });
    }
  }
  void add_output() {
    std::vector<ops::InferInput> known(call_.base_inputs);
    std::vector<std::vector<DimExpr>> integers(call_.base_inputs);
    for (size_t i = 0; i < known.size(); ++i) {
      known[i].present = call_.in[i].present;
      known[i].type = call_.in[i].type;
      if (is_float(known[i].type.dtype))
        known[i].type.dtype = DType::f32;  // the graph's type; the call has the stored one
      if (call_.in[i].is_constant) known[i].constant = &call_.in[i].value;
      if (!check_.inputs[i].values.empty() && known[i].type.dtype == DType::i64) {
        for (const double v : check_.inputs[i].values) integers[i].emplace_back(static_cast<int64_t>(v));
        known[i].values = &integers[i];
      }
    }
    NoSlots slots;
    auto types = call_.op->infer(call_.attrs, ops::InferContext(known, 1, &slots));
    if (!types) ADD_FAILURE() << types.error().message;
    MEML_CHECK(types.has_value());
    CallOperand out{.type = (*types)[0]};
    out.type.dtype = check_.output_dtype;
    for (const DimExpr& d : out.type.dims) out.max_dims.push_back(*d.constant());
    out.order = order_of(check_.output_channels_last, out.max_dims.size());
    call_.out.push_back(std::move(out));
  }

  const CheckCall& check_;
  std::mt19937 random_;
  OpCall call_;
  std::vector<std::unique_ptr<PaddedTensor>> values_;
};

// A tactic made ready, and its runs.
class Runner {
 public:
  // `bounds`: the problem's call, or one whose max_dims are larger.
  Runner(const Tactic& tactic, const Problem& problem, const OpCall& bounds)
      : tactic_(tactic), problem_(problem), bounds_(bounds), packed_(align_up(tactic.packed_bytes(bounds), 64)) {
    std::memset(packed_.data(), 0xff, packed_.span().size());
    const auto used = packed_.span().first(static_cast<size_t>(tactic.packed_bytes(bounds)));
    const Status status = tactic.pack(bounds, used);
    EXPECT_TRUE(status.has_value()) << status.error().message;
    auto kernel = tactic.make(bounds, used);
    EXPECT_TRUE(kernel.has_value()) << kernel.error().message;
    kernel_ = std::move(*kernel);
  }

  // Runs the given row ranges one after the other into one output and returns its elements' bytes in logical order.
  // Input `overwritten`, if any, lies where the output lies.
  std::vector<std::byte> run(int64_t padding, Parallel& parallel, const std::vector<ops::RowRange>& ranges,
                             int overwritten = -1) {
    const OpCall& call = problem_.call();
    std::vector<PaddedTensor> inputs;
    std::vector<TensorView> in;
    const uint64_t packed = tactic_.packs(call);
    for (size_t i = 0; i < call.in.size(); ++i) {
      const CallOperand& operand = call.in[i];
      inputs.emplace_back(operand.type.dtype, operand.max_dims, operand.order, operand.is_constant ? 0 : padding);
      ops::copy(problem_.value(i).view(), inputs.back().view());
      TensorView view = inputs.back().view();
      if (!operand.present || (packed >> i & 1) != 0) view.data = nullptr;
      in.push_back(view);
    }
    PaddedTensor output(call.out[0].type.dtype, call.out[0].max_dims, call.out[0].order, padding);
    const Workspace workspace = tactic_.workspace(bounds_, parallel.width());
    EXPECT_EQ(workspace.shared % 64, 0);
    EXPECT_EQ(workspace.per_thread % 64, 0);
    const GuardedBytes scratch(workspace.total(parallel.width()));
    std::memset(scratch.data(), 0xff, scratch.span().size());
    std::vector<std::vector<std::byte>> before;
    for (const PaddedTensor& input : inputs) before.push_back(input.bytes());

    TensorView out = output.view();
    if (overwritten >= 0) {
      ops::copy(problem_.value(static_cast<size_t>(overwritten)).view(), out);
      in[static_cast<size_t>(overwritten)] = out;
    }
    for (const ops::RowRange& rows : ranges) {
      const RunStatus status =
          kernel_->run({.in = in, .out = {&out, 1}, .rows = rows, .workspace = scratch.span(), .parallel = &parallel});
      EXPECT_TRUE(status.ok()) << status.message;
    }
    for (size_t i = 0; i < inputs.size(); ++i)
      EXPECT_EQ(inputs[i].bytes(), before[i]) << "input " << i << " was written";
    expect_gaps_untouched(output);
    return elements(output.view());
  }

 private:
  static std::vector<std::byte> elements(const TensorView& view) {
    PaddedTensor dense(view.dtype, {view.dims.begin(), view.dims.begin() + view.rank}, AxisOrder::row_major(view.rank),
                       0);
    ops::copy(view, dense.view());
    return dense.bytes();
  }
  static void expect_gaps_untouched(const PaddedTensor& tensor) {
    // Poison the view's own elements; then every byte must be poison.
    const TensorView view = tensor.view();
    const std::vector<std::byte> kept = elements(view);
    PaddedTensor poison(view.dtype, {view.dims.begin(), view.dims.begin() + view.rank}, AxisOrder::row_major(view.rank),
                        0);
    ops::copy(poison.view(), view);
    for (const std::byte b : tensor.bytes()) {
      if (b != std::byte{0xff}) {
        ADD_FAILURE() << "wrote outside the output's view";
        break;
      }
    }
    PaddedTensor values(view.dtype, {view.dims.begin(), view.dims.begin() + view.rank}, AxisOrder::row_major(view.rank),
                        0);
    std::copy(kept.begin(), kept.end(), static_cast<std::byte*>(values.view().data));
    ops::copy(values.view(), view);
  }

  const Tactic& tactic_;
  const Problem& problem_;
  const OpCall& bounds_;
  GuardedBytes packed_;
  std::unique_ptr<Kernel> kernel_;
};

void expect_close(const std::vector<std::byte>& bytes, DType dtype, const std::vector<float>& reference, Tolerance t) {
  double largest = 0;
  for (const float r : reference) largest = std::max(largest, std::fabs(static_cast<double>(r)));
  const double allowed = t.absolute + t.relative * largest;
  const int64_t n = static_cast<int64_t>(reference.size());
  const TensorView view = dense_view(dtype, const_cast<std::byte*>(bytes.data()), std::vector<int64_t>{n});
  for (int64_t i = 0; i < n; ++i) {
    const double x = ops::load<float>(view, i), r = reference[static_cast<size_t>(i)];
    if (!(std::fabs(x - r) <= allowed)) {
      ADD_FAILURE() << "element " << i << " is " << x << ", reference " << r << ", allowed difference " << allowed;
      return;
    }
  }
}

// The call where every extent that is computed and neither 0 nor 1 may be larger in another run.
OpCall with_larger_bounds(OpCall call) {
  const auto enlarge = [](CallOperand& operand) {
    for (int64_t& d : operand.max_dims) d += d > 1 ? 5 : 0;
  };
  for (CallOperand& in : call.in)
    if (!in.is_constant && in.present) enlarge(in);
  for (CallOperand& out : call.out) enlarge(out);
  return call;
}

}  // namespace

void expect_matches_reference(const Tactic& tactic, const CheckCall& check, Tolerance tolerance, uint32_t seed) {
  const Problem problem(check, seed);
  SCOPED_TRACE(::testing::Message() << tactic.name() << " seed " << seed << " " << problem.call().text());
  const Support support = tactic.supports(problem.call());
  ASSERT_TRUE(support) << support.reason();
  Runner runner(tactic, problem, problem.call());
  const std::vector<int64_t>& dims = problem.call().out[0].max_dims;
  const auto axis = static_cast<size_t>(check.row_axis);
  const int64_t rows = axis < dims.size() ? dims[axis] : 1;

  Serial one;
  const std::vector<std::byte> whole = runner.run(0, one, {{0, rows}});
  expect_close(whole, check.output_dtype, problem.reference(), tolerance);
  TwoThreads two;
  EXPECT_EQ(runner.run(0, two, {{0, rows}}), whole) << "two participants";
  for (const int64_t padding : {1, 3, 8})
    EXPECT_EQ(runner.run(padding, one, {{0, rows}}), whole) << "padding " << padding;
  for (size_t i = 0; i < problem.call().in.size(); ++i)
    if ((tactic.may_overwrite(problem.call()) >> i & 1) != 0) {
      EXPECT_EQ(runner.run(3, two, {{0, rows}}, static_cast<int>(i)), whole) << "in place over input " << i;
    }
  const OpCall larger = with_larger_bounds(problem.call());
  if (tactic.supports(larger)) {
    EXPECT_EQ(Runner(tactic, problem, larger).run(3, two, {{0, rows}}), whole) << "below its bounds";
  }
  if (!tactic.rows_independent(problem.call()) || axis >= dims.size()) return;
  std::vector<ops::RowRange> single;
  const int64_t unit = tactic.row_granularity(problem.call());
  for (int64_t r = (rows - 1) / unit * unit; r >= 0; r -= unit) single.push_back({r, std::min(r + unit, rows)});
  EXPECT_EQ(runner.run(3, one, single), whole) << "row by row";
  for (int64_t r = unit; r < rows; r += unit)
    EXPECT_EQ(runner.run(3, two, {{0, r}, {r, rows}}), whole) << "split at row " << r;
}

std::string refusal(const Tactic& tactic, const CheckCall& check) {
  const Problem problem(check, 1);
  return tactic.supports(problem.call()).reason();
}

}  // namespace memline::testing
