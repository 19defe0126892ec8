"""The package and the program are two doors of one run: forecasts, errors, notes, states and refusals."""

import json
import os
import pickle
import subprocess

import numpy as np
import pytest

import pcgs

pandas = pytest.importorskip("pandas")

HOURS = 24 * 12


def points(seed=1):
    random = np.random.default_rng(seed)
    hours = pandas.date_range("2026-01-01", periods=HOURS, freq="h", name="ds")
    y = 100 + 10 * np.sin(np.arange(HOURS) * np.pi / 12) + random.standard_normal(HOURS).cumsum() * 0.2
    frame = pandas.DataFrame(
        y[:, None] + random.standard_normal((HOURS, 3)) * [2, 1, 3] + [1, 0, -2], hours, list("abc")
    )
    frame.loc[hours[5:9], "b"] = np.nan
    frame.loc[hours[50:53], "a"] = 0.0  # which may stand for what is missing
    frame.insert(0, "load", y)
    frame.loc[hours[-3:], "load"] = np.nan
    return frame.drop(index=hours[100])


def long_of(frames, model_column=False):
    whole = pandas.concat([f.reset_index().assign(store=name) for name, f in frames.items()])
    if model_column:
        whole = whole.melt(["store", "ds", "load"], var_name="model", value_name="forecast").dropna(
            subset="forecast"
        )
    return whole.sample(frac=1, random_state=1).sort_values("ds", kind="stable").reset_index(drop=True)


def hub():
    random = np.random.default_rng(2)
    weeks = pandas.date_range("2026-01-03", periods=30, freq="W")
    rows = []
    for place in ("north", "south"):
        for week in weeks:
            cases = float(random.poisson(40))
            for model in ("arima", "ets", "tree"):
                at = cases + random.standard_normal() * 5
                rows.append((place, week, model, cases, at - 6, at, at + 6))
    return pandas.DataFrame(
        rows, columns=["place", "week", "model", "cases", "q0.1", "q0.5", "q0.9"]
    )


CASES = {
    "points": (points(), dict(y="load", time="ds"), ["--y", "load", "--time", "ds"]),
    "methods and blocks": (
        points(),
        dict(y="load", time="ds", methods="boa,guard", block=24, season=24, intervals=0.8),
        ["--y", "load", "--time", "ds", "--method", "boa,guard", "--block", "24", "--season", "24"]
        + ["--intervals", "80"],
    ),
    "regret": (
        points(),
        dict(y="load", time="ds", methods="fixed-share", switches=[0, 5], loss="absolute", delay=2),
        ["--y", "load", "--time", "ds", "--method", "fixed-share", "--switches", "0,5"]
        + ["--loss", "absolute", "--delay", "2"],
    ),
    "side information for nobody": (
        points().assign(wind=np.sin(np.arange(HOURS - 1))),
        dict(y="load", time="ds", side=["wind"]),
        ["--y", "load", "--time", "ds", "--side", "wind"],
    ),
    "series": (
        long_of({"north": points(), "south": points(2)}),
        dict(y="load", time="ds", by="store"),
        ["--y", "load", "--time", "ds", "--by", "store"],
    ),
    "long format": (
        long_of({"north": points()}, True).drop(columns="store"),
        dict(y="load", time="ds", model_column="model"),
        ["--y", "load", "--time", "ds", "--expert-column", "model"],
    ),
    "long format of series": (
        long_of({"north": points(), "south": points(2)}, True),
        dict(y="load", time="ds", by="store", model_column="model"),
        ["--y", "load", "--time", "ds", "--by", "store", "--expert-column", "model"],
    ),
    "quantiles": (
        hub(),
        dict(y="cases", time="week", by="place", model_column="model", quantiles="q*", log1p=False),
        ["--y", "cases", "--time", "week", "--by", "place", "--expert-column", "model"]
        + ["--quantiles", "q*"],
    ),
}


