#include "ops/attrs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace memline::ops {
namespace {

struct Sample {
  int64_t group = 1;
  float alpha = 0.01f;
  bool ceil_mode = false;
  std::string mode = "nearest";
  DType to = DType::f32;
  std::vector<int64_t> pads;
  std::vector<float> scales;
  void fields(auto&& field) {
    field("group", group);
    field("alpha", alpha);
    field("ceil_mode", ceil_mode);
    field("mode", mode);
    field("to", to);
    field("pads", pads);
    field("scales", scales);
  }
};

TEST(Attrs, PrintOnlyWhatDiffersFromTheDefaults) {
  EXPECT_EQ(Attrs::of(Sample{}).text(), "");
  EXPECT_EQ(Attrs::of(Sample{.group = 4, .pads = {1, -1}}).text(), "group=4, pads=[1,-1]");
}

TEST(Attrs, ReadBackFromTheirTextWithEveryKindOfField) {
  const Sample sample{.group = std::numeric_limits<int64_t>::min(),
                      .alpha = 0.1f,
                      .ceil_mode = true,
                      .mode = "a, b=\"[x]\"\\ \n\x01",
                      .to = DType::bf16,
                      .pads = {1, 2},
                      .scales = {0.5f, 1e-30f, std::numeric_limits<float>::infinity()}};
  const Attrs attrs = Attrs::of(sample);
  EXPECT_EQ(attrs.text().find('\n'), std::string::npos);
  const auto parsed = Attrs::parse<Sample>(attrs.text());
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, attrs);
  EXPECT_EQ(parsed->as<Sample>().mode, sample.mode);
  EXPECT_EQ(parsed->as<Sample>().scales, sample.scales);
  EXPECT_EQ(parsed->as<Sample>().alpha, 0.1f);
}

TEST(Attrs, EveryFloatSurvivesItsText) {
  for (uint32_t bits = 0; bits < 0xffffff00u; bits += 0x001fff3u) {
    float value;
    memcpy(&value, &bits, sizeof value);
    if (std::isnan(value)) continue;
    float back = 1;
    ASSERT_TRUE(attr_text::parse(attr_text::print(value), back)) << attr_text::print(value);
    ASSERT_EQ(std::signbit(back), std::signbit(value));
    ASSERT_EQ(back, value);
  }
}

TEST(Attrs, RefuseTextThatIsNotAttributes) {
  for (const char* text : {"nothing=1", "group", "group=", "group=x", "group=1 2", "group=1,", "group=1, group=2",
                           "pads=[1", "pads=[1,]", "mode=nearest", "mode=\"x", "mode=\"\\x1\"", "mode=\"a\"b",
                           "ceil_mode=1", "to=f33", "=1", "group=9999999999999999999"})
    EXPECT_EQ(Attrs::parse<Sample>(text).error().code, Code::invalid_argument) << text;
}

TEST(Attrs, OfDifferentOpsAreNeverEqual) {
  EXPECT_NE(Attrs::of(Sample{}), Attrs());
  EXPECT_EQ(Attrs::of(NoAttrs{}), Attrs());
}

}  // namespace
}  // namespace memline::ops
