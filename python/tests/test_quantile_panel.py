"""Quantile forecasts in Python: the program's numbers to the bit, and a sentence for whatever is wrong."""

import copy
import csv
import math
import pickle

import numpy as np
import pytest

import pcgs
from test_threads import longest_wait

LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95]
EXPERTS = ["arima", "ets", "snaïve", "late, and odd"]
PLACES = ["north", "south", "east"]
EVERY_COPY = {
    "pickle": lambda panel: pickle.loads(pickle.dumps(panel)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "bytes": lambda panel: pcgs.QuantilePanel.from_bytes(panel.to_bytes()),
}
every_copy = pytest.mark.parametrize("again", EVERY_COPY.values(), ids=EVERY_COPY)


class Row:
    """What one expert says about one place in one week; outcome and quantiles are NaN where unknown."""

    def __init__(self, week, place, model, cases, quantiles):
        self.week, self.place, self.model = week, place, model
        self.cases, self.quantiles = cases, quantiles


def made_up_rows(weeks=30, seed=4):
    """Experts that come late and sleep, levels and outcomes that are missing, quantiles that cross, and
    some that are wild."""
    random = np.random.default_rng(seed)
    z = np.array([-1.64, -0.67, 0.0, 0.67, 1.64])
    rows = []
    for week in range(1, weeks + 1):
        for place in random.permutation(PLACES):
            truth = float(np.round(30 + 20 * np.sin(week / 4) + 5 * random.standard_normal()))
            cases = math.nan if random.random() < 0.1 else abs(truth)
            for k, model in enumerate(EXPERTS):
                if random.random() < 0.15 or (k == 3 and week < 8):
                    continue
                said = abs(truth + (k + 1) * random.standard_normal() + (k + 2) * z)
                if random.random() < 0.1:
                    said = said[::-1].copy()
                if random.random() < 0.05:
                    said *= 1e6
                said[random.random(said.size) < 0.1] = math.nan
                rows.append(Row(week, str(place), model, cases, said))
    return rows


def cell(x):
    return "" if math.isnan(x) else repr(float(x))


def write(path, rows):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["week", "place", "model", "cases", *(f"q{level}" for level in LEVELS)])
        for row in rows:
            said = [cell(x) for x in row.quantiles]
            out.writerow([row.week, row.place, row.model, cell(row.cases), *said])


def published(folder):
    """{(week, place): quantiles} of forecasts.csv, in its order."""
    number = lambda text: float(text) if text else math.nan
    with open(folder / "forecasts.csv", newline="") as file:
        return {
            (int(line["week"]), line["place"]): [number(line[f"q{level}"]) for level in LEVELS]
            for line in csv.DictReader(file)
        }


def run_program(program, rows, folder, *options):
    write(folder / "long.csv", rows)
    out = folder / "out"
    columns = ["--expert-column", "model", "--quantiles", "q*", "--time", "week", "--by", "place"]
    program(
        "run", folder / "long.csv", *columns, "--y", "cases", "--out", out, "--quiet", *options
    )
    return published(out)


def rounds_of(rows):
    """{(week, place): rows} in the order of weeks, then of the places' first appearance."""
    places = list(dict.fromkeys(row.place for row in rows))
    rounds = {}
    for row in sorted(rows, key=lambda row: (row.week, places.index(row.place))):
        rounds.setdefault((row.week, row.place), []).append(row)
    return rounds


def as_dict(panel, rows):
    return {row.model: row.quantiles for row in rows}


def as_array(panel, rows):
    for row in rows:
        if row.model not in panel.experts:
            panel.add_expert(row.model)
    table = np.full((len(panel.experts), len(LEVELS)), np.nan)
    for row in rows:
        table[panel.experts.index(row.model)] = row.quantiles
    return table


def replay(panel, rounds, waiting=(), give=as_dict, between=lambda panel: panel):
    """{(week, place): forecast}; an outcome is known before the next week. Returns the panel as well."""
    waiting, said, last = list(waiting), {}, None
    for (week, place), rows in rounds.items():
        if week != last:
            for number, cases in waiting:
                if not math.isnan(cases):
                    panel.learn(number, cases)
            waiting, last = [], week
        number = panel.open(place, give(panel, rows))
        said[week, place] = panel.forecast(number).tolist()
        waiting.append((number, rows[0].cases))
        panel = between(panel)
    return said, panel


