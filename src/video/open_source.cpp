// Decides what a path is: a folder's pictures, one picture, or a video. Only regular files are opened: FFmpeg itself
// would also follow network addresses and playlists.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "base/mapping.h"
#include "video/picture_header.h"
#include "video/sources.h"

namespace memline::video {
namespace {

namespace fs = std::filesystem;

bool has_picture_ending(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array<std::string_view, 5> kEndings = {".png", ".jpg", ".jpeg", ".bmp", ".webp"};
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

Result<std::vector<std::string>> pictures_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored) && has_picture_ending(it->path())) files.push_back(it->path().string());
  }
  if (error) return io_error("cannot list folder '{}': {}", folder, error.message());
  if (files.empty()) {
    return fail(Code::not_found, "no_pictures", "folder '{}' holds no .png, .jpg, .jpeg, .bmp or .webp file", folder);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Status check_size(int64_t width, int64_t height, const vision::SourceLimits& limits) {
  if (width <= limits.max_width && height <= limits.max_height) return {};
  return fail(Code::unsupported, "picture_too_large", "it is {}x{}, and at most {}x{} is read", width, height,
              limits.max_width, limits.max_height);
}

Result<std::unique_ptr<vision::FrameSource>> open_source(const std::string& path, const vision::SourceLimits& limits) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    MEML_TRY(std::vector<std::string> files, pictures_in(path));
    return open_pictures(std::move(files), limits);
  }
  MEML_TRY(const std::shared_ptr<const MappedFile> file, MappedFile::open(path));
  if (file->bytes().empty()) return fail(Code::invalid_argument, "not_a_picture", "'{}' is empty", path);
  const Result<PictureHeader> header = read_picture_header(file->bytes());
  if (header || header.error().reason != "not_a_picture") return open_pictures({path}, limits);
  return open_video(path, limits);
}

}  // namespace memline::video
