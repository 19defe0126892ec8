"""Long frames of several series, as Nixtla's libraries write them."""

import numpy as np
import pytest

import pcgs

pandas = pytest.importorskip("pandas")

ROUNDS = 70
DAYS = pandas.date_range("2026-01-01", periods=ROUNDS, name="ds")
MODELS = ["ARIMA", "Theta", "Naive"]


def wide(seed, unknown=0):
    """y and three models of it, each with gaps."""
    random = np.random.default_rng(seed)
    y = 10 + 3 * np.sin(np.arange(ROUNDS) / 3) + random.standard_normal(ROUNDS) * 0.2
    frame = pandas.DataFrame(
        y[:, None] + random.standard_normal((ROUNDS, 3)) * [0.3, 0.5, 1.0], columns=MODELS, index=DAYS
    )
    frame[frame > 14] = np.nan
    y[ROUNDS - unknown :] = np.nan
    frame.insert(0, "y", y)
    return frame


WIDE = {"north": wide(1, unknown=3), "south": wide(2), "west": wide(3, unknown=1)}


def long_frame(series=WIDE):
    parts = [frame.reset_index().assign(unique_id=name) for name, frame in series.items()]
    whole = pandas.concat(parts, ignore_index=True)
    return whole[["unique_id", "ds", "y", *MODELS]]


def with_cutoffs(horizon, step=None, series=WIDE):
    """What cross_validation returns: windows of rows that were forecast at the same time."""
    parts = []
    for name, frame in series.items():
        for start in range(0, ROUNDS - horizon + 1, step or horizon):
            window = frame.iloc[start : start + horizon].reset_index()
            made = DAYS[start] - pandas.Timedelta(days=1)
            # The further ahead, the worse.
            window[MODELS] += np.arange(horizon)[:, None] * 0.01
            parts.append(window.assign(unique_id=name, cutoff=made))
    return pandas.concat(parts, ignore_index=True)[["unique_id", "ds", "cutoff", "y", *MODELS]]


def same(ours, theirs):
    np.testing.assert_array_equal(np.asarray(ours, float), np.asarray(theirs, float))


def test_long_equals_wide():
    result = pcgs.run_series(long_frame(), season=7)
    assert list(result) == list(WIDE) and len(result) == 3
    for name, frame in WIDE.items():
        alone = pcgs.run(frame, "y", season=7)
        same(result[name].forecasts, alone.forecasts)
        same(result[name].weights, alone.weights)
        same(result[name].intervals, alone.intervals)
        assert result[name].error_list() == alone.error_list()
        for ours, theirs in zip(result[name].next_list(), alone.next_list()):
            assert (ours["forecast"], ours["interval"]) == (theirs["forecast"], theirs["interval"])
        assert result[name].forecasts.index.equals(frame.index)


def test_joint_frames_have_the_rows_that_were_given():
    frame = long_frame().sample(frac=1, random_state=1)
    result = pcgs.run_series(frame, methods=["boa", "blend"])
    for joint, columns in [
        (result.forecasts, ["y", "boa", "blend"]),
        (result.weights, MODELS),
        (result.intervals, ["low_80", "high_80", "low_95", "high_95"]),
    ]:
        assert list(joint) == ["unique_id", "ds", *columns]
        assert joint.index.equals(frame.index)
        assert joint[["unique_id", "ds"]].equals(frame[["unique_id", "ds"]])
    for name in WIDE:
        mine = result.forecasts[result.forecasts["unique_id"] == name].sort_values("ds")
        same(mine["blend"], result[name].forecast_array())
    coming = result.next.sort_values(["unique_id", "ds"])
    assert coming["unique_id"].tolist() == ["north"] * 3 + ["west"]
    same(coming["forecast"].iloc[:3], result["north"].next["forecast"])
    assert list(coming) == ["unique_id", "ds", "forecast", "low_80", "high_80", "low_95", "high_95"]


def test_errors_are_those_over_all_and_those_of_each():
    result = pcgs.run_series(long_frame())
    joint = result.forecasts
    error = (joint["blend"] - joint["y"]).dropna()
    assert result.errors.loc["blend", "rmse"] == pytest.approx(np.sqrt((error**2).mean()), rel=1e-12)
    assert list(result.errors) == list(result["north"].errors)
    by = result.errors_by_series
    assert by.index.names == ["unique_id", "name"]
    for name in WIDE:
        assert by.loc[name].equals(result[name].errors)


