#include "data/npy.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/expect.h"

namespace pcgs::io {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string dictionary(const std::string& type, const std::string& shape,
                       const std::string& fortran_order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }";
}

// A file with this dictionary, unpadded.
Bytes file_of(const std::string& header, const Bytes& data, std::uint8_t major = 1) {
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
    expect_one_to_six(read_npy(file_of(dictionary("<f8", "(2, 3)"), kSix, major), "f.npy"));
  }
}

TEST(Npy, ReadsFloat32) {
  const Bytes data = bytes_of<float>({1, 2, 3, 4, 5, 6});
  expect_one_to_six(read_npy(file_of(dictionary("<f4", "(2, 3)"), data), "f.npy"));
}

TEST(Npy, ReadsColumnMajorOrder) {
  const Bytes wide = bytes_of<double>({1, 4, 2, 5, 3, 6});
  expect_one_to_six(read_npy(file_of(dictionary("<f8", "(2, 3)", "True"), wide), "f.npy"));
  const Bytes narrow = bytes_of<float>({1, 4, 2, 5, 3, 6});
  expect_one_to_six(read_npy(file_of(dictionary("<f4", "(2, 3)", "True"), narrow), "f.npy"));
}

TEST(Npy, ReadsTheKeysInAnyOrderAndSpacing) {
  for (const char* header :
       {"{'shape': (2, 3), 'fortran_order': False, 'descr': '<f8'}",
        "{\"descr\":\"<f8\",\"fortran_order\":False,\"shape\":(2,3)}",
        "  { 'descr' : '<f8' , 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , }    ",
        "{'descr': '<f8',\n 'shape': (2,\t3), 'fortran_order': False}\n\n"}) {
    expect_one_to_six(read_npy(file_of(header, kSix), "f.npy"));
  }
}

// numpy.save of numpy.array([[0.5, -2.0]], dtype='<f4'), as NumPy 1.24 writes it.
TEST(Npy, ReadsWhatNumpyWrites) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  text.append(117 - text.size(), ' ');
  const Bytes file = file_of(text, {0, 0, 0, 0x3F, 0, 0, 0, 0xC0});
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
    const Bytes file = file_of(dictionary("<f8", "(2, 3)"), kSix, major);
    for (std::size_t size = 0; size < file.size(); ++size) {
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_EQ(refusal(cut).find("f.npy: "), 0u) << size;
    }
  }
}

TEST(Npy, SaysHowMuchOfATruncatedFileIsThere) {
  Bytes file = file_of(dictionary("<f8", "(2, 3)"), kSix);
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
  Bytes file = file_of(dictionary("<f8", "(2, 3)"), kSix);
  file.push_back(0);
  EXPECT_EQ(refusal(file),
            "f.npy: 49 bytes of data are there, but the header promises 48 (2 rows x 3 columns x 8 "
            "bytes); give a file that ends with its data");
}

TEST(Npy, RefusesOtherFiles) {
  EXPECT_EQ(refusal({}),
            "f.npy: does not begin with the NPY magic; accepted is what numpy.save "
            "writes");
  Bytes file = file_of(dictionary("<f8", "(2, 3)"), kSix);
  file[0] = 'x';
  EXPECT_EQ(refusal(file).find("f.npy: does not begin with the NPY magic"), 0u);
}

TEST(Npy, RefusesUnknownVersions) {
  Bytes file = file_of(dictionary("<f8", "(2, 3)"), kSix);
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
    EXPECT_EQ(refusal(file_of(dictionary(type, "(2, 3)"), kSix)),
              "f.npy: holds " + std::string(type) + accepted);
  }
  EXPECT_EQ(refusal(file_of(dictionary(">f8", "(2, 3)"), kSix)),
            "f.npy: holds >f8 (big-endian)" + accepted);
  EXPECT_EQ(
      refusal(file_of("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,)}", kSix)),
      "f.npy: holds records with named fields" + accepted);
}

TEST(Npy, RefusesOtherRanks) {
  const struct {
    const char* shape;
    const char* rank;
  } cases[] = {{"()", "0"}, {"(6,)", "1"}, {"(1, 2, 3)", "3"}, {"(1, 1, 2, 3)", "4"}};
  for (const auto& [shape, rank] : cases) {
    EXPECT_EQ(refusal(file_of(dictionary("<f8", shape), kSix)),
              "f.npy: holds an array of rank " + std::string(rank) +
                  "; accepted is rank 2, one row per round and one column per expert; in NumPy: "
                  "a.reshape(rows, columns)");
  }
}

TEST(Npy, RefusesEmptyMatrices) {
  for (const char* shape : {"(0, 3)", "(3, 0)", "(0, 0)"}) {
    EXPECT_EQ(
        refusal(file_of(dictionary("<f8", shape), {})),
        "f.npy: has the shape " + std::string(shape) + "; give at least one row and one column");
  }
}

TEST(Npy, RefusesSizesThatOverflow) {
  // 2^61 x 8, 2^32 x 2^32, and one whose end alone is past the last address.
  for (const char* shape :
       {"(2305843009213693952, 1)", "(4294967296, 4294967296)",
        "(18446744073709551615, 18446744073709551615)", "(2305843009213693951, 1)"}) {
    EXPECT_EQ(refusal(file_of(dictionary("<f8", shape), kSix)),
              "f.npy: has the shape " + std::string(shape) + ", which is too large to address");
  }
  EXPECT_EQ(refusal(file_of(dictionary("<f8", "(18446744073709551616, 1)"), kSix)),
            "f.npy: the NPY header has a shape too large to address; write the file with "
            "numpy.save");
}

TEST(Npy, RefusesMalformedHeaders) {
  const struct {
    const char* header;
    const char* why;
  } cases[] = {
      {"", "should have '{' at byte 1 but has \"\""},
      {"{}", "lacks the key 'descr'"},
      {"{'descr': '<f8', 'shape': (2, 3)}", "lacks the key 'fortran_order'"},
      {"{'descr': '<f8', 'fortran_order': False}", "lacks the key 'shape'"},
      {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
       "has the key 'descr' twice"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'x': 1}",
       "has a key 'x' that NPY does not know"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)} x",
       "goes on after its closing brace"},
      {"{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 3)}",
       "should have True or False at byte"},
      {"{'descr': '<f8', 'fortran_order': Falsehood, 'shape': (2, 3)}", "should have '}' at byte"},
      {"{'descr': '<f8' 'fortran_order': False, 'shape': (2, 3)}", "should have '}' at byte"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 3)}", "should have a whole number"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2.0, 3)}", "should have ',' at byte"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (6)}", "should have ',' at byte"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2 3)}", "should have ',' at byte"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,,3)}", "should have a whole number"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': [2, 3]}", "should have '(' at byte"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)", "should have '}' at byte"},
      {"{'descr': '<f8, 'fortran_order': False, 'shape': (2, 3)}", "should have '}' at byte"},
      {"{descr: '<f8', 'fortran_order': False, 'shape': (2, 3)}", "should have a key in quotes"},
      {"{'descr': None, 'fortran_order': False, 'shape': (2, 3)}", "should have a type in quotes"},
  };
  for (const auto& [header, why] : cases) {
    const std::string message = refusal(file_of(header, kSix));
    EXPECT_EQ(message.find("f.npy: the NPY header " + std::string(why)), 0u) << message;
    EXPECT_NE(message.find("; write the file with numpy.save"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace pcgs::io
