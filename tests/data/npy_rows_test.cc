#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "data/npy.h"
#include "support/expect.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs::io {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUntouched = -77;

class NpyRowsTest : public ::testing::Test {
 protected:
  std::string file(const std::string& content, const std::string& name = "f.npy") {
    std::ofstream(dir_ / name, std::ios::binary) << content;
    return dir_ / name;
  }

  // The matrix as a file of this type and order; `odd` spaces put its data off every boundary.
  template <typename Float>
  std::string file_of(const Matrix& matrix, bool fortran_order = false, std::size_t odd = 0) {
    std::string header = std::string("{'descr': '") + (sizeof(Float) == 4 ? "<f4" : "<f8") +
                         "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                         ", 'shape': (" + std::to_string(matrix.rows) + ", " +
                         std::to_string(matrix.columns) + "), }" + std::string(odd, ' ') + "\n";
    std::string content = std::string(kNpyMagic) + '\1' + '\0' +
                          static_cast<char>(header.size() % 256) +
                          static_cast<char>(header.size() / 256) + header;
    for (std::size_t i = 0; i < matrix.values.size(); ++i) {
      const std::size_t t = fortran_order ? i % matrix.rows : i / matrix.columns;
      const std::size_t k = fortran_order ? i / matrix.rows : i % matrix.columns;
      const auto value = static_cast<Float>(matrix.row(t)[k]);
      char bytes[sizeof(Float)];
      std::memcpy(bytes, &value, sizeof(Float));
      content.append(bytes, sizeof(Float));
    }
    return file(content);
  }

  std::string refusal(const std::string& path, const std::vector<std::string>& ignore = {}) {
    const std::string message = test::error_of([&] { NpyRows(path, ignore); });
    EXPECT_EQ(message.find(path + ": "), 0u) << message;
    return message;
  }

  test::TempDir dir_;
};

// What read() writes for some rows, with two numbers of room after each.
std::vector<double> rows_of(const NpyRows& rows, std::size_t first, std::size_t count) {
  const std::size_t stride = rows.columns() + 2;
  std::vector<double> out(count * stride, kUntouched);
  rows.read(first, count, out.data(), stride);
  std::vector<double> packed;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i % stride < rows.columns()) {
      packed.push_back(out[i]);
    } else {
      EXPECT_EQ(out[i], kUntouched) << "beyond the columns";
    }
  }
  return packed;
}

TEST_F(NpyRowsTest, ReadsAnyRowsOfEveryTypeAndOrder) {
  test::Random random(1);
  for (int trial = 0; trial < 60; ++trial) {
    Matrix matrix(1 + random.below(40), 1 + random.below(40));
    for (double& x : matrix.values) {
      x = static_cast<double>(static_cast<float>(random.uniform(-2, 2)));
    }
    const bool fortran_order = random.chance(0.5);
    const std::size_t odd = random.below(8);
    const bool single = random.chance(0.5);
    const std::string path = single ? file_of<float>(matrix, fortran_order, odd)
                                    : file_of<double>(matrix, fortran_order, odd);
    const NpyRows rows(path);
    ASSERT_EQ(rows.rows(), matrix.rows);
    ASSERT_EQ(rows.columns(), matrix.columns);
    for (int i = 0; i < 5; ++i) {
      const std::size_t first = random.below(matrix.rows);
      const std::size_t count = random.below(matrix.rows - first + 1);
      const auto begin =
          matrix.values.begin() + static_cast<std::ptrdiff_t>(first * matrix.columns);
      ASSERT_EQ(
          rows_of(rows, first, count),
          std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count * matrix.columns)));
    }
  }
}

TEST_F(NpyRowsTest, ExtremesOfDoubleAreLosses) {
  Matrix matrix(1, 6);
  matrix.values = {std::numeric_limits<double>::max(),
                   std::numeric_limits<double>::lowest(),
                   std::numeric_limits<double>::denorm_min(),
                   -0.0,
                   0,
                   1e-300};
  EXPECT_TRUE(test::same_bits(rows_of(NpyRows(file_of<double>(matrix)), 0, 1), matrix.values));
}

TEST_F(NpyRowsTest, NanSleeps) {
  Matrix matrix(3, 2);
  matrix.values = {1, kNan, 3, 4, -kNan, kNan};
  const std::vector<double> expected = {1, kInfinity, 3, 4, kInfinity, kInfinity};
  for (const bool fortran_order : {false, true}) {
    EXPECT_EQ(rows_of(NpyRows(file_of<double>(matrix, fortran_order)), 0, 3), expected);
    EXPECT_EQ(rows_of(NpyRows(file_of<float>(matrix, fortran_order)), 0, 3), expected);
  }
}

