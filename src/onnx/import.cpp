#include "onnx/import.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "base/mapping.h"
#include "base/size.h"
#include "graph/fold.h"
#include "graph/infer.h"
#include "graph/patch.h"
#include "onnx/input_shapes.h"
#include "onnx/node_reader.h"
#include "ops/registry.h"

namespace memline::onnx {
namespace {

constexpr int64_t kOldestIr = 3, kNewestIr = 14;
constexpr int64_t kOldestOpset = 7, kNewestOpset = 28;
constexpr size_t kMostBodies = 4096;
// Branches within branches are read one inside the other, and run so.
constexpr int kDeepestBody = 32;
// Results up to this many bytes are computed while importing. Larger constants wait for the pass fold_constants.
constexpr int64_t kFoldedBytes = 4096;

std::string_view canonical(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }
std::string shown(std::string_view domain) { return domain.empty() ? "ai.onnx" : std::string(domain); }

std::string label(const NodeMessage& node) {
  std::string_view name = node.name;
  for (size_t i = 0; name.empty() && i < node.outputs.size(); ++i) name = node.outputs[i];
  return fmt::format("{} '{}'", node.op_type, name);
}

class Importer {
 public:
  Importer(ModelMessage model, TensorReader tensors, const ImportOptions& options)
      : model_(std::move(model)), tensors_(std::move(tensors)), options_(options) {}

  Result<Graph> run() {
    MEML_TRY_STATUS(check_versions());
    for (const auto& [node, most] : options_.limits) builder_.set_limit(node, most);
    for (const auto& [key, text] : model_.metadata) builder_.set_metadata(std::string(key), std::string(text));
    MEML_TRY_STATUS(add_initializers());
    MEML_TRY_STATUS(add_inputs());
    note_declared_types();
    for (const NodeMessage& node : model_.graph->nodes) {
      auto status = add_node(node);
      if (!status) return with_prefix(std::move(status).error(), label(node));
    }
    MEML_TRY_STATUS(set_outputs());
    if (const auto node = builder_.unused_limit())
      return invalid_argument("there is no node '{}' that takes a size from data; only such a size can be bounded",
                              *node);
    MEML_TRY(const Graph graph, builder_.finish());
    Patch patch(graph);
    for (const NodeId node : folded_) patch.drop(node);
    return apply(graph, patch);
  }

 private:
  Status check_versions() {
    if (model_.ir_version < kOldestIr || model_.ir_version > kNewestIr)
      return unsupported("the model has IR version {}; {} to {} are read", model_.ir_version, kOldestIr, kNewestIr);
    for (const auto& [domain, version] : model_.opsets) {
      const auto [at, is_new] = opsets_.emplace(canonical(domain), version);
      if (!is_new && at->second != version)
        return invalid_model("the model imports the domain '{}' as opset {} and {}", shown(canonical(domain)),
                             at->second, version);
    }
    const auto own = opsets_.find("");
    if (own != opsets_.end() && (own->second < kOldestOpset || own->second > kNewestOpset))
      return unsupported("the model uses opset {} of ONNX; {} to {} are supported", own->second, kOldestOpset,
                         kNewestOpset);
    if (model_.graph->sparse_initializers > 0) return unsupported("the model has sparse initialisers");
    return {};
  }

  Status define(std::string_view name, ValueId id) {
    if (name.empty()) return invalid_model("a tensor without a name is given a value");
    if (!ids_.emplace(name, id).second) return invalid_model("the tensor '{}' is defined twice", name);
    defined_.push_back(name);
    return {};
  }

  Status add_initializers() {
    for (const TensorMessage& tensor : model_.graph->initializers) {
      MEML_TRY(Constant constant, tensors_.read(tensor));
      MEML_TRY_STATUS(define(tensor.name, builder_.add_constant(std::string(tensor.name), std::move(constant))));
    }
    return {};
  }

