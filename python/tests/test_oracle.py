"""The oracle through Python, against all paths."""

import itertools
import math

import numpy as np
import pytest

import pcgs


def best_of_all_paths(losses, switches, cost=0):
    rounds, experts = losses.shape
    best = math.inf
    for path in itertools.product(range(experts), repeat=rounds):
        switched = sum(a != b for a, b in zip(path, path[1:]))
        if switched <= switches:
            best = min(best, sum(losses[t, k] for t, k in enumerate(path)) + cost * switched)
    return best


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_best_of_all_paths(seed):
    losses = np.random.default_rng(seed).integers(0, 8, (6, 3)) / 8
    values = pcgs.switching_oracle(losses, 5)
    assert values.tolist() == [best_of_all_paths(losses, s) for s in range(6)]


@pytest.mark.parametrize("seed", range(3))
def test_switches_may_cost(seed):
    losses = np.random.default_rng(seed).integers(0, 8, (6, 3)) / 8
    values = pcgs.switching_oracle(losses, 5, switch_cost=0.25)
    assert values.tolist() == [best_of_all_paths(losses, s, 0.25) for s in range(6)]
    any_number = pcgs.switching_oracle(losses, None, path=True, switch_cost=0.25)
    limited = pcgs.switching_oracle(losses, 5, path=True, switch_cost=0.25)
    assert any_number.loss == limited.loss == values[5]
    assert any_number.path.tolist() == limited.path.tolist()
    assert pcgs.switching_oracle(losses, None, switch_cost=0.25).tolist() == [values[5]]


@pytest.mark.parametrize("cost", [-1, math.nan, math.inf, 1e291])
def test_what_is_no_cost_is_refused(losses, cost):
    with pytest.raises(pcgs.Error, match="cost"):
        pcgs.switching_oracle(losses, 3, switch_cost=cost)
    with pytest.raises(pcgs.Error, match="cost"):
        pcgs.run(losses, methods="hedge", switch_cost=cost)


def test_a_run_pays_for_moving(losses):
    method = pcgs.run(losses, methods="fixed-share", switches=3, switch_cost=0.5)["fixed-share"]
    costs = method["switch_costs"]
    assert costs["total"] == pytest.approx(method["total_loss"] + 0.5 * costs["moved"])
    oracle = pcgs.switching_oracle(losses, 3, switch_cost=0.5)[3]
    assert costs["regret"]["3"] == pytest.approx(costs["total"] - oracle)


def test_a_run_says_regret_on_losses_before_they_were_capped(losses):
    result = pcgs.run(10 * losses, methods="fixed-share", switches=3, scale=4)
    unclipped = result["fixed-share"]["unclipped"]
    oracle = pcgs.switching_oracle(10 * losses, 3)[3]
    assert unclipped["regret"]["3"] == pytest.approx(unclipped["total_loss"] - oracle)


def test_losses_may_be_bent_instead_of_capped(losses):
    wide = 10 * losses
    z = np.minimum(wide / 4 * math.log(2), 1)
    bent = -np.log(1 - z + z**2 / 2) / math.log(2)
    given = pcgs.run(wide, methods="fixed-share", switches=3, scale="catoni:4")
    plain = pcgs.run(bent, methods="fixed-share", switches=3)
    assert given["fixed-share"]["total_loss"] == pytest.approx(plain["fixed-share"]["total_loss"])
    assert given.to_dict()["bound"] == "catoni"
    with pytest.raises(pcgs.Error, match="scale is 'catoni'"):
        pcgs.Aggregator(3, scale="catoni")


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