@pytest.mark.parametrize("horizon, step", [(7, 7), (5, 9), (1, 1)])
def test_no_row_knows_what_happened_after_its_cutoff(horizon, step):
    frame = with_cutoffs(horizon, step)
    before = pcgs.run_series(frame).forecasts
    for day in DAYS[[20, 21, 40, 57]]:
        changed = frame.copy()
        changed.loc[changed["ds"] >= day, "y"] += 5
        after = pcgs.run_series(changed).forecasts
        made_before = frame["cutoff"] < day
        same(before.loc[made_before, "blend"], after.loc[made_before, "blend"])
        known = made_before & (frame["ds"] < day)
        assert not np.array_equal(before.loc[~known, "blend"], after.loc[~known, "blend"])


def test_gaps_between_windows_and_windows_of_any_length():
    """A loop that learns what had happened at each cutoff, and nothing else, says the same."""
    frame = with_cutoffs(7)
    frame = frame[frame["unique_id"] == "south"].drop(index=[78, 79, 90]).reset_index(drop=True)
    result = pcgs.run_series(frame, season=())["south"]
    agg = pcgs.Aggregator(MODELS, "blend")
    learned, numbers = 0, []
    days = frame["ds"].to_numpy()
    gaps = np.diff(days, prepend=days[0] - np.timedelta64(1, "D")) // np.timedelta64(1, "D")
    for t, row in frame.iterrows():
        while learned < t and frame["ds"][learned] <= row["cutoff"]:
            agg.learn(frame["y"][learned], round=numbers[learned])
            learned += 1
        agg.skip(int(gaps[t]) - 1)
        assert agg.predict(row[MODELS].astype(float)) == result.forecast_array()[t]
        numbers.append(agg.last_opened)


def test_windows_that_overlap_are_refused_and_one_step_of_them_is_taken():
    frame = with_cutoffs(3, step=1)
    with pytest.raises(pcgs.Error, match="north has 2026-01-02.* from several cutoffs.* give ahead=1"):
        pcgs.run_series(frame)
    for ahead in (1, 2, 3):
        result = pcgs.run_series(frame, ahead=ahead)
        mine = frame[frame.groupby(["unique_id", "cutoff"]).cumcount() == ahead - 1]
        joint = result.forecasts
        assert joint.index.equals(mine.index)
        # Forecast so many days ahead, the last outcomes are not known yet.
        rows = mine[mine["unique_id"] == "west"].set_index("ds")[["y", *MODELS]]
        late = pcgs.run(rows, "y", delay=ahead - 1).forecasts
        known = rows["y"].notna()
        same(result["west"].forecasts[known], late[known])
    with pytest.raises(pcgs.Error, match="north has no row that is 4 after its cutoff"):
        pcgs.run_series(frame, ahead=4)


def test_rows_that_come_without_a_cutoff_know_all_that_happened():
    frame = with_cutoffs(7, series={"west": WIDE["south"]})
    coming = frame.tail(2).assign(cutoff=pandas.NaT, y=np.nan)
    coming["ds"] += pandas.Timedelta(days=2)
    whole = pandas.concat([frame, coming], ignore_index=True)
    next_rows = pcgs.run_series(whole).next
    assert len(next_rows) == 2
    plain = whole.drop(columns="cutoff").set_index("ds").drop(columns="unique_id")
    by_block = pcgs.run(plain, "y", block=7)
    same(next_rows["forecast"], by_block.next["forecast"])


def test_rows_that_come_with_a_cutoff_know_no_more():
    frame = with_cutoffs(6, series={"south": WIDE["south"]})
    frame.loc[frame.index[-3:], "y"] = np.nan
    changed = frame.copy()
    changed.loc[frame.index[-6:-3], "y"] += 5
    before, after = pcgs.run_series(frame), pcgs.run_series(changed)
    assert len(before.next) == 3
    assert before.next.equals(after.next)
    same(before.intervals.drop(columns=["unique_id", "ds", "cutoff"]),
         after.intervals.drop(columns=["unique_id", "ds", "cutoff"]))
    assert before["south"].weights_now != after["south"].weights_now


