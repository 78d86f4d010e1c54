#include "ops/run_op.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <ostream>

namespace memline::ops::testing {
namespace {

// A tensor in memory: dense, or with its axes backwards and a gap of one element in front of each innermost run.
class Stored {
 public:
  Stored(DType dtype, const std::vector<int64_t>& dims, bool backwards) {
    view_ = dense_view(dtype, nullptr, dims);
    int64_t elements = std::max<int64_t>(1, view_.elements());
    if (backwards) {
      int64_t stride = 2;
      for (size_t axis = 0; axis < dims.size(); ++axis) {
        view_.strides[axis] = stride;
        stride *= std::max<int64_t>(1, dims[axis]) + 1;
      }
      elements = stride;
    }
    bytes_.assign(static_cast<size_t>(elements * size_of(dtype)), std::byte{0x5a});
    view_.data = bytes_.data();
  }
  TensorView& view() { return view_; }

 private:
  TensorView view_;
  std::vector<std::byte> bytes_;
};

void write(const TensorView& view, const std::vector<double>& values) {
  size_t next = 0;
  walk<1>(view.rank, view.dims, {view.strides}, [&](const auto& at) {
    with_compute(view.dtype, [&](auto tag) { store(view, at[0], static_cast<decltype(tag)>(values[next])); });
    ++next;
  });
}

Tensor read(const TensorView& view) {
  Tensor tensor = {.dtype = view.dtype, .dims = {view.dims.begin(), view.dims.begin() + view.rank}, .values = {}};
  walk<1>(view.rank, view.dims, {view.strides}, [&](const auto& at) {
    with_compute(view.dtype,
                 [&](auto tag) { tensor.values.push_back(static_cast<double>(load<decltype(tag)>(view, at[0]))); });
  });
  return tensor;
}

class Slots final : public SlotSource {
 public:
  DimExpr new_slot(std::string_view, const DimExpr& bound) override {
    bounds_.push_back(bound.constant().value_or(0));
    return DimExpr::slot(static_cast<int32_t>(bounds_.size() - 1));
  }
  Status demand(const DimExpr& condition, std::string_view) override {
    conditions.push_back(condition.text());
    return {};
  }
  const int64_t* bounds() const { return bounds_.data(); }
  void reserve(size_t count) { bounds_.resize(count); }
  std::vector<std::string> conditions;

 private:
  std::vector<int64_t> bounds_;
};

std::vector<DimExpr> dim_exprs(const std::vector<int64_t>& dims) { return {dims.begin(), dims.end()}; }

// infer's view of constant inputs.
struct Constants {
  std::vector<InferInput> inputs;
  std::vector<std::unique_ptr<Stored>> stored;
  std::vector<std::unique_ptr<std::vector<DimExpr>>> integers;

