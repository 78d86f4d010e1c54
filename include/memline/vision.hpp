// Pictures in, objects out: engines built with a task (tools.hpp: BuildOptions::task) on pictures and videos.
// Boxes are x0 y0 x1 y1 in pixels of the source picture, half-open. Nothing a caller keeps holds device memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "memline/memline.hpp"

namespace memline::vision {

// 8-bit RGB pixels in host memory, [height, width, 3], dense. It owns nothing.
struct Picture {
  const uint8_t* pixels = nullptr;
  int64_t width = 0, height = 0;
};

// A mask as run lengths inside a box of whole pixels: row-major over [height, width], lengths of background and
// foreground in turn, beginning with background (0 where the first pixel belongs to the object). What the runs do not
// reach is background.
struct ObjectMask {
  int64_t x0 = 0, y0 = 0, width = 0, height = 0;
  std::span<const uint32_t> runs;
};

struct Object {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  float score_0to1 = 0;
  int32_t class_id = 0;
  ObjectMask mask;
  bool mask_truncated = false;  // the mask did not fit into --max-mask-bytes: box and score only
};

// One session of an engine built with --task segment. One call at a time.
class MEMLINE_API Segmenter {
 public:
  // Errors: as Engine::load; invalid_argument when the engine has no segmentation task.
  static Result<Segmenter> load(const std::string& engine, const SessionOptions& options = {});

  // Objects in order of falling score, valid until the next call. Errors: invalid_argument for a picture outside the
  // engine's source-max; the segmenter stays usable.
  Result<std::span<const Object>> segment(const Picture& picture);
  // Of the last call.
  struct Times {
    double preprocess_ms = 0, inference_ms = 0, postprocess_ms = 0;
  };
  Times times() const;
  std::span<const std::string> class_names() const;  // by class_id; empty when the model does not say
  const Engine& engine() const;

  struct Impl;
  explicit Segmenter(std::unique_ptr<Impl> impl);
  Segmenter(Segmenter&&) noexcept;
  Segmenter& operator=(Segmenter&&) noexcept;
  ~Segmenter();

 private:
  std::unique_ptr<Impl> impl_;
};

// What a source holds, read from its headers.
struct SourceSummary {
  bool is_video = false;
  int64_t max_width = 0, max_height = 0;
  int64_t frames = -1;  // -1: not known
  // What reading the source and writing pictures of its size holds: decoder and encoder with their frames. The bill's
  // entry `video`. The pages of FFmpeg's libraries themselves, which are shared between processes, are not in it.
  int64_t video_bytes = 0;
};
// Errors: not_found; invalid_argument (not_a_picture); not_found with reason no_video_library.
MEMLINE_API Result<SourceSummary> look_at_source(const std::string& source);

struct SourceJob {
  std::string source;         // a picture, a folder of pictures, or a video
  std::string save_folder;    // annotated frames, one .jpg each; empty: none
  std::string labels_folder;  // YOLO label files, one a frame even if empty; empty: none
  std::string jsonl_file, coco_file;
  int64_t max_frames = 0;  // 0: all
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(int64_t done, int64_t total)> progress;  // total -1: not known
};
struct SourceResult {
  int64_t frames = 0, objects = 0;
  int64_t unreadable = 0;             // pictures of a folder that could not be read; the rest went on
  std::vector<std::string> problems;  // the first ten of them
  double read_ms = 0, preprocess_ms = 0, inference_ms = 0, postprocess_ms = 0, write_ms = 0;  // sums over frames
};
// Runs every frame of the source through the segmenter and keeps nothing of it but these sums.
MEMLINE_API Result<SourceResult> segment_source(Segmenter& segmenter, const SourceJob& job);

}  // namespace memline::vision
