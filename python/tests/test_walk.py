"""What the adapters share: when rounds are opened, and when they are learned."""

import copy
import pickle

import numpy as np
import pytest

import pcgs
from pcgs._walk import HorizonRounds, rows_between_fits, rows_to_start_with


def rounds(horizons=2, **options):
    options = {"method": "blend", "intervals": (0.8,), **options}
    return HorizonRounds(["a", "b"], horizons, **options)


def row(random):
    return (10 + random.standard_normal(2)).tolist()


def test_it_is_the_aggregator_with_a_block_for_each_forecast():
    random = np.random.default_rng(1)
    ours = rounds(3)
    agg = pcgs.Aggregator(["a", "b"], "blend", season=3, intervals=(0.8,), certify=False)
    for block in range(30):
        opened, table = [], [row(random) for _ in range(3)]
        for step in range(3):
            combined, ends = ours.forecast((block, step), step, table[step])
            assert combined == agg.predict(table[step])
            opened.append(agg.last_opened)
            assert ends == agg.intervals(opened[-1])
        outcomes = {(block, step): 10 + random.standard_normal() for step in range(3)}
        ours.learn(outcomes)
        for number, y in zip(opened, outcomes.values()):
            agg.learn(y, round=number)
    assert ours.aggregator.to_bytes() == agg.to_bytes()


def test_a_preview_says_what_the_forecast_will_be_and_changes_nothing():
    random = np.random.default_rng(2)
    ours = rounds(2)
    for block in range(20):
        for step in range(2):
            ours.forecast((block, step), step, row(random))
        ours.learn({(block, 0): 10.0, (block, 1): 11.0})
    before = copy.deepcopy(ours)
    coming = [row(random) for _ in range(2)]
    seen = ours.preview(enumerate(coming))
    assert ours == before
    # A step of the horizon that is asked for alone is the same step.
    assert ours.preview([(1, coming[1])]) == [seen[1]]
    assert seen == [ours.forecast(step, step, coming[step]) for step in range(2)]
    assert ours != before


def test_a_row_that_was_forecast_twice_is_learned_twice():
    ours = rounds()
    ours.forecast("tuesday", 1, [1.0, 2.0])
    ours.forecast("tuesday", 0, [1.5, 2.0])
    ours.forecast("friday", 1, [1.0, 2.0])
    ours.learn({"tuesday": 1.0, "sunday": 3.0})
    assert ours.aggregator.rounds == 2
    assert list(ours.open.values()) == ["friday"]


def test_phases_of_a_clock_are_those_of_the_rows():
    ours = rounds(1, clock=(4, 8))
    for t in (0, 1, 5, 9, 10):
        ours.forecast(t, t, [1.0, 2.0])
        assert ours.aggregator.last_opened % 8 == (t + 1) % 8


def test_what_was_abandoned_is_not_learned():
    ours = rounds()
    for t in range(4):
        ours.forecast(t, t % 2, [1.0, 2.0])
    ours.abandon(ours.open_until(2))
    ours.abandon([1, 99])
    ours.learn({t: 1.0 for t in range(4)})
    assert ours.aggregator.rounds == 1
    assert ours.aggregator.open_rounds == 0 == len(ours.open)


def test_a_pickle_goes_on_from_there():
    ours = rounds()
    ours.forecast(0, 0, [1.0, 2.0])
    other = pickle.loads(pickle.dumps(ours))
    assert other == ours
    for one in (ours, other):
        one.learn({0: 1.0})
    assert other == ours


def test_a_refused_outcome_leaves_no_open_round():
    ours = rounds()
    ours.forecast(0, 0, [1.0, 2.0])
    with pytest.raises(pcgs.Error):
        ours.learn({0: np.inf})
    assert ours.aggregator.open_rounds == 0 == len(ours.open)


def test_a_controller_of_ones_own_is_left_alone():
    from controllers import Remembering

    controller = Remembering()
    ours = rounds(method=controller, intervals=())
    ours.forecast(0, 0, [1.0, 2.0])
    ours.learn({0: 1.0})
    assert not vars(controller)


@pytest.mark.parametrize(
    "warmup, rows, first", [(0.5, 9, 4), (3, 9, 3), (30, 9, 9), (1.0, 9, 9), (0.01, 9, 1)]
)
def test_the_walk_starts_where_it_was_told(warmup, rows, first):
    assert rows_to_start_with(warmup, rows) == first


def test_fits_lie_as_far_apart_as_was_told():
    assert rows_between_fits(None, 7) == 7
    assert rows_between_fits(None, 0) == 1
    assert rows_between_fits(3, 7) == 3
    for nonsense in (0, 2.5, "week", True):
        with pytest.raises(pcgs.Error, match="refit_every is .* give a whole number of rows"):
            rows_between_fits(nonsense, 7)