def assert_same(one, other):
    assert list(one) == list(other)
    np.testing.assert_array_equal(list(one.values()), list(other.values()))


# ---- The program's numbers ------------------------------------------------------------------------


@pytest.mark.parametrize("give", [as_dict, as_array])
@pytest.mark.parametrize(
    "chosen, options",
    [
        ({}, []),
        ({"scale": "log1p"}, ["--transform", "log1p"]),
        ({"calibrate": False}, ["--no-calibration"]),
    ],
)
def test_forecasts_are_the_programs_to_the_bit(chosen, options, give, program, tmp_path):
    rows = made_up_rows()
    expected = run_program(program, rows, tmp_path, *options)
    panel = pcgs.QuantilePanel(LEVELS, **chosen)
    said, _ = replay(panel, rounds_of(rows), give=give)
    assert_same(said, expected)
    assert panel.crossed > 0 and panel.wild > 0 and panel.open_rounds
    assert panel.scale == chosen.get("scale", "raw") and panel.levels == LEVELS
    assert panel.calibrate is chosen.get("calibrate", True)


@pytest.mark.parametrize("calibrate", ["yes", [1], 0.5, 1, None, math.nan])
def test_calibrate_is_true_or_false(calibrate):
    with pytest.raises(pcgs.Error, match="calibrate is .*; give True or False"):
        pcgs.QuantilePanel(LEVELS, calibrate=calibrate)


def test_a_state_of_the_program_goes_on_in_python(program, tmp_path):
    rows = made_up_rows()
    whole = run_program(program, rows, tmp_path)
    early = [row for row in rows if row.week <= 15]
    run_program(program, early, tmp_path, "--save", tmp_path / "state")
    panel = pcgs.QuantilePanel.load(tmp_path / "state")
    assert panel.note
    outcomes = {(row.week, row.place): row.cases for row in early}
    waiting = [(n, outcomes[15, panel.series_of(n)]) for n in panel.open_rounds[-3:]]
    later = {key: value for key, value in rounds_of(rows).items() if key[0] > 15}
    said, _ = replay(panel, later, waiting)
    assert_same(said, {key: whole[key] for key in said})


# ---- Rounds ---------------------------------------------------------------------------------------


def small(**chosen):
    """A panel that has learned a little and has an open round."""
    panel = pcgs.QuantilePanel([0.1, 0.5, 0.9], **chosen)
    for t in range(5):
        number = panel.open("north", {"arima": [t, t + 1, t + 2], "ets": [t, t + 4, t + 9]})
        panel.learn(number, t + 1.1)
    panel.open("north", {"arima": [5, 6, 7], "ets": [5, 9, 14]})
    return panel


def state(panel):
    return panel.experts, panel.series, panel.open_rounds, panel.rounds, panel.to_bytes()


def test_whoever_is_missing_none_or_nan_is_asleep():
    ways = [{}, {"ets": None}, {"ets": [math.nan] * 3}]
    panels = [small(calibrate=False) for _ in ways]
    for panel, way in zip(panels, ways):
        number = panel.open("north", {"arima": [1, 2, 4], **way})
        assert panel.forecast(number).tolist() == [1, 2, 4]
        panel.learn(number, 3)
    assert len({panel.to_bytes() for panel in panels}) == 1


def test_an_unknown_expert_that_gives_none_is_not_added():
    panel = small()
    panel.open("north", {"arima": [1, 2, 3], "late": None})
    assert panel.experts == ["arima", "ets"]


def test_rounds_of_several_series_are_closed_in_any_order():
    panel = pcgs.QuantilePanel([0.5])
    numbers = [panel.open(place, {"a": [1.0], "b": [3.0]}) for place in ("n", "s", "n")]
    assert [panel.series_of(number) for number in numbers] == ["n", "s", "n"]
    before = panel.forecast(2)
    panel.learn(np.int64(3), np.float32(1))
    panel.abandon(1)
    assert panel.open_rounds == [2] and panel.rounds == 1 and panel.forecast(2) == before
    before[:] = 7  # an array of its own
    assert panel.forecast(2) != before
    with pytest.raises(pcgs.Error, match="round 3 is not open"):
        panel.series_of(3)
    assert np.isnan(panel.forecast(panel.open("n", {}))).all()


