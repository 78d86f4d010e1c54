// Headers as their specifications give them: PNG (ISO 15948), JPEG (ITU T.81), BMP (BITMAPINFOHEADER), WebP (RIFF
// container).
#include "video/picture_header.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace memline::video {
namespace {

using Bytes = std::span<const std::byte>;

Failure truncated(std::string_view what) {
  return fail(Code::io_error, "picture_truncated", "the file ends inside its {}", what);
}
Failure corrupt(std::string_view what) { return fail(Code::io_error, "picture_corrupt", "{}", what); }

// The callers check the size before they read.
uint32_t byte_at(Bytes bytes, size_t at) { return std::to_integer<uint32_t>(bytes[at]); }
uint32_t big16(Bytes b, size_t at) { return byte_at(b, at) << 8 | byte_at(b, at + 1); }
uint32_t big32(Bytes b, size_t at) { return big16(b, at) << 16 | big16(b, at + 2); }
uint32_t little16(Bytes b, size_t at) { return byte_at(b, at) | byte_at(b, at + 1) << 8; }
uint32_t little24(Bytes b, size_t at) { return little16(b, at) | byte_at(b, at + 2) << 16; }
uint32_t little32(Bytes b, size_t at) { return little16(b, at) | little16(b, at + 2) << 16; }

bool has(Bytes bytes, size_t at, std::string_view text) {
  return bytes.size() >= at + text.size() && std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
}

Result<PictureHeader> png_header(Bytes file) {
  if (file.size() < 29) return truncated("PNG header");
  if (!has(file, 12, "IHDR")) return corrupt("a PNG file whose first chunk is not IHDR");
  return PictureHeader{PictureCodec::png, big32(file, 16), big32(file, 20)};
}

bool is_frame_header(uint32_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}
bool stands_alone(uint32_t marker) { return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8); }

// Calls visit(marker, start of its payload, length) for each segment up to the first scan; visit returns true to stop.
template <typename Visit>
Status walk_jpeg(Bytes file, Visit visit) {
  size_t at = 2;
  while (true) {
    if (at + 4 > file.size()) return truncated("JPEG header");
    if (byte_at(file, at) != 0xFF) return corrupt("a JPEG segment does not start with a marker");
    const uint32_t marker = byte_at(file, at + 1);
    if (marker == 0xFF || stands_alone(marker)) {
      at += marker == 0xFF ? 1 : 2;
      continue;
    }
    const size_t length = big16(file, at + 2);
    if (length < 2) return corrupt("a JPEG segment is shorter than its own length field");
    if (at + 2 + length > file.size()) return truncated("JPEG header");
    if (visit(marker, at + 4, length - 2) || marker == 0xDA) return {};
    at += 2 + length;
  }
}

Result<PictureHeader> jpeg_header(Bytes file) {
  PictureHeader header{PictureCodec::jpeg, 0, 0};
  MEML_TRY_STATUS(walk_jpeg(file, [&](uint32_t marker, size_t at, size_t length) {
    if (!is_frame_header(marker) || length < 5) return false;
    header.height = big16(file, at + 1);
    header.width = big16(file, at + 3);
    return true;
  }));
  return header;
}

Result<PictureHeader> bmp_header(Bytes file) {
  if (file.size() < 54) return truncated("BMP header");
  if (little32(file, 14) < 40) return corrupt("a BMP file with a header of the OS/2 kind, which is not read");
  const int64_t height = static_cast<int32_t>(little32(file, 22));
  return PictureHeader{PictureCodec::bmp, static_cast<int32_t>(little32(file, 18)), std::abs(height)};
}

Result<PictureHeader> webp_header(Bytes file) {
  if (file.size() < 30) return truncated("WebP header");
  PictureHeader header{PictureCodec::webp, 0, 0};
  if (has(file, 12, "VP8X")) {
    header.width = 1 + little24(file, 24);
    header.height = 1 + little24(file, 27);
  } else if (has(file, 12, "VP8L")) {
    const uint32_t bits = little32(file, 21);
    header.width = 1 + (bits & 0x3FFF);
    header.height = 1 + (bits >> 14 & 0x3FFF);
  } else if (has(file, 12, "VP8 ")) {
    header.width = little16(file, 26) & 0x3FFF;
    header.height = little16(file, 28) & 0x3FFF;
  }
  return header;
}

Status check_png_complete(Bytes file) {
  for (size_t at = 8; at + 12 <= file.size();) {
    const size_t length = big32(file, at);
    if (length > file.size() - at - 12) break;
    if (has(file, at + 4, "IEND")) return {};
    at += 12 + length;
  }
  return truncated("PNG chunks");
}

Status check_jpeg_complete(Bytes file) {
  size_t scan = file.size();
  MEML_TRY_STATUS(walk_jpeg(file, [&](uint32_t marker, size_t at, size_t) {
    scan = at;
    return marker == 0xDA;
  }));
  // From the end: files may carry something after the picture, but the entropy-coded data holds no end marker.
  for (size_t at = file.size(); at >= scan + 2; --at) {
    if (byte_at(file, at - 2) == 0xFF && byte_at(file, at - 1) == 0xD9) return {};
  }
  return truncated("JPEG scan");
}

Status check_bmp_complete(Bytes file) {
  MEML_TRY(const PictureHeader header, bmp_header(file));
  const uint32_t compression = little32(file, 30);
  if (compression != 0 && compression != 3) return {};  // run-length forms say nothing about their size
  const uint64_t row_bytes = (static_cast<uint64_t>(header.width) * little16(file, 28) + 31) / 32 * 4;
  if (little32(file, 10) + row_bytes * static_cast<uint64_t>(header.height) > file.size()) return truncated("BMP rows");
  return {};
}

}  // namespace

Result<PictureHeader> read_picture_header(Bytes file) {
  const auto header = [&]() -> Result<PictureHeader> {
    if (has(file, 0, "\x89PNG\r\n\x1a\n")) return png_header(file);
    if (has(file, 0, "\xFF\xD8\xFF")) return jpeg_header(file);
    if (has(file, 0, "BM")) return bmp_header(file);
    if (has(file, 0, "RIFF") && has(file, 8, "WEBP")) return webp_header(file);
    return fail(Code::invalid_argument, "not_a_picture", "not a PNG, JPEG, BMP or WebP picture");
  }();
  if (header && (header->width <= 0 || header->height <= 0)) return corrupt("the header gives no size");
  return header;
}

Status check_picture_complete(Bytes file, PictureCodec codec) {
  switch (codec) {
    case PictureCodec::png:
      return check_png_complete(file);
    case PictureCodec::jpeg:
      return check_jpeg_complete(file);
    case PictureCodec::bmp:
      return check_bmp_complete(file);
    case PictureCodec::webp:
      if (file.size() < 8 || little32(file, 4) + uint64_t{8} > file.size()) return truncated("WebP container");
      return {};
  }
  return {};
}

}  // namespace memline::video