@pytest.fixture
def door(tmp_path):
    """Runs the program on a frame; returns what it wrote and the sentences that it said."""

    def run(frame, *options, out="out"):
        path = tmp_path / "table.csv"
        times = "%Y-%m-%d" if "week" in frame else "%Y-%m-%dT%H:%M:%S"
        frame.to_csv(path, index=frame.index.name is not None, date_format=times)
        said = subprocess.run(
            [os.environ["PCGS_PROGRAM"], "run", path, *options, "--out", tmp_path / out],
            capture_output=True,
            text=True,
        )
        return path, tmp_path / out, said

    if "PCGS_PROGRAM" not in os.environ:
        pytest.skip("PCGS_PROGRAM does not say where the program is")
    return run


def facts(sentences):
    """Sentences without their advice, which names options of one door."""
    return sorted(one.split("; ")[0] for one in sentences)


def without_times(result):
    for method in result.get("methods", []):
        method.pop("ns_per_round", None)
    return result


@pytest.mark.parametrize("frame, ours, theirs", CASES.values(), ids=CASES)
def test_forecasts_errors_notes_and_states_are_the_programs(frame, ours, theirs, door, tmp_path):
    path, out, said = door(frame, *theirs, "--save", tmp_path / "state")
    assert said.returncode == 0, said.stderr
    given = frame.reset_index() if frame.index.name else frame
    result = pcgs.run(given, **ours, name=str(path))
    assert without_times(result.to_dict()) == without_times(json.loads((out / "results.json").read_text()))
    written = pandas.read_csv(out / "forecasts.csv", float_precision="round_trip")
    mine = result.forecasts
    if "by" in ours and "quantiles" not in ours:  # in the order of the frame, and theirs by series
        mine = mine.sort_values([ours["by"], "ds"])
        written = written.sort_values([ours["by"], "ds"])
    np.testing.assert_array_equal(written.iloc[:, -1], mine.iloc[:, -1])
    notes = [line[len("pcgs: ") :] for line in said.stderr.splitlines() if line.startswith("pcgs: ")]
    assert facts(result.notes) == facts(notes)
    assert result.state == (tmp_path / "state").read_bytes()
    kept = pickle.loads(pickle.dumps(result))
    assert kept.forecasts.equals(result.forecasts) and kept.headline == result.headline
    assert kept.to_dict() == result.to_dict() and kept.state == result.state


@pytest.mark.parametrize("case", ["points", "methods and blocks", "series", "long format of series"])
def test_two_pieces_with_a_state_are_one_run(case, door, tmp_path):
    frame, ours, theirs = CASES[case]
    given = frame.reset_index() if frame.index.name else frame
    whole = pcgs.run(given, **ours).forecasts
    later = given["ds"] >= given["ds"].drop_duplicates().iloc[24 * 7]  # blocks count rows
    first = pcgs.run(given[~later], **ours)
    same = {k: v for k, v in ours.items() if k in ("y", "time", "by", "block", "model_column")}
    for state in (first.state, first, tmp_path / "state", bytearray(first.state)):
        (tmp_path / "state").write_bytes(first.state)
        rest = pcgs.run(given[later], **same, state=state)
        mine = rest.forecasts
        np.testing.assert_array_equal(mine.iloc[:, -1], whole.iloc[-len(mine) :, -1])
    assert "learned" not in [note.kind for note in rest.notes]
    with pytest.raises(pcgs.Error) as refused:
        pcgs.run(given, **same, state=first)
    assert refused.value.kind == "mismatch" and refused.value.column == "ds"
    again = pcgs.run(given, **same, state=first, skip_learned=True)
    assert "learned" in [note.kind for note in again.notes]
    np.testing.assert_array_equal(again.forecasts.iloc[:, -1], mine.iloc[:, -1])
    with pytest.raises(pcgs.Error) as nothing:
        pcgs.run(given[~later], **same, state=again, skip_learned=True)
    assert nothing.value.kind == "missing" and nothing.value.field == "state"


def test_states_go_through_both_doors(door, tmp_path):
    frame, ours, theirs = CASES["points"]
    later = frame.index > pandas.Timestamp("2026-01-07")
    state = tmp_path / "state"
    state.write_bytes(pcgs.run(frame[~later].reset_index(), **ours).state)
    _, out, said = door(frame[later], *theirs, "--resume", state)
    assert said.returncode == 0, said.stderr
    written = pandas.read_csv(out / "forecasts.csv", float_precision="round_trip")
    rest = pcgs.run(frame[later].reset_index(), **ours, state=state)
    np.testing.assert_array_equal(written.iloc[:, -1], rest.forecasts.iloc[:, -1])
    assert rest.forecasts.index.equals(frame.index[later])


