#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "pcgs/oracle.h"
#include "proof/sweep.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::Random;

// Large enough for threads to be worth while.
Matrix problem(std::size_t rounds, std::size_t experts) {
  Random random(rounds + experts);
  Matrix losses(rounds, experts);
  for (double& l : losses.values) l = random.uniform();
  return losses;
}

TEST(OracleThreads, ChangeNoBit) {
  for (const auto& [rounds, experts, switches] :
       std::vector<std::array<std::size_t, 3>>{{3000, 37, 40}, {400, 1024, 12}, {9000, 8, 64}}) {
    const Matrix losses = problem(rounds, experts);
    const auto values = switching_oracle(losses, switches);
    const auto path = switching_path(losses, switches);
    for (const std::size_t threads : std::vector<std::size_t>{2, 3, 7, 1000}) {
      ASSERT_EQ(switching_oracle(losses, switches, threads), values) << threads;
      const auto again = switching_path(losses, switches, kOracleMemory, threads);
      ASSERT_EQ(again.loss, path.loss);
      ASSERT_EQ(again.experts, path.experts) << threads;
    }
  }
}

// Losses that can be read up to a point.
class Torn final : public LossRows {
 public:
  Torn(MatrixView matrix, std::size_t good) : rows_(matrix), good_(good) {}
  std::size_t rows() const override { return rows_.rows(); }
  std::size_t columns() const override { return rows_.columns(); }
  void read(std::size_t first, std::size_t count, double* out, std::size_t stride) const override {
    if (first + count > good_) throw std::runtime_error("torn");
    rows_.read(first, count, out, stride);
  }

 private:
  oracle::MatrixRows rows_;
  std::size_t good_;
};

TEST(OracleThreads, BringHomeAnErrorFromReading) {
  const Matrix losses = problem(3000, 37);
  for (const std::size_t good : std::vector<std::size_t>{0, 1000, 2999}) {
    const Torn torn(losses, good);
    EXPECT_THROW(switching_oracle(torn, 40, 4), std::runtime_error) << good;
  }
}

}  // namespace
}  // namespace pcgs
