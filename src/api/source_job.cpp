// vision.hpp's segment_source: one path for each frame of a picture, folder or video. Nothing grows with their number.
#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/result.h"
#include "memline/vision.hpp"
#include "vision/draw.h"
#include "vision/result_text.h"
#include "vision/video_library.h"

namespace memline::vision {
namespace {

// Measured on MPEG-4 in AVI with JPEG written: tables of decoder and encoder; their frames.
constexpr int64_t kVideoTableBytes = int64_t{6} << 20;
constexpr int64_t kVideoFrames = 4;

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Result<std::unique_ptr<FrameSource>> open_source(const std::string& path) {
  MEML_TRY(const VideoEntry* library, open_video_library(video_library_candidates()));
  return library->open_source(path, {});
}

Status write_text(const std::string& path, std::ios::openmode mode, const std::string& text) {
  std::ofstream file(path, mode);
  file << text;
  file.close();
  if (!file) return io_error("'{}' cannot be written", path);
  return {};
}

class Job {
 public:
  Job(Segmenter& segmenter, const SourceJob& job) : segmenter_(segmenter), job_(job) {}

  Result<SourceResult> run() {
    MEML_TRY(source_, open_source(job_.source));
    MEML_TRY_STATUS(open_outputs());
    for (;;) {
      if (job_.cancel != nullptr && job_.cancel->load(std::memory_order_relaxed))
        return fail(Code::cancelled, {}, "cancelled after {} frames", result_.frames);
      if (job_.max_frames > 0 && result_.frames >= job_.max_frames) break;
      const auto begin = Clock::now();
      auto frame = source_->next();
      result_.read_ms += since(begin);
      if (!frame) {
        if (source_->info().is_video) return Failure(std::move(frame).error());
        note_problem(frame.error());
        continue;
      }
      if (!*frame) break;
      MEML_TRY_STATUS(process(**frame));
      if (job_.progress) job_.progress(result_.frames, total());
    }
    MEML_TRY_STATUS(close_outputs());
    return result_;
  }

 private:
  int64_t total() const {
    const int64_t frames = source_->info().frames;
    return job_.max_frames > 0 && (frames < 0 || job_.max_frames < frames) ? job_.max_frames : frames;
  }

  void note_problem(const Error& error) {
    ++result_.unreadable;
    if (result_.problems.size() < 10) result_.problems.push_back(error.message);
  }

  Status open_outputs() {
    if (!job_.save_folder.empty()) {
      MEML_TRY(const VideoEntry* library, open_video_library(video_library_candidates()));
      MEML_TRY(sink_, library->open_sink(job_.save_folder, {}));
    }
    std::error_code error;
    if (!job_.labels_folder.empty()) std::filesystem::create_directories(job_.labels_folder, error);
    if (error) return io_error("folder '{}' cannot be made: {}", job_.labels_folder, error.message());
    if (!job_.jsonl_file.empty()) MEML_TRY_STATUS(write_text(job_.jsonl_file, std::ios::trunc, ""));
    if (!job_.coco_file.empty()) MEML_TRY_STATUS(write_text(job_.coco_file, std::ios::trunc, "["));
    return {};
  }

  Status close_outputs() {
    if (!job_.coco_file.empty()) MEML_TRY_STATUS(write_text(job_.coco_file, std::ios::app, "]\n"));
    return {};
  }

  Status process(const Frame& frame) {
    const PictureView& picture = frame.picture;
    auto objects = segmenter_.segment({picture.pixels, picture.width, picture.height});
    if (!objects) return with_prefix(std::move(objects).error(), frame.name);
    ++result_.frames;
    result_.objects += static_cast<int64_t>(objects->size());
    const Segmenter::Times times = segmenter_.times();
    result_.preprocess_ms += times.preprocess_ms;
    result_.inference_ms += times.inference_ms;
    result_.postprocess_ms += times.postprocess_ms;
    const auto begin = Clock::now();
    MEML_TRY_STATUS(write(frame, *objects));
    result_.write_ms += since(begin);
    return {};
  }

  Status write(const Frame& frame, std::span<const Object> objects) {
    detections_.clear();
    for (const Object& o : objects) {
      Detection d{.x0 = o.x0, .y0 = o.y0, .x1 = o.x1, .y1 = o.y1, .score_0to1 = o.score_0to1, .class_id = o.class_id};
      d.mask = {o.mask.x0, o.mask.y0, o.mask.width, o.mask.height, o.mask.runs};
      d.mask_truncated = o.mask_truncated;
      detections_.push_back(d);
    }
    const FrameResults results{job_.source,         frame.name,           frame.index, frame.timestamp_us,
                               frame.picture.width, frame.picture.height, detections_, segmenter_.class_names()};
    if (!job_.jsonl_file.empty()) {
      text_.clear();
      append_jsonl(results, text_);
      MEML_TRY_STATUS(write_text(job_.jsonl_file, std::ios::app, text_));
    }
    if (!job_.coco_file.empty()) {
      text_.clear();
      append_coco(results, frame.index, coco_first_, text_);
      MEML_TRY_STATUS(write_text(job_.coco_file, std::ios::app, text_));
    }
    if (!job_.labels_folder.empty()) {
      text_.clear();
      append_yolo(results, text_);
      MEML_TRY_STATUS(write_text(job_.labels_folder + "/" + std::string(frame.name) + ".txt", std::ios::trunc, text_));
    }
    if (sink_ == nullptr) return {};
    draw(frame.picture, detections_, segmenter_.class_names());
    return sink_->write(frame.picture, frame.name);
  }

  Segmenter& segmenter_;
  const SourceJob& job_;
  std::unique_ptr<FrameSource> source_;
  std::unique_ptr<FrameSink> sink_;
  std::vector<Detection> detections_;
  std::string text_;
  bool coco_first_ = true;
  SourceResult result_;
};

}  // namespace

Result<SourceSummary> look_at_source(const std::string& path) {
  MEML_TRY(const auto source, open_source(path));
  const SourceInfo& info = source->info();
  const int64_t frame = 3 * info.max_width * info.max_height;
  return SourceSummary{info.is_video, info.max_width, info.max_height, info.frames,
                       kVideoTableBytes + kVideoFrames * frame};
}

Result<SourceResult> segment_source(Segmenter& segmenter, const SourceJob& job) { return Job(segmenter, job).run(); }

}  // namespace memline::vision
