// The Error that something throws, as a value.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "pcgs/error.h"

namespace pcgs::test {

// What tests look at: the sentence is for people.
struct Refusal {
  ErrorKind kind{};
  ErrorPlace place{};
  std::string sentence{};  // in the words of the library
};

inline Refusal refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.kind(), error.place(), error.what()};
  }
  ADD_FAILURE() << "threw nothing";
  return {};
}

}  // namespace pcgs::test
