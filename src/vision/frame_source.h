// FrameSource: pictures one after another, from a picture file, a folder of them (in name order) or a video file.
//   * Memory is bounded: one frame buffer, taken when the source is opened and large enough for its largest frame.
//   * A folder's sizes are read from the headers at open, so the largest is known before anything is decoded.
//   * The implementation is in src/video/ (FFmpeg) and is reached through video_library.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "vision/picture.h"

namespace memline::vision {

// A header that says more than this is refused before anything is decoded.
struct SourceLimits {
  int64_t max_width = 16384;
  int64_t max_height = 16384;
};

struct SourceInfo {
  bool is_video = false;
  int64_t max_width = 0;  // largest frame; pictures whose header cannot be read do not count
  int64_t max_height = 0;
  int64_t frames = -1;           // exact for pictures; what the container declares for videos; -1 when it does not
  double frames_per_second = 0;  // 0 for pictures and when the container does not say
  int64_t buffer_bytes = 0;      // the frame buffer; the decoder's own buffers come on top
};

struct Frame {
  PictureView picture;        // valid until the next call of next()
  int64_t index = 0;          // 0, 1, 2 … ; a picture that could not be read keeps its number
  int64_t timestamp_us = -1;  // from the start of the video; -1 for pictures
  std::string_view name;      // file name without folder and ending, or "frame_000012"; valid until the next call
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual const SourceInfo& info() const = 0;

  // The next frame, or nullopt at the end. After an error a source of pictures goes on with the following picture and a
  // video is over.
  // Errors: not_found, io_error (reason picture_truncated, picture_corrupt, video_truncated, video_corrupt),
  // unsupported (reason picture_too_large, video_size_changed), invalid_argument (reason not_a_picture).
  virtual Result<std::optional<Frame>> next() = 0;
};

}  // namespace memline::vision