  explicit Constants(const std::vector<Tensor>& tensors) {
    for (const Tensor& t : tensors) {
      InferInput& input = inputs.emplace_back();
      input.present = t.present;
      if (!t.present) continue;
      input.type = {.dtype = t.dtype, .dims = dim_exprs(t.dims)};
      stored.push_back(std::make_unique<Stored>(t.dtype, t.dims, false));
      write(stored.back()->view(), t.values);
      input.constant = &stored.back()->view();
      if (is_float(t.dtype) || t.values.size() > 64) continue;
      integers.push_back(std::make_unique<std::vector<DimExpr>>());
      for (const double v : t.values) integers.back()->push_back(static_cast<int64_t>(v));
      input.values = integers.back().get();
    }
  }
};

std::vector<Tensor> compute(const OpDef& op, const Attrs& attrs, const std::vector<Tensor>& inputs,
                            const TensorTypes& types, const int64_t* slots, bool backwards) {
  std::vector<std::unique_ptr<Stored>> stored;
  std::vector<TensorView> in, out;
  for (const Tensor& t : inputs) {
    if (!t.present) {
      in.push_back({});
      continue;
    }
    stored.push_back(std::make_unique<Stored>(t.dtype, t.dims, backwards));
    write(stored.back()->view(), t.values);
    in.push_back(stored.back()->view());
  }
  for (const TensorType& type : types) {
    std::vector<int64_t> dims;
    for (const DimExpr& dim : type.dims) dims.push_back(dim.evaluate(slots));
    stored.push_back(std::make_unique<Stored>(type.dtype, dims, backwards));
    out.push_back(stored.back()->view());
  }
  op.reference(attrs, in, out);
  std::vector<Tensor> results;
  for (const TensorView& view : out) results.push_back(read(view));
  return results;
}

bool same(const Tensor& a, const Tensor& b) {
  return a.dtype == b.dtype && a.dims == b.dims &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

// The integers that infer gives for constants have to be those that the reference computes.
void check_integers(const OpDef& op, const Attrs& attrs, const InferContext& context, const Tensor& result) {
  if (op.values == nullptr) return;
  const auto integers = op.values(attrs, context);
  ASSERT_TRUE(integers.has_value()) << integers.error().message;
  if (!*integers) return;
  std::vector<double> numbers;
  for (const DimExpr& x : **integers) numbers.push_back(static_cast<double>(x.constant().value_or(-999)));
  EXPECT_EQ(numbers, result.values) << op.name << "'s integers";
}

Result<std::vector<Tensor>> run_op(const OpDef& op, const Attrs& attrs, const std::vector<Tensor>& inputs,
                                   size_t outputs) {
  const Constants constants(inputs);
  Slots slots;
  const InferContext context(constants.inputs, outputs, &slots);
  MEML_TRY(const TensorTypes types, op.infer(attrs, context));
  EXPECT_EQ(types.size(), outputs);
  std::vector<Tensor> dense = compute(op, attrs, inputs, types, slots.bounds(), false);
  const std::vector<Tensor> backwards = compute(op, attrs, inputs, types, slots.bounds(), true);
  for (size_t i = 0; i < dense.size(); ++i)
    EXPECT_TRUE(same(dense[i], backwards[i])) << op.name << ": dense and backwards differ\n"
                                              << ::testing::PrintToString(dense[i]) << "\n"
                                              << ::testing::PrintToString(backwards[i]);
  check_integers(op, attrs, context, dense[0]);
  return dense;
}

template <typename T>
std::optional<T> find_in(const std::vector<std::pair<std::string, T>>& list, std::string_view name) {
  for (const auto& [key, value] : list)
    if (key == name) return value;
  return std::nullopt;
}

class Node final : public AttrReader {
 public:
  Node(const Attributes& attributes, std::vector<Tensor>& inputs, size_t outputs)
      : attributes_(attributes), inputs_(inputs), outputs_(outputs) {}
  size_t inputs() const override { return inputs_.size(); }
  bool has_input(size_t i) const override { return i < inputs_.size() && inputs_[i].present; }
  size_t outputs() const override { return outputs_; }
  Result<std::optional<int64_t>> find_int(std::string_view name) const override {
    return find_in(attributes_.ints, name);
  }
  Result<std::optional<float>> find_float(std::string_view name) const override {
    return find_in(attributes_.floats, name);
  }
  Result<std::optional<std::string>> find_string(std::string_view name) const override {
    return find_in(attributes_.strings, name);
  }
  Result<std::optional<std::vector<int64_t>>> find_ints(std::string_view name) const override {
    return find_in(attributes_.int_lists, name);
  }
  Result<std::optional<std::vector<float>>> find_floats(std::string_view name) const override {
    return find_in(attributes_.float_lists, name);
  }
  Result<std::optional<TensorView>> find_tensor(std::string_view name) const override {
    const auto found = find_in(attributes_.tensors, name);
    if (!found) return std::nullopt;
    tensor_ = std::make_unique<Stored>(found->dtype, found->dims, false);
    write(tensor_->view(), found->values);
    return tensor_->view();
  }
  void set_constant_input(size_t i, DType dtype, std::span<const int64_t> dims,
                          std::span<const std::byte> data) override {
    if (inputs_.size() <= i) inputs_.resize(i + 1, absent());
    Stored copy(dtype, {dims.begin(), dims.end()}, false);
    std::memcpy(copy.view().data, data.data(), data.size());
    inputs_[i] = read(copy.view());
  }
  void truncate_inputs(size_t count) override { inputs_.resize(std::min(count, inputs_.size())); }

 private:
  const Attributes& attributes_;
  std::vector<Tensor>& inputs_;
  size_t outputs_;
  mutable std::unique_ptr<Stored> tensor_;
};

// Inputs by type and tracked integers.
struct Symbols {
  std::vector<InferInput> inputs;
  std::vector<std::unique_ptr<std::vector<DimExpr>>> integers;
  std::vector<std::unique_ptr<Stored>> stored;

  explicit Symbols(const std::vector<Symbolic>& all) {
    for (const Symbolic& s : all) {
      InferInput& input = inputs.emplace_back();
      if (s.type.empty()) {
        input.present = false;
        continue;
      }
      input.type = TensorType::parse(s.type).value();
      if (s.values.empty()) continue;
      integers.push_back(std::make_unique<std::vector<DimExpr>>(parse_list(s.values)));
      input.values = integers.back().get();
      add_constant(input);
    }
  }

 private:
  static std::vector<DimExpr> parse_list(const std::string& text) {  // separated by ';'
    std::vector<DimExpr> list;
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(';', begin), text.size());
      list.push_back(DimExpr::parse(text.substr(begin, end - begin)).value());
      begin = end + 1;
    }
    return list;
  }
  void add_constant(InferInput& input) {
    std::vector<double> numbers;
    for (const DimExpr& x : *input.values) {
      if (!x.is_constant()) return;
      numbers.push_back(static_cast<double>(*x.constant()));
    }
    std::vector<int64_t> dims;
    for (const DimExpr& dim : input.type.dims) dims.push_back(dim.constant().value());
    stored.push_back(std::make_unique<Stored>(input.type.dtype, dims, false));
    write(stored.back()->view(), numbers);
    input.constant = &stored.back()->view();
  }
};

Placement dense_placement(const std::vector<DimExpr>& dims, std::string_view order) {
  Placement at = {.offset = 0, .strides = std::vector<DimExpr>(dims.size())};
  DimExpr stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    const size_t axis = order.empty() ? i : static_cast<size_t>(order[i] - '0');
    at.strides[axis] = stride;
    stride = stride * dims[axis];
  }
  return at;
}

