// A main for fuzz targets without libFuzzer: runs every file of the given files and folders through the target, and
// `--mutations N` also N changed copies of each, made from a fixed seed. A crash names the file; where it was a copy,
// its number comes too.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

struct Random {
  uint64_t state;
  uint64_t next() {  // splitmix64
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  size_t below(size_t bound) { return static_cast<size_t>(next() % bound); }
};

void mutate(std::vector<uint8_t>& bytes, Random& random) {
  constexpr uint8_t kTelling[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  for (size_t changes = 1 + random.below(6); changes > 0 && bytes.size() > 1; --changes) {
    const size_t at = 1 + random.below(bytes.size() - 1);  // the first byte may choose what is read
    switch (random.below(5)) {
      case 0:
        bytes[at] ^= static_cast<uint8_t>(1u << random.below(8));
        break;
      case 1:
        bytes[at] = kTelling[random.below(std::size(kTelling))];
        break;
      case 2:
        bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at), static_cast<uint8_t>(random.next()));
        break;
      case 3:
        bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(at));
        break;
      default:
        std::swap(bytes[at], bytes[1 + random.below(bytes.size() - 1)]);
        break;
    }
  }
}

std::vector<uint8_t> load(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> files_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  int mutations = 0;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--mutations") == 0 && i + 1 < argc) {
      mutations = std::atoi(argv[++i]);
      continue;
    }
    for (fs::path& file : files_of(argv[i])) files.push_back(std::move(file));
  }
  for (const fs::path& path : files) {
    const std::vector<uint8_t> seed = load(path);
    LLVMFuzzerTestOneInput(seed.data(), seed.size());
    for (int i = 0; i < mutations; ++i) {
      Random random{static_cast<uint64_t>(i)};
      std::vector<uint8_t> bytes = seed;
      mutate(bytes, random);
      std::fprintf(stderr, "\r%s copy %d", path.filename().c_str(), i);
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
  }
  std::printf("%zu files, %d copies of each\n", files.size(), mutations);
  return files.empty() ? 1 : 0;
}
