// What follows from a request alone.
#pragma once

#include "pcgs/run.h"

namespace pcgs::compare {

// Throws Error of kind kRequest, which names the field, where fields contradict each other.
void check_request(const Request& request);

}  // namespace pcgs::compare
