// The threads that answer, one connection each. A connection that finds none free is not taken from the
// listening queue: httplib's own pool takes all that come, and each costs a file that the store may need.
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace pcgs::serve {

class Workers final : public httplib::TaskQueue {
 public:
  // void in Debian 12's httplib; in Debian 13's a bool, which is false for work that is refused.
  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));

  explicit Workers(std::size_t count);
  // Returns when a thread is free for it.
  Enqueued enqueue(std::function<void()> work) override;
  void shutdown() override;

 private:
  void loop();
  std::mutex mutex_;
  std::condition_variable arrived_, freed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pcgs::serve
