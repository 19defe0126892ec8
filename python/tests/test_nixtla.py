"""Frames of Nixtla's libraries: what is known when, and the libraries themselves."""

import pickle
import re

import guide
import numpy as np
import pytest

import pcgs
from pcgs.nixtla import NixtlaCombiner, combine, forecast

pandas = pytest.importorskip("pandas")


def cross_validation(ids=("A",), windows=30, h=3, step=3, seed=1, start="2024-01-01"):
    """As StatsForecast writes it, made up: every `step` days the next h."""
    random = np.random.default_rng(seed)
    frames = []
    for one in ids:
        days = pandas.date_range(start, periods=windows * step + h + 1, freq="D")
        y = 10 + random.standard_normal(len(days)).cumsum()
        for window in range(windows):
            rows = np.arange(window * step + 1, window * step + 1 + h)
            frames.append(
                pandas.DataFrame(
                    {
                        "unique_id": one,
                        "ds": days[rows],
                        "cutoff": days[window * step],
                        "y": y[rows],
                        "good": y[rows] + random.standard_normal(h),
                        "good-lo-90": y[rows] - 9,
                        "bad": y[rows] + 3 * random.standard_normal(h) + 2,
                    }
                )
            )
    return pandas.concat(frames, ignore_index=True)


def test_it_is_the_aggregator_in_other_words():
    """All rows of a cutoff are opened together; outcomes are learned once a cutoff reaches them."""
    cv = cross_validation(windows=20, h=3, step=1)
    made = combine(cv, level=[80])
    agg = pcgs.Aggregator(["good", "bad"], "blend", season=3, intervals=[0.8], certify=False)
    opened = {}
    for cutoff, block in cv.groupby("cutoff"):
        for number, (ds, y) in list(opened.items()):
            if ds <= cutoff:
                agg.learn(y, round=number)
                del opened[number]
        for row in block.itertuples():
            said = made.loc[row.Index]
            assert said["pcgs"] == agg.predict([row.good, row.bad])
            ends = agg.intervals(agg.last_opened)
            low, high = ends[0.8] if ends else (np.nan, np.nan)
            assert said[["pcgs-lo-80", "pcgs-hi-80"]].tolist() == pytest.approx(
                [low, high], nan_ok=True, abs=0
            )
            opened[agg.last_opened] = (row.ds, row.y)


@pytest.mark.parametrize("step", [1, 2, 3, 5])
def test_a_forecast_knows_nothing_of_what_lies_beyond_its_cutoff(step):
    cv = cross_validation(windows=12, h=3, step=step)
    honest = combine(cv)
    cutoff = cv["cutoff"].unique()[7]
    later = cv["ds"] > cutoff
    other = cv.assign(y=cv["y"].where(~later, cv["y"] * 7 + 1))
    changed = combine(other)
    upto = cv["cutoff"] <= cutoff
    assert changed[upto]["pcgs"].equals(honest[upto]["pcgs"])
    assert changed[upto]["pcgs-hi-80"].equals(honest[upto]["pcgs-hi-80"])
    assert not changed[~upto]["pcgs"].equals(honest[~upto]["pcgs"])


def test_series_are_combined_each_by_itself_in_any_order_of_rows():
    cv = cross_validation(ids=["A", "B", "C"])
    together = combine(cv.sample(frac=1, random_state=3)).sort_index()
    for one, rows in cv.groupby("unique_id"):
        assert together.loc[rows.index, "pcgs"].tolist() == combine(rows)["pcgs"].tolist()


def test_the_frame_is_otherwise_as_it_was():
    cv = cross_validation()
    made = combine(cv, level=[95, 80], name="all")
    assert made.columns.tolist()[: len(cv.columns)] == cv.columns.tolist()
    new = made.columns.tolist()[len(cv.columns) :]
    assert new == ["all", "all-lo-80", "all-hi-80", "all-lo-95", "all-hi-95"]
    assert made[cv.columns].equals(cv)
    assert combine(cv, level=[]).columns.tolist() == [*cv.columns, "pcgs"]


