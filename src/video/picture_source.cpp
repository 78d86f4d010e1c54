// Pictures from files: headers at open, one picture decoded at each next(). libavcodec is used without libavformat, so
// nothing is probed: the codec follows from the header that picture_header.cpp has read and checked.
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/mapping.h"
#include "base/size.h"
#include "video/ffmpeg.h"
#include "video/picture_header.h"
#include "video/pixels.h"
#include "video/sources.h"

namespace memline::video {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{1} << 30;
constexpr int64_t kStride = 64;  // libavcodec checks its padded size against max_pixels

AVCodecID codec_id(PictureCodec codec) {
  switch (codec) {
    case PictureCodec::png:
      return AV_CODEC_ID_PNG;
    case PictureCodec::jpeg:
      return AV_CODEC_ID_MJPEG;
    case PictureCodec::bmp:
      return AV_CODEC_ID_BMP;
    case PictureCodec::webp:
      return AV_CODEC_ID_WEBP;
  }
  return AV_CODEC_ID_NONE;
}

Result<Owned<AVFrame>> decode(std::span<const std::byte> file, const PictureHeader& header) {
  const AVCodec* codec = avcodec_find_decoder(codec_id(header.codec));
  if (codec == nullptr)
    return unsupported("this FFmpeg has no decoder for {}", avcodec_get_name(codec_id(header.codec)));
  Owned<AVCodecContext> context(avcodec_alloc_context3(codec));
  Owned<AVPacket> packet(av_packet_alloc());
  Owned<AVFrame> frame(av_frame_alloc());
  if (!context || !packet || !frame || av_new_packet(packet.get(), static_cast<int>(file.size())) < 0) {
    return out_of_memory("no memory to decode a file of {}", format_size(static_cast<int64_t>(file.size())));
  }
  std::memcpy(packet->data, file.data(), file.size());
  context->thread_count = 1;
  context->max_pixels = align_up(header.width, kStride) * align_up(header.height, kStride);
  context->err_recognition = AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE;
  int error = avcodec_open2(context.get(), codec, nullptr);
  if (error >= 0) error = avcodec_send_packet(context.get(), packet.get());
  if (error >= 0) error = avcodec_send_packet(context.get(), nullptr);
  if (error >= 0) error = avcodec_receive_frame(context.get(), frame.get());
  if (error == AVERROR(ENOMEM)) return out_of_memory("no memory to decode {}x{} pixels", header.width, header.height);
  if (error < 0) return fail(Code::io_error, "picture_corrupt", "cannot be decoded: {}", ffmpeg_text(error));
  if (frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0) {
    return fail(Code::io_error, "picture_corrupt", "parts of it cannot be decoded");
  }
  if (frame->width != header.width || frame->height != header.height) {
    return fail(Code::io_error, "picture_corrupt", "the header says {}x{} and the data {}x{}", header.width,
                header.height, frame->width, frame->height);
  }
  return frame;
}

class PictureSource final : public vision::FrameSource {
 public:
  PictureSource(std::vector<std::string> files, const vision::SourceLimits& limits)
      : files_(std::move(files)), limits_(limits), pixels_(SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT) {}

  Status prepare() {
    Status first_error;
    for (const std::string& file : files_) {
      const Result<PictureHeader> header = read_header(file);
      if (!header) {
        if (first_error) first_error = Failure(header.error());
        continue;
      }
      info_.max_width = std::max(info_.max_width, header->width);
      info_.max_height = std::max(info_.max_height, header->height);
      info_.buffer_bytes = std::max(info_.buffer_bytes, 3 * header->width * header->height);
    }
    if (info_.buffer_bytes == 0) return first_error;
    info_.frames = static_cast<int64_t>(files_.size());
    MEML_TRY(buffer_, Pages::take(info_.buffer_bytes + kSlack));
    return {};
  }

  const vision::SourceInfo& info() const override { return info_; }

  Result<std::optional<vision::Frame>> next() override {
    if (next_ == files_.size()) return std::nullopt;
    const std::string& file = files_[next_++];
    Result<vision::PictureView> picture = read(file);
    if (!picture) return with_prefix(std::move(picture).error(), fmt::format("picture '{}'", file));
    name_ = std::filesystem::path(file).stem().string();
    return vision::Frame{.picture = *picture, .index = static_cast<int64_t>(next_) - 1, .name = name_};
  }

 private:
  Result<PictureHeader> read_header(const std::string& path) const {
    MEML_TRY(const std::shared_ptr<const MappedFile> file, MappedFile::open(path));
    Result<PictureHeader> header = read_picture_header(file->bytes());
    Status size = header ? check_size(header->width, header->height, limits_) : Status();
    if (header && size) return header;
    return with_prefix(header ? std::move(size).error() : std::move(header).error(), fmt::format("picture '{}'", path));
  }

  Result<vision::PictureView> read(const std::string& path) {
    MEML_TRY(const std::shared_ptr<const MappedFile> file, MappedFile::open(path));
    const std::span<const std::byte> bytes = file->bytes();
    MEML_TRY(const PictureHeader header, read_picture_header(bytes));
    MEML_TRY_STATUS(check_size(header.width, header.height, limits_));
    if (3 * header.width * header.height > info_.buffer_bytes) {
      return fail(Code::io_error, "picture_corrupt", "it grew to {}x{} after its header was read", header.width,
                  header.height);
    }
    if (static_cast<int64_t>(bytes.size()) > kMaxFileBytes) return unsupported("the file is larger than 1 GiB");
    MEML_TRY_STATUS(check_picture_complete(bytes, header.codec));
    MEML_TRY(const Owned<AVFrame> frame, decode(bytes, header));
    const vision::PictureView view{reinterpret_cast<uint8_t*>(buffer_.bytes().data()), header.width, header.height,
                                   3 * header.width};
    MEML_TRY_STATUS(pixels_.to_rgb(*frame, view));
    return view;
  }

  std::vector<std::string> files_;
  vision::SourceLimits limits_;
  vision::SourceInfo info_;
  Pages buffer_;
  Pixels pixels_;
  size_t next_ = 0;
  std::string name_;
};

}  // namespace

Result<std::unique_ptr<vision::FrameSource>> open_pictures(std::vector<std::string> files,
                                                           const vision::SourceLimits& limits) {
  auto source = std::make_unique<PictureSource>(std::move(files), limits);
  MEML_TRY_STATUS(source->prepare());
  return source;
}

}  // namespace memline::video
