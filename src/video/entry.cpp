// The one symbol of libmemline_video.so.
#include "video/ffmpeg.h"
#include "video/picture_sink.h"
#include "video/sources.h"
#include "vision/video_library.h"

extern "C" __attribute__((visibility("default"))) const memline::vision::VideoEntry* memline_video_entry(
    uint32_t interface) {
  static constexpr memline::vision::VideoEntry kEntry{&memline::video::open_source, &memline::video::open_sink};
  if (interface != memline::vision::kVideoInterface) return nullptr;
  av_log_set_level(AV_LOG_QUIET);  // library code never prints; what matters comes back as errors
  return &kEntry;
}