  // An input that has an initialiser is that constant: its default is the only value it can have here.
  Status add_inputs() {
    std::vector<const ValueInfoMessage*> inputs;
    std::unordered_set<std::string_view> seen;
    for (const ValueInfoMessage& input : model_.graph->inputs) {
      if (!seen.insert(input.name).second) return invalid_model("the input '{}' is listed twice", input.name);
      if (!ids_.contains(input.name)) inputs.push_back(&input);
    }
    MEML_TRY(const std::vector<TensorType> types, resolve_inputs(inputs, options_, builder_));
    for (size_t i = 0; i < inputs.size(); ++i)
      MEML_TRY_STATUS(define(inputs[i]->name, builder_.add_input(std::string(inputs[i]->name), types[i])));
    return {};
  }

  void note_declared_types() {
    for (const auto* list : {&model_.graph->values, &model_.graph->outputs})
      for (const ValueInfoMessage& value : *list)
        if (value.is_tensor && value.element_type != 0) declared_.emplace(value.name, value.element_type);
    for (const NodeMessage& node : model_.graph->nodes)
      for (const std::string_view output : node.outputs) made_by_nodes_.insert(output);
  }

  Status add_node(const NodeMessage& message) {
    const std::string_view domain = canonical(message.domain);
    const auto opset = opsets_.find(domain);
    if (opset == opsets_.end()) return invalid_model("the model imports no opset of the domain '{}'", shown(domain));
    if (domain.empty() && message.op_type == "Constant") return add_constant_node(message);
    if (domain.empty() && message.op_type == "If") return add_if(message);
    MEML_TRY(const ops::OpDef* op, find_op(message, domain, opset->second));
    NodeReader reader(message, tensors_);
    MEML_TRY(ops::Attrs attrs, op->import(reader, static_cast<int>(opset->second)));
    GraphBuilder::NodeSpec spec{.name = node_name(message), .op = op, .attrs = std::move(attrs)};
    MEML_TRY(spec.inputs, inputs_of(message, reader));
    for (size_t i = 0; i < reader.outputs(); ++i)
      spec.output_names.push_back(message.outputs[i].empty() ? fmt::format("{}:{}", spec.name, i)
                                                             : std::string(message.outputs[i]));
    if (spec.output_names.empty()) return invalid_model("it has no outputs");
    auto outputs = builder_.add_node(std::move(spec));
    if (!outputs) return without_prefix(std::move(outputs).error(), *op, node_name(message));
    const auto id = static_cast<NodeId>(builder_.unfinished().nodes().size() - 1);
    MEML_TRY_STATUS(fold(id, *outputs));
    for (size_t i = 0; i < reader.outputs(); ++i) {
      if (message.outputs[i].empty()) continue;
      MEML_TRY_STATUS(define(message.outputs[i], (*outputs)[i]));
      MEML_TRY_STATUS(check_declared(message.outputs[i], (*outputs)[i]));
    }
    return {};
  }

  // add_node's caller names the node already.
  static Failure without_prefix(Error error, const ops::OpDef& op, const std::string& name) {
    const std::string prefix = node_label(op, name) + ": ";
    if (error.message.starts_with(prefix)) error.message.erase(0, prefix.size());
    return Failure(std::move(error));
  }

  static std::string node_name(const NodeMessage& message) {
    std::string_view name = message.name;
    for (size_t i = 0; name.empty() && i < message.outputs.size(); ++i) name = message.outputs[i];
    return std::string(name);
  }

  Result<const ops::OpDef*> find_op(const NodeMessage& message, std::string_view domain, int64_t opset) const {
    const ops::OpDef* op = domain == "memline" ? nullptr : ops::find(message.op_type, domain);
    for (const auto& [function_domain, function] : model_.functions)
      if (canonical(function_domain) == domain && function == message.op_type)
        return unsupported("the function {}.{} is called, and functions are not supported: inline them (onnx.inliner)",
                           shown(domain), function);
    if (op == nullptr)
      return unsupported("there is no operator {} of domain '{}' (opset {})", message.op_type, shown(domain), opset);
    if (domain.empty() && opset < op->since_opset)
      return unsupported("the operator's meaning is known from opset {} on, but the model has opset {}",
                         op->since_opset, opset);
    return op;
  }

