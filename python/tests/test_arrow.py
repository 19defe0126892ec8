"""Frames of Polars and PyArrow: read without pandas, with pandas' results."""

import datetime
import sys

import numpy as np
import pytest

import pcgs

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

ROUNDS = 60
DAYS = pandas.date_range("2026-01-01", periods=ROUNDS, freq="h", name="ds")


def pandas_frame(zone=None):
    random = np.random.default_rng(8)
    y = np.sin(np.arange(ROUNDS) / 4)
    X = y[:, None] + random.standard_normal((ROUNDS, 3)) * [0.1, 0.3, 0.5]
    frame = pandas.DataFrame(X, columns=["a", "b", "c"]).assign(load=y, ds=DAYS)
    frame.loc[[4, 50], "b"] = np.nan
    frame.loc[[9, ROUNDS - 1], "load"] = np.nan
    if zone:
        frame["ds"] = frame["ds"].dt.tz_localize(zone)
    return frame


def arrow(frame):
    return pyarrow.Table.from_pandas(frame, preserve_index=False)


def in_batches(frame):
    return pyarrow.Table.from_batches(arrow(frame).to_batches(max_chunksize=7))


def polars_of(frame):
    return polars.from_arrow(arrow(frame))


def polars_slice(frame):
    return polars.concat([polars_of(frame).head(5), polars_of(frame)])[5:]


MAKERS = [arrow, in_batches, polars_of, polars_slice]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("zone", [None, "Europe/Paris", "UTC"])
def test_they_give_what_pandas_gives(make, zone):
    frame = pandas_frame(zone)
    ours = pcgs.run(make(frame), "load", time="ds", season=24)
    theirs = pcgs.run(frame.set_index("ds"), "load", season=24)
    timeless = {"ns_per_round"}
    for one, other in zip(ours.to_dict()["methods"], theirs.to_dict()["methods"]):
        assert {k: v for k, v in one.items() if k not in timeless} == {
            k: v for k, v in other.items() if k not in timeless
        }
    assert ours.error_list() == theirs.error_list() and ours.next_list() == theirs.next_list()
    np.testing.assert_array_equal(ours.forecast_array(), theirs.forecast_array())
    for what in ("forecasts", "weights", "intervals", "next"):
        pandas.testing.assert_frame_equal(
            getattr(ours, what), getattr(theirs, what), check_freq=False, check_index_type=False
        )


@pytest.mark.parametrize("make", MAKERS)
def test_they_need_no_pandas(make, monkeypatch):
    frame = pandas_frame()
    theirs = pcgs.run(frame.set_index("ds"), "load")
    given = make(frame)
    monkeypatch.setitem(sys.modules, "pandas", None)
    ours = pcgs.run(given, "load", time="ds")
    np.testing.assert_array_equal(ours.forecast_array(), theirs.forecast_array())
    assert ours.next_list() == theirs.next_list()
    with pytest.raises(ImportError, match="Result.forecasts is a DataFrame and needs pandas"):
        ours.forecasts


@pytest.mark.parametrize("make", [arrow, polars_of])
def test_columns_may_be_given_apart(make):
    frame = make(pandas_frame())
    X = frame.select(["a", "b", "c"])
    theirs = pcgs.run(pandas_frame().drop(columns="ds"), "load", methods="boa")
    ours = pcgs.run(X, frame["load"], methods="boa")
    np.testing.assert_array_equal(ours.forecast_array(), theirs.forecast_array())
    assert ours.experts == ["a", "b", "c"]
    side = pcgs.run(frame.drop(["ds"] if make is arrow else "ds"), "load", side=["c"], methods="boa")
    assert side.experts == ["a", "b"]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("names", ["text", "categories", "numbers"])
def test_long_frames_give_what_pandas_gives(make, names):
    parts = [pandas_frame().assign(unique_id=name) for name in ("north", "a name of many letters")]
    frame = pandas.concat(parts, ignore_index=True).rename(columns={"load": "y"})
    frame["cutoff"] = frame["ds"].dt.normalize() - pandas.Timedelta(hours=1)
    if names == "numbers":
        frame["unique_id"] = frame["unique_id"].map(len)
    elif names == "categories":
        frame["unique_id"] = frame["unique_id"].astype("category")
    ours, theirs = pcgs.run_series(make(frame)), pcgs.run_series(frame)
    assert list(ours) == list(theirs)
    assert ours.to_dict() == theirs.to_dict()
    for what in ("forecasts", "weights", "intervals", "next", "errors"):
        one, other = getattr(ours, what), getattr(theirs, what)
        assert list(one) == list(other) and list(one.index) == list(other.index)
        for column in one:
            assert one[column].astype(object).where(one[column].notna(), None).tolist() == other[
                column
            ].astype(object).where(other[column].notna(), None).tolist()


