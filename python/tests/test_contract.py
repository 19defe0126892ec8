"""What every method promises, kept by controllers that are written in Python. tests/contract, in C++, has it
for registered methods, and test_program.py that Python plays them as the program does."""

import copy
import pickle

import numpy as np
import pytest

import controllers
import pcgs
from conftest import shifting_losses

MAKERS = {
    "FixedShare": controllers.FixedShare,
    "Remembering": controllers.Remembering,
    "OwnFormat": lambda: controllers.OwnFormat(0.1),
    "FirstExpertOnly": controllers.FirstExpertOnly,
    "guard": lambda: "guard{learned=0}",
}


@pytest.fixture(params=MAKERS)
def method(request):
    return MAKERS[request.param]


def play(aggregator, losses):
    """[T x K] the weights before each round."""
    played = []
    for row in losses:
        played.append(aggregator.weights())
        aggregator.learn(losses=row)
    return np.array(played)


def test_weights_begin_alike_and_stay_weights(method):
    for experts in (1, 2, 3, 8, 13):
        played = play(pcgs.Aggregator(experts, method()), shifting_losses(150, experts, seed=experts))
        np.testing.assert_allclose(played[0], 1 / experts, rtol=0, atol=1e-15)
        assert (played >= 0).all() and np.abs(played.sum(axis=1) - 1).max() < 1e-12


def test_is_causal_and_deterministic(method):
    common = shifting_losses(40, 6, seed=1)
    futures = [shifting_losses(20, 6, seed=seed) for seed in (2, 3, 2)]
    one, other, again = (play(pcgs.Aggregator(6, method()), np.vstack([common, then])) for then in futures)
    # The weights of the first round that differs were made before it.
    assert (one[:41] == other[:41]).all()
    assert (one == again).all()


def test_ignores_what_has_not_happened(method):
    plain, busy = (pcgs.Aggregator(4, method()) for _ in range(2))
    for row in shifting_losses(40, 4, seed=4):
        busy.abandon(busy.open())
        plain.learn(losses=row)
        busy.learn(losses=row)
        assert (busy.weights() == plain.weights()).all()


def test_is_equivariant(method):
    losses, label = shifting_losses(80, 7, seed=6), np.random.default_rng(9).permutation(7)
    plain, relabelled = (play(pcgs.Aggregator(7, method()), table) for table in (losses, losses[:, label]))
    same = np.allclose(relabelled, plain[:, label], rtol=0, atol=1e-10)
    assert same == (method is not controllers.FirstExpertOnly)  # the test can tell


def test_resumes_to_the_bit(method):
    """Stops in the middle, with an open round, and goes on from bytes, a pickle and a deep copy."""
    losses = shifting_losses(120, 6, seed=7)
    straight = pcgs.Aggregator(6, method())
    play(straight, losses[:60])
    late = straight.open(awake=[True, True, False, True, True, True])
    controller = None if isinstance(method(), str) else method()
    others = [
        pcgs.Aggregator.from_bytes(straight.to_bytes(), controller=controller),
        pickle.loads(pickle.dumps(straight)),
        copy.deepcopy(straight),
    ]
    for one in [straight, *others]:
        play(one, losses[60:])
        one.learn(losses=losses[0], round=late)
    for other in others:
        assert (other.weights() == straight.weights()).all()
        assert other.total_loss == straight.total_loss


HOSTILE = {
    "all 0": lambda k, t: 0.0 * k,
    "all 1": lambda k, t: 0.0 * k + 1,
    "extremes": lambda k, t: ((k + t) % 2) * 1.0,
    "best becomes worst": lambda k, t: ((k == 0) != (t // 100 % 2 == 0)) * 1.0,
    "denormal": lambda k, t: ((k + t) % 3) * 5e-324,
}


@pytest.mark.parametrize("loss", HOSTILE.values(), ids=HOSTILE)
def test_survives_hostile_losses(method, loss):
    columns = np.arange(7)
    weights = play(pcgs.Aggregator(7, method()), [loss(columns, t) for t in range(250)])
    assert np.isfinite(weights).all() and np.abs(weights.sum(axis=1) - 1).max() < 1e-12
