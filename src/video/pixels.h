// Decoded frames of any pixel format to RGB, and RGB to what an encoder takes. Keeps one conversion context, remade
// when format or size change.
#pragma once

#include "base/result.h"
#include "video/ffmpeg.h"
#include "vision/picture.h"

namespace memline::video {

class Pixels {
 public:
  // `flags` are libswscale's: SWS_BICUBIC is fast; adding SWS_ACCURATE_RND and SWS_FULL_CHR_H_INT interpolates chroma.
  explicit Pixels(int flags) : flags_(flags) {}

  // `out` has the frame's size. Colour matrix and range are the frame's where it says so, BT.601 limited range where
  // not.
  Status to_rgb(const AVFrame& frame, const vision::PictureView& out);

  // Fills a frame that has its format, size and buffers.
  Status from_rgb(const vision::PictureView& picture, AVFrame& out);

 private:
  Status prepare(int width, int height, AVPixelFormat from, AVPixelFormat to);
  int flags_;
  Owned<SwsContext> context_;
};

}  // namespace memline::video
