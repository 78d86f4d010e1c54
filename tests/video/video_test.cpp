// Videos: a hand-made AVI of JPEG frames, whole, cut, and of changing size; and the opening of the library itself.
#include "media.h"

namespace memline::vision {
namespace {

class VideoTest : public MediaTest {
 protected:
  std::string jpeg(int64_t width, int64_t height, uint8_t blue) {
    Ramp ramp(width, height, blue);
    auto sink = library().open_sink(folder_, {.jpeg_quality_1to100 = 95});
    EXPECT_TRUE(sink.has_value());
    EXPECT_TRUE((*sink)->write(ramp.view(), "frame").has_value());
    return read(path("frame.jpg"));
  }
  std::string three_frames() { return avi_of({jpeg(64, 48, 10), jpeg(64, 48, 100), jpeg(64, 48, 200)}, 64, 48); }
};

TEST_F(VideoTest, FramesComeInOrderWithTheirTimes) {
  auto source = open(write("v.avi", three_frames()));
  ASSERT_TRUE(source.has_value()) << source.error().message;
  EXPECT_TRUE((*source)->info().is_video);
  EXPECT_EQ((*source)->info().max_width, 64);
  EXPECT_EQ((*source)->info().max_height, 48);
  EXPECT_EQ((*source)->info().frames, 3);
  EXPECT_DOUBLE_EQ((*source)->info().frames_per_second, 10);
  const uint8_t blues[] = {10, 100, 200};
  for (int64_t i = 0; i < 3; ++i) {
    auto frame = (*source)->next();
    ASSERT_TRUE(frame.has_value()) << frame.error().message;
    ASSERT_TRUE(frame->has_value());
    EXPECT_EQ((*frame)->index, i);
    EXPECT_EQ((*frame)->timestamp_us, 100'000 * i);
    EXPECT_EQ((*frame)->name, "frame_00000" + std::to_string(i));
    Ramp expected(64, 48, blues[i]);
    EXPECT_LE(largest_difference((*frame)->picture, expected.view()), 20);
  }
  auto end = (*source)->next();
  ASSERT_TRUE(end.has_value());
  EXPECT_FALSE(end->has_value());
}

TEST_F(VideoTest, TheFrameBufferIsTheSameForEveryFrame) {
  auto source = open(write("v.avi", three_frames()));
  ASSERT_TRUE(source.has_value());
  auto first = (*source)->next();
  ASSERT_TRUE(first && *first);
  const uint8_t* buffer = (*first)->picture.pixels;
  auto second = (*source)->next();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->picture.pixels, buffer);
  EXPECT_EQ((*source)->info().buffer_bytes, 3 * 64 * 48);
}

TEST_F(VideoTest, AVideoCutInsideAFrameGivesTheFramesBeforeItThenAnErrorThenTheEnd) {
  const std::string whole = three_frames();
  auto source = open(write("v.avi", whole.substr(0, whole.size() - 200)));
  ASSERT_TRUE(source.has_value()) << source.error().message;
  for (int i = 0; i < 2; ++i) {
    auto frame = (*source)->next();
    ASSERT_TRUE(frame.has_value()) << frame.error().message;
    ASSERT_TRUE(frame->has_value());
  }
  auto broken = (*source)->next();
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().reason, "video_truncated");
  EXPECT_THAT(broken.error().message, ::testing::HasSubstr("frame 2"));
  auto end = (*source)->next();
  ASSERT_TRUE(end.has_value());
  EXPECT_FALSE(end->has_value());
}

TEST_F(VideoTest, AVideoWhoseFramesGrowIsRefusedAtThatFrame) {
  auto source = open(write("v.avi", avi_of({jpeg(64, 48, 10), jpeg(128, 96, 10)}, 64, 48)));
  ASSERT_TRUE(source.has_value()) << source.error().message;
  auto first = (*source)->next();
  ASSERT_TRUE(first.has_value()) << first.error().message;
  auto second = (*source)->next();
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().reason, "video_size_changed");
}

TEST_F(VideoTest, AVideoLargerThanTheLimitIsRefused) {
  auto source = open(write("v.avi", three_frames()), {.max_width = 32, .max_height = 32});
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().reason, "picture_too_large");
}

TEST_F(VideoTest, AVideoHeaderWithoutAVideoIsNoVideo) {
  const std::string whole = three_frames();
  auto source = open(write("v.avi", whole.substr(0, 100)));
  ASSERT_FALSE(source.has_value());
  EXPECT_THAT(source.error().reason, ::testing::AnyOf("not_a_video", "video_corrupt"));
}

TEST_F(VideoTest, APlaylistThatNamesAnotherFileIsNotFollowed) {
  write("v.avi", three_frames());
  auto source = open(write("list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nv.avi\n#EXT-X-ENDLIST\n"));
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().reason, "not_a_video");
}

TEST(VideoLibrary, AMissingLibraryIsNotFoundWithTheTriedPlaces) {
  const std::vector<std::string> places{"/nonexistent/libmemline_video.so"};
  const auto entry = open_video_library(places);
  ASSERT_FALSE(entry.has_value());
  EXPECT_EQ(entry.error().code, Code::not_found);
  EXPECT_EQ(entry.error().reason, "no_video_library");
  EXPECT_THAT(entry.error().message, ::testing::HasSubstr("/nonexistent/libmemline_video.so"));
  EXPECT_THAT(entry.error().message, ::testing::Not(::testing::HasSubstr("\n")));
}

TEST(VideoLibrary, AnotherLibraryIsOfAnotherVersion) {
  const std::vector<std::string> places{"libm.so.6"};
  const auto entry = open_video_library(places);
  ASSERT_FALSE(entry.has_value());
  EXPECT_EQ(entry.error().reason, "video_library_version");
}

TEST(VideoLibrary, CandidatesAreAbsolutePathsBesideTheBinary) {
  const std::vector<std::string> places = video_library_candidates();
  ASSERT_FALSE(places.empty());
  for (const std::string& place : places) EXPECT_EQ(place.front(), '/') << place;
  EXPECT_EQ(std::filesystem::path(places[0]).parent_path(),
            std::filesystem::read_symlink("/proc/self/exe").parent_path());
}

}  // namespace
}  // namespace memline::vision
