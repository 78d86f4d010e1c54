// tests/cases_onnx: small models with answers computed from the standard's text. Each is imported at the shapes of its
// input files and evaluated on the references, as it is and behind the whole pipeline.
#include <gmock/gmock.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "graph/evaluate.h"
#include "onnx/import.h"
#include "passes/pipeline.h"
#include "support/graph_check.h"
#include "support/npy.h"

namespace memline {
namespace {

namespace fs = std::filesystem;

struct Case {
  fs::path folder;
  std::vector<std::string> inputs, outputs;
  bool refuse = false;
  test::Tolerance tolerance;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.folder.filename().string(); }

// case.json has one level and no escapes: what stands behind "key":
std::string_view json_value(std::string_view json, const std::string& key) {
  const std::string quoted = "\"" + key + "\":";
  const size_t at = json.find(quoted);
  return at == std::string_view::npos ? std::string_view() : json.substr(at + quoted.size());
}
std::vector<std::string> json_strings(std::string_view json, const std::string& key) {
  std::string_view list = json_value(json, key);
  list = list.substr(0, list.find(']'));
  std::vector<std::string> strings;
  for (;;) {
    const size_t begin = list.find('"');
    if (begin == std::string_view::npos) return strings;
    list.remove_prefix(begin + 1);
    strings.emplace_back(list.substr(0, list.find('"')));
    list.remove_prefix(strings.back().size() + 1);
  }
}
float json_number(std::string_view json, const std::string& key) {
  return std::stof(std::string(json_value(json, key).substr(0, 24)));
}

Case read_case(const fs::path& folder) {
  std::stringstream text;
  text << std::ifstream(folder / "case.json").rdbuf();
  const std::string json = text.str();
  return {.folder = folder,
          .inputs = json_strings(json, "inputs"),
          .outputs = json_strings(json, "outputs"),
          .refuse = json.find("\"expect\": \"refuse\"") != std::string::npos,
          .tolerance = {json_number(json, "rtol"), json_number(json, "atol")}};
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& entry : fs::directory_iterator(fs::path(MEMLINE_SOURCE_DIR) / "tests" / "cases_onnx"))
    if (entry.is_directory()) cases.push_back(read_case(entry.path()));
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.folder < b.folder; });
  return cases;
}

Constant read(const fs::path& path) {
  auto constant = test::read_npy(path.string());
  EXPECT_TRUE(constant.has_value()) << (constant ? "" : constant.error().message);
  return constant ? *std::move(constant) : Constant();
}

std::vector<Constant> read_inputs(const Case& c) {
  std::vector<Constant> inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i)
    inputs.push_back(read(c.folder / ("input_" + std::to_string(i) + ".npy")));
  return inputs;
}

Result<Graph> import_at(const Case& c, const std::vector<Constant>& inputs) {
  onnx::ImportOptions options;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorView& view = inputs[i].view;
    options.shapes[c.inputs[i]] = onnx::ShapeRange::fixed({view.dims.begin(), view.dims.begin() + view.rank});
  }
  return onnx::import((c.folder / "model.onnx").string(), options);
}

void expect_outputs(const Case& c, const Graph& graph, const std::vector<Constant>& inputs, const std::string& when) {
  std::vector<TensorView> views;
  for (const ValueId id : graph.inputs()) {
    const auto named = std::find(c.inputs.begin(), c.inputs.end(), graph.value(id).name);
    ASSERT_NE(named, c.inputs.end()) << graph.value(id).name;
    views.push_back(inputs[static_cast<size_t>(named - c.inputs.begin())].view);
  }
  const auto found = evaluate(graph, views);
  ASSERT_TRUE(found.has_value()) << when << ": " << found.error().message;
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    const auto& names = graph.output_names();
    const auto named = std::find(names.begin(), names.end(), c.outputs[i]);
    ASSERT_NE(named, names.end()) << c.outputs[i];
    const Constant expected = read(c.folder / ("output_" + std::to_string(i) + ".npy"));
    test::expect_near((*found)[static_cast<size_t>(named - names.begin())].view, expected.view, c.tolerance,
                      when + ": " + c.outputs[i]);
  }
}

class OnnxCase : public testing::TestWithParam<Case> {};

TEST_P(OnnxCase, GivesTheStandardsAnswerBeforeAndBehindThePasses) {
  const Case& c = GetParam();
  const std::vector<Constant> inputs = read_inputs(c);
  auto graph = import_at(c, inputs);
  if (c.refuse) {
    // A value too large for any machine is the planner's to refuse; importing it must cost nothing.
    if (c.folder.filename() == "asks_for_terabytes") {
      ASSERT_TRUE(graph.has_value()) << graph.error().message;
      std::vector<TensorView> views{inputs[0].view};
      const auto outputs = evaluate(*graph, views);
      ASSERT_FALSE(outputs.has_value());
      EXPECT_EQ(outputs.error().code, Code::over_budget);
      EXPECT_THAT(outputs.error().message, testing::HasSubstr("'big'"));
      return;
    }
    ASSERT_FALSE(graph.has_value());
    EXPECT_EQ(graph.error().code, Code::invalid_model);
    EXPECT_THAT(graph.error().message, testing::HasSubstr("leaves the model's folder"));
    return;
  }
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  expect_outputs(c, *graph, inputs, "as imported");
  const auto passes = passes::run(passes::default_pipeline(), *graph);
  ASSERT_TRUE(passes.has_value()) << passes.error().message;
  expect_outputs(c, *graph, inputs, "behind the passes");
}

INSTANTIATE_TEST_SUITE_P(All, OnnxCase, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.folder.filename().string(); });

}  // namespace
}  // namespace memline
