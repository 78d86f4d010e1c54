// Engine files: what is written is read back, and nothing else is read.
#include "engine/file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "engine/checksum.h"
#include "engine/layout.h"
#include "support/program_builder.h"

namespace memline::engine {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

class EngineFile : public ::testing::Test {
 protected:
  EngineFile() {
    std::string name = (fs::temp_directory_path() / "memline_engine_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    program_ = testing::sample_program();
    weights_.resize(static_cast<size_t>(program_.weights_bytes));
    for (size_t i = 0; i < weights_.size(); ++i) weights_[i] = static_cast<std::byte>(i * 7 + 1);
  }
  ~EngineFile() override { fs::remove_all(folder_); }

  std::string path(const std::string& name = "a.mline") const { return (folder_ / name).string(); }
  Status write(const std::string& to) {
    return write_file(to, "cpu avx2", program_, [&](WeightSink& sink) -> Status {
      MEML_TRY_STATUS(sink.append(std::span(weights_).first(5)));
      return sink.append(std::span(weights_).subspan(5));
    });
  }
  static Bytes load(const std::string& from) {
    std::ifstream file(from, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
  }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  // Reads from aligned memory, as a mapping would be.
  static Result<std::shared_ptr<const Engine>> read(const Bytes& bytes) {
    std::shared_ptr<std::byte> aligned(
        static_cast<std::byte*>(std::aligned_alloc(4096, (bytes.size() + 4096) & ~size_t{4095})),
        [](std::byte* memory) { std::free(memory); });
    if (!bytes.empty()) std::memcpy(aligned.get(), bytes.data(), bytes.size());
    return read_bytes({aligned.get(), bytes.size()}, aligned);
  }
  static std::string reason(const Bytes& bytes) {
    const auto engine = read(bytes);
    if (engine) return "none";
    EXPECT_EQ(engine.error().code, Code::invalid_argument);
    return engine.error().reason;
  }

  fs::path folder_;
  Program program_;
  Bytes weights_;
};

TEST_F(EngineFile, ComesBackAsItWasWritten) {
  ASSERT_TRUE(write(path()));
  const auto engine = read_file(path());
  ASSERT_TRUE(engine) << engine.error().message;
  EXPECT_EQ((*engine)->target(), "cpu avx2");
  EXPECT_EQ(encode((*engine)->program()), encode(program_));
  EXPECT_TRUE(std::ranges::equal((*engine)->weights(), weights_));
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*engine)->weights().data()) % 4096, 0u);
}

TEST_F(EngineFile, OutlivesItsNameOnDisk) {
  ASSERT_TRUE(write(path()));
  const auto engine = read_file(path());
  ASSERT_TRUE(engine);
  fs::remove(path());
  EXPECT_TRUE(std::ranges::equal((*engine)->weights(), weights_));
}

TEST_F(EngineFile, HasTheSameBytesEachTime) {
  ASSERT_TRUE(write(path("a.mline")));
  ASSERT_TRUE(write(path("b.mline")));
  EXPECT_EQ(load(path("a.mline")), load(path("b.mline")));
}

TEST_F(EngineFile, ReplacesAnOlderFileAndLeavesNothingBeside) {
  std::ofstream(path()) << "older";
  ASSERT_TRUE(write(path()));
  EXPECT_TRUE(read_file(path()));
  EXPECT_EQ(files(), 1u);
}

TEST_F(EngineFile, IsNotWrittenWhenItsWeightsFail) {
  std::ofstream(path()) << "older";
  const Status status = write_file(path(), "cpu", program_, [&](WeightSink& sink) -> Status {
    MEML_TRY_STATUS(sink.append(std::span(weights_).first(1)));
    return fail(Code::cancelled, {}, "stopped");
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::cancelled);
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(load(path()).size(), 5u);
}

TEST_F(EngineFile, IsNotWrittenWithMoreOrFewerWeightsThanPlanned) {
  const auto with = [&](size_t bytes) {
    return write_file(path(), "cpu", program_, [&](WeightSink& sink) { return sink.append(Bytes(bytes)); });
  };
  EXPECT_EQ(with(weights_.size() - 1).error().code, Code::internal);
  EXPECT_EQ(with(weights_.size() + 1).error().code, Code::internal);
  EXPECT_EQ(files(), 0u);
}

TEST_F(EngineFile, IsNotWrittenFromAProgramThatCannotBeRead) {
  program_.threads = 0;
  const Status status = write(path());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::internal);
  EXPECT_EQ(files(), 0u);
}

