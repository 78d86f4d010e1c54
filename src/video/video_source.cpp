// A video file through libavformat and libavcodec: one packet, one decoded frame and one RGB buffer at a time.
//   * One decoder thread: more would hold a frame each, and the cores belong to the engine.
//   * Only self-contained formats and the file protocol: playlists could name other files and hosts.
//   * FFmpeg conceals damage; here a damaged packet or frame ends the video with an error.
#include <array>
#include <cmath>

#include "base/mapping.h"
#include "video/ffmpeg.h"
#include "video/pixels.h"
#include "video/sources.h"

namespace memline::video {
namespace {

constexpr const char* kFormats =
    "avi,mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mpeg,mpegts,mpegvideo,m4v,ogg,flv,asf,h264,hevc,ivf";

struct Options {
  AVDictionary* entries = nullptr;
  ~Options() { av_dict_free(&entries); }
};

class VideoSource final : public vision::FrameSource {
 public:
  explicit VideoSource(std::string path) : path_(std::move(path)), pixels_(SWS_BICUBIC) {}

  Status prepare(const vision::SourceLimits& limits) {
    packet_.reset(av_packet_alloc());
    frame_.reset(av_frame_alloc());
    if (!packet_ || !frame_) return out_of_memory("no memory to read a video");
    MEML_TRY_STATUS(open_container(limits));
    MEML_TRY_STATUS(open_decoder(limits));
    const AVStream& stream = *format_->streams[stream_];
    info_.is_video = true;
    info_.max_width = decoder_->width;
    info_.max_height = decoder_->height;
    if (stream.nb_frames > 0) info_.frames = stream.nb_frames;
    if (stream.avg_frame_rate.den != 0) info_.frames_per_second = av_q2d(stream.avg_frame_rate);
    info_.buffer_bytes = 3 * info_.max_width * info_.max_height;
    MEML_TRY(buffer_, Pages::take(info_.buffer_bytes + kSlack));
    return {};
  }

  const vision::SourceInfo& info() const override { return info_; }

  Result<std::optional<vision::Frame>> next() override {
    if (ended_) return std::nullopt;
    Result<std::optional<vision::Frame>> result = read_frame();
    ended_ = !result || !*result;
    if (!result) return with_prefix(std::move(result).error(), fmt::format("video '{}', frame {}", path_, index_));
    return result;
  }

 private:
  Status open_container(const vision::SourceLimits& limits) {
    Options options;
    av_dict_set(&options.entries, "protocol_whitelist", "file", 0);
    av_dict_set(&options.entries, "format_whitelist", kFormats, 0);
    AVFormatContext* format = nullptr;
    const std::string url = "file:" + path_;
    if (const int error = avformat_open_input(&format, url.c_str(), nullptr, &options.entries); error < 0) {
      return fail(Code::invalid_argument, "not_a_video", "neither a picture nor a video that can be read ({})",
                  ffmpeg_text(error));
    }
    format_.reset(format);
    for (unsigned i = 0; i < format->nb_streams; ++i) {
      MEML_TRY_STATUS(check_size(format->streams[i]->codecpar->width, format->streams[i]->codecpar->height, limits));
    }
    MEML_TRY_STATUS(find_stream_info(limits));
    stream_ = av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (stream_ < 0) return fail(Code::invalid_argument, "not_a_video", "it has no video stream");
    for (unsigned i = 0; i < format->nb_streams; ++i) {
      if (static_cast<int>(i) != stream_) format->streams[i]->discard = AVDISCARD_ALL;
    }
    return {};
  }

  // May decode a first frame, so the largest size holds here too.
  Status find_stream_info(const vision::SourceLimits& limits) {
    std::vector<AVDictionary*> options(format_->nb_streams, nullptr);
    for (AVDictionary*& entries : options) {
      av_dict_set_int(&entries, "max_pixels", limits.max_width * limits.max_height, 0);
      av_dict_set_int(&entries, "threads", 1, 0);
    }
    const int error = avformat_find_stream_info(format_.get(), options.empty() ? nullptr : options.data());
    for (AVDictionary*& entries : options) av_dict_free(&entries);
    if (error < 0) return fail(Code::io_error, "video_corrupt", "its streams cannot be read ({})", ffmpeg_text(error));
    return {};
  }

