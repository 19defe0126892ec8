#include "data/npy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "support/expect.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs::io {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string dictionary(const std::string& type, const std::string& shape,
                       const std::string& fortran_order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }";
}

// A file with this dictionary, unpadded.
Bytes of_header(const std::string& header, const Bytes& data, std::uint8_t major = 1) {
  const std::string text = header + "\n";
  Bytes file = {0x93, 'N', 'U', 'M', 'P', 'Y', major, 0};
  for (unsigned i = 0; i < (major == 1 ? 2u : 4u); ++i) {
    file.push_back(static_cast<std::uint8_t>(text.size() >> (8 * i)));
  }
  file.insert(file.end(), text.begin(), text.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

template <typename Float>
Bytes bytes_of(const std::vector<Float>& numbers) {
  static_assert(std::endian::native == std::endian::little);
  Bytes bytes(numbers.size() * sizeof(Float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

const Bytes kSix = bytes_of<double>({1, 2, 3, 4, 5, 6});

void expect_one_to_six(const Matrix& matrix) {
  EXPECT_EQ(matrix.rows, 2u);
  EXPECT_EQ(matrix.columns, 3u);
  EXPECT_EQ(matrix.values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

std::string refusal(const Bytes& file) {
  return test::error_of([&] { read_npy(file, "f.npy"); });
}

TEST(Npy, ReadsEveryVersion) {
  for (std::uint8_t major = 1; major <= 3; ++major) {
    expect_one_to_six(read_npy(of_header(dictionary("<f8", "(2, 3)"), kSix, major), "f.npy"));
  }
}

TEST(Npy, ReadsFloat32) {
  const Bytes data = bytes_of<float>({1, 2, 3, 4, 5, 6});
  expect_one_to_six(read_npy(of_header(dictionary("<f4", "(2, 3)"), data), "f.npy"));
}

TEST(Npy, ReadsColumnMajorOrder) {
  const Bytes wide = bytes_of<double>({1, 4, 2, 5, 3, 6});
  expect_one_to_six(read_npy(of_header(dictionary("<f8", "(2, 3)", "True"), wide), "f.npy"));
  const Bytes narrow = bytes_of<float>({1, 4, 2, 5, 3, 6});
  expect_one_to_six(read_npy(of_header(dictionary("<f4", "(2, 3)", "True"), narrow), "f.npy"));
}

TEST(Npy, ReadsTheKeysInAnyOrderAndSpacing) {
  for (const char* header :
       {"{'shape': (2, 3), 'fortran_order': False, 'descr': '<f8'}",
        "{\"descr\":\"<f8\",\"fortran_order\":False,\"shape\":(2,3)}",
        "  { 'descr' : '<f8' , 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , }    ",
        "{'descr': '<f8',\n 'shape': (2,\t3), 'fortran_order': False}\n\n"}) {
    expect_one_to_six(read_npy(of_header(header, kSix), "f.npy"));
  }
}

// numpy.save of numpy.array([[0.5, -2.0]], dtype='<f4'), as NumPy 1.24 writes it.
TEST(Npy, ReadsWhatNumpyWrites) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  text.append(117 - text.size(), ' ');
  const Bytes file = of_header(text, {0, 0, 0, 0x3F, 0, 0, 0, 0xC0});
  ASSERT_EQ(file.size(), 136u);
  EXPECT_EQ(read_npy(file, "f.npy").values, (std::vector<double>{0.5, -2.0}));
}

TEST(Npy, WritesAlignedDataThatReadsBackToTheBit) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    Matrix matrix(1 + random() % 12, 1 + random() % 12);
    for (double& value : matrix.values) {
      value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    }
    if (trial == 0) matrix.values[0] = std::numeric_limits<double>::quiet_NaN();
    const Bytes file = npy_bytes(matrix);
    EXPECT_EQ((file.size() - matrix.rows * matrix.columns * sizeof(double)) % 64, 0u);
    const Matrix back = read_npy(file, "f.npy");
    ASSERT_EQ(back.rows, matrix.rows);
    ASSERT_EQ(back.columns, matrix.columns);
    ASSERT_EQ(bytes_of(back.values), bytes_of(matrix.values));
  }
}

TEST(Npy, RefusesAFileCutAnywhere) {
  for (std::uint8_t major = 1; major <= 3; ++major) {
    const Bytes file = of_header(dictionary("<f8", "(2, 3)"), kSix, major);
    for (std::size_t size = 0; size < file.size(); ++size) {
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_EQ(refusal(cut).find("f.npy: "), 0u) << size;
    }
  }
}

TEST(Npy, SaysHowMuchOfATruncatedFileIsThere) {
  Bytes file = of_header(dictionary("<f8", "(2, 3)"), kSix);
  file.pop_back();
  EXPECT_EQ(refusal(file),
            "f.npy: 47 bytes of data are there, but the header promises 48 (2 rows x 3 columns x 8 "
            "bytes); the file is truncated");
  file.resize(30);
  EXPECT_EQ(refusal(file),
            "f.npy: ends inside its NPY header: 30 bytes are there, and the header alone takes 70; "
            "the file is truncated");
}

TEST(Npy, RefusesBytesAfterTheData) {
  Bytes file = of_header(dictionary("<f8", "(2, 3)"), kSix);
  file.push_back(0);
  EXPECT_EQ(refusal(file),
            "f.npy: 49 bytes of data are there, but the header promises 48 (2 rows x 3 columns x 8 "
            "bytes); give a file that ends with its data");
}

TEST(Npy, RefusesOtherFiles) {
  EXPECT_EQ(refusal({}),
            "f.npy: does not begin with the NPY magic; give what numpy.save writes, or CSV a name "
            "that ends in .csv");
  Bytes file = of_header(dictionary("<f8", "(2, 3)"), kSix);
  file[0] = 'x';
  EXPECT_EQ(refusal(file).find("f.npy: does not begin with the NPY magic"), 0u);
}

TEST(Npy, RefusesUnknownVersions) {
  Bytes file = of_header(dictionary("<f8", "(2, 3)"), kSix);
  file[6] = 4;
  EXPECT_EQ(refusal(file), "f.npy: has NPY version 4.0; accepted are 1.0, 2.0 and 3.0");
  file[6] = 1;
  file[7] = 1;
  EXPECT_EQ(refusal(file), "f.npy: has NPY version 1.1; accepted are 1.0, 2.0 and 3.0");
  file[6] = 0;
  EXPECT_EQ(refusal(file).find("f.npy: has NPY version 0.1"), 0u);
}

TEST(Npy, RefusesOtherTypes) {
  const std::string accepted =
      "; accepted are little-endian float32 and float64 ('<f4', '<f8'); in NumPy: a.astype('<f8')";
  for (const char* type :
       {"<i8", "<f2", "<c8", "|b1", "|O", "=f8", "|f8", "f8", "<F8", "", "<f8 "}) {
    EXPECT_EQ(refusal(of_header(dictionary(type, "(2, 3)"), kSix)),
              "f.npy: holds " + std::string(type) + accepted);
  }
  EXPECT_EQ(refusal(of_header(dictionary(">f8", "(2, 3)"), kSix)),
            "f.npy: holds >f8 (big-endian)" + accepted);
  EXPECT_EQ(
      refusal(of_header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,)}", kSix)),
      "f.npy: holds records with named fields" + accepted);
}

TEST(Npy, RefusesOtherRanks) {
  const struct {
    const char* shape;
    const char* rank;
  } cases[] = {{"()", "0"}, {"(6,)", "1"}, {"(1, 2, 3)", "3"}, {"(1, 1, 2, 3)", "4"}};
  for (const auto& [shape, rank] : cases) {
    EXPECT_EQ(refusal(of_header(dictionary("<f8", shape), kSix)),
              "f.npy: holds an array of rank " + std::string(rank) +
                  "; accepted is rank 2, one row per round and one column per expert; in NumPy: "
                  "a.reshape(rows, columns)");
  }
}

TEST(Npy, RefusesEmptyMatrices) {
  for (const char* shape : {"(0, 3)", "(3, 0)", "(0, 0)"}) {
    EXPECT_EQ(
        refusal(of_header(dictionary("<f8", shape), {})),
        "f.npy: has the shape " + std::string(shape) + "; give at least one row and one column");
  }
}

TEST(Npy, RefusesSizesThatOverflow) {
  // 2^61 x 8, 2^32 x 2^32, and one whose end alone is past the last address.
  for (const char* shape :
       {"(2305843009213693952, 1)", "(4294967296, 4294967296)",
        "(18446744073709551615, 18446744073709551615)", "(2305843009213693951, 1)"}) {
    EXPECT_EQ(refusal(of_header(dictionary("<f8", shape), kSix)),
              "f.npy: has the shape " + std::string(shape) + ", which is too large to address");
  }
}

TEST(Npy, RefusesMalformedHeaders) {
  const std::string type = "'descr': '<f8'", order = "'fortran_order': False";
  const std::string shape = "'shape': (2, 3)";
  const auto three = [](const std::string& a, const std::string& b, const std::string& c) {
    return "{" + a + ", " + b + ", " + c + "}";
  };
  ASSERT_NO_THROW(read_npy(of_header(three(type, order, shape), kSix), "f.npy"));
  for (const std::string& header : {std::string(),
                                    std::string("{}"),
                                    "{" + order + ", " + shape + "}",
                                    "{" + type + ", " + shape + "}",
                                    "{" + type + ", " + order + "}",
                                    three(type + ", " + type, order, shape),
                                    three(type, order, shape + ", 'x': 1"),
                                    three(type, order, shape) + " x",
                                    three(type, order, shape).substr(0, 54),
                                    three(type, "'fortran_order': 0", shape),
                                    three(type, "'fortran_order': Falsehood", shape),
                                    "{" + type + " " + order + ", " + shape + "}",
                                    three(type, order, "'shape': (-2, 3)"),
                                    three(type, order, "'shape': (2.0, 3)"),
                                    three(type, order, "'shape': (2 3)"),
                                    three(type, order, "'shape': (2,,3)"),
                                    three(type, order, "'shape': 6"),
                                    three(type, order, "'shape': (18446744073709551616, 1)"),
                                    three("'descr': '<f8", order, shape),
                                    three("descr: '<f8'", order, shape),
                                    three("'descr': None", order, shape)}) {
    EXPECT_EQ(refusal(of_header(header, kSix)).find("f.npy: has an NPY header that says"), 0u)
        << header;
  }
  EXPECT_EQ(refusal(of_header("{}", kSix)),
            "f.npy: has an NPY header that says something else than the type, order and shape of "
            "an array (\"{}\\x0a\"); write the file with numpy.save");
  // A number in brackets is no tuple, and a list none either.
  EXPECT_FALSE(refusal(of_header(three(type, order, "'shape': (6)"), kSix)).empty());
  EXPECT_FALSE(refusal(of_header(three(type, order, "'shape': [2, 3]"), kSix)).empty());
}

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
    std::vector<Float> data;
    for (std::size_t i = 0; i < matrix.values.size(); ++i) {
      const std::size_t t = fortran_order ? i % matrix.rows : i / matrix.columns;
      const std::size_t k = fortran_order ? i / matrix.rows : i % matrix.columns;
      data.push_back(static_cast<Float>(matrix.row(t)[k]));
    }
    const Bytes bytes = of_header(
        dictionary(sizeof(Float) == 4 ? "<f4" : "<f8",
                   "(" + std::to_string(matrix.rows) + ", " + std::to_string(matrix.columns) + ")",
                   fortran_order ? "True" : "False") +
            std::string(odd, ' '),
        bytes_of(data));
    return file({bytes.begin(), bytes.end()});
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

TEST(NpyName, IsTheExtensionInAnyCase) {
  for (const char* name : {"a.npy", "b/a.NPY", "a.csv.Npy"}) EXPECT_TRUE(has_npy_name(name));
  for (const char* name : {"a.csv", "npy", ".npy", "a.npy/b", "a.npyx", ""}) {
    EXPECT_FALSE(has_npy_name(name)) << name;
  }
}

static_assert(!std::is_copy_constructible_v<NpyRows>);

}  // namespace
}  // namespace pcgs::io
