#include "memory/chart.h"

#include <gtest/gtest.h>

#include "memory/plan.h"

namespace memline::memory {
namespace {

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

std::string chart_of(const std::vector<Buffer>& buffers, const std::vector<std::string>& steps) {
  const Plan p = plan(buffers);
  return timeline_svg(
      {.title = "net", .buffers = buffers, .offsets = p.offsets, .step_names = steps, .arena_bytes = p.arena_bytes});
}

TEST(Chart, HasOneTitledRectangleForEachBufferWithBytes) {
  const std::string svg =
      chart_of({{.name = "x", .bytes = 1 << 20, .first_step = 0, .last_step = 1, .region = Region::input},
                {.name = "y", .bytes = 2 << 20, .first_step = 1, .last_step = 2},
                {.name = "none", .bytes = 0, .first_step = 1, .last_step = 2},
                {.name = "conv (workspace)", .bytes = 4096, .first_step = 1, .last_step = 1}},
               {"conv", "relu", "pool"});
  EXPECT_EQ(count(svg, "class=\"b\""), 3);
  EXPECT_NE(svg.find("<title>y&#10;2.0 MiB (2097152 bytes) at 0&#10;steps 1 to 2 relu</title>"), std::string::npos);
  EXPECT_NE(svg.find(">inputs</text>"), std::string::npos);
  EXPECT_NE(svg.find(">workspace</text>"), std::string::npos);
  EXPECT_EQ(svg.find(">outputs</text>"), std::string::npos);
  EXPECT_NE(svg.find("peak: step 1 relu, 3.0 MiB live"), std::string::npos);
}

TEST(Chart, NamesOfAnyBytesStayWellFormed) {
  const std::string svg = chart_of(
      {{.name = "<a & \"b\">\x01\xff\xc3\xa9\xed\xa0\x80\xef\xbf\xbf", .bytes = 64, .first_step = 0, .last_step = 0}},
      {"\xf0\x9f"});
  EXPECT_NE(svg.find("&lt;a &amp; &quot;b&quot;&gt;?\?\xc3\xa9"), std::string::npos);
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
  EXPECT_EQ(svg.find('\xff'), std::string::npos);
  EXPECT_EQ(svg.find("\xed\xa0"), std::string::npos);
  EXPECT_EQ(svg.find("\xf0\x9f"), std::string::npos);
}

TEST(Chart, OfNothingIsStillADocument) {
  const std::string svg = chart_of({}, {});
  EXPECT_EQ(svg.rfind("<svg", 0), 0u);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Chart, LabelsOfManyStepsDoNotCrowd) {
  std::vector<Buffer> buffers;
  std::vector<std::string> steps;
  for (int32_t i = 0; i < 2000; ++i) {
    buffers.push_back({.name = "b", .bytes = 1 << 20, .first_step = i, .last_step = i + 1});
    steps.push_back("op");
  }
  EXPECT_LE(count(chart_of(buffers, steps), "rotate(-55)"), 90);
}

}  // namespace
}  // namespace memline::memory
