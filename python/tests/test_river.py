"""River's verbs."""

import math
import pickle

import pytest

import pcgs
from pcgs.river import RiverCombiner


def stream():
    for t in range(200):
        y = 10 + math.sin(t / 5)
        yield {"good": y + 0.1, "bad": y + 1, "rare": y if t % 3 == 0 else math.nan}, y


def test_progressive_validation_learns():
    combiner = RiverCombiner(method="fixed-share", warmup=20)
    errors = []
    for x, y in stream():
        errors.append(abs(combiner.predict_one(x) - y))
        combiner.learn_one(x, y)
    assert sum(errors[-50:]) < sum(errors[:50])
    assert combiner.weights()["bad"] < 0.1


def test_it_is_the_aggregator_in_other_words():
    combiner = RiverCombiner(["good", "bad", "rare"], method="boa", warmup=20)
    agg = pcgs.Aggregator(["good", "bad", "rare"], method="boa", warmup=20)
    for x, y in stream():
        forecast = combiner.predict_one(x)
        assert forecast == agg.predict(list(x.values()))
        combiner.learn_one(x, y)
        agg.learn(y)


def test_asking_changes_nothing():
    asked, quiet = (RiverCombiner(method="boa", warmup=20) for _ in range(2))
    for x, y in stream():
        asked.predict_one(x)
        asked.predict_one(x)
        asked.learn_one(x, y)
        quiet.learn_one(x, y)
    assert asked.weights() == quiet.weights()


def test_keys_may_be_missing_and_in_any_order():
    combiner = RiverCombiner(["a", "b"], method="hedge", scale=1)
    assert combiner.predict_one({"b": 2.0, "a": 1.0}) == 1.5
    assert combiner.predict_one({"b": 2.0}) == 2.0
    assert math.isnan(combiner.predict_one({}))
    with pytest.raises(pcgs.Error, match="c is no expert here; give forecasts of a, b"):
        combiner.predict_one({"c": 1.0})
    with pytest.raises(pcgs.Error):
        RiverCombiner().predict_one({})


def test_a_bad_outcome_leaves_no_open_round():
    combiner = RiverCombiner(["a", "b"], scale=1)
    with pytest.raises(pcgs.Error):
        combiner.learn_one({"a": 1.0}, math.nan)
    assert combiner.aggregator.open_rounds == 0


def test_it_can_be_pickled():
    combiner = RiverCombiner(["a", "b"], "hedge", scale=1)
    combiner.learn_one({"a": 1.0, "b": 2.0}, 1.0)
    assert pickle.loads(pickle.dumps(combiner)).weights() == combiner.weights()
