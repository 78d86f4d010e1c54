#include "onnx/import.h"

#include <gmock/gmock.h>

#include "graph/text.h"
#include "support/graph_check.h"
#include "support/onnx_model.h"

namespace memline {
namespace {

using onnx::ImportOptions;
using onnx::ShapeRange;
using test::onnx_tensor;
using test::OnnxModel;
using test::OnnxNode;
using test::op_names;
using test::raw_bytes;
using testing::AllOf;
using testing::HasSubstr;

// The bytes stay alive with the graph.
Result<Graph> import_bytes(const std::string& bytes, const ImportOptions& options = {}) {
  const auto owner = std::make_shared<const std::string>(bytes);
  return onnx::import(std::as_bytes(std::span<const char>(*owner)), owner, options);
}
Result<Graph> import_model(const OnnxModel& model, const ImportOptions& options = {}) {
  return import_bytes(model.bytes(), options);
}

Graph imported(const OnnxModel& model, const ImportOptions& options = {}) {
  auto graph = import_model(model, options);
  EXPECT_TRUE(graph.has_value()) << (graph ? "" : graph.error().message);
  return graph ? *std::move(graph) : Graph();
}
std::string refusal(const OnnxModel& model, Code code, const ImportOptions& options = {}) {
  const auto graph = import_model(model, options);
  if (graph) return "was imported";
  EXPECT_EQ(graph.error().code, code) << graph.error().message;
  return graph.error().message;
}

OnnxModel conv_model() {
  return OnnxModel()
      .input("x", {"1", "1", "4", "4"})
      .initializer(onnx_tensor("w", 1, {1, 1, 2, 2}, raw_bytes<float>({1, 2, 3, 4})))
      .node(OnnxNode("Conv", {"x", "w"}, {"c"}, "conv").ints("strides", {2, 2}))
      .node(OnnxNode("Relu", {"c"}, {"y"}))
      .output("y")
      .metadata("author", "us");
}

TEST(Import, ReadsNodesAttributesWeightsAndMetadata) {
  const Graph graph = imported(conv_model());
  EXPECT_EQ(op_names(graph), "Input Conv Relu Output");
  EXPECT_EQ(graph.node(0).name, "conv");
  EXPECT_EQ(graph.node(0).attrs.text(), "strides=[2,2]");
  EXPECT_EQ(graph.value(graph.outputs()[0]).type.text(), "f32[1,1,2,2]");
  EXPECT_EQ(graph.output_names()[0], "y");
  EXPECT_EQ(graph.metadata().at("author"), "us");
  const TensorView& weights = graph.value(graph.node(0).inputs[1]).constant->view;
  EXPECT_EQ(std::vector<float>(weights.as<float>(), weights.as<float>() + 4), (std::vector<float>{1, 2, 3, 4}));
}

TEST(Import, PointsIntoTheFileOrCopiesByAlignment) {
  const std::string model = conv_model().bytes();
  const std::string raw = raw_bytes<float>({1, 2, 3, 4});
  for (size_t shift = 0; shift < 4; ++shift) {
    const auto owner = std::make_shared<const std::string>(std::string(shift, ' ') + model);
    const auto bytes = std::as_bytes(std::span<const char>(*owner)).subspan(shift);
    const auto graph = onnx::import(bytes, owner, {});
    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    const auto* data = graph->value(graph->node(0).inputs[1]).constant->view.as<char>();
    const auto* in_file = owner->data() + owner->find(raw);
    EXPECT_EQ(data == in_file, reinterpret_cast<uintptr_t>(in_file) % 4 == 0);
    EXPECT_EQ(std::string(data, raw.size()), raw);
  }
}

TEST(Import, ReadsValuesFromTypedFields) {
  std::string floats, halves, integers;
  protozero::pbf_writer float_writer(floats);
  float_writer.add_int64(1, 2);
  float_writer.add_int32(2, 1);
  float_writer.add_string(8, "f");
  const std::vector<float> values{1.5f, -2};
  float_writer.add_packed_float(4, values.begin(), values.end());
  protozero::pbf_writer half_writer(halves);
  half_writer.add_int64(1, 2);
  half_writer.add_int32(2, 10);
  half_writer.add_string(8, "h");
  half_writer.add_int32(5, 0x3c00);
  half_writer.add_int32(5, 0xc000);
  protozero::pbf_writer int_writer(integers);
  int_writer.add_int64(1, 2);
  int_writer.add_int32(2, 6);
  int_writer.add_string(8, "i");
  int_writer.add_int32(5, -7);
  int_writer.add_int32(5, 9);
  const Graph graph = imported(
      OnnxModel().initializer(floats).initializer(halves).initializer(integers).output("f").output("h", 10).output("i",
                                                                                                                   6));
  EXPECT_THAT(print(graph),
              AllOf(HasSubstr("f = Constant() f32[2] {1.5, -2}"), HasSubstr("h = Constant() f16[2] {1, -2}"),
                    HasSubstr("i = Constant() i32[2] {-7, 9}")));
}

TEST(Import, TurnsConstantNodesAndInitialisedInputsIntoConstants) {
  const Graph graph = imported(
      OnnxModel()
          .input("x", {"2"})
          .input("k", {"2"})
          .initializer(onnx_tensor("k", 1, {2}, raw_bytes<float>({1, 2})))
          .node(OnnxNode("Constant", {}, {"c"}).tensor("value", onnx_tensor("", 1, {2}, raw_bytes<float>({3, 4}))))
          .node(OnnxNode("Add", {"x", "k"}, {"s"}))
          .node(OnnxNode("Add", {"s", "c"}, {"y"}))
          .output("y"));
  EXPECT_EQ(op_names(graph), "Input Add Add Output");
  EXPECT_TRUE(graph.is_constant(graph.node(0).inputs[1]));
  EXPECT_TRUE(graph.is_constant(graph.node(1).inputs[1]));
}

OnnxModel two_inputs() {
  return OnnxModel()
      .input("a", {"N", "3", "H"})
      .input("b", {"N", "3", "?"})
      .node(OnnxNode("Concat", {"a", "b"}, {"y"}).integer("axis", 2))
      .output("y");
}

TEST(Import, AsksForShapesThatAreLeftOpen) {
  const std::string message = refusal(two_inputs(), Code::invalid_argument);
  EXPECT_THAT(message,
              AllOf(HasSubstr("input 'a' [N,3,H]"), HasSubstr("input 'b' [N,3,?]"), HasSubstr("--shape a=1x3x640")));
}

TEST(Import, TakesMinusOneAndAQuestionMarkForOpenDimensions) {
  const Graph graph =
      imported(OnnxModel().input("x", {"-1", "3", "?", "?"}).node(OnnxNode("Relu", {"x"}, {"y"})).output("y"),
               {.shapes = {{"x", {{1, 3, 8, 5}, {2, 3, 16, 20}, {4, 3, 16, 40}}}}});
  EXPECT_EQ(graph.value(graph.outputs()[0]).type.text(), "f32[s0,3,s1,s2]");
}

TEST(Import, SharesASlotBetweenDimensionsOfOneName) {
  const Graph graph = imported(
      two_inputs(), {.shapes = {{"a", {{1, 3, 8}, {2, 3, 16}, {4, 3, 32}}}, {"b", {{1, 3, 5}, {2, 3, 5}, {4, 3, 5}}}}});
  ASSERT_EQ(graph.slots().size(), 2u);
  EXPECT_EQ(graph.slots()[0].name, "a.N");
  EXPECT_EQ(graph.slots()[0].range, (Interval{1, 4}));
  EXPECT_EQ(graph.slots()[1].opt, 16);
  EXPECT_EQ(graph.value(graph.outputs()[0]).type.text(), "f32[s0,3,s1+5]");
}

TEST(Import, TakesANameBoundByAnotherInput) {
  const Graph graph = imported(
      OnnxModel().input("a", {"N", "3"}).input("b", {"N", "3"}).node(OnnxNode("Add", {"a", "b"}, {"y"})).output("y"),
      {.shapes = {{"a", ShapeRange::fixed({7, 3})}}});
  EXPECT_EQ(graph.value(graph.outputs()[0]).type.text(), "f32[7,3]");
}

TEST(Import, RefusesShapesAgainstTheModel) {
  const auto with = [](const std::string& name, ShapeRange shape) {
    return refusal(two_inputs(), Code::invalid_argument,
                   {.shapes = {{"b", ShapeRange::fixed({2, 3, 5})}, {name, std::move(shape)}}});
  };
  EXPECT_THAT(with("a", ShapeRange::fixed({2, 4, 8})), HasSubstr("dimension 1 is 3 in the model, but 4 was given"));
  EXPECT_THAT(with("a", ShapeRange::fixed({3, 3, 8})), HasSubstr("'N'"));
  EXPECT_THAT(with("a", ShapeRange::fixed({2, 3})), HasSubstr("2 dimensions were given"));
  EXPECT_THAT(with("a", {{2, 3, 8}, {2, 3, 4}, {2, 3, 16}}), HasSubstr("min <= opt <= max"));
  EXPECT_THAT(with("c", ShapeRange::fixed({2, 3})), AllOf(HasSubstr("no input 'c'"), HasSubstr("'a', 'b'")));
}

TEST(Import, FollowsShapeArithmeticThroughADynamicModel) {
  // y = Reshape(x, Concat(Shape(x)[0:1], [-1]))
  const Graph graph = imported(OnnxModel()
                                   .input("x", {"N", "3", "4"})
                                   .initializer(onnx_tensor("zero", 7, {1}, raw_bytes<int64_t>({0})))
                                   .initializer(onnx_tensor("rest", 7, {1}, raw_bytes<int64_t>({-1})))
                                   .node(OnnxNode("Shape", {"x"}, {"s"}))
                                   .node(OnnxNode("Gather", {"s", "zero"}, {"n"}).integer("axis", 0))
                                   .node(OnnxNode("Concat", {"n", "rest"}, {"t"}).integer("axis", 0))
                                   .node(OnnxNode("Reshape", {"x", "t"}, {"y"}))
                                   .output("y"),
                               {.shapes = {{"x", {{1, 3, 4}, {2, 3, 4}, {8, 3, 4}}}}});
  EXPECT_EQ(graph.value(graph.outputs()[0]).type.text(), "f32[s0,12]");
}

TEST(Import, TakesTheBranchOfAnIfThatIsKnown) {
  const auto branch = [](const std::string& op) {
    return OnnxModel().node(OnnxNode(op, {"x"}, {"inner"})).output("inner").graph();
  };
  for (const bool taken : {true, false}) {
    const auto with_if = [&](const std::string& condition) {
      return OnnxModel()
          .input("x", {"2"})
          .input("open", {"1"}, 9)
          .initializer(onnx_tensor("known", 9, {}, std::string(1, taken ? '\1' : '\0')))
          .node(OnnxNode("If", {condition}, {"a"})
                    .graph("then_branch", branch("Relu"))
                    .graph("else_branch", branch("Tanh")))
          .node(OnnxNode("If", {condition}, {"b"})
                    .graph("then_branch", branch("Abs"))
                    .graph("else_branch", branch("Neg")))
          .output("a")
          .output("b");
    };
    EXPECT_EQ(op_names(imported(with_if("known"))),
              taken ? "Input Input Relu Abs Output Output" : "Input Input Tanh Neg Output Output");
    EXPECT_EQ(op_names(imported(with_if("open"))),
              "Input Input Measure Relu Tanh Select Measure Abs Neg Select Output Output");
  }
}

TEST(Import, NamesWhatItDoesNotSupport) {
  const auto one_node = [](const OnnxNode& node, int64_t opset = 13) {
    return OnnxModel(opset).input("x", {"2"}).node(node).output("y");
  };
  EXPECT_THAT(refusal(one_node(OnnxNode("Frobnicate", {"x"}, {"y"}, "f1")), Code::unsupported),
              AllOf(HasSubstr("Frobnicate 'f1'"), HasSubstr("ai.onnx"), HasSubstr("opset 13")));
  EXPECT_THAT(refusal(one_node(OnnxNode("Relu", {"x"}, {"y"}).domain("acme")).import_domain("acme"), Code::unsupported),
              HasSubstr("'acme'"));
  EXPECT_THAT(
      refusal(one_node(OnnxNode("Silu", {"x"}, {"y"}).domain("memline")).import_domain("memline"), Code::unsupported),
      HasSubstr("'memline'"));
  EXPECT_THAT(refusal(one_node(OnnxNode("Relu", {"x"}, {"y"}).domain("acme")), Code::invalid_model),
              HasSubstr("imports no opset"));
  EXPECT_THAT(refusal(one_node(OnnxNode("F", {"x"}, {"y"}).domain("acme")).function("acme", "F"), Code::unsupported),
              HasSubstr("function acme.F"));
  EXPECT_THAT(refusal(one_node(OnnxNode("Relu", {"x"}, {"y"}), 6), Code::unsupported), HasSubstr("opset 6"));
  EXPECT_THAT(refusal(one_node(OnnxNode("Relu", {"x"}, {"y"}), 99), Code::unsupported), HasSubstr("opset 99"));
  EXPECT_THAT(refusal(one_node(OnnxNode("HardSwish", {"x"}, {"y"})), Code::unsupported), HasSubstr("from opset 14"));
  EXPECT_THAT(refusal(OnnxModel(13, 99).input("x", {"2"}).output("x"), Code::unsupported), HasSubstr("IR version 99"));
  EXPECT_THAT(refusal(OnnxModel().input("x", {"2"}, 8).output("x", 8), Code::unsupported), HasSubstr("string"));
}

TEST(Import, NamesWhatIsWrongWithTheGraph) {
  const auto model = [] { return OnnxModel().input("x", {"2"}); };
  EXPECT_THAT(refusal(model().node(OnnxNode("Relu", {"z"}, {"y"}, "r")).output("y"), Code::invalid_model),
              AllOf(HasSubstr("Relu 'r'"), HasSubstr("'z', which nothing in the model makes")));
  EXPECT_THAT(refusal(model().node(OnnxNode("Add", {"x", "b"}, {"a"})).node(OnnxNode("Relu", {"a"}, {"b"})).output("b"),
                      Code::invalid_model),
              AllOf(HasSubstr("Add 'a'"), HasSubstr("topological order")));
  EXPECT_THAT(refusal(model().node(OnnxNode("Relu", {"x"}, {"x"})).output("x"), Code::invalid_model),
              HasSubstr("'x' is defined twice"));
  EXPECT_THAT(refusal(model().output("y"), Code::invalid_model), HasSubstr("output 'y'"));
  EXPECT_THAT(refusal(model(), Code::invalid_model), HasSubstr("no outputs"));
  EXPECT_THAT(refusal(model().input("x", {"2"}).output("x"), Code::invalid_model), HasSubstr("listed twice"));
  EXPECT_THAT(refusal(model().node(OnnxNode("Relu", {"x"}, {"y"})).output("y", 7), Code::invalid_model),
              AllOf(HasSubstr("declared as i64"), HasSubstr("is f32")));
  EXPECT_THAT(refusal(OnnxModel().input("x", {"-2"}).output("x"), Code::invalid_model), HasSubstr("negative"));
  EXPECT_THAT(refusal(model().node(OnnxNode("LeakyRelu", {"x"}, {"y"}, "l").integer("alpha", 1)).output("y"),
                      Code::invalid_model),
              AllOf(HasSubstr("LeakyRelu 'l'"), HasSubstr("'alpha' is an int, needs a float")));
}

TEST(Import, ComparesTheBytesOfATensorWithItsDims) {
  const auto with = [](const std::vector<int64_t>& dims, const std::string& raw) {
    return refusal(OnnxModel().initializer(onnx_tensor("w", 1, dims, raw)).output("w"), Code::invalid_model);
  };
  EXPECT_THAT(with({2}, "1234567"), HasSubstr("tensor 'w': it needs 8 bytes, but holds 7"));
  EXPECT_THAT(with({-2}, ""), HasSubstr("dimension -2"));
  EXPECT_THAT(with({int64_t{1} << 40, int64_t{1} << 40}, "1234"), HasSubstr("holds 4"));
  std::string typed;
  protozero::pbf_writer writer(typed);
  writer.add_int64(1, int64_t{1} << 40);
  writer.add_int32(2, 1);
  writer.add_string(8, "w");
  writer.add_float(4, 1);
  EXPECT_THAT(refusal(OnnxModel().initializer(typed).output("w"), Code::invalid_model), HasSubstr("holds at most"));
}

TEST(Import, RefusesEveryTruncatedFile) {
  const std::string bytes = conv_model().bytes();
  size_t whole = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto graph = import_bytes(bytes.substr(0, size));
    // Without its last message, the metadata, it is a smaller model and a right one.
    whole += graph.has_value() ? 1 : 0;
    if (graph) continue;
    EXPECT_NE(graph.error().code, Code::internal) << size << ": " << graph.error().message;
  }
  EXPECT_LE(whole, 1u);
}

TEST(Import, SurvivesEveryFlippedByte) {
  const std::string bytes = conv_model().bytes();
  for (size_t at = 0; at < bytes.size(); ++at)
    for (const char flip : {'\x01', '\x80', '\x7f', '\xff'}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const auto graph = import_bytes(damaged);
      if (graph) continue;
      EXPECT_NE(graph.error().code, Code::internal) << at << ": " << graph.error().message;
    }
}

}  // namespace
}  // namespace memline
