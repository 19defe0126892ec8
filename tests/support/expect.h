// What tests say about arrays of numbers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pcgs/error.h"

namespace pcgs::test {

inline std::vector<double> copy(std::span<const double> values) {
  return {values.begin(), values.end()};
}

// Tells 0 from -0 and one NaN from another: equal means equal as stored.
inline ::testing::AssertionResult same_bits(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) {
    return ::testing::AssertionFailure() << "sizes " << a.size() << " and " << b.size();
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(double)) != 0) {
      return ::testing::AssertionFailure()
             << "entry " << i << ": " << ::testing::PrintToString(a[i]) << " is not "
             << ::testing::PrintToString(b[i]) << ", difference " << a[i] - b[i];
    }
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult same_bits(double a, double b) {
  return same_bits({&a, 1}, {&b, 1});
}

// |a - b| <= tolerance in every entry; NaN is never near anything.
inline ::testing::AssertionResult all_near(std::span<const double> a, std::span<const double> b,
                                           double tolerance) {
  if (a.size() != b.size()) {
    return ::testing::AssertionFailure() << "sizes " << a.size() << " and " << b.size();
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= tolerance)) {
      return ::testing::AssertionFailure()
             << "entry " << i << ": " << ::testing::PrintToString(a[i]) << " and "
             << ::testing::PrintToString(b[i]) << " differ by " << a[i] - b[i];
    }
  }
  return ::testing::AssertionSuccess();
}

// Finite, non-negative, summing to 1 within 1e-12. The sum is taken in long double so that the
// check adds no error of its own.
inline ::testing::AssertionResult on_simplex(std::span<const double> weights) {
  long double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0) {
      return ::testing::AssertionFailure() << "weight " << i << " is " << weights[i];
    }
    sum += weights[i];
  }
  if (std::abs(sum - 1) > 1e-12L) {
    return ::testing::AssertionFailure() << "weights sum to 1 + " << static_cast<double>(sum - 1);
  }
  return ::testing::AssertionSuccess();
}

// The message of the Error that `action` throws; a failure if it throws none or something else.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "") << "an Error must say what is wrong";
    return error.what();
  } catch (const std::exception& other) {
    ADD_FAILURE() << "threw something that is not a pcgs::Error: " << other.what();
    return {};
  }
  ADD_FAILURE() << "threw nothing";
  return {};
}

inline ::testing::AssertionResult mentions(const std::string& message, const std::string& part) {
  if (message.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "\"" << message << "\" does not mention \"" << part << "\"";
}

}  // namespace pcgs::test
