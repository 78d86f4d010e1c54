// OpDef: everything the system knows of one operator, defined in one file of this folder named after it.
//   * name, since_opset: what the model file calls it, and the first opset whose meaning we implement.
//   * import: any opset's node -> one attribute struct and one list of inputs (old attributes become constant inputs).
//   * infer: input types -> output types; every check of the node's own rules lives here.
//   * values, reals (optional): the elements of output 0 as DimExprs or FloatExprs; shape arithmetic leaves the graph
//     through them. An op whose `values` only moves elements needs no `reals`.
//   * reference: the plain, slow, obvious implementation; right for any strides. Everything fast is tested against it.
//   * rows (optional): which rows of each input a range of output rows needs (bands).
//   * views (optional): where an output lies inside an input, or an input inside the output, so that nothing is copied.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ops/attrs.h"
#include "ops/epilogue.h"
#include "tensor/tensor_type.h"
#include "tensor/tensor_view.h"

namespace memline::ops {

// A node as the model file has it. onnx/ implements it, so this folder reads no protobuf. Every error names the
// attribute.
class AttrReader {
 public:
  virtual ~AttrReader() = default;
  virtual size_t inputs() const = 0;
  virtual bool has_input(size_t index) const = 0;
  virtual size_t outputs() const = 0;

  // nullopt when the attribute is absent; invalid_model when it has another type.
  virtual Result<std::optional<int64_t>> find_int(std::string_view name) const = 0;
  virtual Result<std::optional<float>> find_float(std::string_view name) const = 0;
  virtual Result<std::optional<std::string>> find_string(std::string_view name) const = 0;
  virtual Result<std::optional<std::vector<int64_t>>> find_ints(std::string_view name) const = 0;
  virtual Result<std::optional<std::vector<float>>> find_floats(std::string_view name) const = 0;
  // A dense row-major view that lives as long as the reader (Constant, ConstantOfShape).
  virtual Result<std::optional<TensorView>> find_tensor(std::string_view name) const {
    return unsupported("attribute '{}': this reader has no tensors", name);
  }

  // Makes input `index` a constant: how an old opset's attribute becomes the newer opset's input.
  virtual void set_constant_input(size_t index, DType dtype, std::span<const int64_t> dims,
                                  std::span<const std::byte> data) = 0;
  void set_int64_input(size_t index, const std::vector<int64_t>& values);  // rank 1
  void set_f32_input(size_t index, float value);                           // rank 0
  // The node's inputs from `count` on are dropped (Dropout's training inputs and the like).
  virtual void truncate_inputs(size_t count) = 0;

  Result<int64_t> int_or(std::string_view name, int64_t otherwise) const;
  Result<float> float_or(std::string_view name, float otherwise) const;
  Result<std::string> string_or(std::string_view name, std::string_view otherwise) const;
  Result<std::vector<int64_t>> ints_or(std::string_view name, std::vector<int64_t> otherwise) const;
};

// What is known of one input at compile time.
struct InferInput {
  bool present = true;
  TensorType type;
  const TensorView* constant = nullptr;  // its value, when it is a constant
  // Its elements, when it is a small tensor that shape arithmetic knows: of integers, or of f32.
  const std::vector<DimExpr>* values = nullptr;
  const std::vector<FloatExpr>* reals = nullptr;
};

// An end of a range that only the user can give: --max NODE=N.
inline constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

// Gives out slots for counts that depend on data, and keeps the conditions on slots that an op's rules demand.
class SlotSource {
 public:
  virtual ~SlotSource() = default;
  virtual DimExpr new_slot(std::string_view what, const DimExpr& bound) = 0;  // 0 <= slot <= bound
  // `condition` must not be 0 when the node runs; `what` says why, for the error of a run that breaks it.
  virtual Status demand(const DimExpr& condition, std::string_view what) {
    return unsupported("{}: needs the condition {} at run time, and nothing here keeps it", what, condition.text());
  }
  // What the user allows a size of this node to be, where only the data knows it.
  virtual std::optional<int64_t> limit() const { return std::nullopt; }
  // Integers that a run computes from data become slots: element k of input `input` lies in ranges[k] (an end that is
  // kUnbounded, or minus that, is the limit), and is read before the node runs. What it returns ends the inference; it
  // is done again with the integers known.
  virtual Failure measure(size_t input, std::span<const Interval>, std::string_view what) {
    return unsupported("{} (input {}) is computed from data at run time", what, input);
  }
  // The largest value the expression can have; nullopt where the ranges of slots are not known.
  virtual std::optional<int64_t> bound(const DimExpr&) const { return std::nullopt; }
};

class InferContext {
 public:
  InferContext(std::span<const InferInput> inputs, size_t outputs, SlotSource* slots)
      : inputs_(inputs), outputs_(outputs), slots_(slots) {}