  Result<std::vector<ValueId>> inputs_of(const NodeMessage& message, const NodeReader& reader) {
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < reader.inputs(); ++i) {
      const auto made = reader.made_inputs().find(i);
      if (made != reader.made_inputs().end()) {
        inputs.push_back(builder_.add_constant(fmt::format("{}:input{}", node_name(message), i), made->second));
      } else if (i >= message.inputs.size() || message.inputs[i].empty()) {
        inputs.push_back(kNoValue);
      } else {
        MEML_TRY(const ValueId id, find(message.inputs[i]));
        inputs.push_back(id);
      }
    }
    return inputs;
  }

  Result<ValueId> find(std::string_view name) const {
    const auto found = ids_.find(name);
    if (found != ids_.end()) return found->second;
    if (made_by_nodes_.contains(name))
      return invalid_model("it reads '{}' before the node that makes it: nodes must be in topological order", name);
    return invalid_model("it reads '{}', which nothing in the model makes", name);
  }

  Status add_constant_node(const NodeMessage& message) {
    if (message.outputs.size() != 1) return invalid_model("has {} outputs, needs 1", message.outputs.size());
    NodeReader reader(message, tensors_);
    MEML_TRY(Constant constant, constant_of(reader));
    const std::string_view name = message.outputs[0];
    return define(name, builder_.add_constant(std::string(name), std::move(constant)));
  }

  static Result<Constant> constant_of(const NodeReader& reader) {
    const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };
    MEML_TRY(std::optional<Constant> tensor, reader.find_constant("value"));
    if (tensor) return *std::move(tensor);
    MEML_TRY(const auto real, reader.find_float("value_float"));
    if (real) return make_constant(DType::f32, {}, bytes(std::vector<float>{*real}));
    MEML_TRY(const auto integer, reader.find_int("value_int"));
    if (integer) return make_constant(DType::i64, {}, bytes(std::vector<int64_t>{*integer}));
    MEML_TRY(const auto reals, reader.find_floats("value_floats"));
    if (reals)
      return make_constant(DType::f32, std::vector<int64_t>{static_cast<int64_t>(reals->size())}, bytes(*reals));
    MEML_TRY(const auto integers, reader.find_ints("value_ints"));
    if (integers)
      return make_constant(DType::i64, std::vector<int64_t>{static_cast<int64_t>(integers->size())}, bytes(*integers));
    return unsupported("holds neither a tensor nor numbers (strings and sparse tensors are not supported)");
  }

  // An If whose condition is known is the branch that it takes. (Exporters write such an If where a shape decides.)
  // Otherwise the nodes of both come into the graph, and a Select for each result: see graph/guards.h.
  Status add_if(const NodeMessage& message) {
    if (message.inputs.size() != 1) return invalid_model("has {} inputs, needs 1", message.inputs.size());
    MEML_TRY(const ValueId condition, find(message.inputs[0]));
    const Value& value = builder_.value(condition);
    if (value.type.dtype != DType::boolean || !(product(value.type.dims) == DimExpr(1)))
      return invalid_model("its condition is {}, needs one bool", value.type.text());
    if (!value.constant) return add_select(message, condition);
    MEML_TRY(const std::vector<ValueId> outputs, inline_body(message, *value.constant->view.as<uint8_t>() != 0));
    return define_outputs(message, outputs);
  }

