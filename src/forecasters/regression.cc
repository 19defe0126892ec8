#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "forecasters/forecasters.h"

namespace pcgs {

namespace {

constexpr std::size_t kMostLags = 64;

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

// The lags in order; throws Error if there are none, too many, or one twice.
std::vector<std::size_t> accepted_lags(std::vector<std::size_t> lags, std::size_t longest) {
  checked_steps("the number of lags", lags.size(), 1, kMostLags);
  std::sort(lags.begin(), lags.end());
  for (std::size_t i = 0; i < lags.size(); ++i) {
    checked_steps("a lag", lags[i], 1, longest);
    if (i > 0 && lags[i] == lags[i - 1]) {
      throw Error(fmt::format("lag {} is given twice; give it once", lags[i]));
    }
  }
  return lags;
}

// "1-6+24+25"
std::string lags_text(std::span<const std::size_t> lags) {
  std::string out;
  for (std::size_t i = 0; i < lags.size();) {
    std::size_t end = i + 1;
    while (end < lags.size() && lags[end] == lags[end - 1] + 1) ++end;
    if (end - i < 3) end = i + 1;
    out += out.empty() ? "" : "+";
    out += end - i < 3 ? fmt::format("{}", lags[i]) : fmt::format("{}-{}", lags[i], lags[end - 1]);
    i = end;
  }
  return out;
}

// Writes 1, y[lags] as they were `ago` steps before now to x [1 + lags], each value divided by
// `unit`; false if a value is missing.
bool fill_regressors(const Past& past, std::span<const std::size_t> lags, std::size_t ago,
                     double unit, std::span<double> x) {
  x[0] = 1;
  for (std::size_t i = 0; i < lags.size(); ++i) {
    x[i + 1] = past.lag(lags[i] + ago) / unit;
    if (std::isnan(x[i + 1])) return false;
  }
  return true;
}

// <coefficients, x> for the regressors of now; NaN if a value is missing.
double predict_from(const Past& past, std::span<const std::size_t> lags, double unit,
                    std::span<const double> coefficients) {
  double f = coefficients[0];
  for (std::size_t i = 0; i < lags.size(); ++i) {
    f += coefficients[i + 1] * (past.lag(lags[i]) / unit);
  }
  return f;
}

// Recursive least squares on an intercept and lags (LeastSquares).
//
// Values are divided by a unit first, so that kW and MW give the same forecasts: what the prior
// says about the coefficients, and how far they may be forgotten, is relative to it. Unless it is
// given, it is the median size of the first values that are not 0, which one wild value among them
// does not move; when the numbers have left the range of a double, and learning begins anew, it is
// chosen again. It sleeps until it has learned from as many values as it has coefficients, and
// where a lag is missing.
constexpr std::size_t kFewestForUnit = 5;  // steps; of one or two values the median is any

class Regression final : public Expert {
 public:
  Regression(std::vector<std::size_t> lags, RegressionOptions options)
      : lags_(std::move(lags)),
        options_(options),
        unit_(options.unit),
        squares_(lags_.size() + 1, options.forgetting, options.prior),
        x_(lags_.size() + 1),
        sizes_(options.unit == 0 ? reach() : 0) {}

  std::string name() const override {
    const RegressionOptions usual;
    std::string name = "rls" + lags_text(lags_);
    if (options_.forgetting != usual.forgetting) name += fmt::format("@{}", options_.forgetting);
    if (options_.prior != usual.prior) name += fmt::format("@prior{}", options_.prior);
    if (options_.unit != usual.unit) name += fmt::format("@unit{}", options_.unit);
    return name;
  }
  std::size_t reach() const override {
    return options_.unit == 0 ? std::max(lags_.back(), kFewestForUnit) : lags_.back();
  }

  double forecast(const Past& past) const override {
    if (learned_ < squares_.size()) return std::numeric_limits<double>::quiet_NaN();
    return unit_ * predict_from(past, lags_, unit_, squares_.coefficients());
  }

  void observe(const Past& past, double y) override {
    if (unit_ == 0) unit_ = unit_of(past);
    if (unit_ == 0 || std::isnan(y) || !fill_regressors(past, lags_, 0, unit_, x_)) return;
    if (squares_.learn(x_, y / unit_)) {
      learned_ = std::min<std::uint64_t>(learned_ + 1, squares_.size());
    } else {
      learned_ = 0;
      unit_ = options_.unit;
    }
  }

  void save(StateWriter& out) const override {
    out.f64(unit_);
    out.u64(learned_);
    squares_.save(out);
  }
  void load(StateReader& in) override {
    unit_ = in.f64_within(0, std::numeric_limits<double>::max(), "the unit of a regression");
    learned_ = in.u64();
    if (learned_ > squares_.size()) in.fail("a count of a regression is out of range");
    squares_.load(in);
  }

