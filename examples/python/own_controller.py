"""A controller of one's own: restarts where the weights are surprised, towards who was good before.

Whatever a controller does, weights stay weights and the certificate holds.
"""

import pickle

import numpy as np

import pcgs


class Surprised(pcgs.Controller):
    """Compares what was lost with what is usual."""

    def __init__(self, eta=8.0, calm=0.01, alarm=0.3):
        self.eta, self.calm, self.alarm = eta, calm, alarm

    def name(self):
        return f"surprised{{eta={self.eta},calm={self.calm},alarm={self.alarm}}}"

    def reset(self, experts):
        self.usual = 0.5
        self.good = np.full(experts, 1 / experts)

    def after(self, round):
        surprised = round.mixture_loss > 1.5 * self.usual
        self.usual += 0.05 * (round.mixture_loss - self.usual)
        self.good = 0.99 * self.good + 0.01 * round.weights
        self.good /= self.good.sum()
        return pcgs.Controls(self.eta, self.alarm if surprised else self.calm, self.good)


random = np.random.default_rng(1)
losses = random.random((600, 8)) * 0.5 + 0.4
losses[np.arange(600), np.repeat(random.integers(8, size=12), 50)] -= 0.4  # the best changes
agg = pcgs.Aggregator(experts=8, method=Surprised())
for row in losses[:300]:
    agg.learn(losses=row)
agg = pickle.loads(pickle.dumps(agg))  # the controller goes along
for row in losses[300:]:
    agg.learn(losses=row)

proof = agg.certificate()
regret = agg.total_loss - pcgs.switching_oracle(losses, 12)[-1]
print(f"{agg.method}: {regret:.1f} beyond the best path with 12 switches")
print(f"regret {proof.regret:.1f} to its certificate's path, proved at most {proof.bound:.1f}")
assert proof.holds

# A state in a file does not hold code: it asks for the class again.
state = agg.to_bytes()
assert pcgs.Aggregator.from_bytes(state, controller=Surprised()).total_loss == agg.total_loss