  Status open_decoder(const vision::SourceLimits& limits) {
    const AVCodecParameters* parameters = format_->streams[stream_]->codecpar;
    MEML_TRY_STATUS(check_size(parameters->width, parameters->height, limits));
    const AVCodec* codec = avcodec_find_decoder(parameters->codec_id);
    if (codec == nullptr)
      return unsupported("this FFmpeg has no decoder for {}", avcodec_get_name(parameters->codec_id));
    decoder_.reset(avcodec_alloc_context3(codec));
    if (!decoder_ || avcodec_parameters_to_context(decoder_.get(), parameters) < 0) {
      return out_of_memory("no memory for the decoder");
    }
    decoder_->thread_count = 1;
    decoder_->max_pixels = limits.max_width * limits.max_height;
    decoder_->pkt_timebase = format_->streams[stream_]->time_base;
    if (const int error = avcodec_open2(decoder_.get(), codec, nullptr); error < 0) {
      return unsupported("the {} decoder does not open ({})", codec->name, ffmpeg_text(error));
    }
    if (decoder_->width <= 0 || decoder_->height <= 0) {
      return fail(Code::io_error, "video_corrupt", "its header gives no frame size");
    }
    return {};
  }

  Result<std::optional<vision::Frame>> read_frame() {
    while (true) {
      const int error = avcodec_receive_frame(decoder_.get(), frame_.get());
      if (error == 0) return deliver();
      if (error == AVERROR_EOF) return std::nullopt;
      if (error != AVERROR(EAGAIN))
        return fail(Code::io_error, "video_corrupt", "cannot be decoded: {}", ffmpeg_text(error));
      MEML_TRY_STATUS(feed());
    }
  }

  // Gives the decoder the next packet of the stream, or tells it that there are no more.
  Status feed() {
    while (true) {
      av_packet_unref(packet_.get());
      int error = av_read_frame(format_.get(), packet_.get());
      if (error >= 0 && packet_->stream_index != stream_) continue;
      if (error < 0 && error != AVERROR_EOF) {
        return fail(Code::io_error, "video_truncated", "cannot be read: {}", ffmpeg_text(error));
      }
      if (error >= 0 && (packet_->flags & AV_PKT_FLAG_CORRUPT) != 0) {
        return fail(Code::io_error, "video_truncated", "the file ends inside it");
      }
      error = avcodec_send_packet(decoder_.get(), error == AVERROR_EOF ? nullptr : packet_.get());
      if (error < 0 && error != AVERROR_EOF) {
        return fail(Code::io_error, "video_corrupt", "cannot be decoded: {}", ffmpeg_text(error));
      }
      return {};
    }
  }

  Result<std::optional<vision::Frame>> deliver() {
    if (frame_->width > info_.max_width || frame_->height > info_.max_height) {
      return fail(Code::unsupported, "video_size_changed", "it is {}x{} where the video began with {}x{}",
                  frame_->width, frame_->height, info_.max_width, info_.max_height);
    }
    if (frame_->decode_error_flags != 0 || (frame_->flags & AV_FRAME_FLAG_CORRUPT) != 0) {
      return fail(Code::io_error, "video_corrupt", "parts of it cannot be decoded");
    }
    vision::Frame frame;
    frame.picture = {reinterpret_cast<uint8_t*>(buffer_.bytes().data()), frame_->width, frame_->height,
                     3 * int64_t{frame_->width}};
    MEML_TRY_STATUS(pixels_.to_rgb(*frame_, frame.picture));
    frame.index = index_++;
    frame.timestamp_us = timestamp_us();
    fmt::format_to_n_result<char*> end = fmt::format_to_n(name_.data(), name_.size(), "frame_{:06}", frame.index);
    frame.name = {name_.data(), end.size};
    av_frame_unref(frame_.get());
    return frame;
  }

  int64_t timestamp_us() const {
    const AVStream& stream = *format_->streams[stream_];
    if (frame_->best_effort_timestamp == AV_NOPTS_VALUE) return -1;
    const int64_t start = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
    return av_rescale_q(frame_->best_effort_timestamp - start, stream.time_base, AVRational{1, 1'000'000});
  }

  std::string path_;
  vision::SourceInfo info_;
  Owned<AVFormatContext> format_;
  Owned<AVCodecContext> decoder_;
  Owned<AVPacket> packet_;
  Owned<AVFrame> frame_;
  Pages buffer_;
  Pixels pixels_;
  int stream_ = -1;
  int64_t index_ = 0;
  bool ended_ = false;
  std::array<char, 32> name_{};
};

}  // namespace

Result<std::unique_ptr<vision::FrameSource>> open_video(const std::string& path, const vision::SourceLimits& limits) {
  auto source = std::make_unique<VideoSource>(path);
  if (Status status = source->prepare(limits); !status) {
    return with_prefix(std::move(status).error(), fmt::format("'{}'", path));
  }
  return source;
}

}  // namespace memline::video
