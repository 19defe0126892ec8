#include "serve/committer.h"

#include <chrono>
#include <semaphore>

#include "serve/log_line.h"

namespace pcgs::serve {

struct Committer::Waiting {
  const Work& work;
  std::string failure{};
  std::binary_semaphore done{0};
};

Committer::Committer(stream::StreamTable& table, Metrics& metrics)
    : table_(table), metrics_(metrics), thread_([this] { loop(); }) {}

Committer::~Committer() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void Committer::run(const Work& work) {
  Waiting mine{work};
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw StoreFailed(failure_);
    waiting_.push_back(&mine);
  }
  arrived_.notify_one();
  mine.done.acquire();
  if (!mine.failure.empty()) throw StoreFailed(mine.failure);
}

std::string Committer::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Committer::loop() {
  std::vector<Waiting*> group;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      group.swap(waiting_);
    }
    do_group(group);
    group.clear();
  }
}

// What goes wrong here may have left memory ahead of the disk, so nothing is applied after it.
void Committer::do_group(const std::vector<Waiting*>& group) {
  std::string failure = this->failure();
  if (failure.empty()) {
    try {
      for (const Waiting* one : group) one->work(table_);
      const auto start = std::chrono::steady_clock::now();
      table_.commit();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      metrics_.committed(group.size(), took.count(), table_);
    } catch (const std::exception& wrong) {
      failure = wrong.what();
      log_line("error", "store failed", {{"why", failure}});
      const std::lock_guard lock(mutex_);
      failure_ = failure;
    }
  }
  for (Waiting* one : group) {
    one->failure = failure;
    one->done.release();
  }
}

}  // namespace pcgs::serve
