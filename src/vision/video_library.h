// Opens libmemline_video.so when pictures or videos are read or written, so that nothing else needs FFmpeg.
// Only absolute paths beside our own binary are tried, never the loader's search path.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "vision/frame_sink.h"
#include "vision/frame_source.h"

namespace memline::vision {

// Goes up with every change of VideoEntry or of a class it hands out.
inline constexpr uint32_t kVideoInterface = 1;

struct VideoEntry {
  // `path` is a picture, a folder or a video.
  Result<std::unique_ptr<FrameSource>> (*open_source)(const std::string& path, const SourceLimits& limits);
  // Makes the folder if it is missing (its parent must exist).
  Result<std::unique_ptr<FrameSink>> (*open_sink)(const std::string& folder, const SinkOptions& options);
};

// The library's one symbol, "memline_video_entry": null when it does not speak that interface.
using VideoEntryFunction = const VideoEntry* (*)(uint32_t interface);

// Where the library may lie: beside this code's own binary, in ../lib of it, and the same for the running program.
std::vector<std::string> video_library_candidates();

// The library stays mapped until the process ends: sources and sinks may live as long as they like.
// Errors: not_found (reason no_video_library: no candidate opens; each is named with what was wrong), unsupported
// (reason video_library_version).
Result<const VideoEntry*> open_video_library(std::span<const std::string> candidates);

}  // namespace memline::vision
