#include "tasks/yolo8_seg.h"

#include <algorithm>

#include "ops/image_to_tensor.h"
#include "ops/mask_runs.h"
#include "ops/registry.h"
#include "ops/yolo8_select.h"

namespace memline::tasks {
namespace {

struct Form {
  int64_t height = 0, width = 0, classes = 0, masks = 0;
};

std::optional<std::vector<int64_t>> fixed_dims(const TensorType& type) {
  std::vector<int64_t> dims;
  for (const DimExpr& dim : type.dims) {
    if (!dim.constant()) return std::nullopt;
    dims.push_back(*dim.constant());
  }
  return dims;
}

std::optional<Form> form_of(const Graph& graph) {
  if (graph.inputs().size() != 1 || graph.outputs().size() != 2) return std::nullopt;
  const auto in = fixed_dims(graph.value(graph.inputs()[0]).type);
  const auto heads = fixed_dims(graph.value(graph.outputs()[0]).type);
  const auto prototypes = fixed_dims(graph.value(graph.outputs()[1]).type);
  if (!in || in->size() != 4 || (*in)[0] != 1 || (*in)[1] != 3) return std::nullopt;
  if (!heads || heads->size() != 3 || !prototypes || prototypes->size() != 4) return std::nullopt;
  const Form form{(*in)[2], (*in)[3], (*heads)[1] - 4 - (*prototypes)[1], (*prototypes)[1]};
  if (form.classes < 1 || (*prototypes)[2] * 4 != form.height || (*prototypes)[3] * 4 != form.width)
    return std::nullopt;
  return form;
}

// The graph again, node by node, reading `image` instead of its input.
Result<std::vector<ValueId>> inline_graph(const Graph& graph, ValueId image, GraphBuilder& builder) {
  std::vector<ValueId> moved(graph.value_count(), kNoValue);
  moved[static_cast<size_t>(graph.inputs()[0])] = image;
  for (size_t v = 0; v < graph.value_count(); ++v)
    if (const Value& value = graph.value(static_cast<ValueId>(v)); value.constant)
      moved[v] = builder.add_constant(value.name, *value.constant);
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    std::vector<ValueId> inputs;
    for (const ValueId input : graph.nodes()[n].inputs)
      inputs.push_back(input == kNoValue ? kNoValue : moved[static_cast<size_t>(input)]);
    const std::vector<ValueId> outputs = builder.add_copy(graph, static_cast<NodeId>(n), std::move(inputs));
    for (size_t o = 0; o < outputs.size(); ++o) moved[static_cast<size_t>(graph.nodes()[n].outputs[o])] = outputs[o];
  }
  return std::vector<ValueId>{moved[static_cast<size_t>(graph.outputs()[0])],
                              moved[static_cast<size_t>(graph.outputs()[1])]};
}

}  // namespace

bool looks_like_yolo8_seg(const Graph& graph) { return form_of(graph).has_value(); }

Result<Graph> append_yolo8_seg(const TaskOptions& options, const Graph& graph) {
  const std::optional<Form> form = form_of(graph);
  if (!form)
    return unsupported(
        "family yolo8-seg needs one input [1,3,H,W] of fixed extents and outputs [1,4+classes+M,anchors] and "
        "[1,M,H/4,W/4]; "
        "the model has {} inputs and {} outputs, the first output is {}",
        graph.inputs().size(), graph.outputs().size(),
        graph.outputs().empty() ? "absent" : graph.value(graph.outputs()[0]).type.text());
  GraphBuilder builder(graph);
  const DimExpr height = builder.add_slot("picture.height", {1, options.source_max_height},
                                          std::min<int64_t>(options.source_max_height, form->height));
  const DimExpr width = builder.add_slot("picture.width", {1, options.source_max_width},
                                         std::min<int64_t>(options.source_max_width, form->width));
  const ValueId picture = builder.add_input("picture", {DType::u8, {height, width, 3}});
  MEML_TRY(
      const auto image,
      builder.add_node({.name = "image_to_tensor",
                        .op = ops::find("ImageToTensor", "memline"),
                        .attrs = ops::Attrs::of(ops::ImageToTensorAttrs{.height = form->height, .width = form->width}),
                        .inputs = {picture},
                        .output_names = {"image"}}));
  MEML_TRY(const auto heads, inline_graph(graph, image[0], builder));
  MEML_TRY(const auto kept,
           builder.add_node({.name = "select",
                             .op = ops::find("Yolo8Select", "memline"),
                             .attrs = ops::Attrs::of(ops::Yolo8SelectAttrs{.classes = form->classes,
                                                                           .max_detections = options.max_detections,
                                                                           .confidence = options.confidence,
                                                                           .iou = options.iou}),
                             .inputs = {heads[0]},
                             .output_names = {"network_boxes", "scores", "classes", "coefficients"}}));
  MEML_TRY(const auto masks,
           builder.add_node({.name = "masks",
                             .op = ops::find("MaskRuns", "memline"),
                             .attrs = ops::Attrs::of(
                                 ops::MaskRunsAttrs{.height = form->height,
                                                    .width = form->width,
                                                    .max_runs = std::max<int64_t>(1, options.max_mask_bytes / 4)}),
                             .inputs = {kept[0], kept[3], heads[1], picture},
                             .output_names = {"boxes", "mask_runs", "mask_first_run", "mask_truncated"}}));
  builder.set_metadata("memline.task", "segment");
  builder.set_metadata("memline.family", "yolo8-seg");
  builder.set_metadata("memline.input_width", std::to_string(form->width));
  builder.set_metadata("memline.input_height", std::to_string(form->height));
  builder.set_metadata("memline.classes", std::to_string(form->classes));
  MEML_TRY_STATUS(builder.set_outputs({masks[0], kept[1], kept[2], masks[1], masks[2], masks[3]},
                                      {"boxes", "scores", "classes", "mask_runs", "mask_first_run", "mask_truncated"}));
  return builder.finish();
}

}  // namespace memline::tasks
