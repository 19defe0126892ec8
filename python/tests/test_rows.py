"""Rows that belong together: the indexes of pandas, and times among them."""

import numpy as np
import pytest

import pcgs

pandas = pytest.importorskip("pandas")

ROUNDS = 60


def frame_of(index=None):
    random = np.random.default_rng(5)
    values = random.standard_normal((ROUNDS, 2))
    return pandas.DataFrame(values, columns=["a", "b"], index=index)


def series_of(index=None):
    return pandas.Series(np.random.default_rng(6).standard_normal(ROUNDS), index=index)


DAYS = pandas.date_range("2026-01-01", periods=ROUNDS)


def play(X, y, **options):
    return pcgs.run(X, y, methods="fixed-share", **options)


@pytest.mark.parametrize("index", [None, DAYS, DAYS.tz_localize("UTC"), list(range(5, 5 + ROUNDS))])
def test_equal_indexes_go_together(index):
    plain = play(frame_of().to_numpy(), series_of().to_numpy()).forecast_array()
    for X, y in [
        (frame_of(index), series_of(index)),
        (frame_of(index), series_of().to_numpy()),
        (frame_of(index), series_of().tolist()),
        (frame_of().to_numpy(), series_of(index)),
    ]:
        np.testing.assert_array_equal(play(X, y).forecast_array(), plain)


def refused(X, y, **options):
    with pytest.raises(pcgs.Error) as caught:
        play(X, y, **options)
    return str(caught.value)


def test_another_order_is_refused():
    X, y = frame_of(DAYS), series_of(DAYS)
    assert refused(X, y[::-1]) == (
        "y is not about the rows of X: row 1 is 2026-01-01 00:00:00 in X and 2026-03-01 00:00:00 in "
        "y; give y.reindex(X.index), or y.to_numpy() if they belong together as they stand"
    )
    np.testing.assert_array_equal(
        play(X, y[::-1].reindex(X.index)).forecast_array(), play(X, y).forecast_array()
    )


def test_other_rows_are_refused():
    X = frame_of(DAYS)
    assert refused(X, series_of(DAYS)[:-2]) == (
        "y is not about the rows of X: it has 58 and X has 60; give y.reindex(X.index)"
    )
    assert len(play(X, series_of(DAYS)[:-2].reindex(X.index)).next_list()) == 2
    shifted = series_of(DAYS + pandas.Timedelta(days=1))
    assert "row 1 is 2026-01-01 00:00:00 in X and 2026-01-02 00:00:00 in y" in refused(X, shifted)


@pytest.mark.parametrize("index", [None, DAYS.tz_localize("Europe/Paris"), list("ab" * 30)])
def test_rows_that_have_nothing_in_common_cannot_be_reindexed(index):
    message = refused(frame_of(DAYS), series_of(index))
    assert "reindex" not in message
    assert message.endswith(
        "give both the same index, or y.to_numpy() if they belong together as they stand"
    )
    assert refused(frame_of(DAYS), series_of(index)[:-1]).endswith("; give both the same index")


def test_side_information_belongs_to_the_same_rows():
    X, y = frame_of(DAYS), series_of(DAYS)
    side = frame_of(DAYS)
    assert "side is not about the rows of X" in refused(X, y, side=side[::-1])
    assert "side.reindex(X.index)" in refused(X, y, side=side["a"][::-1])
    for same in (side, side["a"]):
        assert [note.kind for note in play(X, y, side=same).notes if note.kind != "season"] == ["unused"]


def test_lists_and_tuples_have_no_index():
    X, y = frame_of(), series_of()
    assert play(X, tuple(y)).error_list() == play(X.to_numpy().tolist(), list(y), models=["a", "b"]).error_list()


# ---- Times --------------------------------------------------------------------------------------


def times_of(index):
    """First, last and next, as the result has them."""
    y = series_of(index)
    y.iloc[-1] = np.nan
    result = play(frame_of(index), y)
    said = result.to_dict()["times"]
    assert result.next_list()[0]["time"] == said["last"]
    return said["column"], said["first"], said["last"]


