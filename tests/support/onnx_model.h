// Writes small ONNX models for tests: each function adds one message. Not a general writer.
#pragma once

#include <cstring>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

namespace memline::test {

// A NodeProto.
class OnnxNode {
 public:
  OnnxNode(const std::string& op, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
           const std::string& name = "") {
    protozero::pbf_writer writer(bytes_);
    for (const std::string& input : inputs) writer.add_string(1, input);
    for (const std::string& output : outputs) writer.add_string(2, output);
    if (!name.empty()) writer.add_string(3, name);
    writer.add_string(4, op);
  }
  OnnxNode& domain(const std::string& text) {
    protozero::pbf_writer(bytes_).add_string(7, text);
    return *this;
  }
  OnnxNode& ints(const std::string& name, const std::vector<int64_t>& values) {
    std::string attribute;
    protozero::pbf_writer writer(attribute);
    writer.add_string(1, name);
    for (const int64_t value : values) writer.add_int64(8, value);
    writer.add_int32(20, 7);
    return add(attribute);
  }
  OnnxNode& integer(const std::string& name, int64_t value) {
    std::string attribute;
    protozero::pbf_writer writer(attribute);
    writer.add_string(1, name);
    writer.add_int64(3, value);
    writer.add_int32(20, 2);
    return add(attribute);
  }
  OnnxNode& tensor(const std::string& name, const std::string& message) {
    std::string attribute;
    protozero::pbf_writer writer(attribute);
    writer.add_string(1, name);
    writer.add_message(5, message);
    writer.add_int32(20, 4);
    return add(attribute);
  }
  OnnxNode& graph(const std::string& name, const std::string& message) {
    std::string attribute;
    protozero::pbf_writer writer(attribute);
    writer.add_string(1, name);
    writer.add_message(6, message);
    writer.add_int32(20, 5);
    return add(attribute);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  OnnxNode& add(const std::string& attribute) {
    protozero::pbf_writer(bytes_).add_message(5, attribute);
    return *this;
  }
  std::string bytes_;
};

// A TensorProto with raw data; `type` is ONNX's number (1: float, 7: int64).
inline std::string onnx_tensor(const std::string& name, int32_t type, const std::vector<int64_t>& dims,
                               const std::string& raw) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  for (const int64_t dim : dims) writer.add_int64(1, dim);
  writer.add_int32(2, type);
  writer.add_string(8, name);
  writer.add_bytes(9, raw);
  return bytes;
}
template <typename T>
std::string raw_bytes(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}
inline std::string onnx_external(const std::string& name, const std::vector<int64_t>& dims,
                                 const std::vector<std::pair<std::string, std::string>>& where) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  for (const int64_t dim : dims) writer.add_int64(1, dim);
  writer.add_int32(2, 1);
  writer.add_string(8, name);
  for (const auto& [key, value] : where) {
    std::string pair;
    protozero::pbf_writer inner(pair);
    inner.add_string(1, key);
    inner.add_string(2, value);
    writer.add_message(13, pair);
  }
  writer.add_int32(14, 1);
  return bytes;
}

// A ModelProto. Dims of inputs and outputs are numbers or names; "?" leaves one open without a name.
class OnnxModel {
 public:
  explicit OnnxModel(int64_t opset = 13, int64_t ir_version = 8) : opset_(opset), ir_version_(ir_version) {}
  OnnxModel& input(const std::string& name, const std::vector<std::string>& dims, int32_t type = 1) {
    protozero::pbf_writer(graph_).add_message(11, value(name, dims, type));
    return *this;
  }
  OnnxModel& output(const std::string& name, int32_t type = 1) {
    protozero::pbf_writer(graph_).add_message(12, value(name, {}, type));
    return *this;
  }
  OnnxModel& node(const OnnxNode& node) {
    protozero::pbf_writer(graph_).add_message(1, node.bytes());
    return *this;
  }
  OnnxModel& initializer(const std::string& tensor) {
    protozero::pbf_writer(graph_).add_message(5, tensor);
    return *this;
  }
  OnnxModel& function(const std::string& domain, const std::string& name) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    writer.add_string(10, domain);
    protozero::pbf_writer(tail_).add_message(25, bytes);
    return import_domain(domain);
  }
  OnnxModel& import_domain(const std::string& domain) {
    std::string opset;
    protozero::pbf_writer writer(opset);
    writer.add_string(1, domain);
    writer.add_int64(2, 1);
    protozero::pbf_writer(tail_).add_message(8, opset);
    return *this;
  }
  OnnxModel& metadata(const std::string& key, const std::string& text) {
    std::string pair;
    protozero::pbf_writer writer(pair);
    writer.add_string(1, key);
    writer.add_string(2, text);
    protozero::pbf_writer(tail_).add_message(14, pair);
    return *this;
  }
  const std::string& graph() const { return graph_; }
  std::string bytes() const {
    std::string model, opset;
    protozero::pbf_writer(opset).add_int64(2, opset_);
    protozero::pbf_writer writer(model);
    writer.add_int64(1, ir_version_);
    writer.add_message(7, graph_);
    writer.add_message(8, opset);
    return model + tail_;
  }

 private:
  static std::string value(const std::string& name, const std::vector<std::string>& dims, int32_t type) {
    std::string shape, tensor, outer, info;
    for (const std::string& dim : dims) {
      std::string one;
      if (dim != "?") {
        const bool is_number = dim[0] == '-' || (dim[0] >= '0' && dim[0] <= '9');
        protozero::pbf_writer writer(one);
        if (is_number)
          writer.add_int64(1, std::stoll(dim));
        else
          writer.add_string(2, dim);
      }
      protozero::pbf_writer(shape).add_message(1, one);
    }
    protozero::pbf_writer writer(tensor);
    writer.add_int32(1, type);
    if (!dims.empty()) writer.add_message(2, shape);
    protozero::pbf_writer(outer).add_message(1, tensor);
    protozero::pbf_writer last(info);
    last.add_string(1, name);
    last.add_message(2, outer);
    return info;
  }
  int64_t opset_, ir_version_;
  std::string graph_, tail_;
};

}  // namespace memline::test
