"""The darts ensemble and `combine`: what is learned from what."""

import pickle

import guide
import numpy as np
import pytest

import pcgs

pytest.importorskip("darts")

import pandas  # noqa: E402
from darts import TimeSeries, concatenate  # noqa: E402
from darts.models import (  # noqa: E402
    ExponentialSmoothing,
    LinearRegressionModel,
    NaiveDrift,
    NaiveMean,
    NaiveSeasonal,
)

import pcgs.darts  # noqa: E402
from pcgs.darts import PcgsEnsemble, combine  # noqa: E402


def monthly(rows=120, seed=1):
    """A season on a line, made up."""
    random = np.random.default_rng(seed)
    t = np.arange(rows)
    values = 100 + 0.3 * t + 10 * np.sin(2 * np.pi * t / 12) + random.standard_normal(rows)
    index = pandas.date_range("2010-01", periods=rows, freq="MS")
    return TimeSeries.from_times_and_values(index, values, columns=["sales"])


def models():
    return [NaiveSeasonal(K=12), NaiveDrift(), NaiveMean()]


def forecasts(series, horizon=1, last_points_only=True, **options):
    return [
        model.historical_forecasts(
            series,
            start=30,
            forecast_horizon=horizon,
            last_points_only=last_points_only,
            verbose=False,
            **options,
        )
        for model in models()
    ]


@pytest.mark.parametrize("horizon", [1, 4])
def test_combine_is_the_aggregator_in_other_words(horizon):
    """An outcome is learned once the forecast is made from a row that is as late."""
    series = monthly()
    made = forecasts(series, horizon)
    combined = combine(made, series, forecast_horizon=horizon)
    agg = pcgs.Aggregator(["a", "b", "c"], "blend", certify=False)
    table = np.column_stack([one.values() for one in made])
    outcomes = series.slice_intersect(combined).values()[:, 0]
    for t, row in enumerate(table):
        if t >= horizon:
            agg.learn(outcomes[t - horizon], round=t - horizon + 1)
        assert combined.values()[t, 0] == agg.predict(row)
    assert combined.time_index.equals(made[0].time_index)
    assert combined.components.tolist() == ["sales"]


@pytest.mark.parametrize("stride", [1, 3, 4])
@pytest.mark.parametrize("last_points_only", [True, False])
def test_combine_knows_nothing_of_what_had_not_happened(stride, last_points_only):
    series = monthly()
    made = forecasts(series, 3, last_points_only, stride=stride)
    late = len(series) - 40
    values = series.values(copy=True)
    values[late:] = 7 - values[late:]
    other = series.with_values(values)
    honest, changed = (combine(made, truth, forecast_horizon=3) for truth in (series, other))
    pairs = [
        (one.end_time() - 3 * series.freq, (one.values() == two.values())[-1, 0])
        for one, two in (
            zip(points(honest), points(changed)) if last_points_only else zip(honest, changed)
        )
    ]
    # What was forecast from the last row that is the same, or before, and nothing later.
    assert all(same for known, same in pairs if known < series.time_index[late])
    assert not any(same for known, same in pairs if known > series.time_index[late + 3])
    assert {same for _, same in pairs} == {True, False}


def points(series):
    return [series[t] for t in range(len(series))]


def test_whole_forecasts_of_one_step_are_last_points():
    series = monthly()
    whole = combine(forecasts(series, 1, False), series)
    points = combine(forecasts(series), series)
    assert concatenate(whole).values().tolist() == points.values().tolist()


def test_models_that_start_later_sleep_until_then_and_rows_to_come_are_forecast():
    series = monthly()
    made = forecasts(series)
    late = [made[0], made[1][20:], made[2]]
    assert combine(late, series).time_index.equals(made[0].time_index)
    known = series[:-10]
    ahead = combine(made, known)
    assert ahead.values()[:-10].tolist() == combine(made, series).values()[:-10].tolist()
    assert np.isfinite(ahead.values()).all()


