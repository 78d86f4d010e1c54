// Whole models against what onnxruntime answered (scripts/make_golden.py), and the promise that a run takes no memory.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/process.h"
#include "model/built_engine.h"
#include "model/counted_malloc.h"
#include "support/npy.h"

namespace memline {
namespace {

struct Model {
  std::string name, file, input, shape;
  int64_t line = 0;
};

// 99.9 % of the elements within 1e-4 of the range of the values, none beyond 1e-3.
void expect_close(const TensorRef& found, const TensorView& expected, const std::string& name) {
  ASSERT_EQ(found.rank, expected.rank) << name;
  for (int axis = 0; axis < expected.rank; ++axis)
    ASSERT_EQ(found.dims[static_cast<size_t>(axis)], expected.dim(axis)) << name;
  const int64_t n = expected.elements();
  const auto *a = static_cast<const float*>(found.data), *e = expected.as<const float>();
  const auto [least, most] = std::minmax_element(e, e + n);
  const double range = static_cast<double>(*most) - static_cast<double>(*least);
  int64_t beyond_fine = 0;
  double worst = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double off =
        std::isfinite(a[i]) ? std::abs(static_cast<double>(a[i]) - static_cast<double>(e[i])) / range : HUGE_VAL;
    worst = std::max(worst, off);
    beyond_fine += off > 1e-4;
  }
  EXPECT_LE(worst, 1e-3) << name << ", of a range of " << range;
  EXPECT_LE(beyond_fine, n / 1000) << name << ", of " << n << " elements";
}

class Golden : public testing::TestWithParam<Model> {
 protected:
  void SetUp() override {
    const Model& model = GetParam();
    const std::string path = test::model_path(model.file);
    golden_ = test::model_path("generated/golden/" + model.name);
    if (!std::filesystem::exists(path) || !std::filesystem::exists(golden_ + "/made-with.txt"))
      GTEST_SKIP() << model.name << ": no model or no stored outputs here: run scripts/make_golden.py " << model.name;
    tools::BuildOptions options = test::fixed_shape(model.input, model.shape);
    options.memory_bytes = model.line;
    built_ = std::make_unique<test::BuiltEngine>(path, options);
    auto engine = Engine::load(built_->path());
    ASSERT_TRUE(engine.has_value()) << engine.error().message;
    engine_ = *std::move(engine);
    auto session = engine_->make_session();
    ASSERT_TRUE(session.has_value()) << session.error().message;
    session_.emplace(*std::move(session));
    auto input = test::read_npy(golden_ + "/inputs/" + model.input + ".npy");
    ASSERT_TRUE(input.has_value()) << input.error().message;
    input_ = *std::move(input);
  }

  // The input goes into the session's own memory, where a run may write over it.
  bool run(std::vector<TensorRef>& outputs) {
    auto own = session_->own_input(0, engine_->inputs()[0].opt_dims);
    if (!own) return false;
    std::memcpy(own->data, input_.view.data, static_cast<size_t>(input_.view.elements()) * sizeof(float));
    std::fill(outputs.begin(), outputs.end(), TensorRef());
    return session_->run({&*own, 1}, outputs).has_value();
  }

  std::string golden_;
  std::unique_ptr<test::BuiltEngine> built_;
  std::optional<Engine> engine_;
  std::optional<Session> session_;
  Constant input_;
};

TEST_P(Golden, AnswersAsTheStoredOutputs) {
  std::vector<TensorRef> outputs(engine_->outputs().size());
  for (int i = 0; i < 2; ++i) {  // the second run finds what the first left behind
    ASSERT_TRUE(run(outputs));
    for (size_t o = 0; o < outputs.size(); ++o) {
      const std::string& name = engine_->outputs()[o].name;
      const auto expected = test::read_npy(golden_ + "/outputs/" + name + ".npy");
      ASSERT_TRUE(expected.has_value()) << expected.error().message;
      expect_close(outputs[o], expected->view, name);
    }
  }
}

TEST_P(Golden, TheBillIsBelowTheLineAndItsEntriesAddUp) {
  const MemoryBill bill = engine_->bill();
  EXPECT_EQ(bill.limit_bytes, GetParam().line);
  EXPECT_TRUE(bill.limit_bytes == 0 || bill.total_bytes <= bill.limit_bytes) << bill.total_bytes;
  int64_t sum = 0;
  for (const BillEntry& entry : bill.entries) sum += entry.bytes;
  EXPECT_EQ(sum, bill.total_bytes);
}

TEST_P(Golden, TwentyRunsTakeNothingAndTouchNoNewPage) {
  if (test::allocator_calls() < 0) GTEST_SKIP() << "a sanitizer owns malloc here";
  const auto meter = MemoryMeter::open();
  ASSERT_TRUE(meter.has_value());
  ASSERT_GT(test::allocator_calls(), 0) << "the counter does not count";
  std::vector<TensorRef> outputs(engine_->outputs().size());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run(outputs));
  MemoryReading before, after;
  meter->read(before);
  const int64_t calls = test::allocator_calls();
  bool all_ran = true;
  for (int i = 0; i < 20; ++i) all_ran &= run(outputs);
  const int64_t calls_after = test::allocator_calls();
  meter->read(after);
  EXPECT_TRUE(all_ran);
  EXPECT_EQ(calls_after - calls, 0);
  if (after.reclaimed_pages == before.reclaimed_pages) {
    EXPECT_EQ(after.resident_bytes - before.resident_bytes, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Golden,
    testing::Values(Model{"person-seg", "person-seg/person-seg.onnx", "images", "1x3x640x640", int64_t{36} << 20},
                    Model{"tv_mobilenet_v3_large", "generated/tv_mobilenet_v3_large.onnx", "input", "1x3x224x224"},
                    Model{"tv_resnet50", "generated/tv_resnet50.onnx", "input", "1x3x224x224"}),
    [](const auto& model) {
      std::string name = model.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace memline
