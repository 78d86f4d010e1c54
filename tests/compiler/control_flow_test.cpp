// Control flow from ONNX to a running engine: what a branch computes, that the other one does not run, and that bad
// bodies are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/threads.h"
#include "choose/choose.h"
#include "compiler/assemble.h"
#include "engine/engine.h"
#include "onnx/import.h"
#include "passes/pipeline.h"
#include "runtime/session.h"
#include "support/lowered.h"
#include "support/npy.h"
#include "support/onnx_model.h"

namespace memline {
namespace {

namespace fs = std::filesystem;
using test::OnnxModel;
using test::OnnxNode;
using testing::HasSubstr;

const std::vector<int64_t> kOne = {1};

class MemorySink final : public engine::WeightSink {
 public:
  Status append(std::span<const std::byte> bytes) override {
    written_.insert(written_.end(), bytes.begin(), bytes.end());
    return {};
  }
  const std::vector<std::byte>& written() const { return written_; }

 private:
  std::vector<std::byte> written_;
};

// A graph behind all passes, planned for `line` bytes, ready to run.
class Running {
 public:
  Running(Graph graph, int64_t line) : pool_(*ThreadPool::create(0)) {
    const auto passes = passes::run(passes::default_pipeline(), graph);
    EXPECT_TRUE(passes.has_value()) << passes.error().message;
    const auto menu =
        std::make_shared<Menu>(lower(std::make_shared<const Graph>(std::move(graph)), test::avx2(), {}).value());
    EXPECT_TRUE(choose(*menu, {.tune = Tune::none}).has_value());
    const auto schedule = fit(menu, {.limit_bytes = line == 1 ? fit(menu, {.limit_bytes = 1}).error().least_bytes : 0});
    EXPECT_TRUE(schedule.has_value()) << schedule.error().message;
    MemorySink sink;
    EXPECT_TRUE(write_weights(*schedule, nullptr, sink).has_value());
    auto pages = std::make_shared<Pages>(*Pages::take(std::max<int64_t>(std::ssize(sink.written()), 1)));
    std::copy(sink.written().begin(), sink.written().end(), pages->bytes().begin());
    auto engine = std::make_shared<const engine::Engine>("cpu avx2", assemble(*schedule),
                                                         pages->bytes().first(sink.written().size()), pages);
    auto session = runtime::Session::create(std::move(engine), test::avx2(), *pool_, {});
    EXPECT_TRUE(session.has_value()) << (session ? "" : session.error().message);
    session_ = *std::move(session);
    profile_.resize(static_cast<size_t>(session_->step_count()));
  }

  // Outputs are valid until the next run.
  std::vector<TensorView> run(std::span<const TensorView> inputs) {
    std::vector<TensorView> outputs(session_->engine().program().outputs.size());
    const RunStatus status = session_->run(inputs, outputs, profile_);
    EXPECT_TRUE(status.ok()) << session_->explain(status);
    return outputs;
  }
  std::string why_not(std::span<const TensorView> inputs) {
    std::vector<TensorView> outputs(session_->engine().program().outputs.size());
    const RunStatus status = session_->run(inputs, outputs);
    return status.ok() ? "it ran" : session_->explain(status);
  }
  bool ran(std::string_view step) const {
    for (size_t i = 0; i < profile_.size(); ++i)
      if (session_->step(static_cast<int32_t>(i)).name == step) return profile_[i].nanoseconds > 0;
    ADD_FAILURE() << "no step '" << step << "'";
    return false;
  }
  const engine::Program& program() const { return session_->engine().program(); }

