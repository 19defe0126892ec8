#include "proof/score_certificate.h"

#include <numeric>

namespace pcgs::levels {

void ScoreCertificate::make(std::size_t experts) {
  proved_.reset();
  even_.assign(experts, 1 / static_cast<double>(experts));
  if (experts > 0) proved_.emplace(experts, even_, recursions_);
}

void ScoreCertificate::observe(std::size_t recursion, const Scores& scores, const ShareStep& step) {
  ShareStep with = step;
  with.controls.q = even_;
  proved_->observe(recursion, {scores.experts, scores.published}, scores.seen, 1, with);
}

// Through its state, as experts of everything else come and go.
void ScoreCertificate::change(const ExpertChange& change) {
  StateWriter out(&change);
  proved_->save(out, change.after());
  const auto bytes = out.file(0);
  ScoreCertificate after(recursions_);
  StateReader in(bytes, "the changed experts");
  after.load(in, change.after());
  *this = std::move(after);
}

void ScoreCertificate::add_expert() {
  const std::size_t before = even_.size();
  if (before == 0) return make(1);
  std::vector<std::size_t> from(before);
  std::iota(from.begin(), from.end(), std::size_t{0});
  from.push_back(ExpertChange::kNew);
  change({before, std::move(from)});
}

void ScoreCertificate::remove_expert(std::size_t expert) {
  const std::size_t before = even_.size();
  if (before == 1) return make(0);
  std::vector<std::size_t> from;
  for (std::size_t k = 0; k < before; ++k) {
    if (k != expert) from.push_back(k);
  }
  change({before, std::move(from)});
}

void ScoreCertificate::save(StateWriter& out) const {
  if (proved_) proved_->save(out);
}

void ScoreCertificate::load(StateReader& in, std::size_t experts) {
  make(experts);
  if (proved_) proved_->load(in);
}

}  // namespace pcgs::levels
