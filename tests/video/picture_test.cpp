// Pictures written by the sink and read by the source, and files that are not what they seem.
#include "base/mapping.h"
#include "media.h"

namespace memline::vision {
namespace {

class PictureTest : public MediaTest {
 protected:
  std::string save(Ramp& ramp, const std::string& name, PictureFormat format, int quality = 95) {
    auto sink = library().open_sink(folder_, {.format = format, .jpeg_quality_1to100 = quality});
    EXPECT_TRUE(sink.has_value());
    const Status written = (*sink)->write(ramp.view(), name);
    EXPECT_TRUE(written.has_value()) << (written ? "" : written.error().message);
    return path(name + (format == PictureFormat::png ? ".png" : ".jpg"));
  }
  Error error_of(const std::string& file, const SourceLimits& limits = {}) {
    auto source = open(file, limits);
    if (!source) return source.error();
    auto frame = (*source)->next();
    if (!frame) return frame.error();
    ADD_FAILURE() << file << " was read";
    return {};
  }
};

TEST_F(PictureTest, APngComesBackAsItWas) {
  Ramp ramp(37, 23, 90);
  auto source = open(save(ramp, "a", PictureFormat::png));
  ASSERT_TRUE(source.has_value()) << source.error().message;
  EXPECT_EQ((*source)->info().frames, 1);
  EXPECT_EQ((*source)->info().max_width, 37);
  EXPECT_EQ((*source)->info().max_height, 23);
  EXPECT_FALSE((*source)->info().is_video);
  auto frame = (*source)->next();
  ASSERT_TRUE(frame && *frame) << (frame ? "the end" : frame.error().message);
  EXPECT_EQ((*frame)->name, "a");
  EXPECT_EQ((*frame)->index, 0);
  EXPECT_EQ(largest_difference((*frame)->picture, ramp.view()), 0);
  auto end = (*source)->next();
  ASSERT_TRUE(end.has_value());
  EXPECT_FALSE(end->has_value());
}

TEST_F(PictureTest, AJpegComesBackNearlyAsItWasInTheSameColours) {
  Ramp ramp(64, 48, 200);
  auto source = open(save(ramp, "a", PictureFormat::jpeg));
  ASSERT_TRUE(source.has_value()) << source.error().message;
  auto frame = (*source)->next();
  ASSERT_TRUE(frame && *frame) << (frame ? "the end" : frame.error().message);
  EXPECT_LE(largest_difference((*frame)->picture, ramp.view()), 12);
}

TEST_F(PictureTest, ALowerJpegQualityMakesASmallerFile) {
  Ramp ramp(256, 256, 10);
  const auto good = std::filesystem::file_size(save(ramp, "good", PictureFormat::jpeg, 95));
  const auto poor = std::filesystem::file_size(save(ramp, "poor", PictureFormat::jpeg, 10));
  EXPECT_LT(poor, good);
}

TEST_F(PictureTest, AFolderIsReadInNameOrderAndItsLargestPictureIsKnownBeforeTheFirst) {
  Ramp small(8, 30, 1), wide(50, 4, 2);
  save(wide, "b", PictureFormat::png);
  save(small, "a", PictureFormat::png);
  write("notes.txt", "not read");
  auto source = open(folder_);
  ASSERT_TRUE(source.has_value()) << source.error().message;
  EXPECT_EQ((*source)->info().max_width, 50);
  EXPECT_EQ((*source)->info().max_height, 30);
  EXPECT_EQ((*source)->info().frames, 2);
  for (const char* name : {"a", "b"}) {
    auto frame = (*source)->next();
    ASSERT_TRUE(frame && *frame) << (frame ? "the end" : frame.error().message);
    EXPECT_EQ((*frame)->name, name);
  }
}

TEST_F(PictureTest, ABrokenPictureInAFolderFailsAloneAndKeepsItsNumber) {
  Ramp ramp(16, 16, 1);
  save(ramp, "a", PictureFormat::png);
  write("b.png", "this is text");
  save(ramp, "c", PictureFormat::png);
  auto source = open(folder_);
  ASSERT_TRUE(source.has_value()) << source.error().message;
  ASSERT_TRUE((*source)->next().has_value());
  auto broken = (*source)->next();
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().reason, "not_a_picture");
  EXPECT_THAT(broken.error().message, ::testing::HasSubstr("b.png"));
  auto good = (*source)->next();
  ASSERT_TRUE(good && *good);
  EXPECT_EQ((*good)->index, 2);
  EXPECT_EQ((*good)->name, "c");
}

TEST_F(PictureTest, MissingEmptyAndForeignFilesHaveTheirOwnErrors) {
  EXPECT_EQ(error_of(path("none.png")).code, Code::not_found);
  EXPECT_EQ(error_of(write("empty.png", "")).reason, "not_a_picture");
  EXPECT_EQ(error_of(write("text.png", std::string(5000, 'x'))).reason, "not_a_video");
  std::filesystem::create_directory(path("folder"));
  EXPECT_EQ(error_of(path("folder")).reason, "no_pictures");
}

TEST_F(PictureTest, APictureCutAnywhereIsTruncatedOrNoPictureAndNeverRead) {
  Ramp ramp(40, 40, 77);
  for (const PictureFormat format : {PictureFormat::png, PictureFormat::jpeg}) {
    const std::string whole = read(save(ramp, "whole", format));
    for (size_t bytes = 1; bytes < whole.size(); bytes += 7) {
      const Error error = error_of(write("cut", whole.substr(0, bytes)));
      EXPECT_THAT(error.reason, ::testing::AnyOf("picture_truncated", "not_a_video")) << bytes << ": " << error.message;
    }
  }
}

TEST_F(PictureTest, AFlippedByteInAPngIsFoundByItsChecksum) {
  Ramp ramp(40, 40, 77);
  std::string bytes = read(save(ramp, "whole", PictureFormat::png));
  bytes[bytes.size() / 2] ^= 0x10;
  EXPECT_EQ(error_of(write("flipped.png", bytes)).reason, "picture_corrupt");
}

TEST_F(PictureTest, AHeaderLargerThanTheLimitIsRefusedBeforeDecoding) {
  Ramp ramp(33, 20, 5);
  const Error error = error_of(save(ramp, "a", PictureFormat::png), {.max_width = 32, .max_height = 32});
  EXPECT_EQ(error.code, Code::unsupported);
  EXPECT_EQ(error.reason, "picture_too_large");
  EXPECT_THAT(error.message, ::testing::HasSubstr("33x20"));

  std::string claims(33, '\0');  // a PNG of 2^31 - 1 by 2^31 - 1 pixels
  std::memcpy(claims.data(), "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x02", 26);
  EXPECT_EQ(error_of(write("huge.png", claims)).reason, "picture_too_large");
}

TEST_F(PictureTest, TheSinkRefusesNamesThatLeaveItsFolder) {
  Ramp ramp(8, 8, 5);
  auto sink = library().open_sink(path("out"), {});
  ASSERT_TRUE(sink.has_value());
  for (const char* name : {"../a", "a/b", "", ".."}) {
    const Status written = (*sink)->write(ramp.view(), name);
    ASSERT_FALSE(written.has_value()) << name;
    EXPECT_EQ(written.error().code, Code::invalid_argument);
  }
  EXPECT_TRUE(std::filesystem::is_empty(path("out")));
}

TEST_F(PictureTest, TheSinkTakesPicturesOfChangingSizeAndRowsThatAreNotDense) {
  auto sink = library().open_sink(folder_, {.format = PictureFormat::png});
  ASSERT_TRUE(sink.has_value());
  Ramp ramp(40, 40, 5);
  PictureView corner = ramp.view();
  corner.width = 7;
  corner.height = 5;
  ASSERT_TRUE((*sink)->write(ramp.view(), "whole").has_value());
  ASSERT_TRUE((*sink)->write(corner, "corner").has_value());
  auto source = open(path("corner.png"));
  ASSERT_TRUE(source.has_value());
  auto frame = (*source)->next();
  ASSERT_TRUE(frame && *frame) << (frame ? "the end" : frame.error().message);
  EXPECT_EQ((*frame)->picture.width, 7);
  EXPECT_EQ(largest_difference((*frame)->picture, corner), 0);
}

TEST_F(PictureTest, APictureThatEndsAtTheEndOfAMappingIsWrittenAndReadBack) {
  // 768 * 576 * 3 bytes are whole pages: a read past the last pixel faults.
  auto pages = Pages::take(768 * 576 * 3);
  ASSERT_TRUE(pages.has_value());
  const PictureView picture{reinterpret_cast<uint8_t*>(pages->bytes().data()), 768, 576, 3 * 768};
  for (const PictureFormat format : {PictureFormat::png, PictureFormat::jpeg}) {
    auto sink = library().open_sink(folder_, {.format = format});
    ASSERT_TRUE(sink.has_value());
    ASSERT_TRUE((*sink)->write(picture, "black").has_value());
    auto source = open(path(format == PictureFormat::png ? "black.png" : "black.jpg"));
    ASSERT_TRUE(source.has_value());
    auto frame = (*source)->next();
    ASSERT_TRUE(frame && *frame);
    EXPECT_EQ(largest_difference((*frame)->picture, picture), 0);
  }
}

TEST_F(PictureTest, ASinkWhoseFolderCannotBeMadeSaysWhichFolder) {
  auto sink = library().open_sink(path("missing/out"), {});
  ASSERT_FALSE(sink.has_value());
  EXPECT_THAT(sink.error().message, ::testing::HasSubstr("missing/out"));
  write("file", "x");
  auto over_file = library().open_sink(path("file"), {});
  ASSERT_FALSE(over_file.has_value());
}

}  // namespace
}  // namespace memline::vision
