// Group commit: one thread applies what waits, syncs it once, and then lets everybody be answered. And what
// Prometheus reads of it.
//
// While the disk works on one group the next one gathers, so many requests share a sync, and none waits for
// a timer.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "serve/stream_table.h"

namespace pcgs::serve {

inline constexpr std::size_t kWorstStreams = 10;  // of pcgs_stream_error_ratio

// From any thread, but committed() from one only. All names begin with pcgs_.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  void answered(const std::string& method, int status, double seconds);
  void committed(std::size_t requests, double seconds, const StreamTable& table);
  std::string text() const;

 private:
  struct Families;  // of Prometheus
  const std::unique_ptr<Families> families_;
  mutable std::mutex mutex_;
  TableCounts counts_;  // as of the last commit
  std::vector<StreamRatio> worst_;
};

// Nothing can be promised any more: what was asked may or may not be on the disk.
class StoreFailed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Committer {
 public:
  using Work = std::function<void(StreamTable&)>;

  Committer(StreamTable& table, Metrics& metrics);
  ~Committer();  // after what waits is done

  // Runs the work and returns when everything that it changed is on the disk. From any thread. Throws
  // StoreFailed, then and from then on, if the disk did not take it.
  void run(const Work& work);
  // The sentence of the failure; empty while there is none.
  std::string failure() const;

 private:
  struct Waiting;
  void loop();
  void do_group(const std::vector<Waiting*>& group);
  StreamTable& table_;
  Metrics& metrics_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Waiting*> waiting_;
  std::string failure_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace pcgs::serve
