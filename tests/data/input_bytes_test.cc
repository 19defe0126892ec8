#include "data/input_bytes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <thread>

#include "data/npy.h"
#include "data/number_table.h"
#include "support/expect.h"
#include "support/gzip.h"
#include "support/temp_dir.h"

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

namespace {

using test::gzipped;

// While it lives, standard input is what this file holds.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : before_(dup(STDIN_FILENO)) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_GE(file, 0);
    EXPECT_EQ(dup2(file, STDIN_FILENO), STDIN_FILENO);
    close(file);
  }
  ~StandardInput() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int before_;
};

class InputBytesTest : public testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  // A pipe in the file system into which a thread writes these bytes.
  template <typename Reader>
  auto through_a_pipe(std::string_view bytes, const Reader& reader) const {
    const std::string path = folder_ / "pipe";
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(path, std::ios::binary) << bytes; });
    const auto result = reader(path);
    writer.join();
    std::filesystem::remove(path);
    return result;
  }

  static std::string contents(const std::string& path) {
    return std::string(InputBytes(path).text());
  }

  const test::TempDir folder_;
};

TEST_F(InputBytesTest, ReadsAFile) {
  const std::string path = write("f.csv", "a,b\n1,2\n");
  const InputBytes input(path);
  EXPECT_EQ(input.text(), "a,b\n1,2\n");
  EXPECT_EQ(input.name(), path);
  EXPECT_TRUE(input.is_file());
  EXPECT_EQ(contents(write("empty", "")), "");
}

TEST_F(InputBytesTest, UnzipsWhateverTheName) {
  for (const char* name : {"f.csv.gz", "f.csv", "f"}) {
    EXPECT_EQ(contents(write(name, gzipped("a,b\n1,2\n"))), "a,b\n1,2\n") << name;
  }
  EXPECT_EQ(contents(write("plain.gz", "a,b\n")), "a,b\n") << "named so, but not gzipped";
}

TEST_F(InputBytesTest, ReadsStandardInput) {
  const std::string large(3000000, 'x');
  for (const std::string& text : {std::string("a\n1\n"), large}) {
    for (const std::string& bytes : {text, gzipped(text)}) {
      const StandardInput standard_input(write("in", bytes));
      const InputBytes input("-");
      EXPECT_TRUE(input.text() == text);
      EXPECT_EQ(input.name(), "standard input");
      EXPECT_FALSE(input.is_file());
    }
  }
}

TEST_F(InputBytesTest, SaysThatStandardInputWasReadAlready) {
  const StandardInput standard_input(write("in", "a\n1\n"));
  EXPECT_EQ(contents("-"), "a\n1\n");
  EXPECT_EQ(test::error_of([] { contents("-"); }),
            "standard input: has been read already; give - once, and files otherwise");
}

TEST_F(InputBytesTest, ReadsAPipe) {
  const std::string large(3000000, 'x');
  for (const std::string& text : {std::string("a\n1\n"), large}) {
    for (const std::string& bytes : {text, gzipped(text)}) {
      EXPECT_TRUE(through_a_pipe(bytes, contents) == text);
    }
  }
}

TEST_F(InputBytesTest, ReadsADevice) { EXPECT_EQ(contents("/dev/null"), ""); }

TEST_F(InputBytesTest, ReadsDevStdin) {
  const StandardInput standard_input(write("in", "a\n1\n"));
  EXPECT_EQ(contents("/dev/stdin"), "a\n1\n");
}

TEST_F(InputBytesTest, SaysWhyItCannotBeRead) {
  const std::string nowhere = folder_ / "nowhere.csv";
  EXPECT_EQ(test::error_of([&] { contents(nowhere); }),
            nowhere +
                ": cannot be read (No such file or directory); give the path of a file that "
                "can be");
  const std::string folder = folder_ / "folder";
  std::filesystem::create_directory(folder);
  EXPECT_EQ(test::error_of([&] { contents(folder); }),
            folder + ": cannot be read (Is a directory); give the path of a file that can be");
  const std::string cut = write("cut.gz", gzipped("a,b\n").substr(0, 12));
  EXPECT_EQ(test::error_of([&] { contents(cut); }),
            cut + ": is gzipped and cut off; get the file again");
}

TEST_F(InputBytesTest, TablesComeFromAllOfThem) {
  const std::string csv = "a,b\n1,2\n3,4\n";
  Matrix matrix(2, 2);
  matrix.values = {1, 2, 3, 4};
  const auto bytes = npy_bytes(matrix);
  const std::string npy(bytes.begin(), bytes.end());
  const auto values = [](const std::string& path) { return read_table(path).values.values; };

  EXPECT_EQ(values(write("f.csv", csv)), matrix.values);
  EXPECT_EQ(values(write("f.csv.gz", gzipped(csv))), matrix.values);
  EXPECT_EQ(values(write("f.npy.gz", gzipped(npy))), matrix.values);
  EXPECT_EQ(values(write("f.NPY.GZ", gzipped(npy))), matrix.values);
  for (const std::string& text : {csv, npy}) {
    EXPECT_EQ(through_a_pipe(text, values), matrix.values);
    EXPECT_EQ(through_a_pipe(gzipped(text), values), matrix.values);
    const StandardInput standard_input(write("in", text));
    EXPECT_EQ(values("-"), matrix.values);
  }
}

TEST_F(InputBytesTest, MessagesNameStandardInput) {
  const StandardInput standard_input(write("in", "a\nx\n"));
  EXPECT_EQ(test::error_of([] {
              read_table("-");
            }).find("standard input: row 1 (line 2), column a: \"x\" is not a number"),
            0u);
}

}  // namespace

}  // namespace pcgs::io
