#include "data/whole_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "data/output_files.h"
#include "support/expect.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

std::string content(const std::string& path) {
  const auto bytes = read_whole_file(path);
  return {bytes.begin(), bytes.end()};
}

void put(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

void write_whole(const std::string& path, std::string_view text) {
  WholeFile file(path);
  file.write(text);
  file.commit();
}

unsigned mode_of(const std::string& path) {
  struct stat found = {};
  EXPECT_EQ(stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777;
}

TEST(WholeFile, AppearsOnlyWhenCommitted) {
  const TempDir dir;
  {
    WholeFile file(dir / "x");
    file.write("new");
    EXPECT_FALSE(fs::exists(dir / "x"));
    file.commit();
    EXPECT_EQ(content(dir / "x"), "new");
  }
  EXPECT_EQ(dir.entries(), 1u) << "no temporary is left";
}

TEST(WholeFile, LeavesNothingBehindWithoutCommit) {
  const TempDir dir;
  { WholeFile(dir / "x").write("new"); }
  EXPECT_TRUE(dir.is_empty());
}

TEST(WholeFile, HoldsWhatWasWrittenInPiecesOfAnySize) {
  const TempDir dir;
  std::string expected;
  WholeFile file(dir / "x");
  for (std::size_t size = 0; size < 700; ++size) {
    const std::string piece(size * size % 1013, static_cast<char>('a' + size % 26));
    file.write(piece);
    expected += piece;
  }
  const std::string large(300000, 'z');
  file.write(large);
  file.commit();
  EXPECT_EQ(content(dir / "x"), expected + large);
}

TEST(WholeFile, KeepsThePermissionsOfWhatItReplaces) {
  const TempDir dir;
  for (const unsigned mode : {0600u, 0640u, 0604u, 0444u}) {
    put(dir / "x", "old");
    ASSERT_EQ(chmod((dir / "x").c_str(), mode), 0);
    write_whole(dir / "x", "new");
    EXPECT_EQ(mode_of(dir / "x"), mode);
    EXPECT_EQ(content(dir / "x"), "new");
    fs::remove(dir / "x");
  }
}

TEST(WholeFile, HasTheUsualPermissionsWhereNothingWas) {
  const TempDir dir;
  const mode_t before = umask(027);
  write_whole(dir / "x", "new");
  umask(before);
  EXPECT_EQ(mode_of(dir / "x"), 0640u);
}

TEST(WholeFile, FollowsLinksAlsoThoseThatPointToNothing) {
  const TempDir dir;
  fs::create_directory(dir / "far");
  put(dir / "far/there", "old");
  fs::create_symlink("far/there", dir / "link");
  fs::create_symlink("link", dir / "link-to-link");
  fs::create_symlink("far/nothing-yet", dir / "dangling");
  write_whole(dir / "link-to-link", "new");
  write_whole(dir / "dangling", "made");
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_TRUE(fs::is_symlink(dir / "link-to-link"));
  EXPECT_TRUE(fs::is_symlink(dir / "dangling"));
  EXPECT_EQ(content(dir / "far/there"), "new");
  EXPECT_EQ(content(dir / "far/nothing-yet"), "made");
}

TEST(WholeFile, RefusesWhatIsNoFile) {
  const TempDir dir;
  fs::create_symlink("round", dir / "about");
  fs::create_symlink("about", dir / "round");
  for (const std::string& path :
       {dir / "", dir / "no/such/x", std::string("/dev/null"), dir / "about", std::string()}) {
    EXPECT_TRUE(test::mentions(test::error_of([&] { WholeFile file(path); }),
                               path + (path.empty() ? "" : ": ") + "cannot be written ("));
  }
  EXPECT_EQ(dir.entries(), 2u);
}

TEST(WholeFile, TwoNamesOfOnePlaceAreOnePlace) {
  const TempDir dir;
  fs::create_directory(dir / "a");
  fs::create_directory_symlink("a", dir / "b");
  fs::create_symlink("../a/x", dir / "a/y");  // points to nothing
  const std::string place = place_of(dir / "a/x");
  EXPECT_EQ(place_of(dir / "a/./x"), place);
  EXPECT_EQ(place_of(dir / "b/x"), place);
  EXPECT_EQ(place_of(dir / "a/../b/x"), place);
  EXPECT_EQ(place_of(dir / "b/y"), place);
  EXPECT_EQ(place_of(dir / "no/such/../../a/x"), place);
  EXPECT_NE(place_of(dir / "a/z"), place);
}

TEST(WholeFile, LockedTemporariesLiveAndOthersAreStale) {
  const TempDir dir;
  const WholeFile living(dir / "x");
  const std::string dead = dir / "x.partial-0123456789abcdef";
  put(dead, "half");
  put(dir / "y.partial-0123456789abcdef", "of another file");
  EXPECT_EQ(stale_temporaries({dir / "x"}), std::vector<std::string>{dead});
  EXPECT_TRUE(fs::exists(dead)) << "named, and left";
}

TEST(WholeFile, NamesOfTemporariesDoNotRepeat) {
  EXPECT_TRUE(is_id(random_id("x")));
  EXPECT_NE(random_id("x"), random_id("x"));
}

}  // namespace
}  // namespace pcgs
