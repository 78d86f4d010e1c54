// Runs one op by name on small tensors, the way an engine would: infer on constants, outputs at their bounds,
// reference, true dims. Every run is done twice, dense and with the axes of every tensor lying backwards in memory with
// gaps between them; the results have to agree, so each test of an op is also a test of its strides.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ops/reference.h"
#include "ops/registry.h"

namespace memline::ops::testing {

struct Tensor {
  DType dtype = DType::f32;
  std::vector<int64_t> dims;
  std::vector<double> values;  // row-major; exact for everything the tests use
  bool present = true;
  bool operator==(const Tensor&) const = default;
};

inline Tensor tensor(DType dtype, std::vector<int64_t> dims, std::vector<double> values) {
  return {dtype, std::move(dims), std::move(values)};
}
inline Tensor f32(std::vector<int64_t> dims, std::vector<double> values) {
  return tensor(DType::f32, std::move(dims), std::move(values));
}
inline Tensor i64(std::vector<int64_t> dims, std::vector<double> values) {
  return tensor(DType::i64, std::move(dims), std::move(values));
}
inline Tensor boolean(std::vector<int64_t> dims, std::vector<double> values) {
  return tensor(DType::boolean, std::move(dims), std::move(values));
}
inline Tensor list(std::vector<double> values) { return i64({static_cast<int64_t>(values.size())}, values); }
inline Tensor absent() { return {.present = false}; }
// 0, 1, 2, ... of these dims.
Tensor counted(DType dtype, std::vector<int64_t> dims);

void PrintTo(const Tensor& tensor, std::ostream* out);

// A node of the model file, for import: attributes by name.
struct Attributes {
  std::vector<std::pair<std::string, int64_t>> ints;
  std::vector<std::pair<std::string, float>> floats;
  std::vector<std::pair<std::string, std::string>> strings;
  std::vector<std::pair<std::string, std::vector<int64_t>>> int_lists;
  std::vector<std::pair<std::string, Tensor>> tensors;
  std::vector<std::pair<std::string, std::vector<float>>> float_lists;
};

// The outputs of `op` with attributes in text form ("axis=1"), or the error of infer.
Result<std::vector<Tensor>> run_all(std::string_view op, std::string_view attrs, const std::vector<Tensor>& inputs,
                                    size_t outputs = 1);
// The same, where an error fails the test and gives an empty tensor.
Tensor run(std::string_view op, std::string_view attrs, const std::vector<Tensor>& inputs);
// The same for a node of an opset's model: import first.
Result<std::vector<Tensor>> import_and_run(std::string_view op, int opset, const Attributes& attributes,
                                           std::vector<Tensor> inputs, size_t outputs = 1);
// infer's message, or "" when it accepts the node.
std::string refusal(std::string_view op, std::string_view attrs, const std::vector<Tensor>& inputs, size_t outputs = 1);

// Element by element within `relative` of the expected magnitude plus `absolute`; NaN equals NaN.
void expect_near(const Tensor& actual, const Tensor& expected, double relative, double absolute);

// Types and integers of a node whose inputs are known by type, and by integers where `values` are given ("s0, 4,
// s1*2").
struct Symbolic {
  std::string type;    // "f32[s0,3]"
  std::string values;  // "" when they are not known
};
struct Inference {
  std::vector<std::string> types;
  std::string integers;                 // of output 0; "" when not known
  std::vector<std::string> conditions;  // what has to hold at run time
  std::string error;
};
Inference infer(std::string_view op, std::string_view attrs, const std::vector<Symbolic>& inputs, size_t outputs = 1);

// Where output `output` lies when input 0 is dense in `order` ("0231"; empty: row-major): "s0*4+2 [12, 1]", or "" when
// it is no view.
std::string view_of(std::string_view op, std::string_view attrs, const std::vector<Symbolic>& inputs,
                    std::string_view order = "", size_t output = 0, size_t outputs = 1);
// Where input `input` lies when the output, of type `type`, is dense row-major.
std::string input_view_of(std::string_view op, std::string_view attrs, const std::vector<Symbolic>& inputs,
                          size_t input, std::string_view type);
// "all" or "axis [begin, end)" for each input, separated by "; ".
std::string rows_of(std::string_view op, std::string_view attrs, const std::vector<Symbolic>& inputs, int axis,
                    RowRange rows);

}  // namespace memline::ops::testing
