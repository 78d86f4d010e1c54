// dlopen of libmemline_video.so; see the header.
#include "vision/video_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace memline::vision {
namespace {

constexpr const char* kFileName = "libmemline_video.so";

void add_places(const std::filesystem::path& binary, std::vector<std::string>& places) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(binary, error).parent_path();
  if (error || folder.empty()) return;
  for (const std::filesystem::path& place : {folder / kFileName, folder.parent_path() / "lib" / kFileName}) {
    if (std::find(places.begin(), places.end(), place.string()) == places.end()) places.push_back(place.string());
  }
}

}  // namespace

std::vector<std::string> video_library_candidates() {
  std::vector<std::string> places;
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&video_library_candidates), &own) != 0 && own.dli_fname != nullptr) {
    add_places(own.dli_fname, places);
  }
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) add_places(program, places);
  return places;
}

Result<const VideoEntry*> open_video_library(std::span<const std::string> candidates) {
  std::string tried;
  for (const std::string& path : candidates) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
      const char* why = dlerror();
      tried += fmt::format("; {}", why != nullptr ? why : path.c_str());
      continue;
    }
    const auto entry_function = reinterpret_cast<VideoEntryFunction>(dlsym(library, "memline_video_entry"));
    const VideoEntry* entry = entry_function != nullptr ? entry_function(kVideoInterface) : nullptr;
    if (entry == nullptr) {
      return fail(Code::unsupported, "video_library_version",
                  "{} does not offer interface {}: it is of another version of Memline", path, kVideoInterface);
    }
    return entry;
  }
  return fail(Code::not_found, "no_video_library", "reading pictures and videos needs {}, which cannot be opened{}",
              kFileName, tried);
}

}  // namespace memline::vision
