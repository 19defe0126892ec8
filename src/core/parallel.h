// Independent pieces of work shared out among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <system_error>
#include <vector>

namespace pcgs {

// do_one(0), ..., do_one(count - 1), each once, in any order, on at most `threads` threads. After
// an exception no further piece is begun, and the exception comes out here.
template <class DoOne>
void parallel_for(std::size_t count, std::size_t threads, const DoOne& do_one) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) do_one(i);
    } catch (...) {
      next = count;
      throw;
    }
  };
  std::vector<std::future<void>> others;  // a future brings an exception home, and waits
  try {
    for (std::size_t i = 1; i < std::min(threads, count); ++i) {
      others.push_back(std::async(std::launch::async, work));
    }
  } catch (const std::system_error&) {
    // There are no more threads to be had; those that there are do the work.
  }
  work();
  for (auto& other : others) other.get();
}

}  // namespace pcgs