  Status add_select(const NodeMessage& message, ValueId condition) {
    if (!builder_.value(condition).integers) {
      constexpr Interval kBool{0, 1};
      MEML_TRY(condition, builder_.measure(condition, node_name(message), {&kBool, 1}));
    }
    const DimExpr taken = builder_.value(condition).integers->front();
    builder_.enter_branch(taken);
    auto body = inline_body(message, true);
    builder_.leave_branch();
    MEML_TRY(std::vector<ValueId> outputs, std::move(body));
    builder_.enter_branch(equal(taken, 0));
    body = inline_body(message, false);
    builder_.leave_branch();
    MEML_TRY(const std::vector<ValueId> otherwise, std::move(body));
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (message.outputs[i].empty() || outputs[i] == otherwise[i]) continue;
      GraphBuilder::NodeSpec spec{.name = node_name(message),
                                  .op = ops::find("Select", "memline"),
                                  .inputs = {condition, outputs[i], otherwise[i]},
                                  .output_names = {std::string(message.outputs[i])}};
      if (i > 0) spec.name += fmt::format(":{}", i);
      const ops::OpDef& op = *spec.op;
      const std::string name = spec.name;
      auto selected = builder_.add_node(std::move(spec));
      if (!selected)
        return with_prefix(without_prefix(std::move(selected).error(), op, name).value(),
                           fmt::format("output '{}'", message.outputs[i]));
      outputs[i] = selected->front();
    }
    return define_outputs(message, outputs);
  }

  Status define_outputs(const NodeMessage& message, const std::vector<ValueId>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (message.outputs[i].empty()) continue;
      MEML_TRY_STATUS(define(message.outputs[i], outputs[i]));
      MEML_TRY_STATUS(check_declared(message.outputs[i], outputs[i]));
    }
    return {};
  }

  // The nodes of a branch's body come into the graph; its names end with it. Its outputs.
  Result<std::vector<ValueId>> inline_body(const NodeMessage& message, bool when_true) {
    const std::string_view branch = when_true ? "then_branch" : "else_branch";
    const auto attribute = std::ranges::find_if(message.attributes, [&](const AttributeMessage& candidate) {
      return candidate.name == branch && candidate.g.has_value();
    });
    if (attribute == message.attributes.end()) return invalid_model("has no '{}'", branch);
    if (depth_ >= kDeepestBody) return unsupported("bodies are nested deeper than {}", kDeepestBody);
    ++depth_;
    auto outputs = read_body(message, *attribute->g);
    --depth_;
    if (!outputs) return with_prefix(std::move(outputs).error(), branch);
    return outputs;
  }

  Result<std::vector<ValueId>> read_body(const NodeMessage& message, Bytes bytes) {
    if (bodies_.size() >= kMostBodies) return unsupported("the model has more than {} branches", kMostBodies);
    MEML_TRY(GraphMessage read, read_graph(bytes));
    const GraphMessage& body = bodies_.emplace_back(std::move(read));
    if (body.outputs.size() != message.outputs.size())
      return invalid_model("has {} outputs, but its branch gives {}", message.outputs.size(), body.outputs.size());
    if (!body.inputs.empty()) return invalid_model("its body has {} inputs, needs none", body.inputs.size());
    const size_t outer = defined_.size();
    for (const TensorMessage& tensor : body.initializers) {
      MEML_TRY(Constant constant, tensors_.read(tensor));
      MEML_TRY_STATUS(define(tensor.name, builder_.add_constant(std::string(tensor.name), std::move(constant))));
    }
    for (const NodeMessage& node : body.nodes) {
      auto status = add_node(node);
      if (!status) return with_prefix(std::move(status).error(), label(node));
    }
    for (const ValueInfoMessage& output : body.outputs)
      if (!ids_.contains(output.name)) return invalid_model("its output '{}' is made by nothing", output.name);
    std::vector<ValueId> outputs;
    for (const ValueInfoMessage& output : body.outputs) {
      MEML_TRY(const ValueId id, find(output.name));
      outputs.push_back(id);
    }
    for (size_t i = outer; i < defined_.size(); ++i) ids_.erase(defined_[i]);
    defined_.resize(outer);
    return outputs;
  }

  // Replaces outputs that are known now by constants; their node is dropped when the graph is complete.
  Status fold(NodeId node, std::vector<ValueId>& outputs) {
    MEML_TRY(const auto constants, fold_node(builder_.unfinished(), node, kFoldedBytes));
    if (!constants) return {};
    for (size_t i = 0; i < outputs.size(); ++i)
      outputs[i] = builder_.add_constant(builder_.value(outputs[i]).name, (*constants)[i]);
    folded_.push_back(node);
    return {};
  }

  Status check_declared(std::string_view name, ValueId id) const {
    const auto declared = declared_.find(name);
    if (declared == declared_.end()) return {};
    const DType found = builder_.value(id).type.dtype;
    if (element_type(declared->second) == found) return {};
    return invalid_model("its output '{}' is declared as {}, but is {}", name, element_type_name(declared->second),
                         found);
  }

  Status set_outputs() {
    std::vector<ValueId> values;
    std::vector<std::string> names;
    if (model_.graph->outputs.empty()) return invalid_model("the model has no outputs");
    for (const ValueInfoMessage& output : model_.graph->outputs) {
      const auto found = ids_.find(output.name);
      if (found == ids_.end()) return invalid_model("the output '{}' is made by nothing in the model", output.name);
      if (std::find(names.begin(), names.end(), output.name) != names.end())
        return invalid_model("the output '{}' is listed twice", output.name);
      MEML_TRY_STATUS(check_declared(output.name, found->second));
      values.push_back(found->second);
      names.emplace_back(output.name);
    }
    for (const std::string& further : options_.further_outputs) {
      const auto found = ids_.find(further);
      if (found == ids_.end() || std::find(names.begin(), names.end(), further) != names.end()) continue;
      values.push_back(found->second);
      names.push_back(further);
    }
    return builder_.set_outputs(std::move(values), std::move(names));
  }

  ModelMessage model_;
  TensorReader tensors_;
  const ImportOptions& options_;
  GraphBuilder builder_;
  std::unordered_map<std::string_view, ValueId> ids_;
  std::map<std::string_view, int64_t> opsets_;
  std::unordered_map<std::string_view, int32_t> declared_;
  std::unordered_set<std::string_view> made_by_nodes_;
  std::vector<std::string_view> defined_;  // in order: what a body defines ends with it
  std::deque<GraphMessage> bodies_;        // alive as long as names point into them
  std::vector<NodeId> folded_;
  int depth_ = 0;  // of the body that is read
};

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

