#include "vision/result_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "vision/mask_runs.h"

namespace memline::vision {
namespace {

template <typename... Args>
void put(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

// The length of the UTF-8 sequence at the front of `text`, or 0 where it is not valid.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0), second = byte(1);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xC2 && first < 0xE0 ? 2
                        : (first & 0xF0) == 0xE0        ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return overlong || outside ? 0 : length;
}

void put_mask(const Detection& detection, const FrameResults& results, std::string& out) {
  put(out, R"({{"size":[{},{}],"counts":)", results.height, results.width);
  append_json_string(coco_string(coco_counts(detection.mask, results.width, results.height)), out);
  out.push_back('}');
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  out.push_back('"');
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      put(out, "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  out.push_back('"');
}

void append_jsonl(const FrameResults& results, std::string& out) {
  out += R"({"source":)";
  append_json_string(results.source, out);
  put(out, R"(,"frame":{},"name":)", results.index);
  append_json_string(results.name, out);
  if (results.timestamp_us >= 0) put(out, R"(,"timestamp_us":{})", results.timestamp_us);
  put(out, R"(,"width":{},"height":{},"detections":[)", results.width, results.height);
  bool first = true;
  for (const Detection& d : results.detections) {
    if (!std::exchange(first, false)) out.push_back(',');
    put(out, R"({{"box":[{},{},{},{}],"score":{},"class_id":{},"class":)", d.x0, d.y0, d.x1, d.y1, d.score_0to1,
        d.class_id);
    append_json_string(class_name(results.class_names, d.class_id), out);
    if (d.track_id >= 0) put(out, R"(,"track_id":{})", d.track_id);
    if (!d.mask.runs.empty()) {
      out += R"(,"mask":)";
      put_mask(d, results, out);
    }
    if (d.mask_truncated) out += R"(,"mask_truncated":true)";
    out.push_back('}');
  }
  out += "]}\n";
}

void append_coco(const FrameResults& results, int64_t image_id, bool& first, std::string& out) {
  for (const Detection& d : results.detections) {
    if (!std::exchange(first, false)) out += ",\n";
    put(out, R"({{"image_id":{},"category_id":{},"bbox":[{},{},{},{}],"score":{})", image_id, d.class_id, d.x0, d.y0,
        d.x1 - d.x0, d.y1 - d.y0, d.score_0to1);
    if (!d.mask.runs.empty()) {
      out += R"(,"segmentation":)";
      put_mask(d, results, out);
    }
    out.push_back('}');
  }
}

void append_yolo(const FrameResults& results, std::string& out) {
  const auto width = static_cast<double>(results.width), height = static_cast<double>(results.height);
  for (const Detection& d : results.detections) {
    put(out, "{}", d.class_id);
    const std::vector<Point> outline = largest_outline(d.mask);
    for (const Point& p : outline)
      put(out, " {:.6g} {:.6g}", static_cast<double>(p.x) / width, static_cast<double>(p.y) / height);
    if (outline.empty()) {
      put(out, " {:.6g} {:.6g} {:.6g} {:.6g}", (d.x0 + d.x1) / 2 / width, (d.y0 + d.y1) / 2 / height,
          (d.x1 - d.x0) / width, (d.y1 - d.y0) / height);
    }
    if (d.track_id >= 0) put(out, " {}", d.track_id);
    out.push_back('\n');
  }
}

}  // namespace memline::vision
