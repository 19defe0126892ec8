// Files that appear whole, alone or together, and what is left of those that were killed.
#include "data/output_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/expect.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::mentions;
using test::TempDir;

constexpr const char* kId = "0123456789abcdef";

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
    EXPECT_TRUE(mentions(error_of([&] { WholeFile file(path); }),
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

// Two files in `a` and one in `b`, each "old", and what a process leaves that was killed between
// journal and names: temporaries with "new", the journal in `a`, its copy in `b`.
class Killed : public ::testing::Test {
 protected:
  Killed() {
    for (const char* folder : {"a", "b"}) fs::create_directory(dir_ / folder);
    for (const auto& name : names_) put(dir_ / name, "old");
    journal_.id = kId;
    journal_.folders = {dir_ / "a", dir_ / "b"};
    for (const auto& [folder, name] :
         {std::pair<std::size_t, const char*>{0, "x"}, {0, "with space\n%"}, {1, "y"}}) {
      journal_.files.push_back({folder, "", name});
      auto& file = journal_.files.back();
      file.before = look_of(journal_.target(file));
      put(journal_.temporary(file), "new");
    }
    write_journals(2);
  }
  void write_journals(std::size_t count) const {
    for (std::size_t f = 0; f < count; ++f) {
      OutputJournal copy = journal_;
      copy.here = f;
      put(journal_.path(f), to_text(copy));
    }
  }
  void expect_all(const std::string& text) const {
    for (const auto& name : names_) EXPECT_EQ(content(dir_ / name), text) << name;
  }
  std::size_t entries() const {
    std::size_t n = 0;
    for (const auto& one : fs::recursive_directory_iterator(dir_ / "")) n += one.is_regular_file();
    return n;
  }

  TempDir dir_;
  const std::vector<std::string> names_ = {"a/x", "a/with space\n%", "b/y"};
  OutputJournal journal_;
};

TEST(OutputSet, AppearsTogetherAndLeavesNothingElse) {
  const TempDir dir;
  put(dir / "x", "old");
  OutputSet set;
  set.add(dir / "x").write("new x");
  set.add_folder(dir / "made/deep");
  set.add(dir / "made/deep/y").write("new y");
  EXPECT_EQ(content(dir / "x"), "old");
  set.commit();
  EXPECT_EQ(content(dir / "x"), "new x");
  EXPECT_EQ(content(dir / "made/deep/y"), "new y");
  EXPECT_EQ(dir.entries(), 2u);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir / "made/deep"), {}), 1);
}

TEST(OutputSet, LeavesNothingBehindWithoutCommitAlsoNoFolder) {
  const TempDir dir;
  {
    OutputSet set;
    set.add_folder(dir / "made/deep");
    set.add(dir / "made/deep/x").write("new");
    set.add(dir / "y").write("new");
  }
  EXPECT_TRUE(dir.is_empty());
}

TEST(OutputSet, RefusesTwoNamesOfOneFile) {
  const TempDir dir;
  fs::create_symlink("x", dir / "link");
  fs::create_directory_symlink(".", dir / "here");
  OutputSet set;
  set.add(dir / "x");
  for (const char* other : {"x", "./x", "link", "here/x", "here/link"}) {
    EXPECT_TRUE(mentions(error_of([&] { set.add(dir / other); }), "is named twice")) << other;
  }
}

TEST(OutputSet, ChangesNothingWhereOneFileCannotBeReplaced) {
  const TempDir dir;
  put(dir / "x", "old");
  OutputSet set;
  set.add(dir / "y").write("new");
  set.add(dir / "x").write("new");
  fs::create_directory(dir / "y");  // somebody was faster
  EXPECT_TRUE(mentions(error_of([&] { set.commit(); }), "what was there before is unchanged"));
  EXPECT_EQ(content(dir / "x"), "old");
}

TEST(OutputSet, SaysWhatIsMixedWhereALaterFileCannotBeReplaced) {
  const TempDir dir;
  std::string said;
  {
    OutputSet set;
    set.add(dir / "x").write("new x");
    set.add(dir / "y").write("new y");
    fs::create_directory(dir / "y");
    said = error_of([&] { set.commit(); });
  }
  EXPECT_TRUE(mentions(said, "pcgs-unfinished-")) << said;
  EXPECT_EQ(content(dir / "x"), "new x");
  EXPECT_EQ(recover_outputs({dir / ""}).left.size(), 1u) << "the folder is still there";
  fs::remove(dir / "y");
  EXPECT_TRUE(recover_outputs({dir / ""}).left.empty());
  EXPECT_EQ(content(dir / "y"), "new y");
  EXPECT_EQ(dir.entries(), 2u);
}

TEST_F(Killed, IsFinishedFromWhicheverFolder) {
  const auto said = recover_outputs({dir_ / "b"});
  EXPECT_EQ(said.done.size(), 1u);
  EXPECT_TRUE(said.left.empty());
  expect_all("new");
  EXPECT_EQ(entries(), 3u);
}

