"""The oracle through Python, against all paths."""

import math

import numpy as np
import pytest

import pcgs


@pytest.mark.parametrize("cost", [-1, math.nan, math.inf, 1e291])
def test_what_is_no_cost_is_refused(losses, cost):
    with pytest.raises(pcgs.Error, match="cost"):
        pcgs.switching_oracle(losses, 3, switch_cost=cost)
    with pytest.raises(pcgs.Error, match="cost"):
        pcgs.run(losses, methods="hedge", switch_cost=cost)


def test_the_path_attains_the_value(losses):
    best = pcgs.switching_oracle(losses, 12, path=True)
    walked = losses[np.arange(300), best.path].sum()
    assert walked == pytest.approx(best.loss) and best.loss == best.values[12]
    assert np.count_nonzero(np.diff(best.path)) == best.switches <= 12


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
