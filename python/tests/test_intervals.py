"""Intervals around combined forecasts."""
import numpy as np
import pytest

import pcgs


def series(rounds, seed=1):
    random = np.random.default_rng(seed)
    level = 50 + 20 * np.sin(np.arange(rounds) / 12 * np.pi)
    size = 1 + np.arange(rounds) % 24 / 12
    y = level + size * random.normal(size=rounds)
    return level[:, None] + random.normal(size=(rounds, 3)) * [1, 2, 3], y


def test_one_level_is_a_level():
    one, several = (pcgs.Aggregator(2, "ml-poly", intervals=levels) for levels in (0.9, [0.9]))
    for agg in (one, several):
        for y in np.linspace(0, 1, 60):
            agg.predict([y, y + 1])
            agg.learn(y + 0.1)
        agg.predict([1.0, 2.0])
    assert one.intervals() == several.intervals() and list(one.intervals()) == [0.9]


def test_run_gives_those_of_the_aggregator():
    forecasts, y = series(200)
    result = pcgs.run(forecasts, y, season=24, intervals=(0.5, 0.9))
    agg = pcgs.Aggregator(3, "blend", season=24, intervals=(0.5, 0.9))
    ends = result.interval_arrays()
    for t in range(200):
        agg.predict(forecasts[t])
        for level, pair in agg.intervals().items():
            assert tuple(ends[level][t]) == pair
        agg.learn(y[t])
    said = result.to_dict()["methods"][0]["intervals"]
    held = (ends[0.9][:, 0] <= y) & (y <= ends[0.9][:, 1])
    assert said[1]["level"] == 0.9 and said[1]["coverage"] == pytest.approx(held.mean())


def test_run_has_them_unless_there_is_nothing_to_put_them_around():
    forecasts, y = series(30)
    assert list(pcgs.run(forecasts, y).interval_arrays()) == [0.8, 0.95]
    with pytest.raises(pcgs.Error, match="no intervals"):
        pcgs.run(forecasts, y, intervals=()).interval_arrays()
    losses = np.random.default_rng(1).random((30, 2))
    with pytest.raises(pcgs.Error, match="no intervals"):
        pcgs.run(losses, methods="hedge").interval_arrays()
    with pytest.raises(pcgs.Error, match="goes with y"):
        pcgs.run(losses, methods="hedge", intervals=[0.8])


@pytest.mark.parametrize(
    "options, part",
    [
        ({"intervals": [0.95, 0.8]}, "increase"),
        ({"intervals": [80]}, "between 0 and 1"),
        ({"intervals": [0.8], "loss": "log"}, "log loss"),
        ({"season": 1}, "season"),
        ({"season": (168, 24)}, "the shorter first"),
    ],
)
def test_refusals(options, part):
    with pytest.raises(pcgs.Error, match=part):
        pcgs.Aggregator(2, "ml-poly", **options)