def coming(cv, cutoff):
    """What the rows of a cutoff were before they happened."""
    return cv[cv["cutoff"] == cutoff].drop(columns=["cutoff", "y"])


@pytest.mark.parametrize("step", [1, 3])
def test_day_by_day_is_the_same_as_all_at_once(step):
    cv = cross_validation(ids=["A", "B"], windows=25, step=step)
    cutoffs = cv["cutoff"].unique()
    whole = combine(cv)
    combiner = NixtlaCombiner()
    combiner.combine(cv[cv["cutoff"] < cutoffs[15]])
    happened = cv[["unique_id", "ds", "y"]].drop_duplicates(["unique_id", "ds"])
    known = cv[cv["cutoff"] < cutoffs[15]]["ds"].max()
    for cutoff in cutoffs[15:]:
        combiner.learn(happened[(happened["ds"] > known) & (happened["ds"] <= cutoff)])
        known = max(known, cutoff)
        if step == 1 and cutoff < known:
            continue  # the cross-validation knew more
        said = combiner.forecast(coming(cv, cutoff))
        if step == 3:
            assert said["pcgs"].tolist() == whole[whole["cutoff"] == cutoff]["pcgs"].tolist()
        assert np.isfinite(said["pcgs"]).all()


@pytest.mark.parametrize("method", ["blend", "guard"])
@pytest.mark.parametrize("windows_before", [0, 10])
def test_forecasting_again_leaves_no_trace(method, windows_before):
    cv = cross_validation(windows=20)
    cutoffs = cv["cutoff"].unique()
    happened = cv[["unique_id", "ds", "y"]]
    day = pandas.Timedelta(days=1)
    once, often = (NixtlaCombiner(method=method) for _ in range(2))
    if windows_before > 0:
        for combiner in (once, often):
            combiner.combine(cv[cv["cutoff"] < cutoffs[windows_before]])
    for cutoff in cutoffs[windows_before:]:
        shorter = coming(cv, cutoff).groupby("unique_id").head(2)
        for _ in range(2):
            often.forecast(shorter)
        assert often.forecast(coming(cv, cutoff)).equals(once.forecast(coming(cv, cutoff)))
        for combiner in (once, often):
            combiner.learn(happened[(happened["ds"] > cutoff) & (happened["ds"] <= cutoff + 3 * day)])


def test_forecasts_of_several_days_are_learned_from_each_origin():
    cv = cross_validation(windows=2, step=1)
    combiner = NixtlaCombiner()
    for cutoff in cv["cutoff"].unique():
        combiner.learn(cv[cv["ds"] == cutoff][["unique_id", "ds", "y"]])
        combiner.forecast(coming(cv, cutoff))
    assert combiner.aggregator("A").open_rounds == 5
    combiner.learn(cv[["unique_id", "ds", "y"]])
    assert combiner.aggregator("A").rounds == 6


def test_a_model_may_come_later():
    cv = cross_validation(ids=["A", "B"])
    middle = cv["cutoff"].unique()[10]
    later = cv[cv["cutoff"] >= middle].assign(new=lambda f: f["y"] + 0.01, note="rain")
    combiner = NixtlaCombiner()
    combiner.combine(cv[cv["cutoff"] < middle])
    with pytest.raises(pcgs.Error, match="row 1: new is inf"):
        combiner.combine(later.assign(new=np.inf))
    combiner.forecast(coming(cv, middle))
    combiner.combine(later)
    assert list(combiner.weights("B")) == ["good", "bad", "new"] and combiner.weights("B")["new"] > 0.3
    chosen = NixtlaCombiner(models=["good"])
    chosen.combine(cv[cv["cutoff"] < middle])
    assert list(combine(later, models=["good"])) == list(chosen.combine(later))
    assert list(chosen.weights("A")) == ["good"]


