"""predict and learn by the experts' names: dicts, Series, frames of one row."""

import collections
import types

import numpy as np
import pytest

import pcgs

NAMES = ["a", "b", "c"]


def rows(rounds=80):
    table = np.random.default_rng(2).random((rounds, 3))
    table[np.random.default_rng(3).random(table.shape) < 0.2] = np.nan
    return table


def as_dict(row):
    return {name: x for name, x in zip("cab", row[[2, 0, 1]]) if not np.isnan(x)}


def with_nones(row):
    return types.MappingProxyType({name: None if np.isnan(x) else x for name, x in zip(NAMES, row)})


def with_nans(row):
    return collections.OrderedDict(zip(NAMES, row))


def with_missing(row):
    pandas = pytest.importorskip("pandas")
    return {name: pandas.NA if np.isnan(x) else x for name, x in zip(NAMES, row)}


@pytest.mark.parametrize("named", [as_dict, with_nones, with_nans, with_missing])
@pytest.mark.parametrize("method", ["guard{learned=0}", "blend", "boa"])
def test_a_dict_is_an_array(named, method):
    by_name, plain = pcgs.Aggregator(NAMES, method), pcgs.Aggregator(NAMES, method)
    for row in rows():
        np.testing.assert_array_equal(by_name.predict(named(row)), plain.predict(row))
        by_name.learn(0.5)
        plain.learn(0.5)
    assert by_name.to_bytes() == plain.to_bytes()


def test_losses_may_be_a_dict_too():
    by_name, plain = pcgs.Aggregator(NAMES, "fixed-share"), pcgs.Aggregator(NAMES, "fixed-share")
    for row in rows():
        awake = ~np.isnan(row)
        by_name.learn(losses=as_dict(row))
        if awake.all():
            plain.learn(losses=row)
        else:
            plain.learn(losses=np.nan_to_num(row), round=plain.open(awake=awake))
    assert by_name.to_bytes() == plain.to_bytes()
    assert by_name.rounds + by_name.skipped == 80


def test_a_dict_closes_a_round_whose_sleepers_it_leaves_out():
    agg = pcgs.Aggregator(NAMES, "fixed-share")
    first = agg.open(awake=[True, False, True])
    agg.learn(losses={"a": 0.5, "c": 0.25}, round=first)
    second = agg.open()
    with pytest.raises(pcgs.Error, match="the loss of expert 2 is nan"):
        agg.learn(losses={"a": 0.5, "c": 0.25}, round=second)
    assert agg.open_rounds == 1


def test_a_dict_that_is_wrong_changes_nothing():
    agg = pcgs.Aggregator(NAMES, "fixed-share")
    before = agg.to_bytes()
    with pytest.raises(pcgs.Error, match="forecasts: there is no expert d; there are a, b, c"):
        agg.predict({"a": 1.0, "d": 2.0})
    with pytest.raises(pcgs.Error, match="losses: there is no expert d"):
        agg.learn(losses={"d": 0.5})
    for loss in (1.5, -0.1, float("inf")):
        with pytest.raises(pcgs.Error, match=r"the loss of expert c is .*; give a number in \[0, 1\]"):
            agg.learn(losses={"c": loss})
    with pytest.raises(pcgs.Error, match="forecasts of b"):
        agg.predict({"b": "1.0"})
    assert agg.to_bytes() == before


def test_experts_without_names_have_no_dict():
    with pytest.raises(pcgs.Error, match="a dict is by name, and the experts have none; make the Aggregator with"):
        pcgs.Aggregator(3).predict({"a": 1.0})


def test_newcomers_are_known_by_name():
    agg = pcgs.Aggregator(["a", "b"], "boa")
    agg.add_expert("c")
    assert agg.predict({"c": 4.0}) == 4.0
    agg.learn(3.0)


def test_a_frame_of_one_row_is_a_round():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows(), columns=NAMES)[["b", "c", "a"]]
    by_name, plain = pcgs.Aggregator(NAMES, "boa"), pcgs.Aggregator(NAMES, "boa")
    for t, row in enumerate(rows()):
        np.testing.assert_array_equal(by_name.predict(frame.iloc[[t]]), plain.predict(row))
        by_name.learn(0.5)
        plain.learn(0.5)
    by_name.learn(losses=frame.fillna(0).iloc[:1])
    plain.learn(losses=np.nan_to_num(rows()[0]))
    assert by_name.to_bytes() == plain.to_bytes()
    with pytest.raises(pcgs.Error, match="forecasts: the frame has 2 rows; give one, a round at a time"):
        by_name.predict(frame.iloc[:2])
    with pytest.raises(pcgs.Error, match="forecasts: there is no label a"):
        by_name.predict(frame[["b", "c"]].iloc[:1])
    assert pcgs.Aggregator(3, "boa").predict(frame.iloc[[0]]) >= 0


def test_an_aggregator_shows_itself_in_a_notebook():
    agg = pcgs.Aggregator(["<b>", "calm"], "fixed-share", scale=1)
    for _ in range(30):
        agg.predict([2.0, 1.0])
        agg.learn(1.0)
    agg.predict([2.0, 1.0])
    page = agg._repr_html_()
    assert "<b>" not in page and "&lt;b&gt;" in page
    assert "fixed-share" in page and "30 rounds learned, 1 open" in page
    assert page.index("calm") < page.index("&lt;b&gt;")  # the heaviest first
    assert f"<td>{agg.weights()[1]:.3f}</td>" in page
    for tag in ("table", "tr", "td", "p", "div"):
        assert page.count(f"<{tag}>") == page.count(f"</{tag}>") > 0
    many = pcgs.Aggregator(20)._repr_html_()
    assert "8 more experts have 0.400 together" in many and "expert 12" in many
