// Decoded frames of any pixel format to RGB, and RGB to what an encoder takes. Keeps one conversion context, remade
// when format or size change.
#pragma once

#include "base/result.h"
#include "video/ffmpeg.h"
#include "vision/picture.h"

namespace memline::video {

// libswscale's vector code reads and writes up to this far past the end of a buffer (seen as a fault with a picture
// that ended at a page); libavutil's own frames have the room.
inline constexpr int64_t kSlack = 64;

class Pixels {
 public:
  // `flags` are libswscale's: SWS_BICUBIC is fast; adding SWS_ACCURATE_RND and SWS_FULL_CHR_H_INT interpolates chroma.
  explicit Pixels(int flags) : flags_(flags) {}

  // `out` has the frame's size, and kSlack bytes that may be overwritten after its last row. Colour matrix and range
  // are the frame's where it says so, BT.601 limited range where not.
  Status to_rgb(const AVFrame& frame, const vision::PictureView& out);

  // Both frames have their format, size and buffers; `rgb` is RGB24.
  Status from_rgb(const AVFrame& rgb, AVFrame& out);

 private:
  Status prepare(int width, int height, AVPixelFormat from, AVPixelFormat to);
  int flags_;
  Owned<SwsContext> context_;
};

}  // namespace memline::video