std::string placement_text(const std::optional<Placement>& at) {
  if (!at) return "";
  std::string text = at->offset.text() + " [";
  for (size_t i = 0; i < at->strides.size(); ++i) text += (i == 0 ? "" : ", ") + at->strides[i].text();
  return text + "]";
}

Attrs parse_attrs(const OpDef& op, std::string_view text) { return op.parse_attrs(text).value(); }

}  // namespace

Tensor counted(DType dtype, std::vector<int64_t> dims) {
  Tensor t = {.dtype = dtype, .dims = std::move(dims), .values = {}};
  int64_t n = 1;
  for (const int64_t d : t.dims) n *= d;
  for (int64_t i = 0; i < n; ++i) t.values.push_back(static_cast<double>(i));
  return t;
}

void PrintTo(const Tensor& tensor, std::ostream* out) {
  *out << dtype_name(tensor.dtype) << ::testing::PrintToString(tensor.dims) << ::testing::PrintToString(tensor.values);
}

Result<std::vector<Tensor>> run_all(std::string_view name, std::string_view attrs, const std::vector<Tensor>& inputs,
                                    size_t outputs) {
  const OpDef* op = find(name);
  MEML_CHECK(op != nullptr);
  return run_op(*op, parse_attrs(*op, attrs), inputs, outputs);
}

Tensor run(std::string_view op, std::string_view attrs, const std::vector<Tensor>& inputs) {
  const auto results = run_all(op, attrs, inputs);
  EXPECT_TRUE(results.has_value()) << op << ": " << results.error().message;
  return results ? results->front() : Tensor{};
}