def test_components_are_combined_each_by_itself():
    one, two = monthly(seed=1), monthly(seed=2).with_columns_renamed("sales", "prices")
    both = one.stack(two)
    made = combine(forecasts(both), both)
    assert made.components.tolist() == ["sales", "prices"]
    alone = combine([one["prices"] for one in forecasts(both)], two)
    assert made["prices"].values().tolist() == alone.values().tolist()


def test_what_no_historical_forecasts_return_is_refused():
    series = monthly()
    made = forecasts(series)
    whole = forecasts(series, 2, False)
    numbers = TimeSeries.from_values(series.values())
    samples = concatenate([series, series], axis="sample")
    for wrong, truth, sentence in (
        (made[0], series, "there is one TimeSeries for all models; give a list with what"),
        (3, series, "the forecasts are a int; give a list with what historical_forecasts"),
        (np.ones((4, 3)), series, "the forecasts are a ndarray; give a list"),
        ([], series, "there are no forecasts; give a list"),
        ([made[0], 7], series, "model 2 has a int; give a list"),
        ([made[0], made[1].values()], series, "model 2 has a ndarray; give a list"),
        ([whole[0], []], series, "model 2 has no forecasts; give a list"),
        ([[], []], series, "model 1 has no forecasts"),
        ([whole[0], [1.0]], series, "model 2 has a float in its list; give one TimeSeries"),
        ([whole[0], [*whole[1], whole[1][0]]], series, "model 2 has two forecasts that start at"),
        (made, [series], "series is a list; give the one TimeSeries that was forecast"),
        (made, series.values(), "series is a ndarray; give the one TimeSeries"),
        (made, numbers, "model 1 forecasts dates, and the series has whole numbers for times"),
        (made, samples, "series has 2 samples; give one outcome for each time"),
        ([made[0], [made[1]]], series, "give one kind for all"),
        ([made[0], made[1].stack(made[2])], series, "model 2 forecasts 2 components"),
    ):
        with pytest.raises(pcgs.Error, match=sentence):
            combine(wrong, truth)
    for options, sentence in (
        ({"names": ["a"]}, "there are 1 names for 3 models"),
        ({"forecast_horizon": 0}, "forecast_horizon is 0"),
    ):
        with pytest.raises(pcgs.Error, match=sentence):
            combine(made, series, **options)


def test_an_ensemble_learns_what_combine_learns():
    series = monthly()
    model = PcgsEnsemble(models(), horizon=3, warmup=30, refit_every=3)
    ahead = model.fit(series).predict(3)
    made = forecasts(series, 3, False, stride=3)
    together = [[*one, each.fit(series).predict(3)] for one, each in zip(made, models())]
    said = combine(together, series, names=list(model.weights["sales"]))
    assert said[-1].values().tolist() == ahead.values().tolist()
    assert ahead.start_time() == series.end_time() + series.freq
    assert ahead.components.tolist() == ["sales"]


class Watching(NaiveMean):
    """Writes down how many rows it was fitted to."""

    log = []

    def fit(self, series, verbose=None):
        self.log.append(len(series))
        return super().fit(series)


def test_weights_are_learned_from_rows_that_nobody_had_seen():
    Watching.log = []
    model = PcgsEnsemble([Watching(), NaiveDrift()], horizon=4, warmup=50).fit(monthly(60))
    assert Watching.log == [50, 54, 58, 60]
    aggregator = model._rounds["sales"].aggregator
    assert aggregator.rounds == 10 and aggregator.open_rounds == 2


def test_weights_have_names():
    model = PcgsEnsemble(
        [NaiveSeasonal(1), NaiveSeasonal(12), NaiveSeasonal(6)], method="fixed-share"
    )
    model.fit(monthly())
    assert list(model.weights["sales"]) == ["NaiveSeasonal", "NaiveSeasonal_2", "NaiveSeasonal_3"]
    assert max(model.weights["sales"], key=model.weights["sales"].get) == "NaiveSeasonal_2"


