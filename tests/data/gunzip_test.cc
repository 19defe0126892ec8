#include "data/gunzip.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include "support/expect.h"
#include "support/gzip.h"

namespace pcgs::io {
namespace {

using test::gzipped;

constexpr std::size_t kPlenty = std::size_t{1} << 30;

std::string unzipped(std::string_view bytes, std::size_t most = kPlenty) {
  return std::string(gunzip(bytes, "f.gz", most).text());
}

std::string refusal(std::string_view bytes, std::size_t most = kPlenty) {
  return test::error_of([&] { unzipped(bytes, most); });
}

std::string noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random() % 64);
  return text;
}

TEST(Gunzip, GivesBackWhatWasZipped) {
  for (const std::size_t size :
       {0u, 1u, 1000u, (1u << 20) - 1, 1u << 20, (1u << 20) + 1, 5000000u}) {
    const std::string text = noise(size, 1);
    EXPECT_TRUE(unzipped(gzipped(text)) == text) << size;
  }
}

TEST(Gunzip, UnfoldsLongRepetitions) {
  const std::string text(20000000, 'x');
  const std::string small = gzipped(text);
  EXPECT_LT(small.size(), 50000u);
  EXPECT_TRUE(unzipped(small) == text);
}

TEST(Gunzip, ReadsSeveralMembersAsOneText) {
  EXPECT_EQ(unzipped(gzipped("a,b\n") + gzipped("") + gzipped("1,2\n")), "a,b\n1,2\n");
  const std::string first = noise(3000000, 2);
  const std::string second = noise(2000000, 3);
  EXPECT_TRUE(unzipped(gzipped(first) + gzipped(second)) == first + second);
}

TEST(Gunzip, IgnoresZerosAtTheEnd) {
  EXPECT_EQ(unzipped(gzipped("abc") + std::string(512, '\0')), "abc");
}

TEST(Gunzip, KnowsAGzippedTextByItsBeginning) {
  EXPECT_TRUE(is_gzipped(gzipped("")));
  EXPECT_TRUE(is_gzipped("\x1F\x8B"));
  for (const char* text : {"", "\x1F", "a,b\n", "\x8B\x1F", "\x1Fx"})
    EXPECT_FALSE(is_gzipped(text));
}

TEST(Gunzip, RefusesATextThatIsCutOffAnywhere) {
  const std::string whole = gzipped(noise(200, 4));
  for (std::size_t size = 2; size < whole.size(); ++size) {
    ASSERT_EQ(refusal(whole.substr(0, size)), "f.gz: is gzipped and cut off; get the file again")
        << size;
  }
  const std::string second = gzipped("x") + whole;
  EXPECT_TRUE(test::mentions(refusal(second.substr(0, second.size() - 1)), "cut off"));
}

TEST(Gunzip, RefusesADamagedText) {
  const std::string whole = gzipped(noise(200, 5));
  const std::string damaged = "f.gz: is gzipped and damaged; get the file again";
  for (std::size_t at = 10; at < whole.size(); ++at) {  // behind the header
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    const std::string message = refusal(bytes);
    ASSERT_TRUE(message == damaged || message.find("cut off") != message.npos) << message;
  }
  std::string checksum = whole;
  checksum[whole.size() - 8] = static_cast<char>(checksum[whole.size() - 8] + 1);
  EXPECT_EQ(refusal(checksum), damaged);
}

TEST(Gunzip, RefusesWhatFollowsTheText) {
  EXPECT_EQ(refusal(gzipped("abc") + "more"),
            "f.gz: is gzipped, but something else follows at its end; gzip the whole text");
}

TEST(Gunzip, RefusesMoreThanItMayHold) {
  const std::string text(3000000, 'x');
  EXPECT_EQ(unzipped(gzipped(text), 3000000).size(), 3000000u);
  EXPECT_EQ(refusal(gzipped(text), 2999999),
            "f.gz: is gzipped and holds more than 2999999 bytes; give less at a time, or the file "
            "as it was before gzip");
}

}  // namespace
}  // namespace pcgs::io
