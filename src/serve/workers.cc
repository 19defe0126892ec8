#include "serve/workers.h"

namespace pcgs::serve {

Workers::Workers(std::size_t count) {
  while (threads_.size() < count) threads_.emplace_back([this] { loop(); });
}

Workers::Enqueued Workers::enqueue(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return idle_ > waiting_.size(); });
  waiting_.push_back(std::move(work));
  arrived_.notify_one();
  return static_cast<Enqueued>(true);
}

void Workers::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  arrived_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    freed_.notify_one();
    arrived_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    const auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace pcgs::serve
