"""The sktime forecaster: what it learns from what, and sktime's own checks."""

import pickle

import guide
import numpy as np
import pytest

import pcgs

pytest.importorskip("sktime")

import pandas  # noqa: E402
from sktime.forecasting.base import BaseForecaster, ForecastingHorizon  # noqa: E402
from sktime.forecasting.compose import make_reduction  # noqa: E402
from sktime.forecasting.model_evaluation import evaluate  # noqa: E402
from sktime.forecasting.naive import NaiveForecaster  # noqa: E402
from sktime.forecasting.trend import PolynomialTrendForecaster  # noqa: E402
from sktime.split import ExpandingWindowSplitter  # noqa: E402
from sktime.utils.estimator_checks import check_estimator, parametrize_with_checks  # noqa: E402

from pcgs.sktime import PcgsForecaster  # noqa: E402

# Checks of sktime that do not apply, with the reason. Any other that fails is a failure.
DO_NOT_APPLY = {}


@parametrize_with_checks(PcgsForecaster, obj_varname="forecaster", check_varname="check")
def test_sktimes_own_checks(forecaster, check):
    if check in DO_NOT_APPLY:
        pytest.xfail(DO_NOT_APPLY[check])
    check_estimator(forecaster, tests_to_run=check, raise_exceptions=True, verbose=False)


class Knows(BaseForecaster):
    """Forecasts the last of the rows that it knows plus what it is told, and writes down how many it
    knew of whatever it is asked for."""

    _tags = {"requires-fh-in-fit": False, "y_inner_mtype": "pd.Series", "capability:update": True}
    asked = []

    def __init__(self, plus=0.0):
        self.plus = plus
        super().__init__()

    def _fit(self, y, X, fh):
        self.known_ = y.index[-1]
        self.last_ = y.iloc[-1]
        return self

    def _update(self, y, X=None, update_params=True):
        if update_params and len(y):
            self._fit(y, X, None)
        return self

    def _predict(self, fh, X):
        rows = fh.to_absolute_index(self.cutoff)
        self.asked.extend((row, self.known_) for row in rows)
        return pandas.Series(self.last_ + self.plus, index=rows)


def walk(rows=60, seed=1):
    """A random walk by the month."""
    steps = np.random.default_rng(seed).standard_normal(rows)
    index = pandas.period_range("2020-01", periods=rows, freq="M")
    return pandas.Series(steps.cumsum(), index=index, name="price")


def forecaster(**options):
    return PcgsForecaster([("near", Knows()), ("far", Knows(4.0))], **options)


def test_weights_are_learned_from_rows_that_nobody_had_seen():
    y = walk(30)
    Knows.asked = []
    forecaster(warmup=20).fit(y, fh=[1, 2])
    pairs = set(Knows.asked)
    assert all(row > known for row, known in pairs)
    assert {known for _, known in pairs} == set(y.index[[19, 21, 23, 25, 27, 29]])


@pytest.mark.parametrize("fh", [[1], [1, 2, 3], [2, 5]])
def test_it_is_the_aggregator_in_other_words(fh):
    """Forecasts from one row are rounds that are opened together and learned when they are known."""
    y, stride = walk(80), 2
    made = forecaster(warmup=40, refit_every=stride, levels=[0.8]).fit(y, fh=fh)
    agg = pcgs.Aggregator(
        ["near", "far"],
        "blend",
        season=len(fh) if len(fh) > 1 else (),
        intervals=[0.8],
        certify=False,
    )
    values, opened, said = y.to_numpy(), {}, None
    for known in range(40, 81):
        for row in [row for row in opened if row[1] == known - 1]:
            agg.learn(values[known - 1], round=opened.pop(row))
        if (known - 40) % stride == 0:
            last, said = values[known - 1], []
            for step in fh:
                said.append(agg.predict([last, last + 4]))
                opened[known, known + step - 1] = agg.last_opened
                ends = agg.intervals(agg.last_opened)[0.8] if agg.rounds else None
    assert made.predict().tolist() == said
    assert made.weights_.tolist() == agg.weights().tolist()
    interval = made.predict_interval(coverage=0.8).iloc[-1].tolist()
    assert interval == pytest.approx(list(ends), rel=1e-12)
    assert made.aggregator_.to_bytes() == agg.to_bytes()


