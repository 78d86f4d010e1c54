#include "base/new_file.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

namespace memline {
namespace {

namespace fs = std::filesystem;

class NewFileTest : public ::testing::Test {
 protected:
  NewFileTest() {
    std::string name = (fs::temp_directory_path() / "memline_new_file_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~NewFileTest() override { fs::remove_all(folder_); }
  std::string path() const { return (folder_ / "file").string(); }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }
  static std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }
  std::string content() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path folder_;
};

TEST_F(NewFileTest, IsNotThereBeforeItIsCommitted) {
  Result<NewFile> file = NewFile::create(path());
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->append(bytes("hello world")));
  ASSERT_TRUE(file->overwrite(0, bytes("J")));
  EXPECT_FALSE(fs::exists(path()));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(content(), "Jello world");
  EXPECT_EQ(files(), 1u);
}

TEST_F(NewFileTest, LeavesTheOldFileAsItWasWhenItIsDropped) {
  std::ofstream(path()) << "old";
  {
    Result<NewFile> file = NewFile::create(path());
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append(bytes("new")));
  }
  EXPECT_EQ(content(), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(NewFileTest, ReplacesTheOldFileAtOnce) {
  std::ofstream(path()) << "old";
  Result<NewFile> file = NewFile::create(path());
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->append(bytes("new")));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(NewFileTest, DoesNotOverwriteWhatWasNeverAppended) {
  Result<NewFile> file = NewFile::create(path());
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->overwrite(0, bytes("x")));
}

TEST_F(NewFileTest, CannotBeMadeInAFolderThatIsNotThereOrOverAFolder) {
  EXPECT_EQ(NewFile::create(path() + "/no/file").error().code, Code::not_found);
  EXPECT_EQ(NewFile::create(folder_.string()).error().code, Code::io_error);
}

// Runs f in a child; its exit code. 77: the child could not set up what it needs.
int in_child(const std::function<int()>& f) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(f());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(NewFileTest, WithoutPermissionSaysSo) {
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  const int result = in_child([&] {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) return 77;
    const Result<NewFile> file = NewFile::create(path());
    return !file && file.error().code == Code::io_error && file.error().reason == "no_permission" ? 0 : 1;
  });
  fs::permissions(folder_, fs::perms::owner_all);
  if (result == 77) GTEST_SKIP() << "cannot become another user";
  EXPECT_EQ(result, 0);
}

TEST_F(NewFileTest, OnAFullDiskSaysSoAndLeavesNothing) {
  const int result = in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0) return 77;
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
    if (::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=64k") != 0) return 77;
    {
      Result<NewFile> file = NewFile::create(path());
      if (!file) return 1;
      const Status status = file->append(std::vector<std::byte>(1 << 20));
      if (status || status.error().code != Code::io_error || status.error().reason != "disk_full") return 2;
    }
    return files() == 0 ? 0 : 3;
  });
  if (result == 77) GTEST_SKIP() << "cannot mount a small disk here";
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace memline