def test_experts_come_and_go():
    panel = small()
    panel.add_expert("late")
    weights = panel.weights("north")
    assert list(weights) == ["arima", "ets", "late"] and weights["arima"] > weights["ets"]
    assert sum(weights.values()) == pytest.approx(1)
    panel.remove_expert("arima")
    assert panel.experts == ["ets", "late"]
    panel.learn(panel.open_rounds[0], 9.0)
    with pytest.raises(pcgs.Error, match="there is an expert late already"):
        panel.add_expert("late")
    with pytest.raises(pcgs.Error, match="there is no expert arima"):
        panel.remove_expert("arima")
    panel.add_series("south")
    with pytest.raises(pcgs.Error, match="there is a series south already"):
        panel.add_series("south")
    assert panel.series == ["north", "south"]


class Frame:
    """What pcgs needs of a pandas DataFrame."""

    def __init__(self, rows, columns):
        self.index, self.columns = list(rows), columns
        self.values = np.array(list(rows.values()), dtype=float)

    def to_numpy(self):
        return self.values


def test_frames_are_read_by_their_labels():
    rows = {"ets": [4.0, 5.0, 6.0], "late": [1.0, 2.0, 3.0]}
    one, other = small(), small()
    one.open("north", Frame(rows, [0.1, 0.5, 0.9]))
    other.open("north", rows)
    assert one.to_bytes() == other.to_bytes()
    for columns in ([0.1, 0.9, 0.5], ["q0.1", "q0.5", "q0.9"], [0, 1, 2], [0.1, 0.5]):
        with pytest.raises(pcgs.Error, match="call them 0.1, 0.5, 0.9, in that order"):
            one.open("north", Frame(rows, columns))
    with pytest.raises(pcgs.Error, match="the name of an expert is 0; give text"):
        one.open("north", Frame({0: [1, 2, 3]}, [0.1, 0.5, 0.9]))
    twice = Frame(rows, [0.1, 0.5, 0.9])
    for index, sentence in [
        (["ets", "ets"], "ets has two rows"),
        (["ets"], "labels"),
        (["ets", "a", "b"], "labels"),
    ]:
        twice.index = index
        with pytest.raises(pcgs.Error, match=sentence):
            one.open("north", twice)
    assert one.to_bytes() == other.to_bytes()


def test_a_real_frame_is_read_by_its_labels():
    pandas = pytest.importorskip("pandas")
    long = pandas.DataFrame(
        [("ets", 0.9, 6.0), ("ets", 0.1, 4.0), ("ets", 0.5, 5.0), ("late", 0.5, 2.0)],
        columns=["model", "level", "value"],
    )
    one, other = small(), small()
    one.open("north", long.pivot(index="model", columns="level", values="value"))
    other.open("north", {"ets": [4, 5, 6], "late": [math.nan, 2, math.nan]})
    assert one.to_bytes() == other.to_bytes()


# ---- States ---------------------------------------------------------------------------------------


@every_copy
def test_copies_are_the_same_and_their_own(again):
    panel = small(calibrate=False)
    panel.note = "kept"
    other = again(panel)
    assert type(other) is pcgs.QuantilePanel
    assert state(other) == state(panel) and other.note == b"kept" and other.calibrate is panel.calibrate
    number = panel.open_rounds[0]
    assert other.forecast(number).tolist() == panel.forecast(number).tolist()
    before = state(panel)
    other.learn(number, 2.0)
    other.add_expert("late")
    assert state(panel) == before


class Named(pcgs.QuantilePanel):
    """A panel with something of its user's."""


@pytest.mark.parametrize("again", [EVERY_COPY["pickle"], copy.deepcopy, copy.copy])
def test_subclasses_are_copied_with_what_they_add(again):
    panel = Named([0.5])
    panel.colour = "blue"
    other = again(panel)
    assert type(other) is Named and other.colour == "blue" and other.levels == [0.5]