TEST_F(NpyRowsTest, InfinityIsRefusedWhereItIsRead) {
  for (const double infinity : {kInfinity, -kInfinity}) {
    Matrix matrix(5, 20);
    matrix.row(3)[12] = infinity;
    matrix.row(3)[2] = kNan;
    for (const bool fortran_order : {false, true}) {
      const std::string path = file_of<float>(matrix, fortran_order);
      const NpyRows rows(path);
      EXPECT_EQ(rows_of(rows, 0, 3), std::vector<double>(60, 0));
      EXPECT_EQ(test::error_of([&] { rows_of(rows, 2, 3); }),
                path + ": row 4, column e13: " + (infinity > 0 ? "inf" : "-inf") +
                    " is infinite; give finite losses, and NaN where an expert is missing");
      const NpyRows without(path, {"e13"});
      EXPECT_EQ(rows_of(without, 3, 1)[2], kInfinity);
    }
  }
}

TEST_F(NpyRowsTest, IgnoredColumnsAreLeftOut) {
  Matrix matrix(2, 4);
  matrix.values = {1, kInfinity, 3, 4, 5, 6, 7, 8};
  for (const bool fortran_order : {false, true}) {
    const NpyRows rows(file_of<double>(matrix, fortran_order), {"e2"});
    EXPECT_EQ(rows.names(), (std::vector<std::string>{"e1", "e3", "e4"}));
    EXPECT_EQ(rows_of(rows, 0, 2), (std::vector<double>{1, 3, 4, 5, 7, 8}));
  }
  const std::string path = file_of<double>(matrix);
  EXPECT_TRUE(test::mentions(refusal(path, {"e5"}), "no column e5"));
  EXPECT_TRUE(test::mentions(refusal(path, {"e1", "e2", "e3", "e4"}), "leave at least one"));
}

TEST_F(NpyRowsTest, OracleOfAFileIsTheOracleOfItsMatrix) {
  test::Random random(2);
  Matrix matrix(3000, 21);
  for (double& x : matrix.values) x = random.chance(0.001) ? kNan : random.uniform();
  Matrix losses = matrix;
  for (double& x : losses.values) x = std::isnan(x) ? kInfinity : x;
  for (const bool fortran_order : {false, true}) {
    const NpyRows rows(file_of<double>(matrix, fortran_order));
    EXPECT_TRUE(test::same_bits(switching_oracle(rows, 40), switching_oracle(losses, 40)));
    EXPECT_EQ(switching_path(rows, 40).experts, switching_path(losses, 40).experts);
  }
}

// A hole of 8 GiB: nobody could read it whole within the test's memory and time.
TEST_F(NpyRowsTest, AFileLargerThanWhatIsReadCostsOnlyWhatIsRead) {
  const std::size_t rows = std::size_t{1} << 20, columns = 1024;
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1048576, 1024), }";
  header.append(117 - header.size(), ' ').push_back('\n');
  const std::string path = file(std::string(kNpyMagic) + '\1' + '\0' + '\x76' + '\0' + header);
  const auto size = static_cast<off_t>(128 + rows * columns * sizeof(double));
  if (truncate(path.c_str(), size) != 0) GTEST_SKIP() << "no sparse file of 8 GiB here";
  const NpyRows mapped(path);
  EXPECT_EQ(mapped.rows(), rows);
  EXPECT_EQ(rows_of(mapped, rows - 2, 2), std::vector<double>(2 * columns, 0));
}

TEST_F(NpyRowsTest, FilesThatCannotBeAreRefused) {
  EXPECT_TRUE(test::mentions(refusal(dir_ / "nowhere.npy"), "No such file"));
  EXPECT_TRUE(test::mentions(refusal(dir_ / ""), "Is a directory"));
  EXPECT_TRUE(test::mentions(refusal(file("")), "NPY magic"));
  EXPECT_TRUE(test::mentions(refusal(file("a,b\n1,2\n")), "NPY magic"));
  const std::string pipe = dir_ / "pipe.npy";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(test::mentions(refusal(pipe), "not a file"));
}

TEST_F(NpyRowsTest, AFileCutAnywhereIsRefused) {
  std::ifstream in(file_of<double>(Matrix(2, 3)), std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(in), {});
  for (std::size_t size = 0; size < content.size(); ++size) {
    refusal(file(content.substr(0, size), "cut.npy"));
  }
  EXPECT_TRUE(test::mentions(refusal(file(content + '\0', "long.npy")), "ends with its data"));
}

TEST(NpyName, IsTheExtensionInAnyCase) {
  for (const char* name : {"a.npy", "b/a.NPY", "a.csv.Npy"}) EXPECT_TRUE(has_npy_name(name));
  for (const char* name : {"a.csv", "npy", ".npy", "a.npy/b", "a.npyx", ""}) {
    EXPECT_FALSE(has_npy_name(name)) << name;
  }
}

static_assert(!std::is_copy_constructible_v<NpyRows>);

}  // namespace
}  // namespace pcgs::io