 private:
  // 0 until as many steps have passed as it looks back, and as long as all of them are 0.
  double unit_of(const Past& past) {
    if (past.count() < reach()) return 0;
    auto end = sizes_.begin();
    for (std::size_t n = 1; n <= reach(); ++n) {
      const double size = std::abs(past.lag(n));
      if (size > 0) *end++ = size;  // not for gaps
    }
    if (end == sizes_.begin()) return 0;
    const auto middle = sizes_.begin() + (end - sizes_.begin()) / 2;
    std::nth_element(sizes_.begin(), middle, end);
    return *middle;
  }

  std::vector<std::size_t> lags_;
  RegressionOptions options_;
  double unit_;                // 0: not known yet
  std::uint64_t learned_ = 0;  // values since it began (anew); counted up to squares_.size()
  LeastSquares squares_;
  std::vector<double> x_;      // [1 + lags] scratch
  std::vector<double> sizes_;  // [reach] scratch; empty if the unit is given
};

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
    if (!all_finite(products_) || !all_finite(greatest_) || !all_finite(coefficients_)) {
      in.fail("the sums of a regression are not finite");
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
    return all_finite(coefficients_);
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

LeastSquares::LeastSquares(std::size_t size, double forgetting, double prior)
    : size_(size),
      forgetting_(forgetting),
      prior_(prior),
      coefficients_(size),
      upper_(size * size),
      diagonal_(size),
      turned_(size),
      gain_(size) {
  reset();
}

void LeastSquares::reset() {
  std::fill(coefficients_.begin(), coefficients_.end(), 0.0);
  std::fill(upper_.begin(), upper_.end(), 0.0);
  std::fill(diagonal_.begin(), diagonal_.end(), prior_);
}

double LeastSquares::predict(std::span<const double> x) const {
  double f = 0;
  for (std::size_t i = 0; i < size_; ++i) f += coefficients_[i] * x[i];
  return f;
}

// sum_i P_ii = sum_i sum_{j >= i} U_ij^2 D_j
double LeastSquares::trace() const {
  double sum = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    sum += diagonal_[i];
    for (std::size_t j = i + 1; j < size_; ++j) {
      const double u = upper_[i * size_ + j];
      sum += u * u * diagonal_[j];
    }
  }
  return sum;
}

bool LeastSquares::learn(std::span<const double> x, double y) {
  const double error = y - predict(x);
  for (std::size_t j = 0; j < size_; ++j) {
    double f = x[j];
    for (std::size_t i = 0; i < j; ++i) f += upper_[i * size_ + j] * x[i];
    turned_[j] = f;
  }
  double alpha = forgetting_;  // forgetting + the part of x' P x that has been taken in
  for (std::size_t j = 0; j < size_; ++j) {
    const double f = turned_[j];
    const double v = diagonal_[j] * f;
    const double before = alpha;
    alpha += f * v;
    diagonal_[j] *= before / alpha;
    gain_[j] = v;
    const double p = -f / before;
    for (std::size_t i = 0; i < j; ++i) {
      double& u = upper_[i * size_ + j];
      const double old = u;
      u += gain_[i] * p;
      gain_[i] += old * v;
    }
  }
  const double step = error / alpha;
  for (std::size_t i = 0; i < size_; ++i) coefficients_[i] += gain_[i] * step;

  const double spread = trace();
  if (spread <= kLargestTrace * prior_ * static_cast<double>(size_) * forgetting_) {
    for (double& d : diagonal_) d /= forgetting_;
  }
  if (std::isfinite(spread) && all_finite(coefficients_)) return true;
  reset();
  return false;
}

void LeastSquares::save(StateWriter& out) const {
  out.f64s(coefficients_);
  out.f64s(upper_);
  out.f64s(diagonal_);
}

void LeastSquares::load(StateReader& in) {
  in.f64s(coefficients_);
  in.f64s(upper_);
  in.f64s(diagonal_);
  const bool positive =
      std::all_of(diagonal_.begin(), diagonal_.end(), [](double d) { return d >= 0; });
  if (!all_finite(coefficients_) || !all_finite(upper_) || !all_finite(diagonal_) || !positive) {
    in.fail("the coefficients of a regression are not finite");
  }
}

std::unique_ptr<Expert> regression_expert(std::vector<std::size_t> lags,
                                          RegressionOptions options) {
  checked_number("the forgetting", options.forgetting, 0.5, 1);
  checked_number("the prior", options.prior, 1e-9, 1e12);
  if (options.unit != 0) checked_number("the unit", options.unit, 1e-100, 1e100);
  return std::make_unique<Regression>(accepted_lags(std::move(lags), kLongestReach), options);
}

std::unique_ptr<Expert> rolling_regression_expert(std::vector<std::size_t> lags,
                                                  std::size_t window) {
  lags = accepted_lags(std::move(lags), kLongestReach / 2);
  checked_steps("the window", window, 2 * (lags.size() + 1), kLongestReach / 2);
  return std::make_unique<RollingRegression>(std::move(lags), window);
}

}  // namespace pcgs
