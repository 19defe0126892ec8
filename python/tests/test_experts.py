"""Experts of an Aggregator that come and go."""

import numpy as np
import pytest

import pcgs


def made(method="guard", rounds=40, **options):
    rng = np.random.default_rng(3)
    agg = pcgs.Aggregator(["a", "b", "c"], method, **options)
    for _ in range(rounds):
        y = rng.normal()
        agg.predict(y + rng.normal(size=3) * [1, 2, 3])
        agg.learn(y)
    return agg


@pytest.mark.parametrize("method", ["guard", "blend", "fixed-share", "ml-poly", "pcgs-tf"])
def test_a_saved_aggregator_changes_like_a_living_one(method):
    living = made(method)
    saved = pcgs.Aggregator.from_bytes(living.to_bytes())
    for agg in (living, saved):
        agg.predict([1.0, 2.0, 3.0])  # open while they change
        agg.add_expert("d")
        agg.remove_expert("b")
        agg.learn(1.5)
        agg.predict([0.5, 0.4, 0.3])
        agg.learn(0.4)
    assert living.names == saved.names == ["a", "c", "d"]
    assert living.experts == 3
    assert living.to_bytes() == saved.to_bytes()
    assert living.weights().sum() == pytest.approx(1)


def test_names_say_who_is_where_and_labels_put_forecasts_into_order():
    pandas = pytest.importorskip("pandas")
    agg = made()
    agg.set_experts(["x", "c", "a"])
    assert agg.names == ["a", "c", "x"]
    labelled = pandas.Series({"x": 3.0, "a": 1.0, "c": 2.0})
    twin = pcgs.Aggregator.from_bytes(agg.to_bytes())
    assert agg.predict(labelled) == twin.predict([1.0, 2.0, 3.0])
    with pytest.raises(pcgs.Error, match="forecasts for 3 experts"):
        agg.predict([1.0, 2.0])


def test_what_is_wrong_is_said_and_changes_nothing():
    agg = made()
    state = agg.to_bytes()
    for call, words in [
        (lambda: agg.add_expert("a"), "already"),
        (lambda: agg.remove_expert("z"), "no expert z"),
        (lambda: agg.set_experts([]), "at least one"),
        (lambda: agg.set_experts(["a", "a"]), "two experts"),
        (lambda: agg.set_experts(3), "names"),
        (lambda: pcgs.Aggregator(2).add_expert("c"), "without names"),
    ]:
        with pytest.raises(pcgs.Error, match=words):
            call()
    assert agg.to_bytes() == state


def test_a_controller_of_ones_own_keeps_its_experts():
    class Mine(pcgs.Controller):
        def after(self, round):
            return pcgs.Controls(eta=1.0, rho=0.01)

    agg = pcgs.Aggregator(["a", "b"], Mine())
    with pytest.raises(pcgs.Error, match="of your own"):
        agg.add_expert("c")