def test_a_note_is_kept_with_the_state():
    panel = pcgs.QuantilePanel([0.5])
    assert panel.note == b""
    for note, kept in [("März", "März".encode()), (b"\xff\x00", b"\xff\x00"), ("", b"")]:
        panel.note = note
        assert copy.deepcopy(panel).note == kept
    for bad in (None, 3, "\ud800"):
        with pytest.raises(pcgs.Error, match="give text or bytes"):
            panel.note = bad


def test_states_of_others_are_refused(tmp_path):
    whole = small().to_bytes()
    (tmp_path / "cut").write_bytes(whole[:-1])
    pcgs.Aggregator(2).save(tmp_path / "aggregator")
    for name in ("cut", "aggregator", "nothing"):
        with pytest.raises((pcgs.Error, OSError), match=name):
            pcgs.QuantilePanel.load(tmp_path / name)
    for bad in (b"", whole[1:], whole + b"x", "text", None, 3):
        with pytest.raises(pcgs.Error):
            pcgs.QuantilePanel.from_bytes(bad)
    assert pcgs.QuantilePanel.from_bytes(memoryview(whole)).rounds == 5
    for place in range(0, len(whole), 7):
        changed = bytearray(whole)
        changed[place] ^= 0x41
        with pytest.raises(pcgs.Error):
            pcgs.QuantilePanel.from_bytes(changed)


def test_a_panel_that_was_never_made_says_so():
    unmade = pcgs.QuantilePanel.__new__(pcgs.QuantilePanel)
    for use in (
        lambda: unmade.open("north", {}),
        lambda: unmade.learn(1, 1.0),
        lambda: unmade.forecast(1),
        lambda: unmade.weights("north"),
        lambda: unmade.add_expert("a"),
        lambda: unmade.experts,
        lambda: unmade.levels,
        lambda: unmade.note,
        lambda: unmade.to_bytes(),
        lambda: repr(unmade),
        lambda: pickle.dumps(unmade),
        lambda: unmade.__setstate__("nonsense"),
        lambda: unmade.__setstate__((b"nonsense",)),
        lambda: unmade.__setstate__((b"nonsense", {})),
        lambda: unmade.__setstate__((b"nonsense", None)),
    ):
        with pytest.raises((pcgs.Error, TypeError)):
            use()


def test_it_describes_itself():
    assert repr(small()) == "<pcgs.QuantilePanel: 3 levels, 2 experts, 1 series>"
    one = pcgs.QuantilePanel([0.5])
    one.add_expert("a")
    assert repr(one) == "<pcgs.QuantilePanel: 1 level, 1 expert, 0 series>"


# ---- What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "levels, sentence",
    [
        ([], "no levels; give at least one"),
        ([0.5, 0.5], "rising order"),
        ([0.9, 0.1], "rising order"),
        ([0.0, 0.5], "between 0 and 1"),
        ([0.5, 1.0], "between 0 and 1"),
        ([math.nan], "between 0 and 1"),
        (None, "levels: here is None; give real numbers"),
        ("0.5", "levels"),
        (0.5, "levels"),
        ([[0.5]], "levels"),
        ([0.1, None], "levels"),
    ],
)
def test_levels_that_are_none_are_refused(levels, sentence):
    with pytest.raises(pcgs.Error, match=sentence):
        pcgs.QuantilePanel(levels)


@pytest.mark.parametrize("scale", ["log", "", None, 1, b"raw", "RAW", ["raw"], "\ud800"])
def test_scales_that_are_none_are_refused(scale):
    with pytest.raises(pcgs.Error, match="scale is .*; give 'raw' or 'log1p'"):
        pcgs.QuantilePanel([0.5], scale=scale)


class Hostile:
    def __array__(self, *_, **__):
        raise RuntimeError("no array today")