TEST_F(EngineFile, ThatIsMissingIsNotFound) {
  EXPECT_EQ(read_file(path()).error().code, Code::not_found);
  EXPECT_EQ(write(path("no/such/folder.mline")).error().code, Code::not_found);
}

TEST_F(EngineFile, NamesItsPathInErrors) {
  std::ofstream(path()) << "not an engine";
  EXPECT_NE(read_file(path()).error().message.find(path()), std::string::npos);
}

TEST_F(EngineFile, CutAnywhereIsTruncated) {
  ASSERT_TRUE(write(path()));
  const Bytes bytes = load(path());
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_EQ(reason(Bytes(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size))), "engine_truncated") << size;
}

TEST_F(EngineFile, SaysHowManyBytesAreMissing) {
  ASSERT_TRUE(write(path()));
  const Bytes bytes = load(path());
  const auto engine = read(Bytes(bytes.begin(), bytes.begin() + 1000));
  EXPECT_EQ(engine.error().message, fmt::format("the engine is cut off: 1000 bytes, {} are needed", bytes.size()));
}

TEST_F(EngineFile, WithAnyBitFlippedIsRefusedWithAReason) {
  ASSERT_TRUE(write(path()));
  const Bytes bytes = load(path());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Bytes flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    const char* expected = bit / 8 < 8 ? "engine_not_ours" : bit / 8 < 12 ? "engine_version" : "engine_corrupt";
    ASSERT_EQ(reason(flipped), expected) << "byte " << bit / 8 << " of " << bytes.size();
  }
}

TEST_F(EngineFile, WithUnverifiedWeightsIsStillCheckedInItsTables) {
  ASSERT_TRUE(write(path()));
  Bytes bytes = load(path());
  bytes.back() ^= std::byte{1};
  EXPECT_EQ(reason(bytes), "engine_corrupt");
  std::ofstream(path(), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<int64_t>(bytes.size()));
  EXPECT_TRUE(read_file(path(), false));
  EXPECT_FALSE(read_file(path(), true));
}

TEST_F(EngineFile, OfAnotherFormIsNotOurs) {
  const std::string foreign = std::string("\x08\x07\x12\x07pytorch", 11) + std::string(5000, 'x');
  const auto bytes = std::as_bytes(std::span(foreign));
  EXPECT_EQ(reason(Bytes(bytes.begin(), bytes.end())), "engine_not_ours");
  EXPECT_EQ(reason(Bytes(bytes.begin(), bytes.begin() + 3)), "engine_not_ours");
}

TEST_F(EngineFile, OfAnotherVersionNamesBothAndHowToRebuild) {
  ASSERT_TRUE(write(path()));
  Bytes bytes = load(path());
  bytes[8] = std::byte{9};
  const auto engine = read(bytes);
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().reason, "engine_version");
  EXPECT_NE(engine.error().message.find("version 9"), std::string::npos);
  EXPECT_NE(engine.error().message.find("reads 1"), std::string::npos);
  EXPECT_NE(engine.error().message.find("memline build"), std::string::npos);
}

TEST_F(EngineFile, WithBytesBehindItsEndIsCorrupt) {
  ASSERT_TRUE(write(path()));
  Bytes bytes = load(path());
  bytes.push_back(std::byte{0});
  EXPECT_EQ(reason(bytes), "engine_corrupt");
}

