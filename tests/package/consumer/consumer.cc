#include <pcgs/pcgs.h>

#include <vector>

int main() {
  auto aggregator = pcgs::make_aggregator("fixed-share", 2);
  aggregator.learn(std::vector<double>{0.0, 1.0});
  return aggregator.weights()[0] > 0.9 ? 0 : 1;
}