@pytest.mark.parametrize("fh", [[1], [1, 2, 3, 4]])
@pytest.mark.parametrize("batch", [1, 3, 7])
def test_rows_that_come_later_are_learned_as_if_they_had_been_there(fh, batch):
    y = walk(60)
    whole = forecaster(warmup=20, refit_every=3).fit(y, fh=fh)
    bit_by_bit = forecaster(warmup=20, refit_every=3).fit(y[:31], fh=fh)
    for start in range(31, 60, batch):
        bit_by_bit.update(y[start : start + batch])
    assert (bit_by_bit.predict() == whole.predict()).all()
    assert bit_by_bit._rounds == whole._rounds


class Follows(Knows):
    """Forecasts what X says, wrongly by what it is told."""

    _tags = {"capability:exogenous": True, "X_inner_mtype": "pd.DataFrame"}

    def _predict(self, fh, X):
        rows = fh.to_absolute_index(self.cutoff)
        self.asked.extend((row, self.known_) for row in rows)
        return X["wind"].loc[rows] + self.plus


@pytest.mark.parametrize("batch", [1, 5, 29])
def test_forecasts_that_wait_for_x_are_those_of_forecasters_that_had_not_seen_the_rows(batch):
    y = walk(60)
    X = pandas.DataFrame({"wind": y.to_numpy()}, index=y.index)
    pair = [("right", Follows()), ("wrong", Follows(4.0))]
    whole = PcgsForecaster(pair, warmup=20).fit(y, X=X, fh=[1, 2, 3])
    bit_by_bit = PcgsForecaster(pair, warmup=20).fit(y[:31], X=X[:31], fh=[1, 2, 3])
    Follows.asked = []
    for start in range(31, 60, batch):
        bit_by_bit.update(y[start : start + batch], X=X[start : start + batch])
    assert all(row > known for row, known in Follows.asked)
    assert bit_by_bit.aggregator_.rounds == whole.aggregator_.rounds > 30
    assert bit_by_bit.weights_.tolist() == whole.weights_.tolist()
    assert whole.weights_["right"] > 0.9


@pytest.mark.parametrize("kind", ["period", "time", "number"])
def test_x_may_begin_before_y_and_reach_beyond_it(kind):
    wind = walk(80)
    if kind == "time":
        wind.index = wind.index.to_timestamp()
    elif kind == "number":
        wind.index = range(80)
    X, y = pandas.DataFrame({"wind": wind}), wind[15:71]
    pair = [("right", Follows()), ("wrong", Follows(4.0))]
    same = PcgsForecaster(pair, warmup=20).fit(y, X=X[15:71], fh=[1, 3])
    Follows.asked = []
    longer = PcgsForecaster(pair, warmup=20).fit(y, X=X, fh=[1, 3])
    assert all(row > known for row, known in Follows.asked)
    assert longer.weights_.tolist() == same.weights_.tolist()
    assert longer.aggregator_.rounds == same.aggregator_.rounds > 20
    for made, given in ((longer, X), (same, X[71:77])):
        made.update(wind[71:77], X=given)
    assert longer.weights_.tolist() == same.weights_.tolist()
    assert longer.predict(X=X).tolist() == same.predict(X=X[77:]).tolist()


def test_without_update_params_nothing_is_learned():
    y = walk(60)
    made = forecaster().fit(y[:40], fh=[1, 2])
    before = made.weights_.tolist()
    made.update(y[40:50], update_params=False)
    assert made.weights_.tolist() == before
    assert made.aggregator_.open_rounds <= 2
    made.update(y[50:])
    assert made.weights_.tolist() != before


def test_rows_that_were_there_before_are_not_learned_again():
    y = walk(60)
    once, twice = (forecaster().fit(y[:40], fh=[1]) for _ in range(2))
    once.update(y[40:])
    twice.update(y[30:50]).update(y[35:])
    assert once._rounds == twice._rounds


def test_rows_that_never_came_are_passed_over():
    y = pandas.Series(np.arange(40.0), index=[t if t < 30 else t + 3 for t in range(40)])
    made = forecaster(warmup=20, refit_every=1).fit(y, fh=[1, 2])
    # Two forecasts from each of 21 origins; three were of rows that are missing, three are of rows to
    # come.
    assert made.aggregator_.rounds == 42 - 3 - 3
    assert made.aggregator_.open_rounds == 3


