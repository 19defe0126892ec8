// pcgs worker where it was not built, so that asking for it says why.
#include "commands.h"
#include "pcgs/error.h"

namespace pcgs::cli {

void add_worker(CLI::App& app) {
  CLI::App* command = app.add_subcommand("worker", "Not part of this build");
  command->allow_extras();
  command->callback([] {
    throw Error(
        "this pcgs was built without the Kafka worker; install librdkafka-dev and what the service "
        "needs, and build it again");
  });
}

}  // namespace pcgs::cli