NO_QUANTILES = {
    "none": (None, "quantiles is None; give a dict"),
    "text": ("abc", "give real numbers"),
    "a number": (1.0, "a row for each expert and a column for each level"),
    "one row": ([1.0, 2.0, 3.0], "a row for each expert and a column for each level"),
    "too few rows": (np.zeros((1, 3)), r"shape \(1, 3\); give \(2, 3\)"),
    "too many rows": (np.zeros((3, 3)), r"shape \(3, 3\); give \(2, 3\)"),
    "too few columns": (np.zeros((2, 2)), r"shape \(2, 2\); give \(2, 3\)"),
    "transposed": (np.zeros((3, 2)), r"shape \(3, 2\); give \(2, 3\)"),
    "three dimensions": (np.zeros((2, 3, 1)), "two dimensions"),
    "objects": (np.full((2, 3), None), "give real numbers"),
    "masked": (np.ma.masked_all((2, 3)), "masked"),
    "hostile": (Hostile(), "give real numbers"),
    "a generator": ((x for x in ()), "give real numbers"),
    "infinite": (np.full((2, 3), np.inf), "the quantile 0.1 of arima is inf; give finite numbers"),
    "too few levels": ({"arima": [1, 2]}, "of arima: here are 2 for 3 levels; give one for each"),
    "too many levels": ({"new": [1, 2, 3, 4]}, "of new: here are 4 for 3 levels"),
    "no levels": ({"new": []}, "of new: here are 0 for 3 levels"),
    "None among them": ({"new": [1, None, 3]}, "of new: .*; give real numbers"),
    "text among them": ({"new": ["1", "2", "3"]}, "of new: .*; give real numbers"),
    "a number for a row": ({"new": 1.0}, "of new: the array has shape"),
    "hostile row": ({"new": Hostile()}, "of new: .*; give real numbers"),
    "infinite for a newcomer": (
        {"arima": [1, 2, 3], "new": [1, 2, -math.inf]},
        "the quantile 0.9 of new is -inf; give finite numbers, or NaN for none",
    ),
    "a number for a name": ({3: [1, 2, 3]}, "the name of an expert is 3; give text"),
    "None for a name": ({None: None}, "the name of an expert is None; give text"),
    "bytes for a name": ({b"a": [1, 2, 3]}, "the name of an expert is b'a'; give text"),
    "half a letter": ({"\ud800": [1, 2, 3]}, "no UTF-8; give another"),
}


@pytest.mark.parametrize("bad, sentence", NO_QUANTILES.values(), ids=NO_QUANTILES)
def test_quantiles_that_are_none_add_nobody(bad, sentence):
    panel = small()
    before = state(panel)
    with pytest.raises(ValueError, match=sentence) as caught:
        panel.open("new place", bad)
    assert type(caught.value) is pcgs.Error
    if isinstance(bad, dict):
        with pytest.raises(pcgs.Error, match=sentence):
            panel.open("new place", {"newcomer": [1.0, 2.0, 3.0], **bad})
    assert state(panel) == before


@pytest.mark.parametrize("bad", [-1.0, -2.0, -math.inf, math.inf])
def test_the_scale_log1p_takes_numbers_above_minus_one(bad):
    panel = pcgs.QuantilePanel([0.5], scale="log1p")
    with pytest.raises(pcgs.Error, match="the quantile 0.5 of a is .*; give finite numbers above -1"):
        panel.open("north", {"a": [bad]})
    assert panel.experts == panel.series == []
    number = panel.open("north", {"a": [-0.5]})
    assert panel.forecast(number) == pytest.approx(-0.5)
    with pytest.raises(pcgs.Error, match="give a finite number above -1"):
        panel.learn(number, -1.0)
    assert panel.open_rounds == [number]


@pytest.mark.parametrize("bad", [None, 3, b"north", ("north", 1), "\udc80", math.nan])
def test_names_that_are_none_are_refused(bad):
    panel = small()
    before = state(panel)
    for use in (
        lambda: panel.open(bad, {"new": [1, 2, 3]}),
        lambda: panel.weights(bad),
        lambda: panel.add_series(bad),
        lambda: panel.add_expert(bad),
        lambda: panel.remove_expert(bad),
    ):
        with pytest.raises(pcgs.Error, match="the name of an? .* is .*; give"):
            use()
    assert state(panel) == before