def test_what_is_known_already_is_not_forecast():
    cv = cross_validation()
    combiner = NixtlaCombiner()
    combiner.combine(cv)
    with pytest.raises(pcgs.Error, match="A: the outcome of .* is known already; give rows after"):
        combiner.forecast(coming(cv, cv["cutoff"].max()))
    with pytest.raises(pcgs.Error, match="A: the cutoff .* lies before .* in the order of their"):
        combiner.combine(cv)


def test_missing_forecasts_and_outcomes_are_passed_over():
    cv = cross_validation(windows=20)
    cv.loc[5:20, "good"] = np.nan
    cv.loc[30, "y"] = np.nan
    made = combine(cv)
    assert np.isfinite(made["pcgs"]).all()
    combiner = NixtlaCombiner()
    combiner.combine(cv)
    combiner.learn(cv[["unique_id", "ds", "y"]])
    assert combiner.aggregator("A").rounds == 59


def test_forecast_learns_from_all_of_the_cross_validation():
    cv = cross_validation(ids=["A", "B"])
    new = pandas.DataFrame(
        {"unique_id": ["B", "A", "new"], "ds": cv["ds"].max() + pandas.Timedelta("1D")}
    )
    new["good"], new["bad"] = [10.0, 20.0, 30.0], [12.0, 22.0, 32.0]
    said = forecast(new, cv)
    combiner = NixtlaCombiner()
    combiner.combine(cv)
    assert said.equals(combiner.forecast(new))
    assert combiner.weights("A")["good"] > combiner.weights("A")["bad"]
    assert said["pcgs"].iloc[2] == pytest.approx(31)  # nobody knows who is better there
    assert np.isfinite(said["pcgs-lo-80"].iloc[:2]).all()


def test_other_names_of_columns():
    cv = cross_validation()
    other = cv.rename(columns={"unique_id": "store", "ds": "day", "y": "sales", "cutoff": "known"})
    made = combine(other, id_col="store", time_col="day", target_col="sales", cutoff_col="known")
    assert made["pcgs"].tolist() == combine(cv)["pcgs"].tolist()
    assert combine(cv.set_index("unique_id"))["pcgs"].tolist() == made["pcgs"].tolist()


def test_polars_gives_the_same():
    polars = pytest.importorskip("polars")
    cv = cross_validation(ids=["A", "B"])
    made = combine(polars.DataFrame(cv.to_dict("list")))
    assert isinstance(made, polars.DataFrame)
    assert made["pcgs"].to_list() == combine(cv)["pcgs"].tolist()
    assert made["pcgs-lo-80"].tail(5).to_list() == combine(cv)["pcgs-lo-80"].tail(5).tolist()


def test_it_can_be_pickled_in_the_middle():
    cv = cross_validation()
    last = cv["cutoff"].max()
    combiner = NixtlaCombiner()
    combiner.combine(cv[cv["cutoff"] < last])
    other = pickle.loads(pickle.dumps(combiner))
    assert other.forecast(coming(cv, last)).equals(combiner.forecast(coming(cv, last)))


def test_frames_that_lack_something_are_refused():
    cv = cross_validation()
    for frame, sentence in (
        (cv.drop(columns="cutoff"), "there is no column cutoff; give unique_id, ds, y, cutoff"),
        (cv[["unique_id", "ds", "y", "cutoff"]], "there is no column with forecasts"),
        (cv.assign(note="rain"), "note is of dtype (object|str), .* give models="),
        (cv.to_numpy(), "a ndarray is no frame with columns; give a frame of pandas or polars"),
    ):
        with pytest.raises(pcgs.Error, match=sentence):
            combine(frame)
    with pytest.raises(pcgs.Error, match="level is 0.8; give percents|level is 100"):
        combine(cv, level=[100])
    with pytest.raises(pcgs.Error, match="Z was not forecast yet"):
        NixtlaCombiner().weights("Z")
    chosen = NixtlaCombiner(models=["bad", "good"])
    chosen.combine(cv.assign(note="rain"))
    assert list(chosen.weights("A")) == ["bad", "good"]


