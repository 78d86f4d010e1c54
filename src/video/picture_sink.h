// Makes the FrameSink that writes pictures into a folder.
#pragma once

#include <memory>
#include <string>

#include "vision/frame_sink.h"

namespace memline::video {

// Makes the folder if it is missing. Errors: invalid_argument (quality), io_error (reason no_permission).
Result<std::unique_ptr<vision::FrameSink>> open_sink(const std::string& folder, const vision::SinkOptions& options);

}  // namespace memline::video