@pytest.mark.parametrize("bad", [0, -1, 1.0, True, None, "1", 1 << 100, [1]])
def test_rounds_that_are_none_are_refused(bad):
    panel = small()
    before = state(panel)
    for use in (panel.forecast, panel.abandon, panel.series_of, lambda n: panel.learn(n, 1.0)):
        with pytest.raises(pcgs.Error, match="round is .*; give a whole number"):
            use(bad)
    assert state(panel) == before


@pytest.mark.parametrize(
    "bad", [math.nan, math.inf, None, "1", 10**400, [1.0, 2.0], 1j, Hostile(), b"1"], ids=repr
)
def test_outcomes_that_are_none_are_refused(bad):
    panel = small()
    before = state(panel)
    with pytest.raises(pcgs.Error, match="outcome.*; give"):
        panel.learn(panel.open_rounds[0], bad)
    assert state(panel) == before


# ---- What is proved -------------------------------------------------------------------------------


def proved_panel(certify=True, rounds=60):
    rng = np.random.default_rng(2)
    panel = pcgs.QuantilePanel([0.1, 0.5, 0.9], certify=certify)
    for t in range(rounds):
        y = rng.normal()
        given = {name: y + rng.normal() * size + np.array([-1, 0, 1])
                 for name, size in [("a", 0.3), ("b", 1.0), ("c", 2.0)]
                 if rng.random() < 0.9}
        if t > 30:
            given["late"] = y + np.array([-0.5, 0, 0.5])
        if given:
            panel.learn(panel.open("north", given), y)
    return panel


def test_what_is_proved_holds_is_kept_and_changes_no_forecast():
    panel, without = proved_panel(), proved_panel(certify=False)
    proved = panel.certificate("north")
    assert proved["holds"] and panel.certify and not without.certify
    assert proved["above_expert"] <= proved["expert_bound"] < 1
    assert proved["above_path"] <= proved["path_bound"]
    assert 0 < proved["score"] < 1.5 and proved["rounds"] <= 60
    assert pcgs.QuantilePanel.from_bytes(panel.to_bytes()).certificate("north") == proved
    given = {"a": [0.0, 1.0, 2.0], "b": [1.0, 2.0, 4.0], "late": [0.0, 0.5, 1.0]}
    ours, theirs = (one.forecast(one.open("north", given)) for one in (panel, without))
    assert ours.tolist() == theirs.tolist()
    with pytest.raises(pcgs.Error, match="certify"):
        without.certificate("north")
    with pytest.raises(pcgs.Error, match="no series"):
        panel.certificate("south")
    with pytest.raises(pcgs.Error, match="certify is 1"):
        pcgs.QuantilePanel([0.5], certify=1)


# ---- Threads --------------------------------------------------------------------------------------


def test_an_array_that_reaches_for_its_panel_is_refused():
    panel = small()
    said = []

    class Reaching:
        def __array__(self, *_, **__):
            for use in (lambda: panel.remove_expert("ets"), lambda: panel.experts):
                with pytest.raises(pcgs.Error) as caught:
                    use()
                said.append(str(caught.value))
            return np.array([1.0, 2.0, 3.0])

    panel.open("north", {"arima": Reaching()})
    assert len(said) == 2 and all("one thread at a time" in sentence for sentence in said)
    assert panel.experts == ["arima", "ets"]


def test_others_run_while_a_round_is_opened_and_cannot_use_the_panel():
    random = np.random.default_rng(0)
    panel = pcgs.QuantilePanel(np.arange(1, 100) / 100)
    rows = np.sort(random.standard_normal((400, 99)) + random.standard_normal((400, 1)))
    panel.open("north", {f"e{k}": row for k, row in enumerate(rows)})
    refused = []

    def reach():
        try:
            panel.weights("north")
        except pcgs.Error as error:
            refused.append(str(error))

    def play():
        for _ in range(60):
            panel.learn(panel.open("north", rows), 0.1)

    assert longest_wait(play, meanwhile=reach) < 0.5
    assert refused and all("one thread at a time" in sentence for sentence in refused)
    assert panel.rounds == 60