  size_t size() const { return inputs_.size(); }
  size_t outputs() const { return outputs_; }
  bool has(size_t i) const { return i < inputs_.size() && inputs_[i].present; }
  const TensorType& type(size_t i) const { return inputs_[i].type; }
  DType dtype(size_t i) const { return inputs_[i].type.dtype; }
  int rank(size_t i) const { return inputs_[i].type.rank(); }
  const std::vector<DimExpr>& dims(size_t i) const { return inputs_[i].type.dims; }
  const TensorView* constant(size_t i) const { return has(i) ? inputs_[i].constant : nullptr; }
  // The integers of input i (constant or tracked), or nullptr. Flat, row-major.
  const std::vector<DimExpr>* values(size_t i) const { return has(i) ? inputs_[i].values : nullptr; }

  // The same for f32: constants of up to 64 elements, and what float arithmetic on extents gives.
  const std::vector<FloatExpr>* reals(size_t i) const { return has(i) ? inputs_[i].reals : nullptr; }

  Status expect_inputs(size_t at_least, size_t at_most) const;  // invalid_model: "expects 2 to 3 inputs, got 4"
  Status expect_float(size_t i) const;
  Status expect_rank(size_t i, int at_least, int at_most) const;
  Status expect_same_dtype(size_t i, size_t j) const;
  Result<std::vector<int64_t>> constant_ints(
      size_t i, std::string_view what) const;  // unsupported when not known at compile time
  Result<std::vector<float>> constant_floats(size_t i, std::string_view what) const;

  // A new extent known only when the op has run, at most `bound`.
  DimExpr count(std::string_view what, const DimExpr& bound) const { return slots_->new_slot(what, bound); }

  // The integers of input i, each inside `range` (see SlotSource::measure): as shape arithmetic knows them, or as slots
  // that a run fills from the data. `what` names the input in errors.
  Result<std::vector<DimExpr>> integers(size_t i, std::string_view what, Interval range) const;
  // The largest value of `expression`; the largest int64_t where nothing is known of its slots.
  int64_t bound(const DimExpr& expression) const;

  // The same where nothing but the user's limit bounds it: unsupported when there is none.
  Result<DimExpr> limited_count(std::string_view what) const;

  // The two extents must be equal: nothing to do, invalid_model when they never are, else a condition that every run
  // checks.
  Status expect_equal(const DimExpr& a, const DimExpr& b, std::string_view what) const;
  // `condition` must not be 0: the same for any condition.
  Status demand(const DimExpr& condition, std::string_view what) const;

 private:
  std::span<const InferInput> inputs_;
  size_t outputs_;
  SlotSource* slots_;
};

// A half-open range of rows: indices on one logical axis.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const RowRange&) const = default;
};
// What one input must have for a range of output rows; not clipped to the input (a halo may start at -1).
struct RowNeed {
  bool all = true;
  int axis = 0;
  RowRange rows;
};

// Where a value lies inside its root buffer: an offset and a stride for each logical axis, in elements.
struct Placement {
  DimExpr offset;
  std::vector<DimExpr> strides;
};
struct Views {
  // Where output `output` lies when input `input` lies at `at`; nullopt when strides cannot say it or the op moves
  // data.
  std::function<std::optional<Placement>(const Attrs&, const InferContext&, size_t output, size_t input,
                                         const Placement& at)>
      output;
  // Where input `input` must be written so that output 0 lies at `at` (Concat).
  std::function<std::optional<Placement>(const Attrs&, const InferContext&, size_t input, const Placement& at)> input;
};

struct OpDef {
  std::string_view name;
  std::string_view domain;  // "" is ONNX's own, "memline" ours
  int since_opset = 1;
  std::function<Result<Attrs>(AttrReader&, int opset)> import;
  std::function<Result<Attrs>(std::string_view text)> parse_attrs;
  std::function<Result<TensorTypes>(const Attrs&, const InferContext&)> infer;
  std::function<Result<std::optional<std::vector<DimExpr>>>(const Attrs&, const InferContext&)> values;
  std::function<Result<std::optional<std::vector<FloatExpr>>>(const Attrs&, const InferContext&)> reals;
  std::function<void(const Attrs&, std::span<const TensorView> in, std::span<TensorView> out)> reference;
  std::function<std::vector<RowNeed>(const Attrs&, const InferContext&, int axis, RowRange rows)> rows;
  Views views;
  int channel_axis = 1;       // the axis of an epilogue's bias; -1 is the last
  bool deterministic = true;  // false: never merged or folded
  // Bit i: input i says only how large the output is. Where shape arithmetic knows it, the reference does without: it
  // is then absent.
  std::function<uint64_t(const Attrs&)> extent_inputs;
};

