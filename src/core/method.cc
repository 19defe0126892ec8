#include "pcgs/method.h"

namespace pcgs {

ShareMethod::ShareMethod(std::size_t experts, std::unique_ptr<Controller> controller)
    : share_(experts), controller_(std::move(controller)) {
  controller_->reset(experts);
}

void ShareMethod::learn(const Round& round) {
  share_.step(round.losses, controller_->after(round));
}

void ShareMethod::save(StateWriter& out) const {
  share_.save(out);
  controller_->save(out);
}

void ShareMethod::load(StateReader& in) {
  share_.load(in);
  controller_->load(in);
}

}  // namespace pcgs