def test_steps_beyond_the_horizon_have_the_weights_of_the_last():
    model = PcgsEnsemble(models(), horizon=2).fit(monthly())
    assert model.predict(6).values()[:2].tolist() == model.predict(2).values().tolist()
    assert np.isfinite(model.predict(6).values()).all()


def test_historical_forecasts_are_those_of_ensembles_fitted_to_the_rows_before():
    series = monthly(60)
    model = PcgsEnsemble([NaiveSeasonal(12), NaiveDrift()], warmup=20)
    made = model.historical_forecasts(series, start=55, verbose=False)
    assert len(made) == 5
    for t, value in zip(range(55, 60), made.values()):
        fresh = PcgsEnsemble([NaiveSeasonal(12), NaiveDrift()], warmup=20)
        assert fresh.fit(series[:t]).predict(1).values().tolist() == [value.tolist()]


def test_covariates_of_the_past_are_cut_where_the_past_ends():
    series = monthly()
    past, future = monthly(seed=5), monthly(rows=140, seed=6)
    line = LinearRegressionModel(lags=3, lags_past_covariates=2, lags_future_covariates=[0])
    model = PcgsEnsemble([line, NaiveDrift()], warmup=80, show_warnings=False)
    said = model.fit(series, past_covariates=past, future_covariates=future).predict(1)
    assert np.isfinite(said.values()).all()
    # Two steps ahead need a row of the past that nobody knows yet, in the walk as in predict.
    two = PcgsEnsemble(
        [line.untrained_model(), NaiveDrift()], horizon=2, warmup=80, show_warnings=False
    )
    with pytest.raises(ValueError, match="past_covariates"):
        two.fit(series, past_covariates=past, future_covariates=future)


def test_global_models_that_are_trained_already_stay_as_they_are():
    series = monthly()
    lines = [LinearRegressionModel(lags=lags).fit(series[:60]) for lags in (1, 12)]
    model = PcgsEnsemble(lines, warmup=60, train_forecasting_models=False).fit(series)
    assert model.forecasting_models == lines
    assert model.weights["sales"]["LinearRegressionModel_2"] > 0.5
    assert len(model.predict(2, series=series)) == 2


def test_probabilistic_models_are_reduced_to_points():
    series = monthly(60)
    quantiles = LinearRegressionModel(lags=3, likelihood="quantile", quantiles=[0.1, 0.5, 0.9])
    model = PcgsEnsemble(
        [quantiles, ExponentialSmoothing()], warmup=50, train_num_samples=20, show_warnings=False
    )
    said = model.fit(series).predict(2)
    assert said.n_samples == 1 and np.isfinite(said.values()).all()
    assert not model.supports_probabilistic_prediction


def test_an_ensemble_can_be_saved_and_loaded(tmp_path):
    model = PcgsEnsemble(models()).fit(monthly())
    model.save(tmp_path / "model.pkl")
    loaded = PcgsEnsemble.load(tmp_path / "model.pkl")
    assert loaded.predict(3) == model.predict(3) == pickle.loads(pickle.dumps(model)).predict(3)


def test_what_makes_no_sense_is_refused():
    series = monthly()
    for options in ({"warmup": 0}, {"refit_every": 0}, {"scale": -1}):
        with pytest.raises(pcgs.Error):
            PcgsEnsemble(models(), **options).fit(series)
    with pytest.raises(pcgs.Error, match="horizon is 0"):
        PcgsEnsemble(models(), horizon=0)
    with pytest.raises(pcgs.Error, match="give fit a single TimeSeries"):
        PcgsEnsemble([LinearRegressionModel(3)]).fit([series, series])
    model = PcgsEnsemble([LinearRegressionModel(3)]).fit(series)
    with pytest.raises((pcgs.Error, ValueError), match="components"):
        model.predict(1, series=series.stack(series.with_columns_renamed("sales", "more")))


def test_its_page_runs():
    assert guide.run_page(guide.DOCS / "darts.md") >= 2


def test_its_example_runs():
    guide.run_example("combine", pcgs.darts.combine.__doc__)
