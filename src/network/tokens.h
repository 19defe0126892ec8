// What tokens are made of, of losses (token_stream.h) and of errors (error_stream.h): exponentially weighted
// means of vectors, reference filters, and their arithmetic in float, compiled for each instruction set.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/state.h"

namespace pcgs::tokens {

// No alignment or padding is asked for.

// One round of a Fixed Share filter on n experts:
//     v(k) = w(k) exp(-charge(k)) / Z        w'(k) = (1 - rho) v(k) + rho / n
// Requires charge >= 0 with a 0 among them, and every w at least rho / n: then Z is at least that.
void filter_step(float* weights, const float* charge, std::size_t n, float rho);
// out(k) = ln(factor x(k)), for positive x.
void scaled_log(const float* x, std::size_t n, float factor, float* out);
// x(k) = sign(x(k)) ln(1 + |x(k)|), in place: linear near 0, and nothing is ever large.
void signed_log1p(float* x, std::size_t n);

inline float decay_of(float span) { return 1 - 1 / (span + 1); }

// What a mean of a newcomer is: 0, or that of a middling expert. Or means are not of experts.
enum class Newcomer { kZero, kMiddling, kNobody };

// One mean of vectors, and how much to trust it.
struct RunningMean {
  float decay = 0;          // a round
  double mass = 0;          // 1 - decay^t, the sum of all weights so far
  double squared_mass = 0;  // the same of squared weights
  std::vector<float> sums;

  RunningMean(float span, std::size_t size) : decay(decay_of(span)), sums(size, 0.0f) {}

  // One more round: to be called before sums are advanced.
  void count();
  // The sum that results.
  float advance(std::size_t i, float value) { return sums[i] += (1 - decay) * (value - sums[i]); }
  // The factor that makes the sums a mean, times the root of how many rounds that mean is worth:
  // noise of size 1 then stays of size 1 at every span.
  float trust() const;
  float to_mean() const { return static_cast<float>(1 / mass); }

  void save(StateWriter& out, Newcomer newcomer) const;
  // Of numbers in [low, high]: means then stay within them, and what is saved later can be loaded
  // again.
  void load(StateReader& in, double low, double high);
};

// A mean beside that of the squares.
struct MeanAndSquare {
  RunningMean mean, square;

  MeanAndSquare(float span, std::size_t size) : mean(span, size), square(span, size) {}

  void count();
  void advance(std::size_t i, float value) {
    mean.advance(i, value);
    square.advance(i, value * value);
  }
  // The factor that makes mean / root of square so many standard deviations.
  float root_of_rounds() const;

  void save(StateWriter& out, Newcomer newcomer) const;
  void load(StateReader& in, double low, double high);
};

// Means of the same numbers, which lie in [low, high], over several spans.
template <class Mean>
class Means : public std::vector<Mean> {
 public:
  struct Of {
    double low, high;
    Newcomer newcomer = Newcomer::kZero;
  };
  Means(std::span<const float> spans, std::size_t size, const Of& of) : of_(of) {
    for (const float span : spans) this->emplace_back(span, size);
  }

  void save(StateWriter& out) const {
    for (const Mean& mean : *this) mean.save(out, of_.newcomer);
  }
  void load(StateReader& in) {
    for (Mean& mean : *this) mean.load(in, of_.low, of_.high);
  }

 private:
  Of of_;
};

// Rows of a number for each expert, and what newcomers have; numbers within bounds.
void save_experts(StateWriter& out, std::span<const float> values, float fresh);
void load_floats(StateReader& in, std::span<float> values, double low, double high);

// "PREFIX-HASH", the hash being of the sizes, the numbers and what else is listed.
std::string schema_named(std::string_view prefix, std::string_view sizes,
                         std::initializer_list<std::span<const float>> numbers,
                         std::string_view others);

// A stream that makes tokens of one finished round after another. Causal, for any number of experts, in
// O(K) memory. The only feature code there is: training and inference both use it.
class Stream {
 public:
  // Of the last round observed; zeros before the first, and after load().
  // [K x expert features] each expert's own numbers.
  std::span<const float> tokens() const { return tokens_; }
  // [shared features] what is the same for all experts.
  std::span<const float> shared() const { return shared_; }
  // The typical difference between the losses: the root of a running mean of their variance.
  double scale() const { return scale_; }

 protected:
  struct Sizes {
    std::size_t expert_features, shared_features, filters;
    float least_rho;  // at which the filters restart
  };
  Stream(std::size_t experts, const Sizes& sizes);

  // One more round, whose losses had this variance.
  void count(double variance, float span, double smallest_scale);
  std::span<float> feature(std::size_t index) {
    return {features_.data() + index * experts_, experts_};
  }
  std::span<float> filter(std::size_t index) {
    return {weights_.data() + index * experts_, experts_};
  }
  // Charges a filter what charge_ holds, which may be anything; ln(K w) of its weights.
  void step_filter(std::size_t index, float rho, std::span<float> log_weights);
  float* token(std::size_t expert) { return tokens_.data() + expert * tokens_.size() / experts_; }
  // Features up to `end`, a row of experts each, become the beginning of their tokens.
  void put_in_tokens(std::size_t end);

  void save(StateWriter& out) const;
  void load(StateReader& in);

  std::size_t experts_;
  double rounds_ = 0;
  double scale_ = 0, variance_ = 0, variance_mass_ = 0;  // of losses
  std::vector<float> charge_;                            // [K] scratch
  std::vector<float> features_;                          // [expert features x K]
  std::vector<float> shared_;                            // [shared features]

 private:
  float least_rho_;
  std::vector<float> weights_;  // [filters x K]
  std::vector<float> tokens_;   // [K x expert features]
};

}  // namespace pcgs::tokens
