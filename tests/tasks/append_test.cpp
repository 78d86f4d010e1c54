// Which models a task takes, and what it makes of them.
#include "tasks/append.h"

#include <gmock/gmock.h>

#include "tasks/run_text.h"

namespace memline::tasks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The interface of a YOLOv8-seg export for pictures of 64 x 32: 4 + 2 + 8 rows, 128 anchors, 8 prototypes.
constexpr std::string_view kSegmenter = R"(
    images = Input() f32[1,3,32,64]
    n = Constant() i64[3] {1, 14, 128}
    small = AveragePool(images) kernel_shape=[4,4], strides=[4,4]
    protos = Conv(small, wp:f32[8,3,1,1])
    rows = Conv(small, wr:f32[14,3,1,1])
    heads = Reshape(rows, n)
    Output(heads, protos))";

Result<Graph> appended(std::string_view text, const TaskOptions& options) { return append(options, test::parse(text)); }

TEST(Append, TheFamilyIsFoundAndThePictureIsTheInput) {
  const auto graph = appended(kSegmenter, {.name = "segment", .source_max_width = 200, .source_max_height = 100});
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  ASSERT_EQ(graph->inputs().size(), 1u);
  const Value& picture = graph->value(graph->inputs()[0]);
  EXPECT_EQ(picture.name, "picture");
  EXPECT_EQ(picture.type.dtype, DType::u8);
  EXPECT_THAT(graph->output_names(),
              ElementsAre("boxes", "scores", "classes", "mask_runs", "mask_first_run", "mask_truncated"));
  EXPECT_EQ(graph->metadata().at("memline.task"), "segment");
  EXPECT_EQ(graph->metadata().at("memline.family"), "yolo8-seg");
  EXPECT_EQ(graph->metadata().at("memline.input_width"), "64");
  EXPECT_EQ(graph->metadata().at("memline.input_height"), "32");
  EXPECT_EQ(graph->metadata().at("memline.classes"), "2");
  EXPECT_EQ(maximum(picture.type.dims[0], graph->slot_ranges()), 100);
  EXPECT_EQ(maximum(picture.type.dims[1], graph->slot_ranges()), 200);
}

TEST(Append, TheNetworkInsideComputesWhatItDidBefore) {
  const auto graph = appended(kSegmenter, {.name = "segment", .confidence = -1e9f, .iou = 1, .max_detections = 5});
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  std::vector<uint8_t> pixels(32 * 64 * 3);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * 7);
  const Constant picture = test::bytes({32, 64, 3}, pixels);
  const auto objects = evaluate(*graph, {&picture.view, 1});
  ASSERT_TRUE(objects.has_value()) << objects.error().message;
  std::vector<float> planes(pixels.size());
  for (size_t i = 0; i < pixels.size(); ++i) planes[i % 3 * (32 * 64) + i / 3] = static_cast<float>(pixels[i]) / 255;
  const auto heads = test::run_text(kSegmenter, {test::floats({1, 3, 32, 64}, planes)});
  const std::vector<float> prediction = test::values_of<float>(heads[0]),
                           scores = test::values_of<float>((*objects)[1]);
  const float best = *std::max_element(prediction.begin() + 4 * 128, prediction.begin() + 6 * 128);
  ASSERT_EQ(scores.size(), 5u);
  EXPECT_NEAR(scores[0], best, 1e-5);
  EXPECT_EQ(test::values_of<int64_t>((*objects)[4]).size(), 6u);
}

TEST(Append, NoTaskLeavesTheModelAsItIs) {
  EXPECT_EQ(test::op_names(*appended(kSegmenter, {})), test::op_names(test::parse(kSegmenter)));
}

TEST(Append, AnUnknownTaskOrFamilyIsAnArgumentErrorThatNamesWhatThereIs) {
  const auto task = appended(kSegmenter, {.name = "juggle"}),
             family = appended(kSegmenter, {.name = "segment", .family = "yolo99"});
  EXPECT_EQ(task.error().code, Code::invalid_argument);
  EXPECT_EQ(task.error().message, "task 'juggle': needs segment");
  EXPECT_EQ(family.error().code, Code::invalid_argument);
  EXPECT_EQ(family.error().message, "family 'yolo99': needs yolo8-seg");
}

TEST(Append, AModelOfAnotherFormIsRefusedByWhatItHasAndWhatIsNeeded) {
  constexpr std::string_view kClassifier = R"(
    x = Input() f32[1,3,32,32]
    y = GlobalAveragePool(x)
    Output(y))";
  const auto found = appended(kClassifier, {.name = "segment"});
  EXPECT_EQ(found.error().code, Code::unsupported);
  EXPECT_THAT(found.error().message,
              testing::AllOf(HasSubstr("f32[1,3,1,1]"), HasSubstr("yolo8-seg needs [1,4+classes+M,anchors]")));
  const auto forced = appended(kClassifier, {.name = "segment", .family = "yolo8-seg"});
  EXPECT_EQ(forced.error().code, Code::unsupported);
  EXPECT_THAT(forced.error().message, HasSubstr("1 inputs and 1 outputs"));
}

TEST(Append, ExtentsThatAreNotFixedAreRefused) {
  constexpr std::string_view kDynamic = R"(
    slot b min=1 opt=1 max=4
    x = Input() f32[b,3,32,32]
    y = Relu(x)
    z = Relu(y)
    Output(y, z))";
  EXPECT_EQ(appended(kDynamic, {.name = "segment", .family = "yolo8-seg"}).error().code, Code::unsupported);
}

}  // namespace
}  // namespace memline::tasks
