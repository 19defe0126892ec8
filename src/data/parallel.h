// Independent pieces of work shared out among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <future>
#include <mutex>
#include <system_error>
#include <vector>

namespace pcgs {

// do_one(0), ..., do_one(count - 1), each once, in any order, on at most `threads` threads. After
// an exception no further piece is begun, and that of the first piece in order comes out here: when
// a piece throws, those before it have begun, so which one that is does not depend on threads.
template <class DoOne>
void parallel_for(std::size_t count, std::size_t threads, const DoOne& do_one) {
  std::atomic<std::size_t> next{0};
  std::mutex one_at_a_time;
  std::size_t first = count;  // that threw
  std::exception_ptr thrown;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        do_one(i);
      } catch (...) {
        next = count;
        const std::lock_guard lock(one_at_a_time);
        if (i < first) {
          first = i;
          thrown = std::current_exception();
        }
      }
    }
  };
  std::vector<std::future<void>> others;  // a future waits
  try {
    for (std::size_t i = 1; i < std::min(threads, count); ++i) {
      others.push_back(std::async(std::launch::async, work));
    }
  } catch (const std::system_error&) {
    // There are no more threads to be had; those that there are do the work.
  }
  work();
  for (auto& other : others) other.get();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace pcgs