 private:
  std::shared_ptr<ThreadPool> pool_;
  std::unique_ptr<runtime::Session> session_;
  std::vector<runtime::StepTime> profile_;
};

Result<Graph> imported(const OnnxModel& model, const onnx::ImportOptions& options = {}) {
  const auto owner = std::make_shared<const std::string>(model.bytes());
  return onnx::import(std::as_bytes(std::span(*owner)), owner, options);
}

Running running(const OnnxModel& model, const onnx::ImportOptions& options = {}) {
  auto graph = imported(model, options);
  EXPECT_TRUE(graph.has_value()) << (graph ? "" : graph.error().message);
  return Running(*std::move(graph), 0);
}

std::string refusal(const OnnxModel& model, Code code) {
  const auto graph = imported(model);
  EXPECT_FALSE(graph.has_value());
  if (graph) return "it was taken";
  EXPECT_EQ(graph.error().code, code);
  return graph.error().message;
}

std::vector<std::string> names_in(std::string_view json, const std::string& key) {
  json.remove_prefix(json.find("\"" + key + "\""));
  json = json.substr(json.find('['));
  json = json.substr(0, json.find(']'));
  std::vector<std::string> names;
  for (size_t begin; (begin = json.find('"')) != std::string_view::npos;) {
    json.remove_prefix(begin + 1);
    names.emplace_back(json.substr(0, json.find('"')));
    json.remove_prefix(names.back().size() + 1);
  }
  return names;
}

std::vector<std::string> cases() {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(fs::path(MEMLINE_SOURCE_DIR) / "tests" / "cases_onnx"))
    for (const std::string_view prefix : {"if_", "loop_", "scan_"})
      if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path().filename());
  std::ranges::sort(found);
  return found;
}

class ControlFlowCase : public testing::TestWithParam<std::string> {};

