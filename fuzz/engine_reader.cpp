// Fuzz target: the engine reader. The first byte chooses what the rest is: 0 the tables of a program; 1 a file; 2 a
// file whose header and section table get right checksums first, so that what stands behind them is reached. Whatever
// comes in, the answer is an error or an engine; a program that was read can be written and read again.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "engine/checksum.h"
#include "engine/context.h"
#include "engine/file.h"
#include "engine/layout.h"

namespace {

using namespace memline::engine;
using Bytes = std::span<const std::byte>;

void read_tables(Bytes bytes) {
  const auto program = decode(bytes);
  if (!program) return;
  if (!decode(encode(*program))) std::abort();
  if (table_bytes(*program) < 0) std::abort();
}

void repair(std::span<std::byte> bytes) {
  if (bytes.size() < sizeof(Header)) return;
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.file_bytes = bytes.size();
  const size_t table = header.sections * sizeof(Section);
  if (table <= bytes.size() - sizeof header) header.sections_checksum = checksum(bytes.subspan(sizeof header, table));
  header.checksum = checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, checksum)));
  std::memcpy(bytes.data(), &header, sizeof header);
}

void read_file(Bytes bytes, bool repaired) {
  const size_t room = (bytes.size() + 4096) & ~size_t{4095};
  const std::shared_ptr<std::byte> copy(static_cast<std::byte*>(std::aligned_alloc(4096, room)),
                                        [](std::byte* memory) { std::free(memory); });
  const std::span<std::byte> file(copy.get(), bytes.size());
  if (!bytes.empty()) std::memcpy(file.data(), bytes.data(), bytes.size());
  if (repaired) repair(file);
  const auto engine = read_bytes(file, copy);
  if (engine && (*engine)->weights().size() > bytes.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Bytes rest = std::as_bytes(std::span(data, size)).subspan(1);
  switch (data[0]) {
    case 0:
      read_tables(rest);
      break;
    case 1:
      read_file(rest, false);
      break;
    case 2:
      read_file(rest, true);
      break;
    default:
      break;
  }
  return 0;
}
