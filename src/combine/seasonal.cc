// A state of its own for every phase of a season: round t belongs to phase t mod season. Who is
// good at three in the morning is not who is good at six in the evening.
#include "combine/derived.h"

namespace pcgs::blend {

namespace {

class Seasonal final : public Derived {
 public:
  explicit Seasonal(std::vector<std::unique_ptr<Derived>> phases) : phases_(std::move(phases)) {}

  std::size_t kept() const override { return phases_.front()->kept(); }
  double forecast(const Seen& seen, std::span<double> kept) const override {
    return phases_[phase(seen)]->forecast(seen, kept);
  }
  void observe(const Seen& seen, std::span<const double> kept, double made,
               double outcome) override {
    phases_[phase(seen)]->observe(seen, kept, made, outcome);
  }
  Rest add_weights(const Seen& seen, double share, std::span<double> weights) const override {
    return phases_[phase(seen)]->add_weights(seen, share, weights);
  }
  void save(StateWriter& out) const override {
    for (const auto& phase : phases_) phase->save(out);
  }
  void load(StateReader& in) override {
    for (const auto& phase : phases_) phase->load(in);
  }

 private:
  std::size_t phase(const Seen& seen) const {
    return static_cast<std::size_t>(seen.number) % phases_.size();
  }

  std::vector<std::unique_ptr<Derived>> phases_;
};

}  // namespace

std::unique_ptr<Derived> make_seasonal(std::vector<std::unique_ptr<Derived>> phases) {
  return std::make_unique<Seasonal>(std::move(phases));
}

}  // namespace pcgs::blend
