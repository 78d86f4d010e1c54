// One engine for many shapes: person-seg, whose batch, height and width are open.
#include <algorithm>
#include <cstring>
#include <random>

#include "base/process.h"
#include "model/built_engine.h"
#include "model/counted_malloc.h"

namespace memline {
namespace {

constexpr const char* kModel = "person-seg/person-seg.onnx";
constexpr const char* kRange = "1x3x256x256:1x3x320x320:8x3x512x512";

using Dims = std::vector<int64_t>;
using Bytes = std::vector<std::byte>;

class Running {
 public:
  Running(const std::string& shape, int threads) : built_(test::model_path(kModel), options(shape, threads)) {
    auto engine = Engine::load(built_.path());
    EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().message);
    engine_ = *std::move(engine);
    auto session = engine_->make_session();
    EXPECT_TRUE(session.has_value()) << (session ? "" : session.error().message);
    session_.emplace(*std::move(session));
    outputs_.resize(engine_->outputs().size());
  }

  Status run(const Dims& dims, const float* values) {
    auto input = session_->own_input(0, dims);
    if (!input) return Failure(std::move(input).error());
    int64_t elements = 1;
    for (const int64_t dim : dims) elements *= dim;
    std::memcpy(input->data, values, static_cast<size_t>(elements) * sizeof(float));
    std::fill(outputs_.begin(), outputs_.end(), TensorRef());
    return session_->run({&*input, 1}, outputs_);
  }

  // What output `index` has for picture `picture` of the last run's batch.
  Bytes picture(size_t index, int64_t picture) const {
    const TensorRef& output = outputs_[index];
    int64_t bytes = sizeof(float);
    for (int axis = 1; axis < output.rank; ++axis) bytes *= output.dims[static_cast<size_t>(axis)];
    const auto* begin = static_cast<const std::byte*>(output.data) + picture * bytes;
    return {begin, begin + bytes};
  }
  std::vector<Bytes> pictures(int64_t picture) const {
    std::vector<Bytes> all;
    for (size_t i = 0; i < outputs_.size(); ++i) all.push_back(this->picture(i, picture));
    return all;
  }
  const std::string& path() const { return built_.path(); }
  const Engine& engine() const { return *engine_; }

 private:
  static tools::BuildOptions options(const std::string& shape, int threads) {
    tools::BuildOptions options = test::fixed_shape("images", shape);
    options.threads = threads;
    return options;
  }

  test::BuiltEngine built_;
  std::optional<Engine> engine_;
  std::optional<Session> session_;
  std::vector<TensorRef> outputs_;
};

std::vector<float> pixels(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  std::mt19937 random(7);
  for (float& value : values) value = static_cast<float>(random() % 256) / 255;
  return values;
}

TEST(DynamicShapes, TheSamePictureGivesTheSameBytesInAnyBatchWithAnyThreadsAndInAFixedEngine) {
  constexpr int64_t kHeight = 352, kWidth = 256, kPicture = 3 * kHeight * kWidth;
  const std::vector<float> batch = pixels(8 * kPicture);
  std::vector<Bytes> alone;
  {
    Running dynamic(kRange, 2);
    ASSERT_TRUE(dynamic.run({8, 3, kHeight, kWidth}, batch.data()).has_value());
    const std::vector<Bytes> among = dynamic.pictures(3);
    ASSERT_TRUE(dynamic.run({1, 3, kHeight, kWidth}, batch.data() + 3 * kPicture).has_value());
    alone = dynamic.pictures(0);
    EXPECT_TRUE(alone == among);
  }
  {
    Running one_thread(kRange, 1);
    ASSERT_TRUE(one_thread.run({1, 3, kHeight, kWidth}, batch.data() + 3 * kPicture).has_value());
    EXPECT_TRUE(one_thread.pictures(0) == alone);
  }
  Running fixed(fmt::format("1x3x{}x{}", kHeight, kWidth), 2);
  ASSERT_TRUE(fixed.run({1, 3, kHeight, kWidth}, batch.data() + 3 * kPicture).has_value());
  EXPECT_TRUE(fixed.pictures(0) == alone);
}

TEST(DynamicShapes, ARunAtAnyShapeTakesNothingAndTouchesNoNewPage) {
  if (test::allocator_calls() < 0) GTEST_SKIP() << "a sanitizer owns malloc here";
  const auto meter = MemoryMeter::open();
  ASSERT_TRUE(meter.has_value());
  const std::vector<float> values = pixels(8 * 3 * 512 * 512);
  const std::vector<Dims> shapes = {{1, 3, 256, 256}, {2, 3, 320, 512}, {8, 3, 512, 512}, {3, 3, 288, 416},
                                    {8, 3, 256, 256}, {1, 3, 512, 256}, {5, 3, 480, 352}};
  Running dynamic(kRange, 0);
  ASSERT_TRUE(dynamic.run({1, 3, 320, 320}, values.data()).has_value());
  MemoryReading before, after;
  meter->read(before);
  const int64_t calls = test::allocator_calls();
  bool all_ran = true;
  for (const Dims& dims : shapes) all_ran &= dynamic.run(dims, values.data()).has_value();
  const int64_t calls_after = test::allocator_calls();
  meter->read(after);
  EXPECT_TRUE(all_ran);
  EXPECT_EQ(calls_after - calls, 0);
  if (after.reclaimed_pages == before.reclaimed_pages) {
    EXPECT_EQ(after.resident_bytes - before.resident_bytes, 0);
    EXPECT_EQ(after.minor_faults - before.minor_faults, 0);
  }
}

TEST(DynamicShapes, NoStepIsLeftThatComputesShapes) {
  const Running dynamic(kRange, 1);
  const auto inspected = tools::inspect(dynamic.engine());
  ASSERT_TRUE(inspected.has_value()) << inspected.error().message;
  ASSERT_FALSE(inspected->steps.empty());
  for (const tools::StepReport& step : inspected->steps)
    for (const char* op : {"Shape", "Size", "Gather", "Unsqueeze", "memline.Extents", ""})
      EXPECT_NE(step.op, op) << step.name;
}

TEST(DynamicShapes, AShapeOutsideTheRangeIsRefusedAndTheNextRuns) {
  const std::vector<float> values = pixels(3 * 512 * 512);
  Running dynamic(kRange, 1);
  EXPECT_FALSE(dynamic.run({1, 3, 544, 256}, values.data()).has_value());
  EXPECT_FALSE(dynamic.run({0, 3, 256, 256}, values.data()).has_value());
  // In range, but the network halves it five times and adds what it doubled again.
  const Status refused = dynamic.run({1, 3, 300, 256}, values.data());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::invalid_argument);
  EXPECT_NE(refused.error().message.find("the nearest shape that works"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(dynamic.run({1, 3, 320, 256}, values.data()).has_value());
}

}  // namespace
}  // namespace memline
