#include "serve/changelog_record.h"

#include <gtest/gtest.h>

#include <fstream>

#include "serve/cache_folder.h"
#include "serve/settings_file.h"
#include "support/expect.h"
#include "support/temp_dir.h"

namespace pcgs {

using namespace worker;

TEST(ChangelogRecord, ComesBackAsItWas) {
  const ChangelogRecord record{"AVX2", 77, {"north", 12, std::string("some\0bytes", 10)}};
  const ChangelogRecord again = record_from("north", record_bytes(record));
  EXPECT_EQ(again.instructions, "AVX2");
  EXPECT_EQ(again.position, 77);
  EXPECT_EQ(again.snapshot.name, "north");
  EXPECT_EQ(again.snapshot.last_event, 12u);
  EXPECT_EQ(again.snapshot.bytes, record.snapshot.bytes);
}

TEST(ChangelogRecord, DamagedBytesAreRefused) {
  const std::string whole = record_bytes({"AVX2", 77, {"north", 12, "bytes"}});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    EXPECT_NE(test::error_of([&] { record_from("north", damaged); }), "") << "byte " << i;
    EXPECT_NE(test::error_of([&] { record_from("north", whole.substr(0, i)); }), "") << "cut " << i;
  }
}

TEST(OffsetNote, IsReadAsItWasWrittenAndNothingElseIs) {
  const auto note = note_from(note_text({"AVX3 ZEN4", 123}));
  ASSERT_TRUE(note);
  EXPECT_EQ(note->instructions, "AVX3 ZEN4");
  EXPECT_EQ(note->low, 123);
  for (const char* text : {"", "pcgs 1 ", "pcgs 2 5 AVX2", "pcgs 1 5", "pcgs 1 -5 AVX2",
                           "pcgs 1 x AVX2", "something else"}) {
    EXPECT_FALSE(note_from(text)) << text;
  }
}

TEST(CacheFolder, KeepsItsNameAndLetsNobodyElseIn) {
  const test::TempDir dir;
  const std::string folder = dir / "cache";
  std::string name;
  {
    const CacheFolder cache(folder);
    name = cache.worker_name();
    EXPECT_EQ(name.size(), 16u);
    EXPECT_NE(test::error_of([&] { CacheFolder again(folder); }).find("another worker"),
              std::string::npos);
  }
  EXPECT_EQ(CacheFolder(folder).worker_name(), name);
  EXPECT_NE(CacheFolder(dir / "other").worker_name(), name);
  std::ofstream(folder + "/worker") << "cut o";
  EXPECT_EQ(CacheFolder(folder).worker_name().size(), 16u);
}

TEST(SettingsFile, NamesTheLineThatIsWrong) {
  const test::TempDir dir;
  const std::string file = dir / "settings";
  const auto read = [&](const std::string& text) {
    std::ofstream(file) << text;
    return read_settings(file);
  };
  const Settings expected = {{"security.protocol", "ssl"}, {"sasl.username", "a=b"}};
  EXPECT_EQ(read("# secrets\n\n security.protocol = ssl\r\nsasl.username=a=b\n"), expected);
  const std::vector<std::pair<std::string, std::string>> kWrong = {
      {"security.protocol", "line 1: is not NAME=VALUE"},
      {"\n=x", "line 2: is not NAME=VALUE"},
      {"\n\nno.such=1", "line 3: no.such=1 is no setting"},
      {"session.timeout.ms=soon", "line 1: session.timeout.ms=soon is no setting"},
      {"isolation.level=read_uncommitted", "line 1: the worker sets isolation.level itself"},
      {"group.id=x", "line 1: the worker sets group.id itself"},
  };
  for (const auto& [text, why] : kWrong) {
    const std::string said = test::error_of([&, &text = text] { read(text); });
    EXPECT_NE(said.find(why), std::string::npos) << said;
  }
  EXPECT_NE(test::error_of([&] { read_settings(dir / "none"); }), "");
}

}  // namespace pcgs
