// Header and section table are written last, over zeros, when the checksum of the streamed weights is known.
#include <cstring>

#include "base/new_file.h"
#include "base/size.h"
#include "engine/checksum.h"
#include "engine/file.h"
#include "engine/layout.h"
#include "engine/verify.h"

namespace memline::engine {
namespace {

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

class FileSink final : public WeightSink {
 public:
  FileSink(NewFile& file, int64_t expected) : file_(file), expected_(expected) {}

  Status append(std::span<const std::byte> bytes) override {
    const auto size = static_cast<int64_t>(bytes.size());
    if (size > expected_ - written_) return internal("more than the {} bytes of weights that were planned", expected_);
    MEML_TRY_STATUS(file_.append(bytes));
    checksum_.add(bytes);
    written_ += size;
    return {};
  }
  Status finish() const {
    if (written_ != expected_) return internal("{} bytes of weights, {} were planned", written_, expected_);
    return {};
  }
  uint64_t checksum() const { return checksum_.value(); }

 private:
  NewFile& file_;
  int64_t expected_;
  int64_t written_ = 0;
  RunningChecksum checksum_;
};

Status pad(NewFile& file, int64_t alignment) {
  const std::vector<std::byte> zeros(static_cast<size_t>(align_up(file.size(), alignment) - file.size()));
  return file.append(zeros);
}

Section section(SectionKind kind, int64_t offset, int64_t bytes, uint64_t checksum) {
  return {.kind = kind,
          .offset = static_cast<uint64_t>(offset),
          .plain_bytes = static_cast<uint64_t>(bytes),
          .stored_bytes = static_cast<uint64_t>(bytes),
          .checksum = checksum};
}

Result<Section> write_table(NewFile& file, SectionKind kind, std::span<const std::byte> bytes) {
  MEML_TRY_STATUS(pad(file, 8));
  const int64_t offset = file.size();
  MEML_TRY_STATUS(file.append(bytes));
  return section(kind, offset, static_cast<int64_t>(bytes.size()), checksum(bytes));
}

Result<Section> write_weights(NewFile& file, int64_t bytes, const std::function<Status(WeightSink&)>& weights) {
  MEML_TRY_STATUS(pad(file, kPage));
  const int64_t offset = file.size();
  FileSink sink(file, bytes);
  MEML_TRY_STATUS(weights(sink));
  MEML_TRY_STATUS(sink.finish());
  return section(SectionKind::weights, offset, bytes, sink.checksum());
}

}  // namespace

Status write_file(const std::string& path, const std::string& target, const Program& program,
                  const std::function<Status(WeightSink&)>& weights) {
  if (const Status status = verify(program); !status)
    return internal("the program that was made is not valid: {}", status.error().message);
  MEML_TRY(NewFile file, NewFile::create(path));
  std::array<Section, 3> sections;
  MEML_TRY_STATUS(file.append(std::vector<std::byte>(sizeof(Header) + sizeof sections)));
  MEML_TRY(sections[0], write_table(file, SectionKind::target, std::as_bytes(std::span(target))));
  MEML_TRY(sections[1], write_table(file, SectionKind::program, encode(program)));
  MEML_TRY(sections[2], write_weights(file, program.weights_bytes, weights));

  Header header;
  header.sections = sections.size();
  header.file_bytes = static_cast<uint64_t>(file.size());
  header.sections_checksum = checksum(std::as_bytes(std::span(sections)));
  header.checksum = checksum(bytes_of(header).first(offsetof(Header, checksum)));
  MEML_TRY_STATUS(file.overwrite(0, bytes_of(header)));
  MEML_TRY_STATUS(file.overwrite(sizeof header, std::as_bytes(std::span(sections))));
  return file.commit();
}

}  // namespace memline::engine
