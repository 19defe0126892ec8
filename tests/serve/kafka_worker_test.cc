// A worker over librdkafka's mock of a cluster, which forgets the offsets of transactions, so every worker
// begins anew. Going on, and what happens when brokers and workers are killed, is `make kafka-test`.
#include "serve/kafka_worker.h"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka_mock.h>

#include <atomic>
#include <map>
#include <thread>

#include "serve/random_log.h"
#include "support/expect.h"
#include "support/temp_dir.h"

namespace pcgs {

using namespace serve;

namespace {

constexpr int kPartitions = 3;

class MockCluster {
 public:
  MockCluster()
      : client_(client(RD_KAFKA_PRODUCER, configuration({{"client.id", "mock"}}))),
        cluster_(rd_kafka_mock_cluster_new(client_.get(), 1)) {
    for (const char* topic : {"events", "answers", "states"}) {
      rd_kafka_mock_topic_create(cluster_, topic, kPartitions, 1);
    }
  }
  ~MockCluster() { rd_kafka_mock_cluster_destroy(cluster_); }
  std::string bootstrap() const { return rd_kafka_mock_cluster_bootstraps(cluster_); }

 private:
  ClientPtr client_;
  rd_kafka_mock_cluster_t* cluster_;
};

class WorkerTest : public ::testing::Test {
 protected:
  // Lines of events, each to the partition of its key.
  void send(const test::Lines& events) {
    const ClientPtr producer =
        client(RD_KAFKA_PRODUCER, configuration({{"bootstrap.servers", cluster_.bootstrap()}}));
    rd_kafka_topic_t* topic = rd_kafka_topic_new(producer.get(), "events", nullptr);
    for (const auto& [key, line] : events) {
      const auto partition = static_cast<std::int32_t>(key.empty() ? 0 : key.back() % kPartitions);
      ASSERT_EQ(
          rd_kafka_produce(topic, partition, RD_KAFKA_MSG_F_COPY, const_cast<char*>(line.data()),
                           line.size(), key.data(), key.size(), nullptr),
          0);
    }
    rd_kafka_topic_destroy(topic);
    ASSERT_EQ(rd_kafka_flush(producer.get(), 60000), RD_KAFKA_RESP_ERR_NO_ERROR);
  }

  std::size_t answers_there() {
    std::int64_t count = 0;
    for (int p = 0; p < kPartitions; ++p) count += reader().offsets("answers", p).end;
    return static_cast<std::size_t>(count);
  }

  // By key, in their order.
  std::map<std::string, std::vector<std::string>> answers() {
    std::map<std::string, std::vector<std::string>> out;
    for (int p = 0; p < kPartitions; ++p) {
      reader().read(
          "answers", p, 0, reader().offsets("answers", p).end,
          [&](const KafkaMessage& one) { out[one.key].push_back(one.value); }, [] { return true; });
    }
    return out;
  }

  const TopicReader& reader() {
    if (!reader_) {
      reader_.emplace(Settings{{"bootstrap.servers", cluster_.bootstrap()}}, [] { return false; });
    }
    return *reader_;
  }

  // Works until there are so many answers.
  void work(const std::string& cache, std::size_t answers) {
    WorkerOptions options;
    options.brokers = cluster_.bootstrap();
    options.topics = {"events", "answers", "states"};
    options.cache = dir_ / cache;
    options.in_memory = 2;
    options.replay = 10;
    run_worker(options, [&] { return answers_there() >= answers; });
  }

  MockCluster cluster_;
  test::TempDir dir_;
  std::optional<TopicReader> reader_;
};

}  // namespace

TEST_F(WorkerTest, AnswersAsAnOfflineRun) {
  const test::Lines events = test::lines_of(7, 40);
  send(events);
  work("cache", events.size());
  EXPECT_TRUE(answers() == test::offline(events));
}

TEST_F(WorkerTest, WhatIsNoEventIsAnsweredAndChangesNothing) {
  test::Lines events = test::lines_of(1, 2);
  events.insert(events.begin() + 2,
                {{"s0", "{"}, {"s0", R"({"stream":"s0"})"}, {"s0", ""}, {"", "x"}});
  send(events);
  // A stream under another key could lie in two partitions.
  send({{"s3", R"({"stream":"s0","outcome":{"id":"1","y":1}})"}});
  work("cache", events.size() + 1);
  auto got = answers();
  EXPECT_NE(got["s3"].at(0).find("the key of the message is not the name of its stream"),
            std::string::npos);
  got.erase("s3");
  EXPECT_TRUE(got == test::offline(events));
}

TEST_F(WorkerTest, TwoWorkersCannotShareAFolder) {
  const CacheFolder mine(dir_ / "cache");
  EXPECT_NE(test::error_of([&] { work("cache", 1); }).find("another worker has this folder"),
            std::string::npos);
}

TEST_F(WorkerTest, TopicsThatDoNotFitAreNamed) {
  WorkerOptions options;
  options.brokers = cluster_.bootstrap();
  options.topics = {"no events", "answers", "states"};
  options.cache = dir_ / "cache";
  const auto said = test::error_of([&] { run_worker(options, [] { return false; }); });
  EXPECT_NE(said.find("no events"), std::string::npos) << said;
}

}  // namespace pcgs
