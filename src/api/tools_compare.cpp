// tools.hpp: compare. Every stored value becomes an output of the model, so that each node's answer can be looked at;
// then the model is built as it is, with everything fused that fuses, and its own outputs are looked at.
#include <algorithm>

#include "api/compare_values.h"
#include "api/tools_job.h"
#include "base/temporary_file.h"
#include "graph/evaluate.h"
#include "onnx/import.h"

namespace memline::tools {
namespace {

using Stored = std::map<std::string, StoredTensor>;

TensorView view_of(DType dtype, void* data, const std::vector<int64_t>& dims) { return dense_view(dtype, data, dims); }
TensorView view_of(const StoredTensor& stored) {
  return view_of(stored.dtype, const_cast<char*>(stored.bytes.data()), stored.dims);
}
TensorView view_of(const TensorRef& ref) {
  return view_of(ref.dtype, ref.data, {ref.dims.begin(), ref.dims.begin() + ref.rank});
}

Result<Stored> load_inputs(const std::string& model, const CompareOptions& options) {
  MEML_TRY(const std::vector<std::string> names, onnx::input_names(model));
  Stored inputs;
  for (const std::string& name : names) {
    if (!options.stored.contains(name))
      return invalid_argument("the model's input '{}' is not among the stored values", name);
    MEML_TRY(StoredTensor tensor, options.load(name));
    inputs.emplace(name, std::move(tensor));
  }
  return inputs;
}

// Runs the engine once and hands each output on.
Status run_engine(const Compiled& compiled, const Stored& inputs, const BuildOptions& options,
                  const std::function<Status(const std::string& name, const TensorView& found)>& look) {
  MEML_TRY(const TemporaryFile file, TemporaryFile::make());
  MEML_TRY_STATUS(write_engine(compiled, file.path(), options.cancel));
  MEML_TRY(const Engine engine, Engine::load(file.path()));
  MEML_TRY(Session session, engine.make_session());
  std::vector<TensorRef> in, out(engine.outputs().size());
  for (const PortInfo& port : engine.inputs()) {
    const StoredTensor& stored = inputs.at(port.name);
    TensorRef& ref =
        in.emplace_back(stored.dtype, const_cast<char*>(stored.bytes.data()), std::initializer_list<int64_t>{});
    for (const int64_t dim : stored.dims) ref.dims[static_cast<size_t>(ref.rank++)] = dim;
  }
  MEML_TRY_STATUS(session.run(in, out));
  for (size_t i = 0; i < out.size(); ++i) MEML_TRY_STATUS(look(engine.outputs()[i].name, view_of(out[i])));
  return {};
}

// The same on the references.
Status run_references(const Graph& graph, const Stored& inputs,
                      const std::function<Status(const std::string& name, const TensorView& found)>& look) {
  std::vector<TensorView> in;
  for (const ValueId input : graph.inputs()) in.push_back(view_of(inputs.at(graph.value(input).name)));
  MEML_TRY(const std::vector<Constant> out, evaluate(graph, in));
  for (size_t i = 0; i < out.size(); ++i) MEML_TRY_STATUS(look(graph.output_names()[i], densify(out[i].view).view));
  return {};
}

class Comparison {
 public:
  Comparison(const std::string& model, const CompareOptions& options) : model_(model), options_(options) {}

  Result<CompareReport> run() {
    MEML_TRY(inputs_, load_inputs(model_, options_));
    MEML_TRY(api::Job job, api::prepare(options_.build));
    for (const auto& [name, tensor] : inputs_) job.options.import.shapes[name] = onnx::ShapeRange::fixed(tensor.dims);
    MEML_TRY_STATUS(node_by_node(job));
    if (!options_.on_references) {
      job.options.import.further_outputs.clear();
      job.options.fit.limit_bytes = options_.build.memory_bytes;
      MEML_TRY(const Compiled whole, api::compile_job(job, model_));
      MEML_TRY_STATUS(run_engine(whole, inputs_, options_.build, [&](const std::string& name, const TensorView& found) {
        return add(report_.outputs, name, found);
      }));
    }
    for (const auto* list : {&report_.values, &report_.outputs})
      report_.differing += std::ranges::count_if(*list, &ComparedValue::differs);
    return std::move(report_);
  }

 private:
  Status node_by_node(api::Job& job) {
    for (const std::string& name : options_.stored)
      if (!inputs_.contains(name)) job.options.import.further_outputs.push_back(name);
    MEML_TRY(const Graph graph, onnx::import(model_, job.options.import));
    note_makers(graph);
    const auto look = [&](const std::string& name, const TensorView& found) {
      return add(report_.values, name, found);
    };
    if (options_.on_references) {
      MEML_TRY_STATUS(run_references(graph, inputs_, look));
    } else {
      job.options.fit.limit_bytes = 0;  // so many outputs would not fit
      MEML_TRY(const Compiled compiled, api::compile_job(job, model_));
      MEML_TRY_STATUS(run_engine(compiled, inputs_, options_.build, look));
    }
    std::ranges::stable_sort(report_.values, {}, [&](const ComparedValue& value) { return makers_.at(value.name).at; });
    return {};
  }

  // Which node makes which output, and where in the model's order.
  void note_makers(const Graph& graph) {
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      const NodeId node = graph.producer(graph.outputs()[i]);
      Maker& maker = makers_[graph.output_names()[i]];
      maker.at = node;
      if (node == kNoNode) continue;
      maker.node = graph.node(node).name;
      maker.op = graph.node(node).op->name;
    }
    for (const std::string& name : options_.stored)
      if (!makers_.contains(name) && !inputs_.contains(name)) report_.unknown.push_back(name);
  }

  Status add(std::vector<ComparedValue>& list, const std::string& name, const TensorView& found) {
    if (!options_.stored.contains(name)) return {};
    MEML_TRY(const StoredTensor stored, options_.load(name));
    ComparedValue value = api::compare_views(found, view_of(stored), options_.tolerance);
    value.name = name;
    value.node = makers_[name].node;
    value.op = makers_[name].op;
    list.push_back(std::move(value));
    return {};
  }

  struct Maker {
    NodeId at = kNoNode;
    std::string node, op;
  };
  const std::string& model_;
  const CompareOptions& options_;
  Stored inputs_;
  std::map<std::string, Maker> makers_;
  CompareReport report_;
};

}  // namespace

Result<CompareReport> compare(const std::string& model, const CompareOptions& options) {
  if (!options.build.task.empty()) return invalid_argument("compare looks at a model as it is, without a task");
  return Comparison(model, options).run();
}

}  // namespace memline::tools