// For the fastest schedule and for the leanest, twice: the second run finds what the first left behind.
TEST_P(ControlFlowCase, RunsAsTheStandardSays) {
  const fs::path folder = fs::path(MEMLINE_SOURCE_DIR) / "tests" / "cases_onnx" / GetParam();
  std::stringstream text;
  text << std::ifstream(folder / "case.json").rdbuf();
  const std::string json = text.str();
  onnx::ImportOptions options;
  std::vector<Constant> inputs;
  std::vector<TensorView> views;
  for (const std::string& name : names_in(json, "inputs")) {
    inputs.push_back(test::read_npy(folder / fmt::format("input_{}.npy", inputs.size())).value());
    views.push_back(inputs.back().view);
    options.shapes[name] =
        onnx::ShapeRange::fixed({views.back().dims.begin(), views.back().dims.begin() + views.back().rank});
  }
  for (const int64_t line : {0, 1}) {
    auto graph = onnx::import(folder / "model.onnx", options);
    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    Running engine(*std::move(graph), line);
    for (int run = 0; run < 2; ++run) {
      const std::vector<TensorView> outputs = engine.run(views);
      for (size_t i = 0; i < outputs.size(); ++i)
        test::expect_near(outputs[i], test::read_npy(folder / fmt::format("output_{}.npy", i)).value().view,
                          {.relative = 1e-5f, .absolute = 1e-6f}, fmt::format("line {}, output {}", line, i));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ControlFlowCase, testing::ValuesIn(cases()), [](const auto& info) { return info.param; });

std::string body(const OnnxNode& node, const std::string& output) {
  return OnnxModel().node(node).output(output).graph();
}

TEST(ControlFlow, OnlyTheBranchThatIsTakenRuns) {
  Running engine = running(OnnxModel(17)
                               .input("c", {"1"}, 9)
                               .input("x", {"2"})
                               .node(OnnxNode("If", {"c"}, {"y"})
                                         .graph("then_branch", body(OnnxNode("Sin", {"x"}, {"s"}, "sine"), "s"))
                                         .graph("else_branch", body(OnnxNode("Cos", {"x"}, {"t"}, "cosine"), "t")))
                               .output("y"));
  EXPECT_EQ(engine.program().blocks.size(), 3u);
  float x[] = {0, 0};
  bool c = true;
  const int64_t two[] = {2};
  const TensorView inputs[] = {dense_view(DType::boolean, &c, kOne), dense_view(DType::f32, x, two)};
  EXPECT_EQ(engine.run(inputs)[0].as<float>()[1], 0);
  EXPECT_TRUE(engine.ran("sine"));
  EXPECT_FALSE(engine.ran("cosine"));
  c = false;
  EXPECT_EQ(engine.run(inputs)[0].as<float>()[1], 1);
  EXPECT_FALSE(engine.ran("sine"));
  EXPECT_TRUE(engine.ran("cosine"));
}

// A Reshape that fits no odd length is no reason to refuse one where it is not done.
TEST(ControlFlow, WhatABranchDemandsCountsWhereItIsTaken) {
  const std::string pairs = OnnxModel()
                                .initializer(test::onnx_tensor("two", 7, {2}, test::raw_bytes<int64_t>({-1, 2})))
                                .node(OnnxNode("Reshape", {"x", "two"}, {"r"}))
                                .node(OnnxNode("ReduceSum", {"r"}, {"s"}).integer("keepdims", 0))
                                .output("s")
                                .graph();
  Running engine = running(
      OnnxModel(17)
          .input("c", {"1"}, 9)
          .input("x", {"n"})
          .node(OnnxNode("If", {"c"}, {"y"})
                    .graph("then_branch", pairs)
                    .graph("else_branch", body(OnnxNode("ReduceMax", {"x"}, {"m"}).integer("keepdims", 0), "m")))
          .output("y"),
      {.shapes = {{"x", {{1}, {4}, {8}}}}});
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8};
  bool c = false;
  const auto run_with = [&](bool taken, int64_t n) {
    c = taken;
    return std::vector<TensorView>{dense_view(DType::boolean, &c, kOne),
                                   dense_view(DType::f32, x.data(), std::vector<int64_t>{n})};
  };
  EXPECT_EQ(engine.run(run_with(false, 3))[0].as<float>()[0], 3);
  EXPECT_EQ(engine.run(run_with(true, 4))[0].as<float>()[0], 10);
  EXPECT_THAT(engine.why_not(run_with(true, 3)), HasSubstr("Reshape 'r'"));
  EXPECT_EQ(engine.run(run_with(false, 5))[0].as<float>()[0], 5);
}

OnnxModel with_branches(const std::string& when_true, const std::string& when_false) {
  return OnnxModel(17)
      .input("c", {"1"}, 9)
      .input("x", {"2"})
      .node(OnnxNode("If", {"c"}, {"y"}).graph("then_branch", when_true).graph("else_branch", when_false))
      .output("y");
}

TEST(ControlFlow, RefusesBodiesThatMakeNoSense) {
  const std::string good = body(OnnxNode("Neg", {"x"}, {"a"}), "a");
  EXPECT_THAT(
      refusal(with_branches(good, body(OnnxNode("Cast", {"x"}, {"a"}).integer("to", 7), "a")), Code::invalid_model),
      HasSubstr("If 'y': output 'y': its branches give f32[2] and i64[2]"));
  EXPECT_THAT(refusal(with_branches(good, body(OnnxNode("ReduceSum", {"x"}, {"a"}).integer("keepdims", 0), "a")),
                      Code::unsupported),
              HasSubstr("its branches give f32[2] and f32[]: results of different ranks"));
  EXPECT_THAT(
      refusal(with_branches(good, OnnxModel().node(OnnxNode("Neg", {"x"}, {"a"})).output("a").output("x").graph()),
              Code::invalid_model),
      HasSubstr("has 1 outputs, but its branch gives 2"));
  EXPECT_THAT(refusal(with_branches(good, body(OnnxNode("Neg", {"y"}, {"a"}), "a")), Code::invalid_model),
              HasSubstr("it reads 'y' before the node that makes it"));
  EXPECT_THAT(refusal(with_branches(good, body(OnnxNode("Neg", {"x"}, {"a"}), "b")), Code::invalid_model),
              HasSubstr("its output 'b' is made by nothing"));
  EXPECT_THAT(refusal(with_branches(good, body(OnnxNode("SequenceEmpty", {}, {"a"}), "a")), Code::unsupported),
              HasSubstr("there is no operator SequenceEmpty"));
  EXPECT_THAT(refusal(OnnxModel(17)
                          .input("c", {"2"}, 9)
                          .input("x", {"2"})
                          .node(OnnxNode("If", {"c"}, {"y"}).graph("then_branch", good).graph("else_branch", good))
                          .output("y"),
                      Code::invalid_model),
              HasSubstr("its condition is bool[2], needs one bool"));
}

TEST(ControlFlow, RefusesBranchesThatNestTooDeep) {
  const std::string good = body(OnnxNode("Neg", {"x"}, {"a"}), "a");
  std::string nested = good;
  for (int i = 0; i < 33; ++i)
    nested = body(OnnxNode("If", {"c"}, {"a"}).graph("then_branch", nested).graph("else_branch", good), "a");
  EXPECT_THAT(refusal(with_branches(nested, good), Code::unsupported), HasSubstr("nested deeper than 32"));
}

}  // namespace
}  // namespace memline