@pytest.mark.parametrize("make", [arrow, polars_of])
def test_a_round_may_be_a_frame_of_one_row(make):
    frame = make(pandas_frame()[["c", "a", "b"]])
    agg, plain = pcgs.Aggregator(["a", "b", "c"], "boa"), pcgs.Aggregator(3, "boa")
    for t, row in pandas_frame().iterrows():
        assert agg.predict(frame[t : t + 1] if make is polars_of else frame.slice(t, 1)) == plain.predict(
            row[["a", "b", "c"]].to_numpy(float)
        )
        agg.learn(0.5)
        plain.learn(0.5)
    with pytest.raises(pcgs.Error, match="the frame has 60 rows; give one, a round at a time"):
        agg.predict(frame)


@pytest.mark.parametrize("make", [arrow, polars_of])
def test_what_is_forecast_is_no_expert(make):
    frame = make(pandas_frame()[["a", "b", "load"]].rename(columns={"load": "y"}))
    with pytest.raises(pcgs.Error, match="column y: equals the outcome in every row"):
        pcgs.run(frame, frame["y"])


@pytest.mark.parametrize("make", [arrow, polars_of])
def test_of_times_and_cutoffs_both_have_a_zone_or_none(make):
    frame = pandas_frame("Europe/Paris").assign(unique_id="north").rename(columns={"load": "y"})
    made = frame["ds"] - pandas.Timedelta(hours=1)
    both, neither = frame.assign(cutoff=made), frame.assign(cutoff=made.dt.tz_localize(None))
    assert len(pcgs.run_series(make(both))) == 1
    with pytest.raises(pcgs.Error, match="ds has the time zone Europe/Paris and cutoff has none"):
        pcgs.run_series(make(neither))


def test_a_zone_may_be_an_offset_and_one_that_nobody_knows_is_refused():
    table = arrow(pandas_frame())
    utc = table["ds"].cast(pyarrow.timestamp("us"))

    def zoned(zone):
        times = utc.cast(pyarrow.int64()).cast(pyarrow.timestamp("us", zone))
        return table.set_column(table.column_names.index("ds"), "ds", times)

    for zone, shown in [("+02:00", "T02:00:00+02:00"), ("-01:30", "T22:30:00-01:30")]:
        result = pcgs.run(zoned(zone), "load", time="ds")
        assert result.to_dict()["times"]["first"].endswith(shown)
        assert result.forecasts.index[0].isoformat().endswith(shown)
    with pytest.raises(pcgs.Error, match="ds is in the time zone Mars/Olympus, which is not known here"):
        pcgs.run(zoned("Mars/Olympus"), "load", time="ds")


def test_integers_booleans_and_dates_are_read():
    frame = polars.DataFrame(
        {
            "day": [datetime.date(2026, 1, d + 1) for d in range(30)],
            "whole": polars.Series([None, *range(28, -1, -1)], dtype=polars.Int16),
            "flag": [True, None, False] * 10,
            "narrow": polars.Series(np.arange(30) % 4, dtype=polars.Float32),
            "y": np.arange(30.0) % 7,
        }
    )
    result = pcgs.run(frame, "y", time="day", methods="boa")
    assert result.to_dict()["times"]["last"] == "2026-01-30"
    plain = frame.select("whole", "flag", "narrow").cast(polars.Float64).fill_null(np.nan).to_numpy()
    np.testing.assert_array_equal(
        result.forecast_array(), pcgs.run(plain, np.arange(30.0) % 7, methods="boa").forecast_array()
    )


@pytest.mark.parametrize(
    "columns, part",
    [
        ({"x": ["a", "b"]}, "the column x is of dtype object; give real numbers"),
        ({"x": [[1.0], [2.0]]}, "the column x is of Arrow's type .*neither numbers, times nor text"),
        ({"x": [datetime.datetime(2026, 1, 1)] * 2}, "the column x holds times.*time='x'"),
    ],
)
def test_other_columns_are_refused_by_name(columns, part):
    for frame in (polars.DataFrame(columns), pyarrow.table(columns)):
        with pytest.raises(pcgs.Error, match=part):
            pcgs.run(frame, [0.5, 0.25])


def test_a_time_that_is_none_is_refused():
    frame = polars_of(pandas_frame())
    with pytest.raises(pcgs.Error, match="time is 'day', which is no column"):
        pcgs.run(frame, "load", time="day")
    with pytest.raises(pcgs.Error, match="the column ds holds times.*time='ds'"):
        pcgs.run(frame, "load", time="a")
    with pytest.raises(pcgs.Error, match="row 1 has no time in ds"):
        first = polars.col("ds").is_first_distinct() & (polars.col("ds") == polars.col("ds").min())
        pcgs.run(frame.with_columns(ds=polars.when(first).then(None).otherwise("ds")), "load", time="ds")


def test_frames_that_speak_no_arrow_are_refused():
    class Old:
        columns = ("a",)

        def __dataframe__(self):
            raise AssertionError

    with pytest.raises(pcgs.Error, match="Old is read through Arrow, which this version of it does not speak"):
        pcgs.run(Old(), [1.0])
