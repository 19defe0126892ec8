"""River's verbs."""

import math

import guide
import numpy as np
import pytest

import pcgs
from pcgs.river import RiverCombiner


def stream():
    for t in range(200):
        y = 10 + math.sin(t / 5)
        yield {"good": y + 0.1, "bad": y + 1, "rare": y if t % 3 == 0 else math.nan}, y


def test_it_is_the_aggregator_in_other_words():
    combiner = RiverCombiner(["good", "bad", "rare"], method="boa")
    agg = pcgs.Aggregator(["good", "bad", "rare"], method="boa")
    for x, y in stream():
        forecast = combiner.predict_one(x)
        assert forecast == agg.predict(list(x.values()))
        combiner.learn_one(x, y)
        agg.learn(y)


@pytest.mark.parametrize("method", ["boa", "blend", "guard"])
def test_asking_changes_nothing(method):
    asked, quiet = (RiverCombiner(method=method) for _ in range(2))
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


@pytest.mark.parametrize("nothing", [None, math.nan, np.float64("nan")])
def test_none_sleeps_as_nan_does(nothing):
    combiner = RiverCombiner(["a", "b"], method="fixed-share", scale=1)
    assert combiner.predict_one({"a": 1.0, "b": nothing}) == 1.0
    combiner.learn_one({"a": 1.0, "b": nothing}, 1.5)
    assert combiner.aggregator.rounds == 1


@pytest.mark.parametrize("method", ["blend", "guard", "fixed-share"])
def test_without_experts_new_ones_may_come_and_asking_decides_nothing(method):
    asked, quiet = RiverCombiner(method=method, scale=1), RiverCombiner(method=method, scale=1)
    assert asked.predict_one({"a": 1.0}) == 1.0
    assert asked.weights() == {}
    for x in ({"a": 1.0}, {"a": 1.0, "late": 2.0}, {"late": 1.0}, {"a": 1.0, "late": 3.0, 7: None}):
        asked.predict_one({"somebody else": 5.0})
        forecast = asked.predict_one(x)
        for each in (asked, quiet):
            each.learn_one(x, 1.2)
        assert math.isfinite(forecast)
        assert asked.weights() == quiet.weights()
    assert list(asked.weights()) == ["a", "late", 7] and asked.aggregator.rounds == 4
    assert sum(asked.weights().values()) == pytest.approx(1)


def test_a_newcomer_whose_round_fails_is_none():
    combiner = RiverCombiner(method="hedge", scale=1)
    combiner.learn_one({"a": 1.0}, 1.0)
    with pytest.raises(pcgs.Error):
        combiner.learn_one({"a": 1.0, "b": 2.0}, math.nan)
    assert combiner.weights() == {"a": 1.0}
    with pytest.raises(
        pcgs.Error, match="c is no expert here; .* or leave experts out, and new ones may come"
    ):
        RiverCombiner(["a"]).learn_one({"c": 1.0}, 1.0)


class Nonsense(pcgs.Controller):
    def after(self, round):
        return None


class Broken(pcgs.Controller):
    def after(self, round):
        raise KeyError("the weather of tomorrow")


def test_what_went_wrong_is_what_is_raised():
    for controller, error, sentence in (
        (Nonsense(), pcgs.Error, "returned a NoneType"),
        (Broken(), KeyError, "the weather of tomorrow"),
    ):
        combiner = RiverCombiner(["a", "b"], method=controller, scale=1)
        with pytest.raises(error, match=sentence):
            combiner.learn_one({"a": 1.0, "b": 2.0}, 1.0)


def test_it_is_one_of_rivers_regressors():
    river = pytest.importorskip("river")
    from river import compose, evaluate, metrics

    data = [({"a": float(t), "b": t + 1.0}, float(t)) for t in range(50)]
    combiner = RiverCombiner(["a", "b"], method="fixed-share", scale=1)
    assert isinstance(combiner, river.base.Regressor)
    assert evaluate.progressive_val_score(data, combiner, metrics.MAE()).get() < 0.2
    pipeline = compose.Select("a", "b") | RiverCombiner(method="fixed-share", scale=1)
    for x, y in data:
        pipeline.learn_one({**x, "c": 9.0}, y)
    assert pipeline.predict_one({"a": 1.0, "b": 2.0, "c": 9.0}) < 1.2
    afresh = combiner.clone()
    assert afresh.weights() == {"a": 0.5, "b": 0.5} != combiner.weights()
    assert afresh.scale == 1 and afresh.method == "fixed-share"


def test_a_clone_has_a_controller_of_its_own():
    pytest.importorskip("river")
    from controllers import Remembering

    combiner = RiverCombiner(["a", "b"], Remembering(), scale=1)
    combiner.learn_one({"a": 1.0, "b": 2.0}, 1.0)
    other = combiner.clone()
    other.learn_one({"a": 1.0, "b": 2.0}, 1.0)
    assert other.aggregator.controller is not combiner.aggregator.controller
    assert other.weights() == combiner.weights()


def test_its_page_runs():
    pytest.importorskip("river")
    assert guide.run_page(guide.DOCS / "river.md") == 1


def test_the_page_for_those_who_come_from_river_runs():
    pytest.importorskip("river")
    assert guide.run_page(guide.DOCS / "coming-from-river.md") == 3
