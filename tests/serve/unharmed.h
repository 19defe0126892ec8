// A service with one stream, which must be the same after whatever was sent.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "serve/loopback.h"
#include "serve/service.h"
#include "serve/store.h"
#include "support/temp_dir.h"

namespace pcgs::test {

class Unharmed : public ::testing::Test {
 protected:
  Unharmed();
  void start();  // again, with these options
  int port() const { return service_->port(); }
  // Whether the service answers, and nothing has been logged.
  ::testing::AssertionResult unharmed() const;
  // What is on the disk. Stops the service.
  serve::StoredStream stored();

  // What every refusal is: a status, and one sentence as JSON.
  static ::testing::AssertionResult refused(const HttpAnswer& answer, int status);

  TempDir dir_;
  serve::ServiceOptions options_;
  std::optional<serve::Service> service_;
  std::string stream_, headers_;  // the stream as it was; what requests bring

 private:
  std::string logged() const;  // events since the start, as the metrics say
  std::string logged_;
  HttpAnswer get(std::string_view path) const { return ask(port(), "GET", path, "", headers_); }
};

}  // namespace pcgs::test
