// Least squares on an intercept and lags over the last `window` steps.
//
//     A = sum x x'     b = sum x y     over the pairs of the window that have no gap
//     c solves (A + ridge diag A) c = b
//
// The newest pair is added and the oldest, looked up in the past, is taken away; what that leaves
// of rounding is wiped out by adding everything up anew once per window, and at once where a sum of
// squares has fallen so far that the rounding of what has left would show in it. The ridge is small
// enough not to be seen and large enough for series that do not move. It sleeps until the window
// holds twice as many pairs as there are coefficients, and where a lag is missing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "forecasters/checked_range.h"
#include "forecasters/regressors.h"

namespace pcgs {

namespace {

constexpr double kRidge = 1e-10;
// The least that may be left of the greatest sum of squares since everything was added up.
constexpr double kLeastLeft = 1e-4;
// Values beyond it count as gaps, so that no sum of squares leaves the range of a double.
constexpr double kLargestValue = 1e150;

class RollingRegression final : public Expert {
 public:
  RollingRegression(std::vector<std::size_t> lags, std::size_t window)
      : lags_(std::move(lags)),
        window_(window),
        size_(lags_.size() + 1),
        products_((size_ + 1) * (size_ + 1)),
        greatest_(size_ + 1),
        factor_(size_ * size_),
        coefficients_(size_),
        pair_(size_ + 1) {}

  std::string name() const override {
    return fmt::format("rls{}@last{}", lags_text(lags_), window_);
  }
  // The oldest pair's own lags, which leave together with it.
  std::size_t reach() const override { return window_ + lags_.back(); }

  double forecast(const Past& past) const override {
    return solved_ ? predict_from(past, lags_, 1, coefficients_)
                   : std::numeric_limits<double>::quiet_NaN();
  }

  void observe(const Past& past, double y) override {
    take(past, window_, past.lag(window_), -1);
    if (++since_anew_ >= window_ || too_little_left()) add_up_anew(past);
    const auto learn = [&] {
      take(past, 0, y, 1);
      solved_ = pairs_ >= 2 * size_ && solve();
    };
    learn();
    if (solved_ || pairs_ < 2 * size_ || since_anew_ == 0) return;
    add_up_anew(past);
    learn();
  }

  void save(StateWriter& out) const override {
    out.u64(since_anew_);
    out.u64(pairs_);
    out.u64(solved_ ? 1 : 0);
    out.f64s(products_);
    out.f64s(greatest_);
    out.f64s(coefficients_);
  }
  void load(StateReader& in) override {
    since_anew_ = in.u64();
    pairs_ = in.u64();
    const std::uint64_t solved = in.u64();
    if (since_anew_ >= window_ || pairs_ > window_ || solved > 1) {
      in.fail("a count of a regression is out of range");
    }
    solved_ = solved == 1;
    in.f64s(products_);
    in.f64s(greatest_);
    in.f64s(coefficients_);
    for (const auto* numbers : {&products_, &greatest_, &coefficients_}) {
      if (!std::all_of(numbers->begin(), numbers->end(),
                       [](double c) { return std::isfinite(c); })) {
        in.fail("the sums of a regression are not finite");
      }
    }
  }

 private:
  // Of the regressors and, at `size_`, of y.
  double& product(std::size_t i, std::size_t j) { return products_[i * (size_ + 1) + j]; }

  // The pair of y and the regressors as they were `ago` steps before now, added or taken away.
  void take(const Past& past, std::size_t ago, double y, double sign) {
    if (std::isnan(y) || !fill_regressors(past, lags_, ago, 1, pair_)) return;
    pair_[size_] = y;
    const auto too_large = [](double v) { return std::abs(v) > kLargestValue; };
    if (std::any_of(pair_.begin(), pair_.end(), too_large)) return;
    for (std::size_t i = 0; i <= size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) product(i, j) += sign * pair_[i] * pair_[j];
      greatest_[i] = std::max(greatest_[i], product(i, i));
    }
    if (sign > 0) {
      ++pairs_;
    } else {
      --pairs_;
    }
  }

  bool too_little_left() {
    for (std::size_t i = 0; i <= size_; ++i) {
      if (product(i, i) < kLeastLeft * greatest_[i]) return true;
    }
    return false;
  }

  // All pairs that stay in the window when the newest comes.
  void add_up_anew(const Past& past) {
    std::fill(products_.begin(), products_.end(), 0.0);
    std::fill(greatest_.begin(), greatest_.end(), 0.0);
    pairs_ = 0;
    since_anew_ = 0;
    for (std::size_t ago = window_ - 1; ago >= 1; --ago) take(past, ago, past.lag(ago), 1);
  }

  // Cholesky's L L' = A scaled to a unit diagonal, plus the ridge. False, with coefficients that
  // say nothing, if rounding has left no such L.
  bool solve() {
    if (factorise_and_solve()) return true;
    std::fill(coefficients_.begin(), coefficients_.end(), 0.0);
    return false;
  }

  bool factorise_and_solve() {
    const auto scale = [&](std::size_t i) {
      const double square = product(i, i);
      return square > 0 ? 1 / std::sqrt(square) : 0;
    };
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = i == j ? 1 + kRidge : product(i, j) * scale(i) * scale(j);
        for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * size_ + k] * factor_[j * size_ + k];
        if (i == j && !(sum > 0)) return false;
        factor_[i * size_ + j] = i == j ? std::sqrt(sum) : sum / factor_[j * size_ + j];
      }
    }
    for (std::size_t i = 0; i < size_; ++i) {
      double sum = product(size_, i) * scale(i);
      for (std::size_t k = 0; k < i; ++k) sum -= factor_[i * size_ + k] * coefficients_[k];
      coefficients_[i] = sum / factor_[i * size_ + i];
    }
    for (std::size_t i = size_; i-- > 0;) {
      double sum = coefficients_[i];
      for (std::size_t k = i + 1; k < size_; ++k) sum -= factor_[k * size_ + i] * coefficients_[k];
      coefficients_[i] = sum / factor_[i * size_ + i];
    }
    for (std::size_t i = 0; i < size_; ++i) coefficients_[i] *= scale(i);
    return std::all_of(coefficients_.begin(), coefficients_.end(),
                       [](double c) { return std::isfinite(c); });
  }

  std::vector<std::size_t> lags_;
  std::size_t window_, size_;
  std::size_t since_anew_ = 0;  // steps since everything was added up
  std::size_t pairs_ = 0;
  bool solved_ = false;
  std::vector<double> products_;      // [size+1 x size+1] of (x, y), the lower half: A above b
  std::vector<double> greatest_;      // [size+1] that its diagonal has been since it was added up
  std::vector<double> factor_;        // [size x size] scratch
  std::vector<double> coefficients_;  // [size]
  std::vector<double> pair_;          // [size+1] scratch: x and y
};

}  // namespace

std::unique_ptr<Expert> rolling_regression_expert(std::vector<std::size_t> lags,
                                                  std::size_t window) {
  lags = accepted_lags(std::move(lags), kLongestReach / 2);
  checked_steps("the window", window, 2 * (lags.size() + 1), kLongestReach / 2);
  return std::make_unique<RollingRegression>(std::move(lags), window);
}

}  // namespace pcgs
