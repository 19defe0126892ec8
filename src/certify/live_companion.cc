#include <fmt/format.h>

#include "pcgs/certify.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"

namespace pcgs {

namespace {

constexpr std::string_view kName = "live-certificate";

class LiveCompanion final : public Companion {
 public:
  explicit LiveCompanion(std::size_t experts) : live(experts) {}

  std::string name() const override { return std::string(kName); }
  void record(const TraceRow& row) override {
    live.observe(row.losses, *row.step, row.mixture_loss);
  }
  void save(StateWriter& out) const override { live.save(out); }
  void load(StateReader& in) override { live.load(in); }

  LiveCertificate live;
};

}  // namespace

const LiveCertificate& certify_live(Aggregator& aggregator) {
  if (aggregator.method().share() == nullptr) {
    throw Error(fmt::format("{} carries no certificate; only methods of the share form do",
                            aggregator.method().name()));
  }
  if (aggregator.last_opened() > 0) {
    throw Error("a live certificate starts before the first round; this aggregator has begun");
  }
  auto companion = std::make_unique<LiveCompanion>(aggregator.experts());
  const LiveCertificate& live = companion->live;
  aggregator.accompany(std::move(companion));
  return live;
}

const LiveCertificate* live_certificate(const Aggregator& aggregator) {
  const auto* companion = dynamic_cast<const LiveCompanion*>(aggregator.companion());
  return companion != nullptr ? &companion->live : nullptr;
}

std::unique_ptr<Companion> live_companion(std::string_view name, std::size_t experts) {
  if (name != kName) return nullptr;
  return std::make_unique<LiveCompanion>(experts);
}

Aggregator load_certified_aggregator(const std::string& path) {
  Aggregator loaded = Aggregator::load(path, make_method, live_companion);
  if (loaded.companion() != nullptr && loaded.method().share() == nullptr) {
    throw Error(fmt::format("{}: has a certificate for a method that carries none", path));
  }
  return loaded;
}

}  // namespace pcgs
