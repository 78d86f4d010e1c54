// libswscale without scaling. The "J" formats (full-range JPEG) are passed as their plain twins with the range set,
// which is what libswscale asks for.
#include "video/pixels.h"

namespace memline::video {
namespace {

AVPixelFormat without_range(AVPixelFormat format) {
  switch (format) {
    case AV_PIX_FMT_YUVJ411P:
      return AV_PIX_FMT_YUV411P;
    case AV_PIX_FMT_YUVJ420P:
      return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUVJ422P:
      return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUVJ440P:
      return AV_PIX_FMT_YUV440P;
    case AV_PIX_FMT_YUVJ444P:
      return AV_PIX_FMT_YUV444P;
    default:
      return format;
  }
}

constexpr int kOne = 1 << 16;  // neutral contrast and saturation

}  // namespace

Status Pixels::prepare(int width, int height, AVPixelFormat from, AVPixelFormat to) {
  context_.reset(sws_getCachedContext(context_.release(), width, height, from, width, height, to, flags_, nullptr,
                                      nullptr, nullptr));
  if (!context_) return unsupported("pixels of format {} cannot be converted", static_cast<int>(from));
  return {};
}

Status Pixels::to_rgb(const AVFrame& frame, const vision::PictureView& out) {
  const auto format = static_cast<AVPixelFormat>(frame.format);
  const AVPixelFormat plain = without_range(format);
  MEML_TRY_STATUS(prepare(frame.width, frame.height, plain, AV_PIX_FMT_RGB24));
  const bool full_range = plain != format || frame.color_range == AVCOL_RANGE_JPEG;
  const int* matrix =
      sws_getCoefficients(frame.colorspace == AVCOL_SPC_UNSPECIFIED ? SWS_CS_DEFAULT : frame.colorspace);
  // Fails for formats that have no matrix (RGB, grey), where there is nothing to set.
  sws_setColorspaceDetails(context_.get(), matrix, full_range, sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, kOne, kOne);
  uint8_t* const planes[4] = {out.pixels, nullptr, nullptr, nullptr};
  const int strides[4] = {static_cast<int>(out.row_bytes), 0, 0, 0};
  if (sws_scale(context_.get(), frame.data, frame.linesize, 0, frame.height, planes, strides) != frame.height) {
    return internal("libswscale converted only a part of the frame");
  }
  return {};
}

Status Pixels::from_rgb(const AVFrame& rgb, AVFrame& out) {
  const auto format = static_cast<AVPixelFormat>(out.format);
  const AVPixelFormat plain = without_range(format);
  MEML_TRY_STATUS(prepare(out.width, out.height, AV_PIX_FMT_RGB24, plain));
  const int* matrix = sws_getCoefficients(SWS_CS_DEFAULT);
  sws_setColorspaceDetails(context_.get(), matrix, 1, matrix, plain != format ? 1 : 0, 0, kOne, kOne);
  if (sws_scale(context_.get(), rgb.data, rgb.linesize, 0, out.height, out.data, out.linesize) != out.height) {
    return internal("libswscale converted only a part of the picture");
  }
  return {};
}

}  // namespace memline::video
