// The distrustful reader: magic, version, length, header, section table, tables, weights, in this order, each checked
// before anything it says is used.
#include <algorithm>
#include <cstring>
#include <optional>

#include "base/size.h"
#include "engine/checksum.h"
#include "engine/file.h"
#include "engine/layout.h"

namespace memline::engine {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uintptr_t kWeightsAlignment = 64;

template <typename... Args>
Failure corrupt(fmt::format_string<Args...> format, Args&&... args) {
  return vfail(Code::invalid_argument, "engine_corrupt", format, fmt::make_format_args(args...));
}

Failure truncated(size_t found, uint64_t needed) {
  return fail(Code::invalid_argument, "engine_truncated", "the engine is cut off: {} bytes, {} are needed", found,
              needed);
}

template <typename T>
T read_at(Bytes bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string_view section_name(SectionKind kind) {
  switch (kind) {
    case SectionKind::target:
      return "target";
    case SectionKind::program:
      return "program";
    case SectionKind::weights:
      return "weights";
  }
  return "unknown";
}

Result<Header> read_header(Bytes bytes) {
  if (bytes.empty()) return truncated(0, sizeof(Header));
  const size_t magic_bytes = std::min(bytes.size(), kMagic.size());
  if (std::memcmp(bytes.data(), kMagic.data(), magic_bytes) != 0)
    return fail(Code::invalid_argument, "engine_not_ours", "not a Memline engine: it does not begin with one's mark");
  if (bytes.size() < sizeof(Header)) return truncated(bytes.size(), sizeof(Header));
  const auto header = read_at<Header>(bytes, 0);
  if (header.version != kFormatVersion)
    return fail(
        Code::invalid_argument, "engine_version",
        "the engine has format version {}, this library reads {}; rebuild it: memline build MODEL.onnx -o ENGINE.mline",
        header.version, kFormatVersion);
  if (checksum(bytes.first(offsetof(Header, checksum))) != header.checksum) return corrupt("header: checksum differs");
  if (bytes.size() < header.file_bytes) return truncated(bytes.size(), header.file_bytes);
  if (bytes.size() > header.file_bytes)
    return corrupt("{} bytes follow the engine's {}", bytes.size() - header.file_bytes, header.file_bytes);
  return header;
}

Status check_section(Bytes bytes, const Section& section, uint64_t end_of_last) {
  const std::string_view name = section_name(section.kind);
  if (section.codec != Codec::plain)
    return fail(Code::invalid_argument, "engine_version",
                "section {} is stored by method {}, which this library cannot read", name,
                static_cast<uint32_t>(section.codec));
  if (section.offset < end_of_last || section.offset > bytes.size() ||
      section.stored_bytes > bytes.size() - section.offset || section.plain_bytes != section.stored_bytes)
    return corrupt("section {}: {} bytes at {}", name, section.stored_bytes, section.offset);
  const Bytes gap = bytes.subspan(end_of_last, section.offset - end_of_last);
  if (std::ranges::any_of(gap, [](std::byte byte) { return byte != std::byte{}; }))
    return corrupt("section {}: the bytes before it are not zero", name);
  return {};
}

Result<std::vector<Section>> read_sections(Bytes bytes, const Header& header) {
  const uint64_t table_bytes = header.sections * sizeof(Section);
  if (header.sections > kMostSections || sizeof(Header) + table_bytes > bytes.size())
    return corrupt("header: {} sections", header.sections);
  if (checksum(bytes.subspan(sizeof(Header), table_bytes)) != header.sections_checksum)
    return corrupt("section table: checksum differs");
  std::vector<Section> sections;
  uint64_t end = sizeof(Header) + table_bytes;
  for (uint32_t i = 0; i < header.sections; ++i) {
    sections.push_back(read_at<Section>(bytes, sizeof(Header) + i * sizeof(Section)));
    MEML_TRY_STATUS(check_section(bytes, sections.back(), end));
    end = sections.back().offset + sections.back().stored_bytes;
  }
  if (end != bytes.size()) return corrupt("section table: {} bytes belong to no section", bytes.size() - end);
  return sections;
}

// The bytes of the one section of a kind.
Result<Bytes> find_section(Bytes bytes, std::span<const Section> sections, SectionKind kind, bool check) {
  std::optional<Section> found;
  for (const Section& section : sections) {
    if (section.kind != kind) continue;
    if (found) return corrupt("section {}: there are two", section_name(kind));
    found = section;
  }
  if (!found) return corrupt("section {}: there is none", section_name(kind));
  const Bytes content = bytes.subspan(found->offset, found->stored_bytes);
  if (check && checksum(content) != found->checksum) return corrupt("section {}: checksum differs", section_name(kind));
  return content;
}

}  // namespace

Result<std::shared_ptr<const Engine>> read_bytes(Bytes bytes, std::shared_ptr<const void> owner, bool verify_weights) {
  MEML_TRY(const Header header, read_header(bytes));
  MEML_TRY(const std::vector<Section> sections, read_sections(bytes, header));
  MEML_TRY(const Bytes target, find_section(bytes, sections, SectionKind::target, true));
  MEML_TRY(const Bytes tables, find_section(bytes, sections, SectionKind::program, true));
  MEML_TRY(Program program, decode(tables));
  MEML_TRY(const Bytes weights, find_section(bytes, sections, SectionKind::weights, verify_weights));
  if (static_cast<int64_t>(weights.size()) != program.weights_bytes)
    return corrupt("section weights: {} bytes, the program needs {}", weights.size(), program.weights_bytes);
  if (reinterpret_cast<uintptr_t>(weights.data()) % kWeightsAlignment != 0)
    return invalid_argument("the engine's bytes must begin at a multiple of {} in memory", kWeightsAlignment);
  return std::make_shared<const Engine>(std::string(reinterpret_cast<const char*>(target.data()), target.size()),
                                        std::move(program), weights, std::move(owner));
}

Result<std::shared_ptr<const Engine>> read_file(const std::string& path, bool verify_weights) {
  MEML_TRY(const std::shared_ptr<const MappedFile> file, MappedFile::open(path));
  if (verify_weights) make_resident(file->bytes());
  Result<std::shared_ptr<const Engine>> engine = read_bytes(file->bytes(), file, verify_weights);
  if (!engine) return with_prefix(std::move(engine).error(), fmt::format("'{}'", path));
  return engine;
}

}  // namespace memline::engine