@pytest.mark.parametrize(
    "index, first, last",
    [
        (DAYS, "2026-01-01", "2026-03-01"),
        (DAYS + pandas.Timedelta(hours=5), "2026-01-01T05:00:00", "2026-03-01T05:00:00"),
        (
            pandas.date_range("2026-01-01", periods=ROUNDS, freq="250ms"),
            "2026-01-01T00:00:00.000",
            "2026-01-01T00:00:14.750",
        ),
        (
            pandas.date_range("2026-03-28", periods=ROUNDS, freq="h", tz="Europe/Paris"),
            "2026-03-28T00:00:00+01:00",
            "2026-03-30T12:00:00+02:00",
        ),
        (pandas.period_range("2026-01", periods=ROUNDS, freq="M"), "2026-01", "2030-12"),
        (pandas.date_range("1960-01-01", periods=ROUNDS, freq="D"), "1960-01-01", "1960-02-29"),
    ],
    ids=["days", "hours", "milliseconds", "time zone", "months", "before 1970"],
)
def test_times_are_kept_as_text(index, first, last):
    assert times_of(index) == ("time", first, last)
    assert times_of(index.rename("when")) == ("when", first, last)


def test_times_of_what_is_forecast_will_do():
    X, y = frame_of().to_numpy(), series_of(DAYS)
    assert play(X, y).to_dict()["times"]["first"] == "2026-01-01"
    named = frame_of(DAYS).assign(load=series_of(DAYS))
    assert play(named, "load").to_dict()["times"]["last"] == "2026-03-01"


@pytest.mark.parametrize(
    "index",
    [None, range(5, 5 + ROUNDS), np.arange(ROUNDS)[::-1], np.zeros(ROUNDS), list("ab" * 30)],
    ids=["usual", "range", "backwards", "the same", "texts"],
)
def test_other_labels_are_no_times(index):
    result = play(frame_of(index), series_of(index))
    assert "times" not in result.to_dict()
    np.testing.assert_array_equal(
        result.forecast_array(), play(frame_of().to_numpy(), series_of().to_numpy()).forecast_array()
    )


def test_clocks_that_go_forward_have_no_gap():
    """An hour is missing on the clock in March, and none in time."""
    local = pandas.date_range("2026-03-28", periods=ROUNDS, freq="h", tz="Europe/Paris")
    assert play(frame_of(local), series_of(local), season=()).notes == []
    naive = local.tz_localize(None)
    (note,) = play(frame_of(naive), series_of(naive), season=()).notes
    assert note.kind == "times"
    assert note == (
        "forecasts: times are an hour apart, and 1 is missing in 1 place, the first after "
        "2026-03-29T01:00:00; phases of a season keep to the clock"
    )


def test_a_gap_keeps_the_season_on_the_clock():
    index = DAYS.delete(30).append(DAYS[-1:] + pandas.Timedelta(days=1))
    X, y = frame_of(index), series_of(index)
    on_the_clock = pcgs.run(X, y, season=7)
    agg = pcgs.Aggregator(["a", "b"], "blend", season=7)
    for t in range(ROUNDS):
        if t == 30:
            agg.skip(1)
        assert agg.predict(X.iloc[t]) == on_the_clock.forecast_array()[t]
        agg.learn(y.iloc[t])
    by_row = pcgs.run(X.to_numpy(), y.to_numpy(), season=7).forecast_array()
    np.testing.assert_array_equal(on_the_clock.forecast_array()[:30], by_row[:30])
    assert not np.array_equal(on_the_clock.forecast_array(), by_row)
    assert "1 is missing in 1 place" in on_the_clock.notes[0]
    assert on_the_clock.notes[0] in on_the_clock._repr_html_()


def test_a_row_without_a_time_is_refused():
    index = DAYS.to_series()
    index.iloc[4] = pandas.NaT
    index = pandas.DatetimeIndex(index)
    assert refused(frame_of(index), series_of(index)).startswith("row 5 of the index has no time; give")


def test_several_series_are_refused():
    index = pandas.MultiIndex.from_product([["x", "y"], DAYS[:30]], names=["store", "day"])
    for X, y in [
        (frame_of(index), series_of(index)),
        (frame_of(index), series_of().to_numpy()),
        (frame_of().to_numpy(), series_of(index)),
    ]:
        message = refused(X, y)
        assert message.startswith("the index has 2 levels (store, day)")
        assert "give the rows of one, such as X.xs(key)" in message
    assert len(play(frame_of(index).xs("x"), series_of(index).xs("x")).forecast_array()) == 30


def test_a_column_of_times_belongs_into_the_index():
    frame = frame_of().assign(ds=DAYS)
    message = refused(frame, series_of())
    assert message.startswith("the column ds holds times") and "set_index('ds')" in message
    zoned = frame_of().assign(ds=DAYS.tz_localize("UTC"))
    assert "set_index('ds')" in refused(zoned, series_of())
    play(frame.set_index("ds"), series_of(DAYS))