// Frames with right checksums and wrong contents: what no accident makes, and an attacker does.
class ForgedFile : public EngineFile {
 protected:
  // Changes the section table, and makes the checksums right again.
  Bytes forge(const std::function<void(Header&, Section*)>& change) {
    EXPECT_TRUE(write(path()));
    Bytes bytes = load(path());
    Header header;
    Section sections[3];
    std::memcpy(&header, bytes.data(), sizeof header);
    std::memcpy(sections, bytes.data() + sizeof header, sizeof sections);
    change(header, sections);
    const size_t table = std::min<size_t>(header.sections, 3) * sizeof(Section);
    header.sections_checksum = checksum(std::as_bytes(std::span(sections)).first(table));
    header.checksum = checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, checksum)));
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, sections, sizeof sections);
    return bytes;
  }
};

TEST_F(ForgedFile, WithSectionsOutOfPlaceIsCorrupt) {
  EXPECT_EQ(reason(forge([](Header&, Section* s) { s[0].offset = 0; })), "engine_corrupt");
  EXPECT_EQ(reason(forge([](Header&, Section* s) { s[1].offset = s[0].offset; })), "engine_corrupt");
  EXPECT_EQ(reason(forge([](Header&, Section* s) { s[2].offset = ~uint64_t{0}; })), "engine_corrupt");
  EXPECT_EQ(reason(forge([](Header&, Section* s) { s[2].stored_bytes = s[2].plain_bytes = ~uint64_t{0}; })),
            "engine_corrupt");
  EXPECT_EQ(reason(forge([](Header&, Section* s) { s[2].plain_bytes += 1; })), "engine_corrupt");
  EXPECT_EQ(reason(forge([](Header&, Section* s) { s[2].stored_bytes = s[2].plain_bytes -= 64; })), "engine_corrupt");
}

TEST_F(ForgedFile, WithAnAbsurdNumberOfSectionsIsCorrupt) {
  EXPECT_EQ(reason(forge([](Header& h, Section*) { h.sections = ~0u; })), "engine_corrupt");
  EXPECT_EQ(reason(forge([](Header& h, Section*) { h.sections = 64; })), "engine_corrupt");
  EXPECT_EQ(reason(forge([](Header& h, Section*) { h.sections = 0; })), "engine_corrupt");
}

TEST_F(ForgedFile, WithASectionTwiceOrNotAtAllIsCorrupt) {
  EXPECT_EQ(reason(forge([](Header&, Section* s) { s[0].kind = SectionKind::program; })), "engine_corrupt");
  EXPECT_EQ(reason(forge([](Header&, Section* s) { s[2].kind = static_cast<SectionKind>(77); })), "engine_corrupt");
}

TEST_F(ForgedFile, StoredByAnUnknownMethodIsOfAnotherVersion) {
  EXPECT_EQ(reason(forge([](Header&, Section* s) { s[2].codec = static_cast<Codec>(5); })), "engine_version");
}

TEST_F(EngineFile, AtAnOddAddressIsRefused) {
  ASSERT_TRUE(write(path()));
  const Bytes bytes = load(path());
  std::shared_ptr<std::byte> memory(
      static_cast<std::byte*>(std::aligned_alloc(4096, (bytes.size() + 8192) & ~size_t{4095})),
      [](std::byte* pointer) { std::free(pointer); });
  std::memcpy(memory.get() + 4, bytes.data(), bytes.size());
  const auto engine = read_bytes({memory.get() + 4, bytes.size()}, memory);
  ASSERT_FALSE(engine);
  EXPECT_NE(engine.error().message.find("multiple of 64"), std::string::npos);
}

TEST(Checksum, IsXxh3WhetherInOnePieceOrMany) {
  EXPECT_EQ(checksum({}), 0x2d06800538d394c2u);
  Bytes bytes(100000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i >> 3);
  RunningChecksum running;
  for (size_t at = 0; at < bytes.size(); at += 777)
    running.add(std::span(bytes).subspan(at, std::min<size_t>(777, bytes.size() - at)));
  EXPECT_EQ(running.value(), checksum(bytes));
}

}  // namespace
}  // namespace memline::engine
