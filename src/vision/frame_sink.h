// FrameSink: writes pictures into a folder, one file each. A file appears whole or not at all.
// The implementation is in src/video/ (FFmpeg) and is reached through video_library.h.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "vision/picture.h"

namespace memline::vision {

enum class PictureFormat { png, jpeg };

struct SinkOptions {
  PictureFormat format = PictureFormat::jpeg;
  int jpeg_quality_1to100 = 90;
};

class FrameSink {
 public:
  virtual ~FrameSink() = default;

  // Writes <folder>/<name>.png or .jpg, over an older one. `name` is a file name without '/'.
  // Errors: io_error (reason disk_full, no_permission), invalid_argument (name, empty picture).
  virtual Status write(const PictureView& picture, std::string_view name) = 0;
};

}  // namespace memline::vision