def test_of_times_and_cutoffs_both_have_a_zone_or_none():
    frame = with_cutoffs(7)
    zoned = frame.assign(**{name: frame[name].dt.tz_localize("Asia/Tokyo") for name in ("ds", "cutoff")})
    same(pcgs.run_series(zoned).forecasts["blend"], pcgs.run_series(frame).forecasts["blend"])
    for one, other in [("ds", "cutoff"), ("cutoff", "ds")]:
        with pytest.raises(pcgs.Error, match=f"{one} has the time zone Asia/Tokyo and {other} has none"):
            pcgs.run_series(zoned.assign(**{other: frame[other]}))
    nobody = zoned.assign(cutoff=frame["cutoff"].where(frame["y"] > 1e9))
    assert len(pcgs.run_series(nobody)) == 3


def test_ahead_counts_the_rows_that_a_window_has():
    frame = with_cutoffs(3, step=1, series={"south": WIDE["south"]})
    second = frame.groupby("cutoff").cumcount() == 1
    lacking = second & (frame["cutoff"] == DAYS[20])
    with pytest.raises(pcgs.Error, match="south has 2026-01-24.* as row 2 after several cutoffs.*keep every row"):
        pcgs.run_series(frame[~lacking], ahead=2)
    apart = frame[frame["cutoff"].isin(DAYS[::5]) & ~lacking]
    moved = pcgs.run_series(apart, ahead=2).forecasts
    assert (moved["ds"] - moved["cutoff"]).dt.days.tolist().count(3) == 1
    kept = frame.copy()
    kept.loc[lacking, MODELS] = np.nan
    taken = pcgs.run_series(kept, ahead=2).forecasts
    assert ((taken["ds"] - taken["cutoff"]).dt.days == 2).all()


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "UInt8", "uint16"])
def test_times_may_be_numbers_of_any_kind(dtype):
    frame = long_frame()
    frame["ds"] = frame.groupby("unique_id").cumcount()
    for cutoff in ({}, {"cutoff": frame["ds"] // 7 * 7 - 1}):
        plain = frame.assign(**cutoff)
        if cutoff:
            plain = plain[plain["cutoff"] >= 0]
        typed = plain.astype({name: dtype for name in ("ds", *cutoff)})
        same(pcgs.run_series(typed).forecasts["blend"], pcgs.run_series(plain).forecasts["blend"])
    missing = frame.astype({"ds": "Int64"})
    missing.loc[4, "ds"] = pandas.NA
    with pytest.raises(pcgs.Error, match="row 5 has no ds"):
        pcgs.run_series(missing)


def test_times_may_be_periods():
    frame = with_cutoffs(7)
    periods = frame.assign(**{name: frame[name].dt.to_period("D") for name in ("ds", "cutoff")})
    ours, theirs = pcgs.run_series(periods), pcgs.run_series(frame)
    same(ours.forecasts["blend"], theirs.forecasts["blend"])
    assert ours.forecasts["ds"].equals(periods["ds"])
    assert ours["south"].forecasts.index.equals(pandas.PeriodIndex(WIDE["south"].index, freq="D"))


def test_the_numbers_of_rows_are_no_model():
    frame = long_frame()
    for taken in (frame.reset_index(), frame.reset_index().reset_index(), frame[frame["ds"] > DAYS[3]].reset_index()):
        assert pcgs.run_series(taken).experts == MODELS
    named = pcgs.run_series(frame.reset_index(), models=["index", "ARIMA"])
    assert named.experts == ["index", "ARIMA"]
    assert pcgs.run_series(frame.rename(columns={"Naive": "index"})).experts == ["ARIMA", "Theta", "index"]


@pytest.mark.parametrize("ahead", [None, 1, 2])
def test_rows_that_one_cutoff_has_twice_are_refused(ahead):
    for frame in (with_cutoffs(7), with_cutoffs(3, step=1)):
        twice = pandas.concat([frame, frame[4:6]], ignore_index=True)
        first = frame.iloc[4]
        with pytest.raises(pcgs.Error) as caught:
            pcgs.run_series(twice, ahead=ahead)
        assert str(caught.value).startswith(f"north has {first['ds']:%Y-%m-%d}T")
        assert f" twice from the cutoff {first['cutoff']:%Y-%m-%d}T" in str(caught.value)
        assert str(caught.value).endswith("; give a row for each series, time and cutoff")
        nobody = twice.assign(cutoff=twice["cutoff"].where(twice["cutoff"] != first["cutoff"]))
        with pytest.raises(pcgs.Error, match="north has .* twice without a cutoff; give a row for each"):
            pcgs.run_series(nobody, ahead=ahead)


def test_weights_have_the_models_columns_and_names_are_texts():
    frame = long_frame().rename(columns={"Theta": 2020})
    result = pcgs.run_series(frame)
    assert list(result.weights) == ["unique_id", "ds", "ARIMA", 2020, "Naive"]
    assert list(result["west"].weights) == ["ARIMA", 2020, "Naive"]
    assert result.experts == result["west"].experts == ["ARIMA", "2020", "Naive"]
    assert "2020" in result.errors.index and "2020" in result["west"].errors.index


def test_intervals_of_models_are_no_models():
    frame = long_frame().assign(**{"ARIMA-lo-90": 0.0, "ARIMA-hi-90.5": 1.0})
    assert pcgs.run_series(frame).experts == MODELS
    assert pcgs.run_series(frame, models=["ARIMA", "ARIMA-lo-90"]).experts == ["ARIMA", "ARIMA-lo-90"]


def test_the_id_may_be_the_index_or_several_columns():
    frame = long_frame()
    plain = pcgs.run_series(frame).forecasts
    same(pcgs.run_series(frame.set_index("unique_id")).forecasts["blend"], plain["blend"])
    two = frame.assign(store=1).rename(columns={"unique_id": "place"})
    result = pcgs.run_series(two, by=["place", "store"])
    assert list(result) == [("north", 1), ("south", 1), ("west", 1)]
    same(result.forecasts["blend"], plain["blend"])
    assert result.errors_by_series.index.names == ["place", "store", "name"]
    assert result.to_dict()["by"] == ["place", "store"]


def test_it_prints_as_its_table_and_in_a_notebook():
    result = pcgs.run_series(long_frame().assign(unique_id=lambda f: "<b>" + f["unique_id"]))
    assert repr(result) == result.table()
    page = result._repr_html_()
    assert "<b>" not in page and "&lt;b&gt;north" in page
    for tag in ("table", "tr", "td", "p", "div"):
        assert page.count(f"<{tag}>") == page.count(f"</{tag}>") > 0


def test_changing_the_frame_later_changes_nothing():
    frame = long_frame()
    result = pcgs.run_series(frame)
    before = result.forecasts
    frame["y"] = 0.0
    frame["unique_id"] = "other"
    assert result.forecasts.equals(before)
    taken = result.forecasts
    taken["blend"] = 0.0
    assert result.forecasts.equals(before)


def test_progress_is_told_over_all_series():
    said = []
    pcgs.run_series(long_frame(), progress=lambda played, rounds: said.append((played, rounds)))
    assert [rounds for _, rounds in said] == [3 * ROUNDS] * len(said)
    played = [n for n, _ in said]
    assert played == sorted(played) and played[-1] == 3 * ROUNDS


def test_cross_validation_of_statsforecast_is_taken_as_it_is():
    statsforecast = pytest.importorskip("statsforecast")
    from statsforecast.models import Naive, SeasonalNaive, WindowAverage

    frame = long_frame()[["unique_id", "ds", "y"]].dropna()
    made = statsforecast.StatsForecast([Naive(), SeasonalNaive(7), WindowAverage(5)], freq="D")
    cv = made.cross_validation(df=frame, h=5, step_size=5, n_windows=8)
    result = pcgs.run_series(cv)
    assert result.experts == ["Naive", "SeasonalNaive", "WindowAverage"]
    one = cv[cv["unique_id"] == "south"].set_index("ds")
    blocks = pcgs.run(one[["y", *result.experts]], "y", block=5)
    same(result["south"].forecasts, blocks.forecasts)
    coming = made.forecast(df=frame, h=5)
    whole = pcgs.run_series(pandas.concat([cv, coming], ignore_index=True))
    assert len(whole.next) == 15


@pytest.mark.parametrize("threads", [1, 3])
def test_of_several_series_that_are_wrong_the_first_is_told(threads):
    frame = long_frame()
    frame.loc[frame["unique_id"] != "north", "ARIMA"] = np.inf
    with pytest.raises(pcgs.Error) as caught:
        pcgs.run_series(frame, threads=threads)
    assert (caught.value.row, caught.value.column) == (71, "ARIMA")


def refusal(change, options):
    with pytest.raises(pcgs.Error) as caught:
        pcgs.run_series(change(long_frame()), **options)
    error = caught.value
    return error.kind, error.row, error.column, error.field


@pytest.mark.parametrize(
    "change, options, place",
    [
        (lambda f: f.drop(columns="y"), {}, ("unknown", None, "y", "y")),
        (lambda f: f.drop(columns="unique_id"), {}, ("unknown", None, "unique_id", "by")),
        (lambda f: f, {"models": ["ARMA"]}, ("unknown", None, "ARMA", "models")),
        (lambda f: f.assign(ds=f["ds"].astype(str)), {}, ("value", None, "ds", "time")),
        (lambda f: f.assign(note="x"), {}, ("value", None, "note", "models")),
        (lambda f: f, {"models": ["ARIMA", "y"]}, ("value", None, "y", None)),
        (lambda f: f, {"models": []}, ("value", None, None, "models")),
        (lambda f: f, {"models": 5}, ("value", None, None, "models")),
        (lambda f: f, {"y": "ds"}, ("request", None, "ds", "time")),
        (lambda f: f, {"cutoff": "ds"}, ("request", None, "ds", "cutoff")),
        (lambda f: f, {"by": ["unique_id", "unique_id"]}, ("request", None, "unique_id", "by")),
        (lambda f: f, {"by": 5}, ("value", None, None, "by")),
        (lambda f: f, {"intervals": "0.8"}, ("value", None, None, "intervals")),
        (lambda f: pandas.concat([f, f.tail(1)]), {}, ("value", 211, "ds", None)),
        (lambda f: f.head(0), {}, ("missing", None, None, None)),
        (lambda f: f.assign(ds=f["ds"].where(f.index != 4)), {}, ("missing", 5, "ds", None)),
        (lambda f: f.assign(unique_id=f["unique_id"].where(f.index != 4)), {}, ("missing", 5, "unique_id", None)),
        (lambda f: pandas.concat([f, f[["y"]]], axis=1), {}, ("duplicate", None, "y", None)),
        (lambda f: f, {"ahead": 1}, ("request", None, None, "ahead")),
        (lambda f: f, {"threads": 0}, ("value", None, None, "threads")),
        (lambda f: f.assign(cutoff=f["ds"]), {}, ("value", 1, "cutoff", None)),
        (lambda f: f.assign(cutoff=3.0), {}, ("value", None, "cutoff", "cutoff")),
        (lambda f: f.assign(cutoff=f["ds"]), {"block": 7}, ("request", None, None, "cutoff")),
        (lambda f: f[["unique_id", "ds", "y"]], {}, ("missing", None, None, None)),
        (lambda f: f.to_numpy(), {}, ("value", None, None, None)),
    ],
)
def test_what_is_no_long_frame_is_refused(change, options, place):
    assert refusal(change, options) == place


def test_run_says_where_long_frames_belong():
    with pytest.raises(pcgs.Error, match=r"call pcgs.run_series\(frame\)"):
        pcgs.run(long_frame(), "y")


@pytest.mark.parametrize("horizon", [1, 7])
def test_two_pieces_of_windows_are_one_run(horizon):
    frame = with_cutoffs(horizon)
    whole = pcgs.run_series(frame).forecasts
    later = frame["ds"] >= DAYS[42]
    first = pcgs.run_series(frame[~later])
    rest = pcgs.run_series(frame[later], state=first).forecasts
    overlapping = pcgs.run_series(frame[frame["ds"] >= DAYS[35]], state=first, skip_learned=True)
    assert [note.kind for note in overlapping.notes] == ["learned"]
    for pieces in (rest, overlapping.forecasts):
        same(pieces["blend"], whole.loc[pieces.index, "blend"])
        assert pieces.index.equals(frame.index[later])
