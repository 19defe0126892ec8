// Least squares with forgetting and a ridge that is not forgotten, one row at a time:
//
//     c_t = argmin_c  sum_{s <= t} forgetting^(t-s) v_s (y_s - <c, x_s>)^2  +  sum_i ridge_i c_i^2
//
// Kept as the triangle U, with ones on its diagonal, and the diagonal D > 0 of U'DU = sum
// forgetting^(t-s) v x x' + diag(ridge): a row is rotated in by orthogonal steps that need no roots
// (Gentleman, Least squares computations by Givens transformations without square roots, 1973), so
// that nothing grows but what the data make grow. D is positive whatever the rows are: duplicates,
// fewer rows than coefficients, a million rows.
//
// Forgetting takes of the ridge, too. It is put back every fourth row for one coefficient, in turn, as
// a row that says "this coefficient is 0": O(n^2) like everything else. Should the numbers leave the
// range of a double all the same, it starts anew.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/kernels.h"
#include "pcgs/state.h"

namespace pcgs::blend {

class RidgeRegression {
 public:
  // ridge > 0 for each coefficient; forgetting in (0, 1].
  RidgeRegression(std::span<const double> ridge, double forgetting);

  std::size_t size() const { return ridge_.size(); }
  std::span<const double> coefficients() const { return {coefficients_.data(), size()}; }  // c
  double predict(std::span<const double> x) const;
  // One row of weight v = scale^2. Requires moderate numbers: |x|, |y| below 1e100.
  void learn(std::span<const double> x, double y, double scale);

  // The same regression when the experts, whose coefficients come first, have changed: as if newcomers
  // had always been 0, and the coefficients of leavers had to be.
  RidgeRegression after(const ExpertChange& change) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

  static constexpr std::size_t kEvery = 4;  // rows from one ridge that is put back to the next

 private:
  void reset();
  bool sane_solution() const;

  std::size_t stride_;
  double forgetting_;
  std::vector<double> ridge_;   // [n]
  AlignedVector triangle_;      // [n x stride] U, by rows; column n is its right side
  AlignedVector diagonal_;      // [n] D
  AlignedVector coefficients_;  // [stride]
  AlignedVector row_;           // [stride] scratch
  std::size_t turn_ = 0;        // whose ridge is put back next
  std::size_t since_ = 0;       // rows since one was put back
};

}  // namespace pcgs::blend
