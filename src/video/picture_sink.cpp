// PNG and JPEG through libavcodec's encoders. The encoder is remade when the size changes; each file is written beside
// its place and renamed, so that a full disk or an interrupt leaves no half picture.
#include "video/picture_sink.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>

#include "base/new_file.h"
#include "video/ffmpeg.h"
#include "video/pixels.h"

namespace memline::video {
namespace {

Status write_whole(const std::string& path, std::span<const uint8_t> bytes) {
  MEML_TRY(NewFile file, NewFile::create(path));
  MEML_TRY_STATUS(file.append(std::as_bytes(bytes)));
  return file.commit();
}

// The MJPEG encoder counts quantiser steps, 1 (best) to 31.
int quantiser(int quality_1to100) { return std::clamp(1 + (100 - quality_1to100) * 30 / 99, 1, 31); }

class PictureSink final : public vision::FrameSink {
 public:
  PictureSink(std::string folder, const vision::SinkOptions& options)
      : folder_(std::move(folder)),
        options_(options),
        pixels_(SWS_BICUBIC | SWS_ACCURATE_RND),
        packet_(av_packet_alloc()) {}

  Status write(const vision::PictureView& picture, std::string_view name) override {
    if (picture.width <= 0 || picture.height <= 0) return invalid_argument("picture '{}' is empty", name);
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string_view::npos) {
      return invalid_argument("'{}' is not a file name", name);
    }
    MEML_TRY_STATUS(prepare(picture));
    MEML_TRY_STATUS(encode(picture));
    const bool png = options_.format == vision::PictureFormat::png;
    const std::string path = fmt::format("{}/{}{}", folder_, name, png ? ".png" : ".jpg");
    Status written = write_whole(path, {packet_->data, static_cast<size_t>(packet_->size)});
    av_packet_unref(packet_.get());
    return written;
  }

 private:
  Status prepare(const vision::PictureView& picture) {
    if (encoder_ && encoder_->width == picture.width && encoder_->height == picture.height) return {};
    const bool png = options_.format == vision::PictureFormat::png;
    const AVCodec* codec = avcodec_find_encoder(png ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG);
    if (codec == nullptr) return unsupported("this FFmpeg has no {} encoder", png ? "PNG" : "JPEG");
    encoder_.reset(avcodec_alloc_context3(codec));
    if (!encoder_ || !packet_) return out_of_memory("no memory for the picture encoder");
    encoder_->width = static_cast<int>(picture.width);
    encoder_->height = static_cast<int>(picture.height);
    encoder_->pix_fmt = png ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_YUVJ420P;
    encoder_->color_range = AVCOL_RANGE_JPEG;
    encoder_->time_base = {1, 1};
    encoder_->thread_count = 1;
    if (png) {
      encoder_->compression_level = 1;  // zlib's
    } else {
      encoder_->flags |= AV_CODEC_FLAG_QSCALE;
      encoder_->global_quality = FF_QP2LAMBDA * quantiser(options_.jpeg_quality_1to100);
    }
    const int error = avcodec_open2(encoder_.get(), codec, nullptr);
    if (error >= 0 && make_frame(rgb_, AV_PIX_FMT_RGB24) && (png || make_frame(yuv_, AV_PIX_FMT_YUVJ420P))) return {};
    encoder_.reset();
    if (error >= 0) return out_of_memory("no memory for a picture of {}x{}", picture.width, picture.height);
    return unsupported("a picture of {}x{} cannot be encoded ({})", picture.width, picture.height, ffmpeg_text(error));
  }

  bool make_frame(Owned<AVFrame>& frame, AVPixelFormat format) const {
    frame.reset(av_frame_alloc());
    if (!frame) return false;
    frame->width = encoder_->width;
    frame->height = encoder_->height;
    frame->format = format;
    frame->quality = encoder_->global_quality;
    return av_frame_get_buffer(frame.get(), 0) >= 0;
  }

  Status encode(const vision::PictureView& picture) {
    AVFrame& frame = yuv_ ? *yuv_ : *rgb_;
    if (av_frame_make_writable(rgb_.get()) < 0 || av_frame_make_writable(&frame) < 0) {
      return out_of_memory("no memory for the picture encoder");
    }
    for (int64_t y = 0; y < picture.height; ++y) {
      std::memcpy(rgb_->data[0] + y * rgb_->linesize[0], picture.at(0, y), static_cast<size_t>(3 * picture.width));
    }
    if (yuv_) MEML_TRY_STATUS(pixels_.from_rgb(*rgb_, *yuv_));
    frame.pts = frames_++;
    int error = avcodec_send_frame(encoder_.get(), &frame);
    if (error >= 0) error = avcodec_receive_packet(encoder_.get(), packet_.get());
    if (error < 0) {
      return internal("a picture of {}x{} was not encoded ({})", picture.width, picture.height, ffmpeg_text(error));
    }
    return {};
  }

  std::string folder_;
  vision::SinkOptions options_;
  Pixels pixels_;
  Owned<AVPacket> packet_;
  Owned<AVFrame> rgb_;  // a copy with room at its end, which the caller's picture need not have (kSlack)
  Owned<AVFrame> yuv_;  // JPEG only
  Owned<AVCodecContext> encoder_;
  int64_t frames_ = 0;
};

}  // namespace

Result<std::unique_ptr<vision::FrameSink>> open_sink(const std::string& folder, const vision::SinkOptions& options) {
  if (options.jpeg_quality_1to100 < 1 || options.jpeg_quality_1to100 > 100) {
    return invalid_argument("JPEG quality is {}, needs 1 to 100", options.jpeg_quality_1to100);
  }
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) {
    const bool denied = error == std::errc::permission_denied || error == std::errc::read_only_file_system;
    return fail(Code::io_error, denied ? "no_permission" : "", "cannot make folder '{}': {}", folder, error.message());
  }
  if (!std::filesystem::is_directory(folder, error)) return invalid_argument("'{}' is not a folder", folder);
  return std::make_unique<PictureSink>(folder, options);
}

}  // namespace memline::video
