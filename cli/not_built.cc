// The commands that were not built, so that asking for them says why.
#include "commands.h"
#include "pcgs/error.h"

namespace pcgs::cli {

namespace {

void add_absent(CLI::App& app, const char* name, const char* why) {
  CLI::App* command = app.add_subcommand(name, "Not part of this build");
  command->allow_extras();
  command->callback([why] { throw Error(why); });
}

}  // namespace

#if !PCGS_SERVICE
void add_serve(CLI::App& app) {
  add_absent(app, "serve",
             "this pcgs was built without the service; install librocksdb-dev and "
             "prometheus-cpp-dev, and build it again");
}
#endif

void add_worker(CLI::App& app) {
  add_absent(app, "worker",
             "this pcgs was built without the Kafka worker; install librdkafka-dev and what the "
             "service needs, and build it again");
}

}  // namespace pcgs::cli
