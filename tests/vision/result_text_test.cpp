#include "vision/result_text.h"

#include <gtest/gtest.h>

#include <vector>

#include "text_picture.h"

namespace memline::vision {
namespace {

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

TEST(ResultText, JsonStringsAreEscapedAndAlwaysUtf8) {
  EXPECT_EQ(json_string("a\"b\\c\n"), R"("a\"b\\c\u000a")");
  EXPECT_EQ(json_string("Zürich 東京 🙂"), "\"Zürich 東京 🙂\"");
  EXPECT_EQ(json_string("a\xFFz"), R"("a\ufffdz")");
  EXPECT_EQ(json_string("cut \xE6\x9D"), R"("cut \ufffd\ufffd")");
  EXPECT_EQ(json_string("\xED\xA0\x80"), R"("\ufffd\ufffd\ufffd")");  // a lone surrogate
}

struct Example {
  TextMask mask{1, 1, "## ##"};
  std::vector<std::string> names{"person"};
  std::vector<Detection> detections{
      {.x0 = 1, .y0 = 1, .x1 = 3, .y1 = 3, .score_0to1 = 0.5f, .class_id = 0, .track_id = 9, .mask = mask.mask},
      {.x0 = 0, .y0 = 0, .x1 = 4, .y1 = 2.5f, .score_0to1 = 0.25f, .class_id = 3, .mask_truncated = true}};
  FrameResults results{.source = "v.avi",
                       .name = "frame_000002",
                       .index = 2,
                       .timestamp_us = 200000,
                       .width = 4,
                       .height = 5,
                       .detections = detections,
                       .class_names = names};
};

TEST(ResultText, AFrameIsOneJsonLine) {
  const Example example;
  std::string out;
  append_jsonl(example.results, out);
  EXPECT_EQ(
      out,
      R"({"source":"v.avi","frame":2,"name":"frame_000002","timestamp_us":200000,"width":4,"height":5,"detections":[)"
      R"({"box":[1,1,3,3],"score":0.5,"class_id":0,"class":"person","track_id":9,"mask":{"size":[5,4],"counts":"62304"}},)"
      R"({"box":[0,0,4,2.5],"score":0.25,"class_id":3,"class":"class 3","mask_truncated":true}]})"
      "\n");
}

TEST(ResultText, APictureWithNothingInItIsStillALine) {
  std::string out;
  append_jsonl({.source = "a.png", .name = "a", .width = 4, .height = 5}, out);
  EXPECT_EQ(out, "{\"source\":\"a.png\",\"frame\":0,\"name\":\"a\",\"width\":4,\"height\":5,\"detections\":[]}\n");
}

TEST(ResultText, CocoEntriesAreSeparatedAcrossFrames) {
  const Example example;
  std::string out;
  bool first = true;
  append_coco(example.results, 7, first, out);
  append_coco({}, 8, first, out);
  append_coco(example.results, 9, first, out);
  const std::string head =
      R"({"image_id":7,"category_id":0,"bbox":[1,1,2,2],"score":0.5,"segmentation":{"size":[5,4],"counts":"62304"}})";
  EXPECT_EQ(out.substr(0, head.size()), head);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3);
  EXPECT_NE(out.substr(out.size() - 2), ",\n");
}

TEST(ResultText, YoloLinesAreOutlinesOrBoxesWithTheTrackLast) {
  const Example example;
  std::string out;
  append_yolo(example.results, out);
  EXPECT_EQ(out, "0 0.75 0.2 0.75 0.6 0.25 0.6 0.25 0.2 9\n3 0.5 0.25 1 0.5\n");
}

}  // namespace
}  // namespace memline::vision