Result<std::vector<Tensor>> import_and_run(std::string_view name, int opset, const Attributes& attributes,
                                           std::vector<Tensor> inputs, size_t outputs) {
  const OpDef* op = find(name);
  MEML_CHECK(op != nullptr);
  Node node(attributes, inputs, outputs);
  MEML_TRY(const Attrs attrs, op->import(node, opset));
  return run_op(*op, attrs, inputs, outputs);
}

std::string refusal(std::string_view op, std::string_view attrs, const std::vector<Tensor>& inputs, size_t outputs) {
  const auto results = run_all(op, attrs, inputs, outputs);
  return results ? "" : results.error().message;
}

void expect_near(const Tensor& actual, const Tensor& expected, double relative, double absolute) {
  EXPECT_EQ(actual.dtype, expected.dtype);
  ASSERT_EQ(actual.dims, expected.dims);
  ASSERT_EQ(actual.values.size(), expected.values.size());
  for (size_t i = 0; i < actual.values.size(); ++i) {
    const double a = actual.values[i], e = expected.values[i];
    const bool equal =
        a == e || (std::isnan(a) && std::isnan(e)) || std::abs(a - e) <= absolute + relative * std::abs(e);
    EXPECT_TRUE(equal) << "element " << i << " is " << a << ", expected " << e;
  }
}

Inference infer(std::string_view name, std::string_view attrs, const std::vector<Symbolic>& inputs, size_t outputs) {
  const OpDef* op = find(name);
  MEML_CHECK(op != nullptr);
  const Symbols symbols(inputs);
  Slots slots;
  slots.reserve(8);  // slots s0 to s7 belong to the test; counts begin at s8
  const InferContext context(symbols.inputs, outputs, &slots);
  const Attrs parsed = parse_attrs(*op, attrs);
  Inference result;
  const auto types = op->infer(parsed, context);
  if (!types) {
    result.error = types.error().message;
    return result;
  }
  for (const TensorType& type : *types) result.types.push_back(type.text());
  result.conditions = slots.conditions;
  if (op->values == nullptr) return result;
  const auto integers = op->values(parsed, context);
  if (!integers) result.error = integers.error().message;
  if (!integers || !*integers) return result;
  for (const DimExpr& x : **integers) result.integers += (result.integers.empty() ? "" : "; ") + x.text();
  return result;
}

std::string view_of(std::string_view name, std::string_view attrs, const std::vector<Symbolic>& inputs,
                    std::string_view order, size_t output, size_t outputs) {
  const OpDef* op = find(name);
  const Symbols symbols(inputs);
  const InferContext context(symbols.inputs, outputs, nullptr);
  return placement_text(op->views.output(parse_attrs(*op, attrs), context, output, 0,
                                         dense_placement(symbols.inputs[0].type.dims, order)));
}

std::string input_view_of(std::string_view name, std::string_view attrs, const std::vector<Symbolic>& inputs,
                          size_t input, std::string_view type) {
  const OpDef* op = find(name);
  const Symbols symbols(inputs);
  const InferContext context(symbols.inputs, 1, nullptr);
  return placement_text(op->views.input(parse_attrs(*op, attrs), context, input,
                                        dense_placement(TensorType::parse(type).value().dims, "")));
}

std::string rows_of(std::string_view name, std::string_view attrs, const std::vector<Symbolic>& inputs, int axis,
                    RowRange rows) {
  const OpDef* op = find(name);
  const Symbols symbols(inputs);
  const InferContext context(symbols.inputs, 1, nullptr);
  std::string text;
  for (const RowNeed& need : op->rows(parse_attrs(*op, attrs), context, axis, rows)) {
    text += text.empty() ? "" : "; ";
    text += need.all ? "all" : fmt::format("{} [{}, {})", need.axis, need.rows.begin, need.rows.end);
  }
  return text;
}

}  // namespace memline::ops::testing
