"""Controllers written in Python, for the contract suite."""

import struct

import numpy as np

import pcgs


class FixedShare(pcgs.Controller):
    """The same numbers every round."""

    def after(self, round):
        return pcgs.Controls(eta=4.0, rho=0.01)


class Remembering(pcgs.Controller):
    """Restarts towards experts that were good before, and learns more slowly as time goes by."""

    def reset(self, experts):
        self.rounds = 0
        self.average = np.zeros(experts)

    def after(self, round):
        self.rounds += 1
        self.average += (round.losses - self.average) / self.rounds
        good = np.exp(-3 * self.average)
        return pcgs.Controls(eta=8 / np.sqrt(self.rounds), rho=0.05, q=good / good.sum())


class OwnFormat(pcgs.Controller):
    """Has a state of its own making, and an option in its name."""

    def __init__(self, rate):
        self.rate = rate

    def name(self):
        return f"own-format{{rate={self.rate}}}"

    def reset(self, experts):
        self.surprise = 0.0

    def after(self, round):
        self.surprise += self.rate * (round.mixture_loss - self.surprise)
        return 5.0, min(0.5, self.surprise)

    def save(self):
        return struct.pack("<d", self.surprise)

    def load(self, state):
        (self.surprise,) = struct.unpack("<d", state)


class FirstExpertOnly(pcgs.Controller):
    """Restarts to the first expert, so that relabelling the experts does change something."""

    def reset(self, experts):
        self.q = np.eye(1, experts)[0]

    def after(self, round):
        return pcgs.Controls(2.0, 0.1, self.q)