def test_a_column_that_is_named_as_the_time_holds_times():
    plain = play(frame_of(DAYS).assign(load=series_of(DAYS)), "load")
    frame = frame_of().assign(load=series_of(), ds=DAYS)
    assert play(frame, "load", time="ds").to_dict()["times"]["last"] == "2026-03-01"
    np.testing.assert_array_equal(play(frame, "load", time="ds").forecast_array(), plain.forecast_array())
    periods = frame.assign(ds=DAYS.to_period("D"))
    assert play(periods, "load", time="ds").to_dict()["times"]["last"] == "2026-03-01"
    for texts in (DAYS.astype(str), DAYS.date):
        ours = play(frame.assign(ds=texts), "load", time="ds")
        np.testing.assert_array_equal(ours.forecast_array(), plain.forecast_array())
        assert ours.to_dict()["times"]["last"] == "2026-03-01"
    with pytest.raises(pcgs.Error, match="row 1, column ds"):
        play(frame.assign(ds="soon"), "load", time="ds")


ARROWS = ["timestamp[ns][pyarrow]", "timestamp[s][pyarrow]", "timestamp[us, tz=Asia/Tokyo][pyarrow]"]


@pytest.mark.parametrize("kind", [*ARROWS, "date32[day][pyarrow]"])
def test_times_of_arrow_in_pandas_are_times(kind):
    pytest.importorskip("pyarrow")
    zone = "Asia/Tokyo" if "tz=" in kind else None
    own = DAYS.tz_localize(zone) if zone else DAYS
    arrow = pandas.Index(pandas.Series(own).astype(kind), name="ds")
    y = series_of().where(np.arange(ROUNDS) < ROUNDS - 2).to_numpy()
    theirs = pcgs.run(frame_of(own.rename("ds")), y)
    for ours in (
        pcgs.run(frame_of(arrow), y),
        pcgs.run(frame_of().assign(ds=arrow.array, load=y), "load", time="ds"),
        pcgs.run(frame_of().to_numpy(), pandas.Series(y, index=arrow), models=["a", "b"]),
    ):
        assert ours.to_dict()["times"] == theirs.to_dict()["times"]
        np.testing.assert_array_equal(ours.forecast_array(), theirs.forecast_array())
        assert ours.next.index.equals(arrow[-2:])
        assert ours.chart.specification("weights") == theirs.chart.specification("weights")
    pcgs.run(frame_of(arrow), pandas.Series(y, index=own))
    with pytest.raises(pcgs.Error, match="row 2, column (time|ds): .* is before"):
        pcgs.run(frame_of(arrow[::-1]), y)


@pytest.mark.parametrize("kind", [*ARROWS, "date32[day][pyarrow]"])
def test_long_frames_may_have_times_of_arrow(kind):
    pytest.importorskip("pyarrow")
    own = DAYS.tz_localize("Asia/Tokyo") if "tz=" in kind else DAYS
    cv = frame_of().assign(unique_id="A", ds=own, cutoff=own - pandas.Timedelta(days=2), y=series_of())
    arrow = cv.astype({"ds": kind, "cutoff": kind})
    ours, theirs = (pcgs.run_series(one, methods="fixed-share") for one in (arrow, cv))
    assert ours["A"].to_dict()["times"] == theirs["A"].to_dict()["times"]
    assert ours.forecasts["fixed-share"].equals(theirs.forecasts["fixed-share"])


# ---- scikit-learn -------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["fit", "partial_fit", "score"])
def test_the_combiner_wants_the_same_rows(verb):
    pytest.importorskip("sklearn")
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression

    from pcgs.sklearn import PcgsCombiner

    models = [("line", LinearRegression()), ("mean", DummyRegressor())]
    X, y = frame_of(DAYS), series_of(DAYS)
    made = PcgsCombiner(models).fit(X, y)
    for other in (y[::-1], y.to_frame()[::-1]):
        with pytest.raises(pcgs.Error, match=r"y is not about the rows of X.*y\.reindex\(X\.index\)"):
            getattr(made, verb)(X, other)
    for same in (y, y.to_numpy(), y.tolist()):
        getattr(made, verb)(X, same)
    of_arrays = PcgsCombiner(models).fit(X.to_numpy(), y)
    getattr(of_arrays, verb)(X.to_numpy(), y[::-1])


def test_the_combiners_score_is_that_of_scikit_learn():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LinearRegression
    from sklearn.metrics import r2_score

    from pcgs.sklearn import PcgsCombiner

    X, y = frame_of(DAYS), series_of(DAYS)
    made = PcgsCombiner([("line", LinearRegression())]).fit(X, y)
    weight = np.arange(1.0, ROUNDS + 1)
    assert made.score(X, y) == r2_score(y, made.predict(X))
    assert made.score(X, y, weight) == r2_score(y, made.predict(X), sample_weight=weight)