def test_models_come_and_go_between_two_pieces():
    frame = points()
    first = pcgs.run(frame[:150], "load")
    changed = frame[150:].drop(columns="b").assign(d=frame["c"] + 1)
    rest = pcgs.run(changed, "load", state=first)
    assert rest.experts == ["a", "b", "c", "d"] == list(rest.weights)
    assert [note.kind for note in rest.notes if note.kind == "experts"] == ["experts"] * 2
    dropped = pcgs.run(changed, "load", state=first, drop=["b"])
    assert dropped.experts == ["a", "c", "d"] == list(dropped.weights)
    with pytest.raises(pcgs.Error) as caught:
        pcgs.run(changed, "load", drop=["b"])
    assert (caught.value.kind, caught.value.field) == ("request", "drop")


REFUSED = {
    "the outcome under another name": (
        lambda f: f.assign(actual=f["load"]),
        {},
        ("value", None, "actual"),
    ),
    "a column that never changes": (lambda f: f.assign(k=5.0), {}, ("value", None, "k")),
    "a column that counts rows": (
        lambda f: f.assign(k=np.arange(len(f), dtype=float)),
        {},
        ("value", None, "k"),
    ),
    "an endless forecast": (
        lambda f: f.assign(a=f["a"].where(np.arange(len(f)) != 7, np.inf)),
        {},
        ("value", 8, "a"),
    ),
    "times that run backwards": (lambda f: f[::-1], {}, ("value", 2, "ds")),
    "no such column": (lambda f: f, {"side": ["wind"]}, ("unknown", None, "wind")),
    "no such model": (lambda f: f, {"models": ["a", "z"]}, ("unknown", None, "z")),
    "a method twice": (lambda f: f, {"methods": "boa,boa"}, ("duplicate", None, None)),
}


@pytest.mark.parametrize("change, options, place", REFUSED.values(), ids=REFUSED)
def test_both_refuse_the_same(change, options, place, door):
    frame = change(points())
    names = {"side": "--side", "models": "--experts", "methods": "--method"}
    theirs = [
        part
        for name, value in options.items()
        for part in (names[name], value if isinstance(value, str) else ",".join(value))
    ]
    path, _, said = door(frame, "--y", "load", "--time", "ds", *theirs)
    assert said.returncode == 2
    with pytest.raises(pcgs.Error) as caught:
        pcgs.run(frame.reset_index(), "load", time="ds", **options, name=str(path))
    error = caught.value
    assert (error.kind, error.row, error.column) == place
    assert "--" not in str(error)
    if error.kind not in ("unknown", "value"):  # whose places in a file say more: lines, say
        assert str(error).split("; ")[0] in said.stderr
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.kind, again.row, again.column, again.field) == (
        str(error), error.kind, error.row, error.column, error.field,
    )


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"block": 30, "y": None}, "leave block out"),
        ({"intervals": [0.8], "y": None}, "intervals goes with y"),
        ({"scale": "much"}, "scale"),
        ({"state": b"nonsense"}, "state"),
    ],
)
def test_sentences_name_arguments(options, sentence):
    frame = points()[["a", "b", "c"]].abs() / 1000
    y = options.pop("y", frame["a"] + np.arange(len(frame)) % 2)
    with pytest.raises(pcgs.Error, match=sentence) as caught:
        pcgs.run(frame.fillna(0.5), y, **options)
    assert "--" not in str(caught.value)


def test_advice_is_python():
    frame = points()
    first = pcgs.run(frame[:100], "load")
    with pytest.raises(pcgs.Error, match="skip_learned=True"):
        pcgs.run(frame[90:150], "load", state=first)
    [coming] = [one for one in pcgs.run(frame, "load", season=()).notes if one.kind == "coming"]
    assert "block=3" in coming
    with pytest.raises(pcgs.Error, match='scale=C or scale="auto"'):
        pcgs.run(np.full((3, 2), 7.0) + np.random.default_rng(1).random((3, 2)))
    with pytest.raises(pcgs.Error, match='method="guard"'):
        pcgs.Aggregator(["a", "b", "c"]).learn(losses=[0, 1, 1])