def said_by(call, *given):
    with pytest.raises(pcgs.Error) as refused:
        call(*given)
    return str(refused.value)


@pytest.mark.parametrize("column", ["unique_id", "ds", "cutoff"])
def test_a_row_without_a_key_is_refused_by_row_and_column(column):
    cv = cross_validation(ids=["A", "B"])
    missing = cv.copy()
    missing.loc[7, column] = None
    sentence = f"row 8 has no {column}; give every row one, or drop that row"
    assert said_by(combine, missing) == sentence
    if column != "cutoff":
        combiner = NixtlaCombiner()
        assert said_by(combiner.forecast, missing.drop(columns=["y", "cutoff"])) == sentence
        assert said_by(combiner.learn, missing[["unique_id", "ds", "y"]]) == sentence


@pytest.mark.parametrize("column", ["unique_id", "ds", "cutoff"])
def test_a_null_of_polars_is_refused_as_well(column):
    polars = pytest.importorskip("polars")
    cv = polars.DataFrame(cross_validation(windows=3).to_dict("list"))
    row = polars.int_range(polars.len())
    missing = cv.with_columns(polars.when(row != 4).then(polars.col(column)).alias(column))
    assert said_by(combine, missing) == (
        f"row 5 has no {column}; give every row one, or drop that row"
    )


def test_a_missing_number_is_no_time_either():
    cv = cross_validation().assign(ds=np.arange(90.0) + 1, cutoff=np.arange(90.0))
    cv.loc[2, "cutoff"] = np.nan
    assert said_by(combine, cv).startswith("row 3 has no cutoff;")
    cv["cutoff"] = cv["cutoff"].astype("Int64")
    assert said_by(combine, cv).startswith("row 3 has no cutoff;")
    cv["cutoff"] = np.arange(90)
    assert combine(cv.astype({"cutoff": "Int64"}))["pcgs"].equals(combine(cv)["pcgs"])


def test_rows_that_are_there_twice_are_refused():
    cv = cross_validation(ids=["A", "B"])
    twice = pandas.concat([cv, cv[5:6]], ignore_index=True)
    assert said_by(combine, twice) == (
        "row 181: A has 2024-01-07 twice from the cutoff 2024-01-04; give a row for each series, "
        "time and cutoff"
    )
    new = coming(cv, cv["cutoff"].max())
    assert said_by(NixtlaCombiner().forecast, pandas.concat([new, new[:1]])) == (
        "row 7: A has 2024-03-29 twice; give a row for each series and time"
    )


def test_rows_that_models_were_fitted_to_are_refused():
    cv = cross_validation()
    for late in (cv["ds"].iloc[3], cv["ds"].iloc[4]):
        fitted = cv.copy()
        fitted.loc[3, "cutoff"] = late
        assert said_by(combine, fitted).startswith(
            f"row 4: A has 2024-01-05 from the cutoff {late:%Y-%m-%d}, which is not before it; let "
            "cutoff be the last time that was known"
        )


def test_a_frame_that_is_refused_changes_nothing():
    cv = cross_validation(ids=["A", "B"])
    middle = cv["cutoff"].unique()[10]
    combiner, other = NixtlaCombiner(), NixtlaCombiner()
    said_by(combiner.combine, cv.assign(ds=0, cutoff=0))
    for each in (combiner, other):
        each.combine(cv[cv["cutoff"] < middle])
    later = cv[cv["cutoff"] >= middle]
    late = later["unique_id"] == "B"
    said_by(combiner.combine, later.assign(good=later["good"].mask(late, np.inf)))
    said_by(combiner.combine, later.assign(cutoff=later["cutoff"].mask(late, cv["cutoff"].min())))
    assert combiner.combine(later).equals(other.combine(later))


