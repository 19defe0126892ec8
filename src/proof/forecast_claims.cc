// What a record proves about combined forecasts.
#include "pcgs/certify.h"

namespace pcgs {

ForecastClaims forecast_claims(const ShareRecord& record) {
  const double loss = record.weighted_combined() / record.total_rate();
  const BestPath best = best_path(record);
  ForecastClaims claims;
  claims.path = {loss, combined_certificate(record, best.experts), best.cost.switches, 0};
  std::vector<std::uint32_t> stay(record.rounds());
  for (std::size_t k = 0; k < record.experts(); ++k) {
    stay.assign(record.rounds(), static_cast<std::uint32_t>(k));
    const Certificate one = combined_certificate(record, stay);
    if (k == 0 || one.regret > claims.expert.certificate.regret) claims.expert = {loss, one, 0, k};
  }
  return claims;
}

}  // namespace pcgs
