"""Ten lines on a NumPy matrix of losses: compare methods, then play the best of them."""

import numpy as np
import pcgs

random = np.random.default_rng(1)
losses = random.random((600, 8)) * 0.5 + 0.4  # [T x K] in [0, 1]
losses[np.arange(600), np.repeat(random.integers(8, size=12), 50)] -= 0.4  # the best changes
print(pcgs.run(losses, methods=["fixed-share", "ml-poly", "guard"], switches=[5, 10]))

agg = pcgs.Aggregator(experts=losses.shape[1], method="guard")
paid = 0.0
for row in losses:
    paid += agg.weights() @ row  # play the weights
    agg.learn(losses=row)  # see what every expert lost

best = pcgs.switching_oracle(losses, 10, path=True)
print(
    f"paid {paid:.1f}; the best path of experts paid {best.loss:.1f} with {best.switches} switches"
)
print(f"proved: at most {agg.certificate(switches=10).bound:.1f} more")
assert np.isclose(paid, agg.total_loss)
assert paid - best.loss <= agg.certificate(switches=10).bound
