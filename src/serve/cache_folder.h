// The folder in which one worker keeps what it could read from Kafka again, but slowly.
//
//     worker          the worker's name, 16 random digits; locked while it lives
//     partition-N     a store (store.h) of the streams of one partition
#pragma once

#include <cstdint>
#include <string>

namespace pcgs::worker {

class CacheFolder {
 public:
  // Makes the folder if need be. Throws Error if another worker has it.
  explicit CacheFolder(std::string folder);
  ~CacheFolder();
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  // The same after every start, so that Kafka knows which of two workers is the late one.
  const std::string& worker_name() const { return worker_name_; }
  std::string partition(std::int32_t number) const;

 private:
  std::string folder_;
  std::string worker_name_;
  int lock_ = -1;
};

}  // namespace pcgs::worker
