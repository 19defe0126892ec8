#include "data/input_bytes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
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
