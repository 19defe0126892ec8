// What was committed is there again, and what is missing or damaged is refused.
#include "serve/store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/expect.h"
#include "support/temp_dir.h"

namespace pcgs {

using serve::Store;
using ::testing::Test;

namespace {

namespace fs = std::filesystem;

void add_events(Store& store, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t i = first; i <= last; ++i) {
    if (i == 1) store.add_stream("north");
    store.add_event("north", i, "event " + std::to_string(i));
    store.commit();
  }
}

class StoreTest : public Test {
 protected:
  // Why it is not opened.
  ErrorKind refusal(const std::string& instructions = "AVX2") const {
    try {
      Store opened(folder_, instructions);
    } catch (const Error& wrong) {
      EXPECT_EQ(wrong.place().file, folder_);
      return wrong.kind();
    }
    ADD_FAILURE() << "it is opened";
    return ErrorKind::kCall;
  }
  void write_twenty_events() const {
    Store store(folder_, "AVX2");
    add_events(store, 1, 20);
  }
  // Files of the database that end in this.
  std::vector<fs::path> files(const std::string& ending) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == ending && entry.file_size() > 0) found.push_back(entry);
    }
    return found;
  }

  test::TempDir dir_;
  std::string folder_ = dir_ / "store";
};

}  // namespace

TEST_F(StoreTest, HasWhatWasCommittedWhenItIsOpenedAgain) {
  {
    Store store(folder_, "AVX2");
    add_events(store, 1, 3);
    store.add_stream("north-2");  // whose keys lie beside those of north
    store.add_event("north-2", 1, "other");
    store.add_snapshot("north", 3, "after 3");
    store.commit();
    add_events(store, 4, 5);
  }
  const Store store(folder_, "AVX2");
  EXPECT_EQ(store.names(), (std::vector<std::string>{"north", "north-2"}));
  const auto north = store.read("north");
  ASSERT_TRUE(north.snapshot);
  EXPECT_EQ(north.snapshot->last_event, 3u);
  EXPECT_EQ(north.snapshot->bytes, "after 3");
  EXPECT_EQ(north.events, (std::vector<std::string>{"event 4", "event 5"}));
  EXPECT_EQ(store.read("north-2").events, std::vector<std::string>{"other"});
}

TEST_F(StoreTest, RefusesAnotherInstructionSet) {
  { Store store(folder_, "AVX2"); }
  EXPECT_EQ(refusal("SSE4"), ErrorKind::kMismatch);
  const Store again(folder_, "AVX2");
}

TEST_F(StoreTest, RefusesAFolderThatIsInUseOrHoldsSomethingElse) {
  {
    const Store store(folder_, "AVX2");
    EXPECT_EQ(refusal(), ErrorKind::kFile);
  }
  fs::create_directory(dir_ / "letters");
  std::ofstream(dir_ / "letters/mother.txt") << "dear mother";
  folder_ = dir_ / "letters";
  EXPECT_EQ(refusal(), ErrorKind::kFile);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(StoreTest, RefusesAStreamWithAGapInItsEvents) {
  Store store(folder_, "AVX2");
  add_events(store, 1, 2);
  add_events(store, 4, 4);
  EXPECT_NE(test::error_of([&] { store.read("north"); }).find("event 3 is missing"),
            std::string::npos);
  EXPECT_THROW(store.read("unknown"), Error);
  store.add_event("south", 2, "without its first");
  store.commit();
  EXPECT_NE(test::error_of([&] { store.read("south"); }).find("event 1 is missing"),
            std::string::npos);
}

TEST_F(StoreTest, RefusesALogThatIsDamagedInside) {
  write_twenty_events();
  const fs::path log = files(".log").at(0);
  std::fstream bytes(log, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(static_cast<std::streamoff>(fs::file_size(log) / 2));
  bytes.put('\xff');
  bytes.close();
  EXPECT_EQ(refusal(), ErrorKind::kFile);
}

TEST_F(StoreTest, DropsOnlyTheRecordThatWasBeingWritten) {
  write_twenty_events();
  const fs::path log = files(".log").at(0);
  fs::resize_file(log, fs::file_size(log) - 3);
  const Store store(folder_, "AVX2");
  EXPECT_EQ(store.read("north").events.size(), 19u);
}

TEST_F(StoreTest, RefusesAMissingTable) {
  write_twenty_events();
  { const Store store(folder_, "AVX2"); }  // which turns the log into a table
  fs::remove(files(".sst").at(0));
  EXPECT_EQ(refusal(), ErrorKind::kFile);
}

}  // namespace pcgs