def test_quantiles_are_in_order_around_the_forecast():
    made = forecaster().fit(walk(80), fh=[1, 3])
    assert made.weights_.index.tolist() == ["near", "far"]
    assert made.get_fitted_params()["weights"].tolist() == made.weights_.tolist()
    alpha = [0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99]
    quantiles = made.predict_quantiles(alpha=alpha).to_numpy()
    assert (np.diff(quantiles) >= 0).all()
    with pytest.raises(pcgs.Error, match="0.999 lies outside .* give levels that reach further"):
        made.predict_quantiles(alpha=0.999)


def test_before_there_was_an_error_there_is_only_disagreement_to_make_quantiles_from():
    made = forecaster(warmup=1.0).fit(walk(20), fh=[1])
    assert made.weights_.tolist() == [0.5, 0.5]
    assert np.isfinite(made.predict_interval().to_numpy()).all()
    agreeing = PcgsForecaster([("one", Knows()), ("two", Knows())], warmup=1.0).fit(walk(20), fh=[1])
    assert np.isnan(agreeing.predict_interval().to_numpy()).all()
    assert np.isfinite(agreeing.predict().to_numpy()).all()


def test_fixed_rows_are_forecast_as_they_come_closer():
    y = walk(60)
    rows = ForecastingHorizon(y.index[-4:], is_relative=False)
    made = PcgsForecaster([("last", NaiveForecaster()), ("mean", NaiveForecaster("mean"))])
    made.fit(y[:56], fh=rows)
    assert made.predict().index.equals(y.index[-4:])
    made.update(y[56:58])
    assert made.predict().index.equals(y.index[-4:])


def test_a_season_is_that_of_the_clock():
    y = pandas.Series(np.tile([0.0, 4.0], 100) + walk(200).to_numpy() * 0.01)
    pair = [("zero", Knows()), ("far", Knows(4.0)), ("low", Knows(-4.0))]
    plain, seasonal = (PcgsForecaster(pair, season=s, warmup=20) for s in (None, 2))
    errors = []
    for made in (plain, seasonal):
        made.fit(y[:180], fh=[1])
        forecasts = made.update_predict(
            y[180:], ExpandingWindowSplitter(fh=[1], initial_window=1), update_params=True
        )
        errors.append((forecasts - y[forecasts.index]).abs().mean())
    assert errors[1] < errors[0]


def test_it_fits_into_the_rest_of_sktime():
    y = walk(60)
    made = PcgsForecaster(
        [
            ("last", NaiveForecaster()),
            ("line", PolynomialTrendForecaster()),
            ("direct", make_reduction(_line(), strategy="direct", window_length=5)),
        ]
    )
    scores = evaluate(made, ExpandingWindowSplitter(fh=[1, 2], initial_window=50), y)
    assert np.isfinite(scores["test_MeanAbsolutePercentageError"]).all()
    assert made.clone().set_params(last__strategy="mean").get_params()["last__strategy"] == "mean"


def _line():
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def test_it_can_be_pickled_in_the_middle():
    y = walk(60)
    made = forecaster().fit(y[:40], fh=[1, 2])
    other = pickle.loads(pickle.dumps(made))
    for one in (made, other):
        one.update(y[40:])
    assert (made.predict() == other.predict()).all()


def test_log_loss_has_no_intervals():
    y = pandas.Series(np.arange(60) % 2.0)
    pair = [("last", NaiveForecaster()), ("mean", NaiveForecaster("mean"))]
    made = PcgsForecaster(pair, loss="log", method="fixed-share").fit(y, fh=[1])
    assert made.weights_["mean"] > 0.9
    assert not made.get_tag("capability:pred_int")


class Boundless(Knows):
    def _predict(self, fh, X):
        return super()._predict(fh, X) + np.inf


@pytest.mark.parametrize(
    "options", [{"warmup": 0}, {"refit_every": "week"}, {"season": 1}, {"scale": -1}, {"levels": [2]}]
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(pcgs.Error):
        forecaster(**options).fit(walk(), fh=[1])


def test_infinite_forecasts_are_refused_by_name():
    made = PcgsForecaster([("near", Knows()), ("wild", Boundless())])
    with pytest.raises(pcgs.Error, match="wild forecasts inf for .* may forecast finite numbers"):
        made.fit(walk(), fh=[1])


def test_its_example_runs():
    guide.run_example("PcgsForecaster", PcgsForecaster.__doc__)


def test_its_page_runs():
    assert guide.run_page(guide.DOCS / "sktime.md") == 1


def test_the_page_for_those_who_come_from_sktime_runs():
    assert guide.run_page(guide.DOCS / "coming-from-sktime.md") == 3
