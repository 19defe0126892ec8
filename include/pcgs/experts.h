// Forecasters of one series, for those who bring no forecasts of their own.
//
//     ExpertPool pool(standard_experts(seasons));
//     pool.forecast(forecasts);           // [K] of the next value; NaN: that expert sleeps
//     ... aggregator.predict(forecasts), the value arrives ...
//     pool.observe(y);                    // NaN: a gap
//
// Strictly online: a forecast depends on the values that were observed before it and on nothing
// else. Memory does not grow with the series, and neither verb allocates. docs/experts.md has the
// formulae.
//
// Time is counted in calls of observe(): a gap is a step of the clock without a value. The lag at a
// gap is missing, and who needs it sleeps; means are taken over the values that are there; what
// learns does not learn from that step. Who wants time to be counted in values instead leaves the
// gaps out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/state.h"

namespace pcgs {

// The farthest any expert may look back.
inline constexpr std::size_t kLongestReach = std::size_t{1} << 20;

// The most recent values of the series, as experts see them.
class Past {
 public:
  // Remembers at least this many values.
  explicit Past(std::size_t reach);

  // The value n steps before the one that is forecast, n >= 1; NaN if there is none yet or it is a
  // gap. Requires: n <= the reach.
  double lag(std::size_t n) const { return n <= count_ ? ring_[(count_ - n) & mask_] : kNone; }
  // The mean of the last n values that are there; NaN if none is, or n steps have not passed yet.
  double mean(std::size_t n) const;
  // Steps so far, gaps included.
  std::uint64_t count() const { return count_; }

  void add(double y) { ring_[count_++ & mask_] = y; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  static const double kNone;
  std::uint64_t count_ = 0;
  std::uint64_t mask_;
  std::vector<double> ring_;  // [a power of 2] value i at i & mask_
};

class Expert {
 public:
  virtual ~Expert() = default;

  // Says what it is and with which numbers.
  virtual std::string name() const = 0;
  // How far back it looks.
  virtual std::size_t reach() const = 0;
  // Of the value that follows `past`; anything that is not finite means that it cannot say.
  virtual double forecast(const Past& past) const = 0;
  // `y` followed `past`; NaN for a gap. Must not allocate.
  virtual void observe(const Past& /*past*/, double /*y*/) {}

  virtual void save(StateWriter& /*out*/) const {}
  virtual void load(StateReader& /*in*/) {}
};

using Experts = std::vector<std::unique_ptr<Expert>>;

// All throw Error for numbers that make no sense; the formulae are in docs/experts.md.
std::unique_ptr<Expert> lag_expert(std::size_t lag);
std::unique_ptr<Expert> mean_expert(std::size_t window);
std::unique_ptr<Expert> ewma_expert(double rate);
std::unique_ptr<Expert> drift_expert(std::size_t window);
std::unique_ptr<Expert> seasonal_mean_expert(std::size_t season, std::size_t seasons);
std::unique_ptr<Expert> seasonal_change_expert(std::size_t season);

struct RegressionOptions {
  double forgetting = 1;  // in [0.5,1]: what a value counts, one step later
  // Variance of each coefficient before anything is known, with values measured in `unit`.
  double prior = 1e4;
  // 0: the median size of the first values that are not 0.
  double unit = 0;
};
// Recursive least squares on an intercept and these lags.
std::unique_ptr<Expert> regression_expert(std::vector<std::size_t> lags,
                                          RegressionOptions options = {});
// Least squares over the last `window` steps.
std::unique_ptr<Expert> rolling_regression_expert(std::vector<std::size_t> lags,
                                                  std::size_t window);

struct HoltWintersRates {
  double level = 0.2, trend = 0.01, seasonal = 0.1;  // each in [0,1]
};
std::unique_ptr<Expert> holt_winters_expert(std::size_t season, HoltWintersRates rates = {});

// The household benchmark's pool for a series with these seasons, shortest first: none, a day, a
// day and a week. With two seasons there are 21.
Experts benchmark_experts(std::span<const std::size_t> seasons);
// The pool for everybody else: those, and with seasons one more that is usually the strongest.
Experts standard_experts(std::span<const std::size_t> seasons);

// The experts that a JSON file describes (docs/experts.md). Throws Error, naming the file and the
// expert, for anything it does not know.
Experts read_experts(const std::string& path);

class ExpertPool {
 public:
  // Throws Error if two experts have the same name, or there is none.
  explicit ExpertPool(Experts experts);

  std::size_t size() const { return experts_.size(); }
  const std::vector<std::string>& names() const { return names_; }

  // [K] of the next value; NaN: asleep.
  void forecast(std::span<double> out) const;
  // The next value, finite, or NaN for a gap.
  void observe(double y);
  // Steps so far, gaps included.
  std::uint64_t steps() const { return past_.count(); }

  // observe, save, load, observe gives the bits of observe, observe. A state of other experts, or
  // with numbers that none of them saves, is refused, and the pool stays as it was.
  void save(const std::string& path) const;
  void load(const std::string& path);
  std::vector<std::uint8_t> save_bytes() const;
  void load_bytes(std::span<const std::uint8_t> file, const std::string& origin);

 private:
  std::uint64_t architecture() const;

  Experts experts_;
  std::vector<std::string> names_;
  Past past_;
};

}  // namespace pcgs
