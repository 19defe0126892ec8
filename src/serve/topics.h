// The three topics of a worker.
#pragma once

#include <cstdint>
#include <string>

#include "serve/kafka.h"

namespace pcgs::worker {

struct TopicNames {
  std::string events, answers, changelog;
};

// Partitions of the events. Makes answers and changelog if they are not there, with as many partitions.
// Throws Error if there are no events, or if the changelog has another number of partitions or is not
// compacted.
std::int32_t check_topics(rd_kafka_t* client, const TopicNames& names, const Stopping& stopping);

// A name of the cluster, so that a cache is not used with another one.
std::string cluster_name(rd_kafka_t* client, const Stopping& stopping);

}  // namespace pcgs::worker