Bytes as_text(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

Result<Graph> import(const std::string& path, const ImportOptions& options) {
  MEML_TRY(const std::shared_ptr<const MappedFile> file, MappedFile::open(path));
  ImportOptions with_folder = options;
  if (with_folder.model_folder.empty()) with_folder.model_folder = folder_of(path);
  MEML_TRY(ModelMessage model, read_model(as_text(file->bytes())));
  return Importer(std::move(model), TensorReader(file, true, with_folder.model_folder), with_folder).run();
}

Result<std::vector<std::string>> input_names(const std::string& path) {
  MEML_TRY(const std::shared_ptr<const MappedFile> file, MappedFile::open(path));
  MEML_TRY(const ModelMessage model, read_model(as_text(file->bytes())));
  std::vector<std::string> names;
  if (!model.graph) return invalid_model("the model has no graph");
  for (const ValueInfoMessage& input : model.graph->inputs)
    if (std::ranges::find(model.graph->initializers, input.name, &TensorMessage::name) ==
        model.graph->initializers.end())
      names.emplace_back(input.name);
  return names;
}

Result<Graph> import(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                     const ImportOptions& options) {
  MEML_TRY(ModelMessage model, read_model(as_text(bytes)));
  return Importer(std::move(model), TensorReader(std::move(owner), false, options.model_folder), options).run();
}

}  // namespace memline::onnx
