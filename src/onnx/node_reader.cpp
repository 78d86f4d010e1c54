#include "onnx/node_reader.h"

#include <array>

namespace memline::onnx {
namespace {

// AttributeProto.AttributeType
constexpr int32_t kFloat = 1, kInt = 2, kString = 3, kTensor = 4, kFloats = 6, kInts = 7;

std::string type_name(int32_t type) {
  static constexpr std::array<std::string_view, 15> kNames = {
      "nothing", "a float", "an int", "a string",        "a tensor",       "a graph", "floats", "ints",
      "strings", "tensors", "graphs", "a sparse tensor", "sparse tensors", "a type",  "types"};
  if (type < 0 || static_cast<size_t>(type) >= kNames.size()) return fmt::format("type {}", type);
  return std::string(kNames[static_cast<size_t>(type)]);
}

// Names at the end that are empty are as good as not there.
size_t count_present(const std::vector<std::string_view>& names) {
  size_t count = names.size();
  while (count > 0 && names[count - 1].empty()) --count;
  return count;
}

}  // namespace

NodeReader::NodeReader(const NodeMessage& node, TensorReader& tensors)
    : node_(node), tensors_(tensors), inputs_(count_present(node.inputs)), outputs_(count_present(node.outputs)) {}

bool NodeReader::has_input(size_t index) const {
  if (index >= inputs_) return false;
  return made_.contains(index) || (index < node_.inputs.size() && !node_.inputs[index].empty());
}

Result<const AttributeMessage*> NodeReader::find(std::string_view name, int32_t type) const {
  for (const AttributeMessage& attribute : node_.attributes) {
    if (attribute.name != name) continue;
    if (!attribute.reference.empty())
      return invalid_model("attribute '{}' refers to '{}' of a function, but stands in none", name,
                           attribute.reference);
    // Files of the first IR versions leave the type out.
    if (attribute.type != type && attribute.type != 0)
      return invalid_model("attribute '{}' is {}, needs {}", name, type_name(attribute.type), type_name(type));
    return &attribute;
  }
  return nullptr;
}

Result<std::optional<int64_t>> NodeReader::find_int(std::string_view name) const {
  MEML_TRY(const AttributeMessage* found, find(name, kInt));
  return found == nullptr ? std::nullopt : std::optional(found->i);
}
Result<std::optional<float>> NodeReader::find_float(std::string_view name) const {
  MEML_TRY(const AttributeMessage* found, find(name, kFloat));
  return found == nullptr ? std::nullopt : std::optional(found->f);
}
Result<std::optional<std::string>> NodeReader::find_string(std::string_view name) const {
  MEML_TRY(const AttributeMessage* found, find(name, kString));
  return found == nullptr ? std::nullopt : std::optional(std::string(found->s));
}
Result<std::optional<std::vector<int64_t>>> NodeReader::find_ints(std::string_view name) const {
  MEML_TRY(const AttributeMessage* found, find(name, kInts));
  return found == nullptr ? std::nullopt : std::optional(found->ints);
}
Result<std::optional<std::vector<float>>> NodeReader::find_floats(std::string_view name) const {
  MEML_TRY(const AttributeMessage* found, find(name, kFloats));
  return found == nullptr ? std::nullopt : std::optional(found->floats);
}

Result<std::optional<Constant>> NodeReader::find_constant(std::string_view name) const {
  MEML_TRY(const AttributeMessage* found, find(name, kTensor));
  if (found == nullptr) return std::nullopt;
  if (!found->t) return invalid_model("attribute '{}' holds no tensor", name);
  auto constant = tensors_.read(*found->t);
  if (!constant) return with_prefix(std::move(constant).error(), fmt::format("attribute '{}'", name));
  return std::optional(*std::move(constant));
}

Result<std::optional<TensorView>> NodeReader::find_tensor(std::string_view name) const {
  MEML_TRY(std::optional<Constant> constant, find_constant(name));
  if (!constant) return std::nullopt;
  read_tensors_.push_back(*std::move(constant));
  return read_tensors_.back().view;
}

void NodeReader::set_constant_input(size_t index, DType dtype, std::span<const int64_t> dims,
                                    std::span<const std::byte> data) {
  inputs_ = std::max(inputs_, index + 1);
  made_[index] = make_constant(dtype, dims, data);
}

void NodeReader::truncate_inputs(size_t count) {
  inputs_ = std::min(inputs_, count);
  made_.erase(made_.lower_bound(inputs_), made_.end());
}

}  // namespace memline::onnx
