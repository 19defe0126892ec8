// The registered methods of the share form, whose runs are proved.
#pragma once

#include <string>

namespace pcgs {

// "hedge, fixed-share, ...", for messages.
std::string share_form_names();

}  // namespace pcgs
