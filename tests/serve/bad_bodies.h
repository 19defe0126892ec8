// Bodies that no route takes, made field by field.
#pragma once

#include <string>
#include <vector>

namespace pcgs::test {

struct BadBody {
  int status = 400;
  std::string method, path, body;
};

// For PUT /streams/x, POST /streams/n/rounds and POST /streams/n/outcomes, and for /events as a whole.
std::vector<BadBody> bad_bodies();
// Lines of /events that are answered with 400.
std::vector<std::string> bad_lines();

}  // namespace pcgs::test
