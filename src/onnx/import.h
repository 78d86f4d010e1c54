// ONNX bytes -> Graph. The file is mapped and walked; large initialisers are not copied when they lie at an address
// their type allows: constants then point into the mapping and keep it alive.
//   * Opsets 7 to 28 of ONNX's own domain. Functions, other domains and unknown operators are `unsupported`, by name.
//   * Every dimension gets an extent here: from the file, or a number or a range from `shapes`. Dimensions of one name
//   share a slot.
//   * Nodes whose inputs are all known are computed at once when their results are small, so that rules see numbers,
//   not nodes.
//   * The file is not trusted: nothing is allocated by a number that it declares, only by bytes that it has.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace memline::onnx {

// The extents of an input: the same number of dims three times. A fixed shape has three equal lists.
struct ShapeRange {
  std::vector<int64_t> min, opt, max;

  static ShapeRange fixed(std::vector<int64_t> dims) { return {dims, dims, dims}; }
};

struct ImportOptions {
  std::map<std::string, ShapeRange> shapes;  // by input name
  std::map<std::string, int64_t> limits;     // by node name: the most of each size that it takes from data
  // Names of values that become outputs too, behind the model's own; what the model does not have is left out.
  std::vector<std::string> further_outputs;
  std::string model_folder;  // where external weights may lie; "" refuses them. Set from the path by import(path)
};

// Errors: invalid_model, unsupported (say node and operator), invalid_argument (shapes), not_found and io_error
// (files).
Result<Graph> import(const std::string& path, const ImportOptions& options);

// The inputs that a caller gives, in the model's order: those that are no initialisers. Errors: as import().
Result<std::vector<std::string>> input_names(const std::string& path);

// `owner` keeps `bytes` alive for the graph's constants.
Result<Graph> import(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const ImportOptions& options);

}  // namespace memline::onnx
