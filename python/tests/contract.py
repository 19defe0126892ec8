"""What every method promises, as functions of how to make an aggregator of so many experts.

The library's own suite is tests/contract, in C++. This one goes through Python, for registered
methods and for controllers that are written in Python alike.
"""

import copy
import pickle

import numpy as np

from conftest import shifting_losses


def on_simplex(weights):
    return np.isfinite(weights).all() and (weights >= 0).all() and abs(weights.sum() - 1) < 1e-12


def play(aggregator, losses):
    """[T x K] the weights before each round."""
    played = []
    for row in losses:
        played.append(aggregator.weights())
        aggregator.learn(losses=row)
    return np.array(played)


def starts_uniform(make):
    for experts in (1, 2, 3, 10):
        np.testing.assert_allclose(make(experts).weights(), 1 / experts, rtol=0, atol=1e-15)


def is_feasible(make):
    for experts in (1, 2, 3, 8, 13):
        aggregator = make(experts)
        for row in shifting_losses(150, experts, seed=experts):
            aggregator.learn(losses=row)
            assert on_simplex(aggregator.weights())


def is_causal(make):
    common = shifting_losses(40, 6, seed=1)
    one_future, other_future = shifting_losses(20, 6, seed=2), shifting_losses(20, 6, seed=3)
    first = play(make(6), np.vstack([common, one_future]))
    second = play(make(6), np.vstack([common, other_future]))
    # The weights of the first round that differs were made before it.
    assert (first[:41] == second[:41]).all()


def ignores_what_has_not_happened(make):
    losses = shifting_losses(40, 4, seed=4)
    plain, busy = make(4), make(4)
    for row in losses:
        before = busy.weights()
        abandoned = busy.open()
        assert (busy.weights() == before).all()
        busy.abandon(abandoned)
        plain.learn(losses=row)
        busy.learn(losses=row)
        assert (busy.weights() == plain.weights()).all()


def is_deterministic(make):
    losses = shifting_losses(100, 7, seed=5)
    first, second = make(7), make(7)
    assert (play(first, losses) == play(second, losses)).all()
    assert first.to_bytes() == second.to_bytes()


def is_equivariant(make, tolerance):
    random = np.random.default_rng(9)
    losses = shifting_losses(80, 7, seed=6)
    for _ in range(3):
        label = random.permutation(7)
        plain = play(make(7), losses)
        relabelled = play(make(7), losses[:, label])
        np.testing.assert_allclose(relabelled, plain[:, label], rtol=0, atol=tolerance)


def resumes_to_the_bit(make, load):
    """Stops in the middle, with open rounds, and goes on from bytes, a pickle and a deep copy."""
    losses = shifting_losses(120, 6, seed=7)
    straight = make(6)
    for row in losses[:60]:
        straight.learn(losses=row)
    late = straight.open(awake=[True, True, False, True, True, True])
    others = [
        load(straight.to_bytes()),
        pickle.loads(pickle.dumps(straight)),
        copy.deepcopy(straight),
    ]
    for other in [straight, *others]:
        for row in losses[60:]:
            other.learn(losses=row)
        other.learn(losses=losses[0], round=late)
    for other in others:
        assert (other.weights() == straight.weights()).all()
        assert other.total_loss == straight.total_loss


HOSTILE = {
    "all 0": lambda k, t: 0.0 * k,
    "all 1": lambda k, t: 0.0 * k + 1,
    "ties": lambda k, t: 0.0 * k + 0.3,
    "one spike": lambda k, t: ((k == 0) & (t == 20)) * 1.0,
    "extremes": lambda k, t: ((k + t) % 2) * 1.0,
    "one always right": lambda k, t: (k != 0) * 1.0,
    "best becomes worst": lambda k, t: ((k == 0) != (t // 100 % 2 == 0)) * 1.0,
    "denormal": lambda k, t: ((k + t) % 3) * 5e-324,
}


def survives_hostile_losses(make, experts, rounds):
    columns = np.arange(experts)
    for name, loss in HOSTILE.items():
        aggregator = make(experts)
        for t in range(rounds):
            aggregator.learn(losses=loss(columns, t))
        assert on_simplex(aggregator.weights()), name


def state_does_not_grow(make):
    aggregator = make(5)
    sizes = []
    for row in shifting_losses(800, 5, seed=8):
        aggregator.learn(losses=row)
        sizes.append(len(aggregator.to_bytes()))
    assert max(sizes[400:]) <= max(sizes[:400])
