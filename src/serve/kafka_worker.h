// Streams over Kafka: events in, answers out, exactly once, on as many machines as there are partitions.
//
//     events --> GroupConsumer --> batch --> Partition::apply --> answers, due snapshots, offsets
//                                                                 | one transaction
//                                                                 v
//                                                 Kafka: committed, or as if nothing had been read
//                                                                 | then
//                                                                 v
//                                                 the cache on the disk, which may be behind and may be lost
//
// A stream's events have its name as their key, so one partition has all of them and one worker has the
// partition. A worker that the group has given up, and that does not know it, cannot commit: the
// transaction carries its membership. The next one waits until open transactions are over, loads the
// snapshots of the changelog, and replays the events from there to the committed offset.
#pragma once

#include <cstddef>
#include <string>

#include "serve/kafka_client.h"

namespace pcgs::serve {

struct WorkerOptions {
  std::string brokers;  // HOST:PORT,...
  TopicNames topics;
  std::string group = "pcgs";
  std::string cache;                   // a folder of this worker alone
  std::size_t in_memory = 1000;        // streams of each partition
  std::size_t batch = 2000;            // events of one transaction at the most
  std::size_t wait_milliseconds = 20;  // for a batch to fill up
  std::size_t replay =
      0;                // events that a lost cache costs at the most; 0: as PartitionOptions has it
  Settings settings{};  // of librdkafka: encryption, passwords, time-outs
};

// Works until it is asked to stop. Throws Error if it cannot go on.
void run_worker(const WorkerOptions& options, const Stopping& stopping);

}  // namespace pcgs::serve
