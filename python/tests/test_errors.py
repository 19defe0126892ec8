"""Whatever is handed in, the answer is a sentence: never a crash, never silent nonsense."""

import math
import pickle

import numpy as np
import pytest

import pcgs


class Hostile:
    """An object that answers nothing."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array today")

    def __float__(self):
        raise RuntimeError("no number today")


NO_ROW = {
    "none": None,
    "text": "abc",
    "bytes": b"abc",
    "texts": ["1", "2"],
    "array of texts": np.array(["1", "2"]),
    "complex": np.array([1j, 0]),
    "complex list": [1j, 0],
    "objects": np.array([0.1, None], dtype=object),
    "list with None": [0.1, None],
    "dates": np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
    "durations": np.array([1, 2], dtype="timedelta64[s]"),
    "structured": np.array([(1.0, 2.0)], dtype=[("a", float), ("b", float)]),
    "ragged": [[1], [1, 2]],
    "masked": np.ma.array([0.1, 0.2], mask=[False, True]),
    "list of masked": [np.ma.array(0.1, mask=True), 0.2],
    "two dimensions": np.zeros((2, 1)),
    "a number": 0.5,
    "no dimension": np.array(0.5),
    "a dict": {"a": 0.1, "b": 0.2},
    "a set": {0.1, 0.2},
    "a generator": (x for x in [0.1, 0.2]),
    "hostile": Hostile(),
    "too long": [0.1, 0.2, 0.3],
    "too short": [0.1],
    "empty": [],
    "enormous": np.zeros(10_000),
}


@pytest.mark.parametrize("bad", NO_ROW.values(), ids=NO_ROW)
def test_rows_that_are_none_are_refused(bad):
    agg = pcgs.Aggregator(2, "guard", scale=1)
    before = agg.to_bytes()
    number = agg.open()
    agg.abandon(number)
    for use in (
        lambda: agg.predict(bad),
        lambda: agg.learn(losses=bad),
    ):
        with pytest.raises(ValueError) as caught:
            use()
        assert type(caught.value) is pcgs.Error
        assert "give" in str(caught.value)
    assert pcgs.Aggregator.from_bytes(before).rounds == agg.rounds == 0


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, -0.1, 1.1, 1e308, -5e-324])
def test_losses_outside_the_unit_interval_are_refused(bad):
    agg = pcgs.Aggregator(2, "guard")
    with pytest.raises(pcgs.Error, match="the loss of expert 2 is"):
        agg.learn(losses=[0.5, bad])
    assert agg.weights().tolist() == [0.5, 0.5]


NO_OUTCOME = [
    10**400,
    math.nan,
    math.inf,
    "1",
    None,
    [1.0],
    [1.0, 2.0],
    1j,
    np.complex64(1),
    Hostile(),
    b"1",
]


@pytest.mark.parametrize("bad", NO_OUTCOME, ids=repr)
def test_outcomes_that_are_none_are_refused(bad):
    agg = pcgs.Aggregator(2, "guard", scale=1)
    agg.predict([0.0, 1.0])
    with pytest.raises(pcgs.Error):
        agg.learn(bad)
    assert agg.open_rounds == 1


@pytest.mark.parametrize("good", [1, True, np.float32(1), np.int64(1), np.array(1.0)])
def test_outcomes_may_be_any_number(good):
    agg = pcgs.Aggregator(2, "hedge", scale=1)
    agg.predict([0.0, 1.0])
    agg.learn(good)
    assert agg.weights()[1] > 0.9


@pytest.mark.parametrize("bad", [0, -1, True, 2.0, "3", None, 1 << 40, 1 << 100, [], "", {"a"}, object()])
def test_experts_that_are_none_are_refused(bad):
    with pytest.raises(pcgs.Error):
        pcgs.Aggregator(bad)


def test_names_that_are_there_twice_are_refused():
    with pytest.raises(pcgs.Error, match="the name is given to two experts"):
        pcgs.Aggregator(["a", "b", "a"])


@pytest.mark.parametrize(
    "method, sentence",
    [
        ("nonsense", "nonsense"),
        ("fixed-share{eta=-1}", "eta"),
        ("fixed-share{", "fixed-share"),
        ("", "method"),
        ("hedge*", "hedge"),
        (7, "neither a name nor a pcgs.Controller"),
        (pcgs.Controller, "neither a name nor a pcgs.Controller"),
    ],
)
def test_methods_that_are_none_are_refused(method, sentence):
    with pytest.raises(pcgs.Error, match=sentence):
        pcgs.Aggregator(2, method)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"loss": "hinge"}, "hinge"),
        ({"loss": 3}, "loss is 3; give its name"),
        ({"tau": 0.3}, "tau is the level of the pinball loss"),
        ({"loss": "pinball", "tau": 2}, "tau"),
        ({"loss": "pinball", "tau": math.nan}, "tau"),
        ({"scale": 0}, "scale"),
        ({"scale": -1}, "scale"),
        ({"scale": math.nan}, "scale"),
        ({"scale": math.inf}, "scale"),
        ({"scale": "large"}, "scale is 'large'; give a positive number or"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, sentence):
    with pytest.raises(pcgs.Error, match=sentence):
        pcgs.Aggregator(2, **options)
    with pytest.raises(pcgs.Error, match=sentence):
        pcgs.run(np.full((20, 2), 0.5), np.zeros(20), models=["a", "b"], **options)


@pytest.mark.parametrize("bad", [0, -1, 1 << 70, 1.0, "1", True, np.array([1, 2])])
def test_rounds_that_are_none_are_refused(bad):
    agg = pcgs.Aggregator(2, "guard")
    agg.open()
    for use in (
        lambda: agg.played(bad),
        lambda: agg.abandon(bad),
        lambda: agg.learn(losses=[0, 1], round=bad),
    ):
        with pytest.raises(pcgs.Error, match="round"):
            use()
    assert agg.open_rounds == 1


def test_learn_says_what_it_wants():
    agg = pcgs.Aggregator(2, "guard")
    with pytest.raises(pcgs.Error, match="either what happened"):
        agg.learn()
    with pytest.raises(pcgs.Error, match="either what happened"):
        agg.learn(1.0, losses=[0, 1])
    with pytest.raises(pcgs.Error, match=r"give losses as learn\(losses=...\)"):
        agg.learn(np.array([0.0, 1.0]))
    with pytest.raises(pcgs.Error, match="predict\\(\\) opens one"):
        agg.learn(1.0)
    agg.predict([0.0, 1.0])
    agg.predict([0.0, 1.0])
    with pytest.raises(pcgs.Error, match="2 rounds are open; say which one"):
        agg.learn(1.0)


@pytest.mark.parametrize("bad", [[True], [], [0.5, 1], ["a", "b"], [[True, True]], math.nan])
def test_awake_flags_that_are_none_are_refused(bad):
    agg = pcgs.Aggregator(2, "guard")
    with pytest.raises(pcgs.Error):
        agg.open(awake=bad)
    assert agg.open_rounds == 0


@pytest.mark.parametrize("bad", [[math.nan], [math.inf], "x", [[1.0]], [1j]])
def test_side_information_that_is_none_is_refused(bad):
    agg = pcgs.Aggregator(2, "guard")
    with pytest.raises(pcgs.Error):
        agg.open(side=bad)
    with pytest.raises(pcgs.Error):
        agg.predict([0, 1], side=bad)
    assert agg.open_rounds == 0


NO_TABLE = {
    "none": None,
    "text": "losses.csv",
    "one dimension": np.zeros(3),
    "three dimensions": np.zeros((2, 2, 2)),
    "no rounds": np.zeros((0, 3)),
    "no experts": np.zeros((3, 0)),
    "complex": np.zeros((3, 2), dtype=complex),
    "texts": np.array([["a", "b"]]),
    "objects": np.array([[0.1, None]], dtype=object),
    "masked": np.ma.zeros((3, 2)),
    "list of masked": [np.ma.array([0.1, 0.2], mask=[False, True])] * 3,
    "NaN": np.array([[0.1, math.nan]]),
    "inf": np.array([[0.1, math.inf]]),
    "negative": np.array([[0.1, -0.1]]),
    "above 1": np.array([[0.1, 1.1]]),
}


@pytest.mark.parametrize("bad", NO_TABLE.values(), ids=NO_TABLE)
def test_tables_that_are_none_are_refused(bad):
    with pytest.raises(pcgs.Error, match="^losses: "):
        pcgs.run(bad, methods=["hedge"])


def refusal(losses, **options):
    with pytest.raises(pcgs.Error) as caught:
        pcgs.run(losses, **options)
    error = caught.value
    return error.kind, error.file, error.row, error.column, error.field


def test_a_bad_number_is_named_by_row_and_column():
    table = np.full((5, 3), 0.5)
    for bad in (7, math.nan):
        table[3, 1] = bad
        place = refusal(table, models=["a", "b", "c"], name="load")
        assert place == ("value", "load", 4, "b", None)
    assert refusal(table)[1:4] == ("losses", 4, "e2")


RANDOM = np.random.default_rng(1).random((30, 2))


@pytest.mark.parametrize(
    "options, kind, field",
    [
        ({"methods": []}, "value", "methods"),
        ({"methods": [5]}, "value", "methods"),
        ({"methods": 5}, "value", "methods"),
        ({"methods": [pcgs.Controller()]}, "value", "methods"),
        ({"methods": ["nonsense"]}, None, None),
        ({"methods": ""}, None, None),
        ({"switches": 2.5}, "value", "switches"),
        ({"switches": np.array([5.0])}, "value", "switches"),
        ({"switches": [5, 10, 5]}, "request", "switches"),
        ({"switches": [-1]}, "value", "switches"),
        ({"switches": [1.5]}, "value", "switches"),
        ({"switches": [1 << 40]}, "value", "switches"),
        ({"switch_cost": -1}, "request", "switch_cost"),
        ({"models": {"a", "b"}}, "value", "models"),
        ({"models": ["a"]}, "mismatch", "models"),
        ({"models": ["a", "a"]}, "duplicate", None),
        ({"y": np.zeros(3)}, "mismatch", "outcomes"),
        ({"y": np.zeros((30, 1))}, None, None),
        ({"y": np.full(30, math.inf)}, "value", None),
        ({"y": "load"}, "unknown", "y"),
        ({"y": np.zeros(30), "block": 0}, "value", "block"),
        ({"y": np.zeros(30), "delay": -1}, "value", "delay"),
        ({"y": np.zeros(30), "season": 1}, "value", "season"),
        ({"y": np.zeros(30), "season": (24, 7)}, None, None),
        ({"y": np.zeros(30), "intervals": [80]}, "request", "intervals"),
        ({"block": 2}, "request", "block"),
        ({"season": 7}, "request", "season"),
        ({"intervals": 0.8}, "request", "intervals"),
        ({"loss": "squared"}, "request", "loss"),
        ({"state": 5}, "value", "state"),
        ({"state": b""}, "value", "state"),
        ({"state": b"nonsense"}, None, None),
        ({"state": "no such file"}, None, None),
        ({"skip_learned": 1}, "value", "skip_learned"),
        ({"drop": ["a"]}, "request", "drop"),
        ({"threads": 0}, "value", "threads"),
        ({"side": np.zeros((3, 1))}, "mismatch", "side"),
        ({"quantiles": "q*"}, "value", "y"),
    ],
)
def test_runs_that_make_no_sense_are_refused(options, kind, field):
    said = refusal(RANDOM, **options)
    if kind is not None:
        assert (said[0], said[-1]) == (kind, field)


@pytest.mark.parametrize(
    "losses, switches, options",
    [
        (np.zeros(3), 1, {}),
        (np.array([[-math.inf]]), 1, {}),
        (np.zeros((2, 2), dtype=complex), 1, {}),
        (np.zeros((2, 2)), -1, {}),
        (np.zeros((2, 2)), 1.5, {}),
        (np.zeros((2, 2)), 1 << 62, {}),
        (np.zeros((2, 2)), 1, {"threads": 0}),
        (np.zeros((2, 2)), 1, {"threads": 1 << 40}),
    ],
)
def test_the_oracle_refuses_what_makes_no_sense(losses, switches, options):
    with pytest.raises(pcgs.Error):
        pcgs.switching_oracle(losses, switches, **options)


def test_errors_can_be_pickled():
    error = pickle.loads(pickle.dumps(pcgs.Error("a sentence")))
    assert type(error) is pcgs.Error and str(error) == "a sentence"
    assert issubclass(pcgs.Error, ValueError)


def test_a_path_ends_where_it_ends(tmp_path):
    """A NUL would cut it short, and another file would be written."""
    agg = pcgs.Aggregator(2, "guard")
    (tmp_path / "state").write_text("precious")
    for name in (f"{tmp_path}/state\0.old", f"{tmp_path}/state\0.old".encode()):
        for use in (
            lambda: agg.save(name),
            lambda: pcgs.Aggregator.load(name),
            lambda: pcgs.ExpertPool(file=name),
            lambda: pcgs.run(np.full((30, 2), 0.5), methods="hedge").report(name),
        ):
            with pytest.raises(pcgs.Error, match="has a NUL in it|no report page"):
                use()
    assert (tmp_path / "state").read_text() == "precious"


def test_sentences_may_hold_any_bytes(tmp_path):
    with pytest.raises(pcgs.Error, match="does not exist|No such file|cannot"):
        pcgs.Aggregator.load(str(tmp_path).encode() + b"/\xff\xfe")