// The typed functions of one op. `import` may be left out when the struct's fields have ONNX's names, defaults and
// types in every opset since `since_opset`: it is then made from the field list.
template <typename A>
struct OpFunctions {
  std::string_view domain = "";
  int since_opset = 1;
  Result<A> (*import)(AttrReader&, int opset) = nullptr;
  Result<TensorTypes> (*infer)(const A&, const InferContext&) = nullptr;
  Result<std::optional<std::vector<DimExpr>>> (*values)(const A&, const InferContext&) = nullptr;
  Result<std::optional<std::vector<FloatExpr>>> (*reals)(const A&, const InferContext&) = nullptr;
  void (*reference)(const A&, std::span<const TensorView> in, std::span<TensorView> out) = nullptr;
  std::vector<RowNeed> (*rows)(const A&, const InferContext&, int axis, RowRange rows) = nullptr;
  std::optional<Placement> (*view_output)(const A&, const InferContext&, size_t output, size_t input,
                                          const Placement& at) = nullptr;
  std::optional<Placement> (*view_input)(const A&, const InferContext&, size_t input, const Placement& at) = nullptr;
  int channel_axis = 1;
  bool deterministic = true;
  uint64_t (*extent_inputs)(const A&) = nullptr;
};

// As an op's `extent_inputs` where they do not depend on attributes.
template <uint64_t bits, typename A = NoAttrs>
uint64_t always(const A&) {
  return bits;
}

namespace detail {
Status read_field(const AttrReader& reader, std::string_view name, int64_t& value);
Status read_field(const AttrReader& reader, std::string_view name, float& value);
Status read_field(const AttrReader& reader, std::string_view name, bool& value);
Status read_field(const AttrReader& reader, std::string_view name, std::string& value);
Status read_field(const AttrReader& reader, std::string_view name, DType& value);  // ONNX's TensorProto number
Status read_field(const AttrReader& reader, std::string_view name, std::vector<int64_t>& value);
Status read_field(const AttrReader& reader, std::string_view name, std::vector<float>& value);

template <typename A>
Result<A> import_fields(AttrReader& reader, int) {
  A attrs{};
  Status status;
  attrs.fields([&](std::string_view name, auto& field) {
    if (status) status = read_field(reader, name, field);
  });
  MEML_TRY_STATUS(std::move(status));
  return attrs;
}
}  // namespace detail

template <typename A>
OpDef define_op(std::string_view name, const OpFunctions<A>& f) {
  OpDef op;
  op.name = name;
  op.domain = f.domain;
  op.since_opset = f.since_opset;
  op.channel_axis = f.channel_axis;
  op.deterministic = f.deterministic;
  if (f.extent_inputs) op.extent_inputs = [extents = f.extent_inputs](const Attrs& a) { return extents(a.as<A>()); };
  op.import = [import = f.import ? f.import : &detail::import_fields<A>](AttrReader& reader,
                                                                         int opset) -> Result<Attrs> {
    MEML_TRY(A attrs, import(reader, opset));
    return Attrs::of(std::move(attrs));
  };
  op.parse_attrs = [](std::string_view text) { return Attrs::parse<A>(text); };
  op.infer = [infer = f.infer](const Attrs& a, const InferContext& in) { return infer(a.as<A>(), in); };
  if (f.values)
    op.values = [values = f.values](const Attrs& a, const InferContext& in) { return values(a.as<A>(), in); };
  if (f.reals) op.reals = [reals = f.reals](const Attrs& a, const InferContext& in) { return reals(a.as<A>(), in); };
  if (f.reference)
    op.reference = [reference = f.reference](const Attrs& a, std::span<const TensorView> in,
                                             std::span<TensorView> out) { reference(a.as<A>(), in, out); };
  if (f.rows)
    op.rows = [rows = f.rows](const Attrs& a, const InferContext& in, int axis, RowRange range) {
      return rows(a.as<A>(), in, axis, range);
    };
  if (f.view_output)
    op.views.output = [view = f.view_output](const Attrs& a, const InferContext& in, size_t o, size_t i,
                                             const Placement& at) { return view(a.as<A>(), in, o, i, at); };
  if (f.view_input)
    op.views.input = [view = f.view_input](const Attrs& a, const InferContext& in, size_t i, const Placement& at) {
      return view(a.as<A>(), in, i, at);
    };
  return op;
}

}  // namespace memline::ops
