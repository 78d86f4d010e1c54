// What an engine with a task finds in a picture. Boxes are x0 y0 x1 y1 in pixels of the source picture, half-open.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace memline::vision {

// A mask as run lengths inside a box of whole pixels: row-major over [height, width], lengths of background and
// foreground in turn, beginning with background (0 where the first pixel belongs to the object). What the runs do not
// reach is background.
struct MaskRuns {
  int64_t x0 = 0;
  int64_t y0 = 0;
  int64_t width = 0;
  int64_t height = 0;
  std::span<const uint32_t> runs;
};

struct Detection {
  float x0 = 0;
  float y0 = 0;
  float x1 = 0;
  float y1 = 0;
  float score_0to1 = 0;
  int32_t class_id = 0;
  int64_t track_id = -1;        // -1: not tracked
  MaskRuns mask;                // no runs when the task makes no masks
  bool mask_truncated = false;  // the mask did not fit into --max-mask-bytes: box and score only
};

// One frame's detections with what a reader of them needs to know. Everything is borrowed.
struct FrameResults {
  std::string_view source;  // path of the video or picture
  std::string_view name;    // of the frame, as Frame::name
  int64_t index = 0;
  int64_t timestamp_us = -1;
  int64_t width = 0;
  int64_t height = 0;
  std::span<const Detection> detections;
  std::span<const std::string> class_names;  // by class_id; may be shorter
};

// "class 7" where the list does not say.
std::string class_name(std::span<const std::string> class_names, int32_t class_id);

}  // namespace memline::vision
