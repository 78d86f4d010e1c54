// The demo's model in bf16 beside itself in fp32, on 20 frames spread over the film: the same people, the same masks,
// and answers of the network that differ by little of their range. The limits are the foundation's.
#include <cmath>
#include <iostream>

#include "memline/vision.hpp"
#include "model/built_engine.h"
#include "model/film.h"

namespace memline {
namespace {

constexpr int64_t kSide = 640, kFrames = 20, kFramesOfFilm = 795;

tools::BuildOptions options_for(const std::string& precision) {
  tools::BuildOptions options = test::fixed_shape("images", fmt::format("1x3x{}x{}", kSide, kSide));
  options.precision = precision;
  return options;
}

test::Frames spread_frames() {
  std::vector<int64_t> wanted;
  for (int64_t i = 0; i < kFrames; ++i) wanted.push_back(i * (kFramesOfFilm - 1) / (kFrames - 1));
  return test::frames_of_film(wanted);
}

// A copy: the segmenter's objects live until its next call.
struct Person {
  double x0, y0, x1, y1;
  int64_t mask_x0, mask_y0, mask_width, mask_height;
  std::vector<bool> mask;  // [mask_height][mask_width]

  explicit Person(const vision::Object& o)
      : x0(o.x0),
        y0(o.y0),
        x1(o.x1),
        y1(o.y1),
        mask_x0(o.mask.x0),
        mask_y0(o.mask.y0),
        mask_width(o.mask.width),
        mask_height(o.mask.height),
        mask(static_cast<size_t>(o.mask.width * o.mask.height)) {
    size_t at = 0;
    bool inside = false;
    for (const uint32_t run : o.mask.runs) {
      if (inside) std::fill_n(mask.begin() + static_cast<std::ptrdiff_t>(at), run, true);
      at += run;
      inside = !inside;
    }
  }
  bool covers(int64_t x, int64_t y) const {
    if (x < mask_x0 || y < mask_y0 || x >= mask_x0 + mask_width || y >= mask_y0 + mask_height) return false;
    return mask[static_cast<size_t>((y - mask_y0) * mask_width + x - mask_x0)];
  }
};

double box_iou(const Person& a, const Person& b) {
  const double width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  const double height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  if (width <= 0 || height <= 0) return 0;
  const double both = width * height;
  return both / ((a.x1 - a.x0) * (a.y1 - a.y0) + (b.x1 - b.x0) * (b.y1 - b.y0) - both);
}

double mask_iou(const Person& a, const Person& b) {
  int64_t both = 0, either = 0;
  for (int64_t y = std::min(a.mask_y0, b.mask_y0); y < std::max(a.mask_y0 + a.mask_height, b.mask_y0 + b.mask_height);
       ++y) {
    for (int64_t x = std::min(a.mask_x0, b.mask_x0); x < std::max(a.mask_x0 + a.mask_width, b.mask_x0 + b.mask_width);
         ++x) {
      both += a.covers(x, y) && b.covers(x, y);
      either += a.covers(x, y) || b.covers(x, y);
    }
  }
  return either == 0 ? 1 : static_cast<double>(both) / static_cast<double>(either);
}

std::vector<Person> people_in(vision::Segmenter& segmenter, const std::vector<uint8_t>& frame) {
  const auto objects = segmenter.segment({frame.data(), test::kFilmWidth, test::kFilmHeight});
  EXPECT_TRUE(objects.has_value()) << (objects ? "" : objects.error().message);
  return objects ? std::vector<Person>(objects->begin(), objects->end()) : std::vector<Person>();
}

class PersonSegBf16 : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = test::no_film(); !why.empty()) GTEST_SKIP() << why;
    const std::string model = test::model_path("person-seg/person-seg.onnx");
    const auto bf16 = tools::plan(model, options_for("bf16"));
    if (!bf16) GTEST_SKIP() << bf16.error().message;
    frames_ = spread_frames();
    ASSERT_EQ(frames_.size(), static_cast<size_t>(kFrames));
  }
  test::Frames frames_;
};