TEST_F(Killed, IsFinishedAfterAnyNumberOfRenames) {
  // In the order in which they happen: the first folder last.
  const std::vector<std::size_t> order = {2, 0, 1};
  for (std::size_t done = 0; done <= order.size(); ++done) {
    for (auto& file : journal_.files) {
      put(journal_.target(file), "old");
      file.before = look_of(journal_.target(file));
      put(journal_.temporary(file), "new");
    }
    write_journals(2);
    for (std::size_t i = 0; i < done; ++i) {
      const auto& file = journal_.files[order[i]];
      fs::rename(journal_.temporary(file), journal_.target(file));
    }
    EXPECT_TRUE(recover_outputs({dir_ / "a"}).left.empty()) << done;
    expect_all("new");
    EXPECT_EQ(entries(), 3u);
  }
}

TEST_F(Killed, IsFinishedWhereItsFolderHasBeenMoved) {
  fs::rename(dir_ / "a", dir_ / "moved");
  EXPECT_TRUE(recover_outputs({dir_ / "moved"}).left.empty());
  EXPECT_EQ(content(dir_ / "moved/x"), "new");
  EXPECT_EQ(content(dir_ / "b/y"), "new");
}

TEST_F(Killed, WaitsForAFolderThatIsNotThere) {
  fs::rename(dir_ / "b", dir_ / "elsewhere");
  EXPECT_EQ(recover_outputs({dir_ / "a"}).left.size(), 1u);
  EXPECT_EQ(content(dir_ / "a/x"), "old") << "nothing was moved";
  fs::rename(dir_ / "elsewhere", dir_ / "b");
  EXPECT_TRUE(recover_outputs({dir_ / "a"}).left.empty());
  expect_all("new");
}

TEST_F(Killed, BeforeItsJournalLeavesTheOldFiles) {
  fs::remove(journal_.path(0));
  put(temporary_name(journal_.path(0), kId), "half a jour");
  const auto said = recover_outputs({dir_ / "a", dir_ / "b"});
  EXPECT_TRUE(said.done.empty());
  EXPECT_TRUE(said.left.empty());
  expect_all("old");
  EXPECT_EQ(entries(), 6u) << "three files and their temporaries";
  EXPECT_EQ(stale_temporaries({dir_ / "a/x", dir_ / "b/y"}).size(), 2u);
}

TEST_F(Killed, DoesNotReplaceWhatWasWrittenSince) {
  put(dir_ / "b/y", "newer than both");
  const auto said = recover_outputs({dir_ / "a"});
  ASSERT_EQ(said.left.size(), 1u);
  EXPECT_TRUE(mentions(said.left.front(), "was written since"));
  EXPECT_EQ(content(dir_ / "b/y"), "newer than both");
  EXPECT_EQ(content(dir_ / "a/x"), "old") << "nothing was moved";
  EXPECT_TRUE(stale_temporaries({dir_ / "a/x"}).empty()) << "a journal speaks of them";
}

TEST_F(Killed, IsLeftAloneWhileItsProcessLives) {
  const Descriptor held = open_file(journal_.path(0), O_RDWR);
  ASSERT_EQ(try_lock(held), Lock::kTaken);
  const auto said = recover_outputs({dir_ / "a", dir_ / "b"});
  EXPECT_TRUE(said.done.empty());
  EXPECT_TRUE(said.left.empty());
  expect_all("old");
  EXPECT_TRUE(fs::exists(journal_.path(0)));
}

TEST_F(Killed, AJournalThatIsDamagedIsNamedAndLeft) {
  const std::string whole = content(journal_.path(0));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    put(journal_.path(0), damaged);
    const auto said = recover_outputs({dir_ / "a"});
    ASSERT_EQ(said.left.size(), 1u) << at;
    ASSERT_TRUE(mentions(said.left.front(), journal_.path(0)));
    ASSERT_FALSE(read_journal(std::string_view(whole).substr(0, at))) << "cut after " << at;
  }
  expect_all("old");
  put(journal_.path(0), whole);
  EXPECT_TRUE(recover_outputs({dir_ / "a"}).left.empty());
  expect_all("new");
}

TEST(OutputJournal, SpeaksOfNothingButTemporariesBesideTheirFiles) {
  OutputJournal journal;
  journal.id = kId;
  journal.folders = {"/data"};
  journal.files = {{0, "none", "x"}};
  ASSERT_TRUE(read_journal(to_text(journal)));
  for (const char* name : {"../x", "/etc/x", "..", ".", "", "a/b"}) {
    journal.files[0].name = name;
    EXPECT_FALSE(read_journal(to_text(journal))) << name;
  }
  journal.files[0] = {1, "none", "x"};
  EXPECT_FALSE(read_journal(to_text(journal))) << "a folder that is not listed";
  journal.files[0].folder = 0;
  journal.folders = {"relative"};
  EXPECT_FALSE(read_journal(to_text(journal)));
  journal.folders = {"/data"};
  journal.id = "../../etc/passwd";
  EXPECT_FALSE(read_journal(to_text(journal)));
}

TEST(OutputJournal, OfAnotherUserIsLeftAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a file somebody else's";
  const TempDir dir;
  OutputJournal journal;
  journal.id = kId;
  journal.folders = {dir / ""};
  journal.files = {{0, "none", "x"}};
  put(journal.temporary(journal.files[0]), "new");
  put(journal.path(0), to_text(journal));
  ASSERT_EQ(chown(journal.path(0).c_str(), 12345, 12345), 0);
  EXPECT_EQ(recover_outputs({dir / ""}).left.size(), 1u);
  EXPECT_FALSE(fs::exists(dir / "x"));
}

}  // namespace
}  // namespace pcgs