@pytest.mark.parametrize("level", [80, 80.0, np.float64(80), [80, 80], (80,)])
def test_one_level_is_several_of_one(level):
    made = combine(cross_validation(windows=3), level=level)
    assert made.columns.tolist()[-3:] == ["pcgs", "pcgs-lo-80", "pcgs-hi-80"]


NO_LEVELS = [(level, "give percents between 0 and 100, such as") for level in ("80", ["80"], None, True, [0], 100)]
NO_LEVELS += [(0.8, "less than one percent; .*, such as 80$"), ([0.95, 80], "less than one percent; .*, such as 95$")]


@pytest.mark.parametrize("level, sentence", NO_LEVELS)
def test_what_is_no_level_is_refused(level, sentence):
    with pytest.raises(pcgs.Error, match=f"^level is .*{sentence}"):
        NixtlaCombiner(level=level)


@pytest.mark.parametrize("models", ["y", ["good", "y"], ["cutoff"], 3])
def test_an_outcome_is_no_models_forecast(models):
    with pytest.raises(
        pcgs.Error, match="^models is .*; give a list of the columns with forecasts"
    ):
        NixtlaCombiner(models=models)
    for one in ("good", ["good"], pandas.Index(["good"])):
        assert "pcgs" in combine(cross_validation(windows=3), models=one)


@pytest.mark.parametrize("kind", ["Float64", "Float32", "double[pyarrow]"])
def test_nullable_numbers_are_numbers(kind):
    if "pyarrow" in kind:
        pytest.importorskip("pyarrow")
    cv = cross_validation().round(3)
    cv.loc[3, "y"], cv.loc[8:12, "good"] = np.nan, np.nan
    nullable = cv.astype({"y": kind, "good": kind})
    made = combine(nullable.assign(y=nullable["y"].fillna(pandas.NA)))
    exact = cv.astype({"y": "f4", "good": "f4"}) if kind == "Float32" else cv
    assert made["pcgs"].equals(combine(exact)["pcgs"])


def test_columns_of_the_wrong_kind_are_refused_by_name():
    cv = cross_validation()
    zoned = cv.assign(ds=cv["ds"].dt.tz_localize("UTC"))
    for frame, sentence in (
        (cv.assign(y="x"), "the column y is of dtype (object|str); give real numbers"),
        (
            cv.assign(ds=cv["ds"].astype(str)),
            "ds is of dtype (object|str), .* neither times nor numbers",
        ),
        (zoned, "ds holds times with a zone and cutoff times; give both as times"),
        (cv.assign(cutoff=0), "ds holds times and cutoff numbers; give both as times"),
        (
            cv.assign(unique_id=[["A"]] * len(cv)),
            "row 1: unique_id is a list; give text or a number",
        ),
        (cv.assign(good=np.inf), "row 1: good is inf; give finite numbers, and NaN where"),
        (cv.rename(columns={"bad": "good"}), "the name good is given to two columns"),
        (cv.assign(pcgs=1.0), "the frame has a column pcgs already; drop it, or give name="),
        (cv.assign(**{"pcgs-hi-80": 1.0}), "the frame has a column pcgs-hi-80 already"),
    ):
        assert re.match(sentence, said_by(combine, frame))
    combiner = NixtlaCombiner()
    combiner.combine(cv)
    new = pandas.DataFrame({"unique_id": ["A"], "ds": [101], "good": [2.0], "bad": [3.0]})
    assert re.match(
        "ds holds numbers, and the frames before had times; give times",
        said_by(combiner.forecast, new),
    )