TEST_F(PersonSegBf16, FindsThePeopleThatFp32FindsWithTheirMasks) {
  std::map<std::string, std::vector<std::vector<Person>>> found;  // [precision][frame]
  for (const char* precision : {"fp32", "bf16"}) {
    tools::BuildOptions options = options_for(precision);
    options.task = "segment";
    options.source_max_width = test::kFilmWidth;
    options.source_max_height = test::kFilmHeight;
    const test::BuiltEngine built(test::model_path("person-seg/person-seg.onnx"), options);
    auto segmenter = vision::Segmenter::load(built.path());
    ASSERT_TRUE(segmenter.has_value()) << segmenter.error().message;
    for (const auto& [index, pixels] : frames_) found[precision].push_back(people_in(*segmenter, pixels));
  }
  int64_t boxes = 0, matched = 0, objects_bf16 = 0, same_masks = 0;
  double worst_mask = 1, mask_sum = 0;
  for (size_t f = 0; f < frames_.size(); ++f) {
    std::vector<Person> left = found["bf16"][f];
    objects_bf16 += static_cast<int64_t>(left.size());
    for (const Person& person : found["fp32"][f]) {
      ++boxes;
      const auto best = std::max_element(left.begin(), left.end(), [&](const Person& a, const Person& b) {
        return box_iou(a, person) < box_iou(b, person);
      });
      if (best == left.end() || box_iou(*best, person) < 0.9) continue;
      ++matched;
      const double iou = mask_iou(*best, person);
      worst_mask = std::min(worst_mask, iou);
      same_masks += iou >= 0.98;
      mask_sum += iou;
      left.erase(best);
    }
  }
  ASSERT_GT(matched, 0);
  const double mean_mask = mask_sum / static_cast<double>(matched);
  std::cout << fmt::format(
      "{} of {} boxes matched at IoU 0.9 ({} in bf16); masks: {} at IoU 0.98, mean {:.4f}, least {:.4f}\n", matched,
      boxes, objects_bf16, same_masks, mean_mask, worst_mask);
  EXPECT_GE(static_cast<double>(matched), 0.98 * static_cast<double>(boxes));
  EXPECT_GE(mean_mask, 0.98);
  EXPECT_GE(static_cast<double>(same_masks), 0.9 * static_cast<double>(matched));  // people of 30 pixels fall below
}

// A frame in the network's square, nearest pixels, grey above and below: the same input for both.
std::vector<float> network_input(const std::vector<uint8_t>& frame) {
  std::vector<float> input(static_cast<size_t>(3 * kSide * kSide), 114 / 255.0f);
  const int64_t height = kSide * test::kFilmHeight / test::kFilmWidth, top = (kSide - height) / 2;
  for (int64_t c = 0; c < 3; ++c) {
    for (int64_t y = 0; y < height; ++y) {
      for (int64_t x = 0; x < kSide; ++x) {
        const int64_t from = y * test::kFilmHeight / height * test::kFilmWidth + x * test::kFilmWidth / kSide;
        input[static_cast<size_t>((c * kSide + y + top) * kSide + x)] =
            static_cast<float>(frame[static_cast<size_t>(3 * from + c)]) / 255;
      }
    }
  }
  return input;
}

// The values of each output by channel (axis 1), all frames one after the other.
using Channels = std::vector<std::vector<float>>;

std::vector<Channels> raw_outputs(const std::string& precision, const test::Frames& frames) {
  const test::BuiltEngine built(test::model_path("person-seg/person-seg.onnx"), options_for(precision));
  auto engine = Engine::load(built.path());
  EXPECT_TRUE(engine.has_value());
  auto session = engine->make_session();
  EXPECT_TRUE(session.has_value());
  std::vector<Channels> values(engine->outputs().size());
  for (const auto& [index, pixels] : frames) {
    auto input = session->own_input(0, engine->inputs()[0].opt_dims);
    EXPECT_TRUE(input.has_value());
    const std::vector<float> picture = network_input(pixels);
    std::copy(picture.begin(), picture.end(), static_cast<float*>(input->data));
    std::vector<TensorRef> outputs(values.size());
    EXPECT_TRUE(session->run({&*input, 1}, outputs).has_value());
    for (size_t o = 0; o < outputs.size(); ++o) {
      int64_t inner = 1;
      for (int axis = 2; axis < outputs[o].rank; ++axis) inner *= outputs[o].dims[static_cast<size_t>(axis)];
      const auto* data = static_cast<const float*>(outputs[o].data);
      values[o].resize(static_cast<size_t>(outputs[o].dims[1]));
      for (std::vector<float>& channel : values[o]) {
        channel.insert(channel.end(), data, data + inner);
        data += inner;
      }
    }
  }
  return values;
}

// Of the channel's own range: boxes in pixels do not hide an error of a score.
TEST_F(PersonSegBf16, EveryChannelOfTheOutputsDiffersByLittleOfItsRange) {
  const auto fp32 = raw_outputs("fp32", frames_), bf16 = raw_outputs("bf16", frames_);
  for (size_t o = 0; o < fp32.size(); ++o) {
    double sum = 0, largest = 0;
    for (size_t c = 0; c < fp32[o].size(); ++c) {
      const auto [least, most] = std::minmax_element(fp32[o][c].begin(), fp32[o][c].end());
      const double range = static_cast<double>(*most) - static_cast<double>(*least);
      double error = 0;
      for (size_t i = 0; i < fp32[o][c].size(); ++i)
        error += std::abs(static_cast<double>(bf16[o][c][i]) - static_cast<double>(fp32[o][c][i]));
      error /= range * static_cast<double>(fp32[o][c].size());
      EXPECT_LE(error, 5e-3) << "output " << o << " channel " << c;  // not so when it is a NaN
      sum += error;
      largest = std::max(largest, error);
    }
    std::cout << fmt::format("output {}: mean error of a channel {:.2e} of its range, largest {:.2e}\n", o,
                             sum / static_cast<double>(fp32[o].size()), largest);
  }
}

}  // namespace
}  // namespace memline
