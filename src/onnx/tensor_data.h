// TensorProto -> Constant: where a tensor's bytes are (raw, typed fields, another file), and whether they are as many
// as they must be.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "graph/graph.h"
#include "onnx/model_file.h"

namespace memline::onnx {

// Nullopt for what we have no element type for (strings, complex numbers, 4- and 8-bit floats).
std::optional<DType> element_type(int32_t onnx_number);
std::string element_type_name(int32_t onnx_number);  // "f32", "string", "type 23"

class TensorReader {
 public:
  // `owner` keeps the model's bytes. `is_mapped_file`: pages that were copied from may be let go (they come back from
  // the file).
  TensorReader(std::shared_ptr<const void> owner, bool is_mapped_file, std::string folder)
      : owner_(std::move(owner)), is_mapped_file_(is_mapped_file), folder_(std::move(folder)) {}

  // Points into the file where alignment allows, else a copy. Errors name the tensor.
  Result<Constant> read(const TensorMessage& tensor);

 private:
  struct Source {
    Bytes bytes;
    std::shared_ptr<const void> owner;
    bool is_mapped_file = false;
  };
  Result<Constant> read_unnamed(const TensorMessage& tensor);
  Result<Source> external(const TensorMessage& tensor, int64_t needed_bytes);

  std::shared_ptr<const void> owner_;
  bool is_mapped_file_;
  std::string folder_;
  std::map<std::string, Source> files_;  // by resolved path
};

}  // namespace memline::onnx
