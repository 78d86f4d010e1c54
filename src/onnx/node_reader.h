// NodeReader: a node of the file as an operator's import wants to see it.
#pragma once

#include <deque>
#include <map>

#include "onnx/model_file.h"
#include "onnx/tensor_data.h"
#include "ops/op.h"

namespace memline::onnx {

class NodeReader final : public ops::AttrReader {
 public:
  NodeReader(const NodeMessage& node, TensorReader& tensors);

  size_t inputs() const override { return inputs_; }
  bool has_input(size_t index) const override;
  size_t outputs() const override { return outputs_; }

  Result<std::optional<int64_t>> find_int(std::string_view name) const override;
  Result<std::optional<float>> find_float(std::string_view name) const override;
  Result<std::optional<std::string>> find_string(std::string_view name) const override;
  Result<std::optional<std::vector<int64_t>>> find_ints(std::string_view name) const override;
  Result<std::optional<std::vector<float>>> find_floats(std::string_view name) const override;
  Result<std::optional<TensorView>> find_tensor(std::string_view name) const override;

  void set_constant_input(size_t index, DType dtype, std::span<const int64_t> dims,
                          std::span<const std::byte> data) override;
  void truncate_inputs(size_t count) override;

  // Inputs that import made; the others are the file's.
  const std::map<size_t, Constant>& made_inputs() const { return made_; }
  // The tensor of an attribute, to keep.
  Result<std::optional<Constant>> find_constant(std::string_view name) const;

 private:
  Result<const AttributeMessage*> find(std::string_view name, int32_t type) const;

  const NodeMessage& node_;
  TensorReader& tensors_;
  size_t inputs_, outputs_;
  std::map<size_t, Constant> made_;
  mutable std::deque<Constant> read_tensors_;  // views given out by find_tensor live as long as the reader
};

}  // namespace memline::onnx
