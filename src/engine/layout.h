// The engine file's frame: a header, a table of sections, the sections. docs/engine_format.md has it as a picture.
// Magic and version keep their places in every version, so that any reader can name any file. All numbers are
// little-endian.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace memline::engine {

static_assert(std::endian::native == std::endian::little, "the file's numbers are read in place");

// A byte above 127 and both kinds of line end: a transfer as text breaks the magic, not the tables.
inline constexpr std::array<unsigned char, 8> kMagic = {0x89, 'M', 'L', 'I', 'N', 'E', '\r', '\n'};
inline constexpr uint32_t kFormatVersion = 1;
inline constexpr int64_t kPage = 4096;
inline constexpr uint32_t kMostSections = 64;

enum class SectionKind : uint32_t { target = 1, program = 2, weights = 3 };
enum class Codec : uint32_t { plain = 0 };

struct Header {
  std::array<unsigned char, 8> magic = kMagic;
  uint32_t version = kFormatVersion;
  uint32_t sections = 0;
  uint64_t file_bytes = 0;
  uint64_t sections_checksum = 0;
  uint64_t reserved[3] = {};
  uint64_t checksum = 0;  // of the header's bytes before it
};
static_assert(sizeof(Header) == 64);

struct Section {
  SectionKind kind = SectionKind::target;
  Codec codec = Codec::plain;
  uint64_t offset = 0;
  uint64_t plain_bytes = 0;
  uint64_t stored_bytes = 0;
  uint64_t checksum = 0;  // of the stored bytes
  uint64_t reserved = 0;
};
static_assert(sizeof(Section) == 48);

}  // namespace memline::engine
