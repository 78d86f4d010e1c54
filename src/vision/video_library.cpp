// dlopen of libmemline_video.so; see the header.
#include "vision/video_library.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

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

// Loading FFmpeg and the hundred libraries behind it touches 18 MiB of pages (measured with Debian 12's) that are
// hardly read again. Dropping code and constants from our page tables costs a soft fault for each page that is: their
// bytes stay in the page cache, and no page that was written is in a segment without write permission.
int drop_read_only_pages(dl_phdr_info* object, size_t, void*) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const uintptr_t begin = (object->dlpi_addr + segment.p_vaddr) & ~(page - 1);
    const uintptr_t end = (object->dlpi_addr + segment.p_vaddr + segment.p_memsz + page - 1) & ~(page - 1);
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 0;
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
    dl_iterate_phdr(drop_read_only_pages, nullptr);
    return entry;
  }
  return fail(Code::not_found, "no_video_library", "reading pictures and videos needs {}, which cannot be opened{}",
              kFileName, tried);
}

}  // namespace memline::vision
