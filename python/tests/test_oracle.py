"""The oracle through Python, against all paths."""

import itertools
import math

import numpy as np
import pytest

import pcgs


def best_of_all_paths(losses, switches):
    rounds, experts = losses.shape
    best = math.inf
    for path in itertools.product(range(experts), repeat=rounds):
        if sum(a != b for a, b in zip(path, path[1:])) <= switches:
            best = min(best, sum(losses[t, k] for t, k in enumerate(path)))
    return best


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_best_of_all_paths(seed):
    losses = np.random.default_rng(seed).integers(0, 8, (6, 3)) / 8
    values = pcgs.switching_oracle(losses, 5)
    assert values.tolist() == [best_of_all_paths(losses, s) for s in range(6)]


def test_the_path_attains_the_value(losses):
    best = pcgs.switching_oracle(losses, 12, path=True)
    walked = losses[np.arange(300), best.path].sum()
    assert walked == pytest.approx(best.loss) and best.loss == best.values[12]
    assert np.count_nonzero(np.diff(best.path)) == best.switches <= 12


def test_threads_change_nothing(losses):
    assert (pcgs.switching_oracle(losses, 20, threads=3) == pcgs.switching_oracle(losses, 20)).all()


def test_sleepers_are_gone_around():
    nan = math.nan
    losses = np.array([[0.0, 1.0], [nan, 1.0], [0.0, nan]])
    assert pcgs.switching_oracle(losses, 2).tolist() == [math.inf, 2.0, 1.0]
    best = pcgs.switching_oracle(losses, 0, path=True)
    assert best.loss == math.inf and best.path.size == 0
    assert math.isnan(losses[1, 0])  # the caller's array is as it was


def test_losses_are_read_where_they_are(losses):
    losses.flags.writeable = False
    assert pcgs.switching_oracle(losses, 3).shape == (4,)


@pytest.mark.parametrize("path", [False, True])
@pytest.mark.parametrize("loss", [1e300, -1e300, -math.inf, 1.7e308])
def test_losses_whose_sums_overflow_are_refused(loss, path):
    losses = np.zeros((3, 2))
    losses[1, 0] = loss
    with pytest.raises(pcgs.Error, match="losses: row 2, column 1: is .*; give losses from"):
        pcgs.switching_oracle(losses, 1, path=path)
    losses[1, 0] = math.copysign(3e299, loss)
    assert pcgs.switching_oracle(losses, 0).tolist() == [min(0.0, losses[1, 0])]


def test_no_rounds_lose_nothing():
    assert pcgs.switching_oracle(np.zeros((0, 3)), 2).tolist() == [0, 0, 0]
