// Format and size of a PNG, JPEG, BMP or WebP picture from its first bytes, and whether the file is all there. Pure
// functions on bytes that may be hostile: nothing is read outside the span, and nothing is decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace memline::video {

enum class PictureCodec { png, jpeg, bmp, webp };

struct PictureHeader {
  PictureCodec codec = PictureCodec::png;
  int64_t width = 0;
  int64_t height = 0;
};

// Errors: invalid_argument (reason not_a_picture), io_error (reason picture_truncated, picture_corrupt).
Result<PictureHeader> read_picture_header(std::span<const std::byte> file);

// Whether the file ends where its format says it should: decoders fill what is missing with grey and call it a picture.
// Errors: io_error (reason picture_truncated).
Status check_picture_complete(std::span<const std::byte> file, PictureCodec codec);

}  // namespace memline::video
