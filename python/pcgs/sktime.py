"""An sktime forecaster that combines forecasters online.

Needs sktime 1.2 or later.
"""

from __future__ import annotations

import copy
from statistics import NormalDist
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

try:
    import pandas
    from sktime.forecasting.base import ForecastingHorizon
    from sktime.forecasting.base._meta import _HeterogenousEnsembleForecaster
except ImportError as missing:
    raise ImportError(
        "pcgs.sktime needs sktime 1.2 or later, which is not installed; install it"
    ) from missing

from ._pcgs import Error
from ._types import Array
from ._walk import (
    Ends,
    HorizonRounds,
    keep,
    over_the_awake,
    rows_between_fits,
    rows_to_start_with,
)

_Fitted = List[Tuple[str, Any]]  # name and forecaster
# Rows that were known, the forecasters that knew them, and what they were fitted to forecast.
_Origin = Tuple[int, _Fitted, Any]


class PcgsForecaster(_HeterogenousEnsembleForecaster):  # type: ignore[misc]
    """Combines forecasters with weights that follow whichever is best at present.

    Weights are learned only from forecasts of rows that the forecasters had not seen:

    - `fit` fits them to the first rows (`warmup`), then walks through the others: forecast the whole
      horizon, learn what was forecast as it becomes known, fit again to all rows so far. In the end
      every forecaster has seen every row.
    - `update` learns from the forecasts that were made before the new rows came, then updates the
      forecasters, and goes on. With `update_params=False` nothing is learned.
    - `predict` combines with what was learned so far.

    A horizon is forecast together, and each of its steps is learned when it is known. Weights are
    learned for all steps together and for each on its own. Quantiles and intervals come from the
    errors of the combination, whatever the forecasters are.

    >>> from sktime.datasets import load_airline
    >>> from sktime.forecasting.naive import NaiveForecaster
    >>> from sktime.forecasting.trend import TrendForecaster
    >>> from pcgs.sktime import PcgsForecaster
    >>> y = load_airline()
    >>> forecaster = PcgsForecaster([("season", NaiveForecaster(sp=12)), ("trend", TrendForecaster())])
    >>> forecaster.fit(y[:132], fh=[1, 2, 3]).predict().index.astype(str).tolist()
    ['1960-01', '1960-02', '1960-03']
    >>> forecaster.weights_.idxmax()
    'season'

    Parameters
    ----------
    forecasters : forecasters, or pairs of a name and a forecaster.
    method : how weights are learned: a name with options, or a pcgs.Controller.
    loss, tau : what forecasts are judged by, as for pcgs.Aggregator.
    scale : what losses are divided by, as for pcgs.Aggregator. None: a scale that follows them.
    season : rows in a season, or two numbers, the shorter first. None: the steps of the horizon are
        the phases that are told apart.
    levels : of the intervals that are kept, increasing. Quantiles between them are interpolated.
    warmup : rows that `fit` fits the forecasters to before it learns weights, or a fraction of them.
    refit_every : rows between two fits during the walk; None for the furthest step of the horizon,
        so that each row is forecast once.
    n_jobs : forecasters that are fitted at the same time, as joblib has it.

    Attributes
    ----------
    forecasters_ : pairs of a name and a fitted forecaster.
    weights_ : the present weights, a Series by name.
    aggregator_ : the pcgs.Aggregator that has them.
    """

    _tags = {
        "authors": ["pcgs"],
        "maintainers": ["pcgs"],
        "y_inner_mtype": "pd.Series",
        "X_inner_mtype": "pd.DataFrame",
        "capability:multivariate": False,
        "capability:exogenous": True,
        "capability:missing_values": False,
        "capability:update": True,
        "capability:pred_int": True,
        "capability:pred_int:insample": False,
        "requires-fh-in-fit": True,  # weights are learned for the steps that are asked for
    }

    def __init__(
        self,
        forecasters: Sequence[Any],
        method: Any = "blend",
        *,
        loss: str = "squared",
        tau: Optional[float] = None,
        scale: Optional[float] = None,
        season: Union[int, Sequence[int], None] = None,
        levels: Sequence[float] = (0.5, 0.8, 0.9, 0.95, 0.98),
        warmup: Union[int, float] = 0.5,
        refit_every: Optional[int] = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        keep(self, locals())
        super().__init__(forecasters=forecasters, n_jobs=n_jobs)
        if loss == "log":  # outcomes are 0 and 1
            self.set_tags(**{"capability:pred_int": False})
        for what, if_any in (
            ("capability:exogenous", True),
            ("capability:insample", False),
            ("capability:non_contiguous_X", False),
        ):
            self._anytagis_then_set(what, if_any, not if_any, self._forecasters)

    @property
    def aggregator_(self) -> Any:
        """The pcgs.Aggregator that learns the weights."""
        return self._fitted_rounds().aggregator

    @property
    def weights_(self) -> Any:
        """[K] the present weights, by the names of the forecasters."""
        weights = self._fitted_rounds().aggregator.weights()
        return pandas.Series(weights, index=self._get_forecaster_names(), name="weight")

    def _fitted_rounds(self) -> HorizonRounds:
        if not hasattr(self, "_rounds"):
            raise AttributeError("weights are there once the forecaster is fitted")
        return self._rounds

    def _fit(self, y: Any, X: Any, fh: Any) -> PcgsForecaster:
        self._steps: List[int] = [step for step in _steps(fh, self.cutoff) if step > 0]
        self._fh_of_fit = fh
        self._rounds = self._new_rounds()
        self._waiting: List[_Origin] = []  # for X to reach as far as their forecasts
        self._name = y.name
        self._y_seen = y
        self._X_of_walk = X
        first = rows_to_start_with(self.warmup, len(y))
        stride = rows_between_fits(self.refit_every, max(self._steps, default=len(y)))
        self._grid = (first, stride)
        if self._steps:
            ahead = ForecastingHorizon(self._steps, is_relative=True)
            for origin in range(first, len(y), stride):
                seen = _up_to(y.index[origin - 1], X)
                self._fit_forecasters(None, y[:origin], seen, ahead)
                self._forecast_from((origin, self.forecasters_, ahead))
                self._learn(y[: origin + stride])
        self._fit_forecasters(None, y, X, fh)
        self._known = len(y)
        self._last = y.index[-1]
        self._begin_forecast()
        return self

    def _update(self, y: Any, X: Any = None, update_params: bool = True) -> PcgsForecaster:
        y = y[y.index > self._last]  # windows may hold what was there before
        if X is not None and self._X_of_walk is not None:
            new = X[X.index > self._X_of_walk.index[-1]]
            self._X_of_walk = pandas.concat([self._X_of_walk, new])
        if not update_params:
            self._rounds.abandon(self._rounds.open_until(y.index[-1]) if len(y) else ())
            self._waiting = []
        while len(y):
            first, stride = self._grid
            rows = stride - (self._known - first) % stride if update_params else len(y)
            chunk, y = y[:rows], y[rows:]
            self._y_seen = pandas.concat([self._y_seen, chunk])
            if update_params:
                self._forecast_what_waited()
                self._learn(self._y_seen)
            self._update_forecasters(chunk, X, update_params)
            self._known += len(chunk)
            self._last = chunk.index[-1]
            self._begin_forecast()
        return self

    def _predict(self, fh: Any, X: Any = None) -> Any:
        table, index = self._table(self.forecasters_, fh, X)
        combined = [forecast for forecast, _ in self._combined(fh, table)]
        return pandas.Series(combined, index=index, name=self._name)

    def _predict_quantiles(self, fh: Any, X: Any, alpha: List[float]) -> Any:
        table, index = self._table(self.forecasters_, fh, X)
        rows = [
            [_quantile(each, forecast, ends) for each in alpha]
            for forecast, ends in self._combined(fh, table)
        ]
        columns = pandas.MultiIndex.from_product([self._get_varnames(), alpha])
        return pandas.DataFrame(rows, index=index, columns=columns)

    def _new_rounds(self) -> HorizonRounds:
        season = self.season
        clock: List[Any] = [] if season is None else np.atleast_1d(season).tolist()
        return HorizonRounds(
            self._get_forecaster_names(),
            max(1, len(self._steps)),
            clock=clock,
            **{name: getattr(self, name) for name in ("method", "loss", "tau", "scale")},
            intervals=() if self.loss == "log" else self.levels,
        )

    def _update_forecasters(self, y: Any, X: Any, update_params: bool) -> None:
        """Those that cannot be updated are fitted to all rows so far, whatever sktime's own default
        for them is."""
        up_to = y.index[-1]
        for k, (name, forecaster) in enumerate(self.forecasters_):
            if update_params and not forecaster.get_tag("capability:update"):
                seen = _up_to(up_to, self._X_of_walk)
                fresh = forecaster.clone().fit(self._y_seen, X=seen, fh=self._fh_of_fit)
                self.forecasters_[k] = (name, fresh)
            else:
                forecaster.update(y, _up_to(up_to, X), update_params=update_params)

    def _begin_forecast(self) -> None:
        """Where the walk stops to forecast, forecasts: now, or when X is known far enough."""
        first, stride = self._grid
        if not self._steps or self._known < first or (self._known - first) % stride:
            return
        self._forecast_from((self._known, self.forecasters_, self._fh_of_fit))

    def _forecast_from(self, origin: _Origin) -> None:
        known, fitted, fh = origin
        cutoff = fitted[0][1].cutoff
        steps = _steps(fh, cutoff)
        if steps[-1] < 1:  # fixed rows, which are all known by now
            return
        X = self._X_of_walk
        if X is not None:  # counted by its index, for it may begin before y
            last = fh.to_absolute_index(cutoff)[-1]
            if not (X.index >= last).any():
                self._waiting.append((known, copy.deepcopy(fitted), fh))
                return
            X = X[(X.index > cutoff[0]) & (X.index <= last)]
        table, index = self._table(fitted, fh, X)
        for step, of, row in zip(steps, index, table):
            if step > 0:
                self._rounds.forecast(of, self._phase(known, step), row)

    def _forecast_what_waited(self) -> None:
        waiting, self._waiting = self._waiting, []
        for origin in waiting:
            self._forecast_from(origin)

    def _learn(self, y: Any) -> None:
        """From forecasts of rows that are known now."""
        if not self._rounds.open:
            return
        known = y[y.index >= min(self._rounds.open.values())].dropna()
        self._rounds.learn(dict(zip(known.index, known.to_numpy(dtype=float))))
        self._rounds.abandon(self._rounds.open_until(y.index[-1]))  # what lies between the rows

    def _phase(self, known: int, step: int) -> int:
        """Of the clock if there is a season; else the first step that was learned and is as far."""
        if self.season is not None:
            return known + step - 1
        further = [at for at, learned in enumerate(self._steps) if learned >= step]
        return further[0] if further else max(0, len(self._steps) - 1)

    def _combined(self, fh: Any, table: Array) -> List[Tuple[float, Ends]]:
        steps = np.array(_steps(fh, self.cutoff))
        ahead = [
            (self._phase(self._known, step), row) for step, row in zip(steps, table) if step > 0
        ]
        # Rows that everybody has seen say nothing about who is good at what comes.
        seen = table[steps <= 0]
        awake = ~np.isnan(seen)
        weights = over_the_awake(self._rounds.aggregator.weights(), awake)
        fitted = (weights * np.where(awake, seen, 0.0)).sum(axis=1)
        fitted[~awake.any(axis=1)] = np.nan
        return [(float(one), {}) for one in fitted] + self._rounds.preview(ahead)

    def _table(self, fitted: _Fitted, fh: Any, X: Any) -> Tuple[Array, Any]:
        """[H x K] what everybody forecasts, and the rows it is about."""
        columns = [forecaster.predict(fh=fh, X=X) for _, forecaster in fitted]
        table: Array = np.column_stack([np.asarray(each, dtype=float).ravel() for each in columns])
        for row, k in np.argwhere(np.isinf(table))[:1]:
            raise Error(
                f"{fitted[k][0]} forecasts {table[row, k]} for {columns[k].index[row]}; forecasters "
                "may forecast finite numbers, and NaN where they cannot say"
            )
        return table, columns[0].index

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> List[Dict[str, Any]]:
        """Parameters for sktime's own checks."""
        from sktime.forecasting.naive import NaiveForecaster
        from sktime.forecasting.trend import PolynomialTrendForecaster

        pair = [("last", NaiveForecaster()), ("line", PolynomialTrendForecaster())]
        return [
            {"forecasters": pair},
            {
                "forecasters": [NaiveForecaster(strategy="mean"), NaiveForecaster()],
                "method": "fixed-share",
                "loss": "absolute",
                "season": 7,
                "levels": [0.9],
                "warmup": 5,
                "refit_every": 4,
            },
        ]


def _up_to(row: Any, X: Any) -> Any:
    """What of X was there when that row was the last."""
    return None if X is None else X[X.index <= row]


def _steps(fh: Any, cutoff: Any) -> List[int]:
    """How far ahead of the cutoff, in order."""
    return [int(step) for step in fh.to_relative(cutoff).to_numpy()]


def _quantile(alpha: float, forecast: float, ends: Ends) -> float:
    """Between the ends of the nearest intervals, as if errors were normal there; the middle is the
    forecast. NaN where there was neither an error nor a disagreement to make intervals from."""
    level = abs(2 * alpha - 1)
    if not ends:
        return float("nan")
    levels = list(ends)
    if level > levels[-1] + 1e-9:
        raise Error(
            f"the quantile {alpha} lies outside the interval of level {levels[-1]}, the last of "
            "levels; give levels that reach further to PcgsForecaster"
        )
    middle = float(np.clip(forecast, *ends[levels[0]]))
    side = 0 if alpha < 0.5 else 1
    normal = NormalDist()
    places = [normal.inv_cdf((1 + each) / 2) for each in (0.0, *levels)]
    values = [middle, *(pair[side] for pair in ends.values())]
    return float(np.interp(normal.inv_cdf((1 + min(level, levels[-1])) / 2), places, values))
