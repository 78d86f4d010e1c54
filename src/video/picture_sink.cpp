// PNG and JPEG through libavcodec's encoders. The encoder is remade when the size changes; each file is written beside
// its place and renamed, so that a full disk or an interrupt leaves no half picture.
#include "video/picture_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>

#include "video/ffmpeg.h"
#include "video/pixels.h"

namespace memline::video {
namespace {

Failure write_failure(const std::string& path, int error) {
  std::string_view reason;
  if (error == ENOSPC || error == EDQUOT) reason = "disk_full";
  if (error == EACCES || error == EPERM || error == EROFS) reason = "no_permission";
  return fail(Code::io_error, reason, "cannot write '{}': {}", path, std::generic_category().message(error));
}

// The errno of the first failure, or 0.
int write_all(int file, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

Status write_whole(const std::string& path, std::span<const uint8_t> bytes) {
  const std::string temporary = path + ".part";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return write_failure(path, errno);
  int error = write_all(file, bytes);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return write_failure(path, error);
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
    frame_.reset(av_frame_alloc());
    if (!encoder_ || !frame_ || !packet_) return out_of_memory("no memory for the picture encoder");
    encoder_->width = static_cast<int>(picture.width);
    encoder_->height = static_cast<int>(picture.height);
    encoder_->pix_fmt = png ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_YUVJ420P;
    encoder_->color_range = AVCOL_RANGE_JPEG;
    encoder_->time_base = {1, 1};
    encoder_->thread_count = 1;
    if (png) {
      encoder_->compression_level = 1;  // zlib's: an eighth of the default's time for a third more bytes
    } else {
      encoder_->flags |= AV_CODEC_FLAG_QSCALE;
      encoder_->global_quality = FF_QP2LAMBDA * quantiser(options_.jpeg_quality_1to100);
    }
    frame_->width = encoder_->width;
    frame_->height = encoder_->height;
    frame_->format = encoder_->pix_fmt;
    frame_->quality = encoder_->global_quality;
    int error = avcodec_open2(encoder_.get(), codec, nullptr);
    if (error >= 0) error = av_frame_get_buffer(frame_.get(), 0);
    if (error >= 0) return {};
    encoder_.reset();
    return unsupported("a picture of {}x{} cannot be encoded ({})", picture.width, picture.height, ffmpeg_text(error));
  }

  Status encode(const vision::PictureView& picture) {
    if (av_frame_make_writable(frame_.get()) < 0) return out_of_memory("no memory for the picture encoder");
    MEML_TRY_STATUS(pixels_.from_rgb(picture, *frame_));
    frame_->pts = frames_++;
    int error = avcodec_send_frame(encoder_.get(), frame_.get());
    if (error >= 0) error = avcodec_receive_packet(encoder_.get(), packet_.get());
    if (error < 0)
      return internal("a picture of {}x{} was not encoded ({})", picture.width, picture.height, ffmpeg_text(error));
    return {};
  }

  std::string folder_;
  vision::SinkOptions options_;
  Pixels pixels_;
  Owned<AVPacket> packet_;
  Owned<AVFrame> frame_;
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
  if (error) return write_failure(folder, error.value());
  return std::make_unique<PictureSink>(folder, options);
}

}  // namespace memline::video
