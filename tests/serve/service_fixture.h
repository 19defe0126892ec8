// A service on a port of the loopback, with a store of its own, and requests to it.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "serve/loopback.h"
#include "serve/service.h"
#include "support/temp_dir.h"

namespace pcgs::test {

class ServiceFixture : public ::testing::Test {
 protected:
  ServiceFixture() {
    options_.store = dir_ / "store";
    options_.port = 0;
    options_.connections = 16;
  }
  void start() {
    service_.reset();
    service_.emplace(options_);
  }
  HttpAnswer put(const std::string& name, std::string_view body) const {
    return ask(service_->port(), "PUT", "/streams/" + name, body);
  }
  HttpAnswer post(const std::string& path, const nlohmann::ordered_json& body) const {
    return ask(service_->port(), "POST", path, body.dump());
  }
  HttpAnswer events(std::string_view lines) const {
    return ask(service_->port(), "POST", "/events", lines);
  }
  HttpAnswer get(const std::string& path) const { return ask(service_->port(), "GET", path); }

  TempDir dir_;
  serve::ServiceOptions options_;
  std::optional<serve::Service> service_;
};

}  // namespace pcgs::test
