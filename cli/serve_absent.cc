// pcgs serve where it was not built, so that asking for it says why.
#include "commands.h"
#include "pcgs/error.h"

namespace pcgs::cli {

void add_serve(CLI::App& app) {
  CLI::App* command = app.add_subcommand("serve", "Not part of this build");
  command->allow_extras();
  command->callback([] {
    throw Error(
        "this pcgs was built without the service; install librocksdb-dev, libcpp-httplib-dev and "
        "prometheus-cpp-dev, and build it again");
  });
}

}  // namespace pcgs::cli