def with_zones(cv):
    return cv.assign(
        ds=cv["ds"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
        cutoff=cv["cutoff"].dt.tz_localize("UTC"),
    )


def test_times_may_have_zones():
    cv = cross_validation(windows=10)
    assert combine(with_zones(cv))["pcgs"].equals(combine(cv)["pcgs"])


def test_times_of_polars_may_have_zones():
    polars = pytest.importorskip("polars")
    cv = cross_validation(windows=10)
    zoned = polars.DataFrame(with_zones(cv).to_dict("list"))
    assert zoned["ds"].dtype.time_zone == "Asia/Tokyo"
    assert combine(zoned)["pcgs"].to_list() == combine(cv)["pcgs"].tolist()


def test_times_of_arrow_are_times():
    pytest.importorskip("pyarrow")
    cv = cross_validation(windows=10)
    for given, kind in ((cv, "timestamp[us]"), (with_zones(cv), "timestamp[us, tz=Asia/Tokyo]")):
        arrow = given.astype({"ds": f"{kind}[pyarrow]", "cutoff": f"{kind}[pyarrow]"})
        assert combine(arrow)["pcgs"].equals(combine(cv)["pcgs"])
    days = cv.astype({"ds": "date32[pyarrow]"})
    assert combine(days)["pcgs"].equals(combine(cv)["pcgs"])


def test_ids_may_be_of_several_types_and_columns_may_have_numbers_for_names():
    cv = cross_validation(ids=["A", 7, 2.5], windows=4)
    combiner = NixtlaCombiner()
    made = combiner.combine(cv.rename(columns={"bad": 3}))
    assert made["pcgs"].equals(combine(cv)["pcgs"])
    assert list(combiner.weights(7)) == ["good", "3"]


def daily(ids, rows=200):
    """Made-up sales with a weekly season."""
    random = np.random.default_rng(5)
    days = pandas.date_range("2024-01-01", periods=rows, freq="D")
    return pandas.concat(
        [
            pandas.DataFrame(
                {
                    "unique_id": one,
                    "ds": days,
                    "y": 50
                    + 10 * np.sin(2 * np.pi * np.arange(rows) / 7)
                    + random.standard_normal(rows),
                }
            )
            for one in ids
        ],
        ignore_index=True,
    )


def test_statsforecast_writes_what_it_reads():
    statsforecast = pytest.importorskip("statsforecast")
    from statsforecast.models import HistoricAverage, Naive, SeasonalNaive

    sales = daily(["A", "B"])
    models = statsforecast.StatsForecast(
        models=[SeasonalNaive(7), Naive(), HistoricAverage()], freq="D"
    )
    cv = models.cross_validation(df=sales, h=7, step_size=7, n_windows=12, level=[90])
    combiner = NixtlaCombiner()
    made = combiner.combine(cv)
    assert list(combiner.weights("A")) == ["SeasonalNaive", "Naive", "HistoricAverage"]
    error = ((made.drop(columns=["unique_id", "ds", "cutoff"]).sub(made["y"], axis=0)) ** 2).mean()
    assert error["pcgs"] < min(error["Naive"], error["HistoricAverage"])
    next_week = combiner.forecast(models.forecast(df=sales, h=7, level=[90]))
    assert len(next_week) == 14 and next_week["pcgs"].notna().all()


def test_mlforecast_writes_what_it_reads():
    mlforecast = pytest.importorskip("mlforecast")
    from sklearn.linear_model import LinearRegression
    from sklearn.neighbors import KNeighborsRegressor

    models = mlforecast.MLForecast(
        models={"line": LinearRegression(), "near": KNeighborsRegressor()}, freq="D", lags=[1, 7]
    )
    cv = models.cross_validation(daily(["A", "B"]), h=7, n_windows=10, refit=False)
    made = combine(cv)
    assert made["pcgs"].notna().all()
    models.fit(daily(["A", "B"]))
    assert forecast(models.predict(7), cv)["pcgs"].notna().all()


def test_its_page_runs():
    pytest.importorskip("statsforecast")
    assert guide.run_page(guide.DOCS / "nixtla.md") >= 2


def test_its_example_runs():
    guide.run_example("NixtlaCombiner", NixtlaCombiner.__doc__)
