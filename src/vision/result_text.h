// Results as text: one JSON object a frame (JSONL), entries of COCO's result list, and YOLO label lines. Each appends
// to `out`, so one string serves a whole video.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vision/detection.h"

namespace memline::vision {

// One line, ended by a newline:
// {"source","frame","name","timestamp_us"?,"width","height","detections":[{"box":[x0,y0,x1,y1],"score","class_id","class",
//  "track_id"?,"mask"?:{"size":[height,width],"counts"},"mask_truncated"?}]}
void append_jsonl(const FrameResults& results, std::string& out);

// Objects as COCO's evaluation reads them, separated by ",\n":
// {"image_id","category_id","bbox":[x,y,w,h],"score","segmentation"?}. `first` tells whether the list is still empty
// and is cleared; the caller writes "[" and "]".
void append_coco(const FrameResults& results, int64_t image_id, bool& first, std::string& out);

// One line a detection, coordinates divided by the picture's size: "class x y x y …" (the outline of the mask's largest
// piece), or "class cx cy w h" where there is no mask; the track id comes last where there is one.
void append_yolo(const FrameResults& results, std::string& out);

// A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string_view text, std::string& out);

}  // namespace memline::vision
