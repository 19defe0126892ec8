// Files of a command: each has a place of its own, and those of a command that was killed are finished
// by the next.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "data/output_files.h"
#include "program.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::test {
namespace {

namespace fs = std::filesystem;

class Outputs : public ProgramTest {
 protected:
  // Rounds first to last - 1 of losses of three experts.
  std::string rounds(const std::string& name, std::size_t first, std::size_t last) const {
    Random random(3);
    Matrix losses(last, 3);
    for (std::size_t t = 0; t < last; ++t) {
      const auto row = random.losses(3);
      std::copy(row.begin(), row.end(), losses.row(t).begin());
    }
    return csv(name, "a,b,c", losses, first, last);
  }
  Said run(const std::vector<std::string>& more) const {
    std::vector<std::string> all = {"run", "--method", "fixed-share"};
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all);
  }
};

TEST_F(Outputs, OfOnePlaceAreRefusedByWhateverNames) {
  const std::string losses = rounds("losses.csv", 0, 5);
  fs::create_directory(dir_ / "folder");
  fs::create_directory_symlink("folder", dir_ / "same");
  fs::create_symlink("t", dir_ / "link");  // points to nothing
  const auto refused = [&](const std::string& one, const std::string& other) {
    refuses({"run", losses, "--trace", one, "--save", other}, {other + ": is named twice"});
  };
  refused(dir_ / "t", dir_ / "t");
  refused(dir_ / "t", dir_ / "./t");
  refused(dir_ / "t", dir_ / "link");
  refused(dir_ / "folder/t", dir_ / "same/t");
  refused(dir_ / "t", dir_ / "folder/../t");
  for (const char* out : {"folder", "same", "not-there-yet"}) {
    refuses(
        {"run", losses, "--out", dir_ / out, "--trace", fmt::format("{}/results.json", dir_ / out)},
        {"is named twice"});
  }
  refuses({"run", losses, "--trace", dir_ / "folder/../losses.csv"}, {"is named twice"});
}

TEST_F(Outputs, NothingIsLeftOfAFolderThatWasMadeForARunThatIsRefused) {
  const std::string losses = rounds("losses.csv", 0, 5);
  refuses({"run", losses, "--out", dir_ / "made", "--trace", dir_ / "nowhere/t"}, {"nowhere/t"});
}

TEST_F(Outputs, OfACommandThatWasKilledArePutInPlaceBeforeTheyAreRead) {
  const std::string first = rounds("first.csv", 0, 20), second = rounds("second.csv", 20, 40);
  const std::string third = rounds("third.csv", 40, 60);
  ASSERT_EQ(run({first, "--save", dir_ / "1"}).exit_code, 0);
  ASSERT_EQ(run_program({"run", second, "--resume", dir_ / "1", "--save", dir_ / "2"}).exit_code,
            0);
  ASSERT_EQ(run_program({"run", third, "--resume", dir_ / "2", "--save", dir_ / "3"}).exit_code, 0);

  // Killed when the trace had its name and the state did not.
  OutputJournal journal;
  journal.id = "0123456789abcdef";
  journal.folders = {fs::canonical(dir_ / ".").string()};
  for (const bool there : {true, false}) {
    SCOPED_TRACE(there ? "over an older state" : "the first state");
    fs::remove(dir_ / "state");
    if (there) fs::copy_file(dir_ / "1", dir_ / "state");
    journal.files = {{0, "none", "trace"}, {0, look_of(dir_ / "state"), "state"}};
    fs::copy_file(dir_ / "2", journal.temporary(journal.files[1]));
    file("trace", "of the second run");
    file(fmt::format("{}{}", kJournalPrefix, journal.id), to_text(journal));

    const Said said = run_program({"run", third, "--state", dir_ / "state"});
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_TRUE(mentions(said.err, "which is finished now"));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1);
    EXPECT_EQ(content(dir_ / "state"), content(dir_ / "3"));
    EXPECT_FALSE(fs::exists(journal.path(0)));
  }
}

TEST_F(Outputs, LeftByAKilledCommandAreNamedAndInNobodysWay) {
  const std::string losses = rounds("losses.csv", 0, 5);
  const std::string stale = file("t.partial-0123456789abcdef", "half");
  const std::string garbage = file("pcgs-unfinished-0123456789abcdef", "no journal");
  Said said = run({losses, "--trace", dir_ / "t"});
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_TRUE(mentions(said.err, garbage));
  EXPECT_FALSE(mentions(said.err, stale)) << "the journal might speak of it";
  fs::remove(garbage);
  said = run({losses, "--trace", dir_ / "t"});
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.err,
            fmt::format("pcgs: a command that was killed left {}; nobody needs it\n", stale));
  said = run({losses, "--trace", dir_ / "t", "--quiet"});
  EXPECT_EQ(said.err, "");
  EXPECT_EQ(content(stale), "half");
}

}  // namespace
}  // namespace pcgs::test
