// The two kinds of FrameSource, and the choice between them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vision/frame_source.h"

namespace memline::video {

// A folder, a picture (by its first bytes) or else a video. Errors: not_found, invalid_argument, and those of the two
// below.
Result<std::unique_ptr<vision::FrameSource>> open_source(const std::string& path, const vision::SourceLimits& limits);

// `files` in the order in which they are read. Fails when no header can be read, with the first one's error.
Result<std::unique_ptr<vision::FrameSource>> open_pictures(std::vector<std::string> files,
                                                           const vision::SourceLimits& limits);

// Errors: invalid_argument (reason not_a_video), unsupported (no decoder; reason picture_too_large).
Result<std::unique_ptr<vision::FrameSource>> open_video(const std::string& path, const vision::SourceLimits& limits);

Status check_size(int64_t width, int64_t height, const vision::SourceLimits& limits);

}  // namespace memline::video
