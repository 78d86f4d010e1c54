// The messages of an ONNX file as plain structs that point into its bytes; field numbers are those of onnx.proto (IR
// version 13). Nothing is interpreted here. Reading costs memory in proportion to the file's messages, never to numbers
// that they hold. Errors: invalid_model, for bytes that are no ONNX model; bodies of control flow stay bytes until they
// are asked for.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace memline::onnx {

using Bytes = std::string_view;
using TextPair = std::pair<std::string_view, std::string_view>;

struct TensorMessage {
  std::string_view name;
  std::vector<int64_t> dims;
  int32_t data_type = 0;
  std::optional<Bytes> raw_data;
  uint32_t typed_field = 0;       // the number of float_data, int32_data, ...; 0 when there is none
  std::vector<Bytes> typed_runs;  // its packed bytes
  std::vector<uint64_t> loose;    // its values that were written one by one
  std::vector<TextPair> external_data;
  bool is_external = false;
};

struct AttributeMessage {
  std::string_view name;
  int32_t type = 0;
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  std::optional<TensorMessage> t;
  std::optional<Bytes> g;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  std::string_view reference;  // names an attribute of the function that the node stands in
};

struct NodeMessage {
  std::string_view name, op_type, domain;
  std::vector<std::string_view> inputs, outputs;
  std::vector<AttributeMessage> attributes;
};

struct DimensionMessage {
  std::optional<int64_t> value;
  std::string_view parameter;
};

struct ValueInfoMessage {
  std::string_view name;
  bool is_tensor = false;
  int32_t element_type = 0;
  std::optional<std::vector<DimensionMessage>> dims;  // nullopt: even the rank is open
};

struct GraphMessage {
  std::string_view name;
  std::vector<NodeMessage> nodes;
  std::vector<TensorMessage> initializers;
  std::vector<ValueInfoMessage> inputs, outputs, values;
  size_t sparse_initializers = 0;
};

struct ModelMessage {
  int64_t ir_version = 0;
  std::vector<std::pair<std::string_view, int64_t>> opsets;
  std::vector<TextPair> metadata;
  std::vector<TextPair> functions;  // domain, name
  std::optional<GraphMessage> graph;
};

Result<ModelMessage> read_model(Bytes bytes);
Result<GraphMessage> read_graph(Bytes bytes);  // the body of an If, Loop or Scan

}  // namespace memline::onnx
