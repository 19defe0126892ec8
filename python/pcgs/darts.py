"""Combines the forecasts of darts models online: a model, and a function for forecasts that are made.

Needs darts 0.40 or later; `u8darts`, without torch, is enough.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np

try:
    from darts import TimeSeries
    from darts.models.forecasting.ensemble_model import EnsembleModel
except ImportError as missing:
    raise ImportError(
        "pcgs.darts needs darts 0.40 or later, which is not installed; install u8darts or darts"
    ) from missing

from ._pcgs import Error
from ._types import Array
from ._walk import HorizonRounds, check_whole, rows_between_fits, rows_to_start_with


def combine(
    historical_forecasts: Any,
    series: TimeSeries,
    *,
    forecast_horizon: int = 1,
    names: Optional[Sequence[str]] = None,
    method: Any = "blend",
    loss: str = "squared",
    tau: Optional[float] = None,
    scale: Optional[float] = None,
) -> Any:
    """Combines what `historical_forecasts` of several models returned, as if it had been done when
    each forecast was made: with outcomes that were known then.

    With `last_points_only=True`, darts' default, there is one TimeSeries for each model, and
    `forecast_horizon` must be the one that it was asked for; the answer is a TimeSeries. With
    `last_points_only=False` there is a list of them for each model, each made from all rows before
    its start; the answer is such a list. A model that did not forecast some time sleeps then. Rows
    after the end of `series` are forecast and not learned. Each component is combined by itself.

    >>> import numpy as np
    >>> from darts import TimeSeries
    >>> from darts.models import NaiveMean, NaiveSeasonal
    >>> from pcgs.darts import combine
    >>> series = TimeSeries.from_values(np.arange(60.0) % 7)
    >>> models = [NaiveSeasonal(K=7), NaiveMean()]
    >>> made = [m.historical_forecasts(series, start=14, verbose=False) for m in models]
    >>> combined = combine(made, series)
    >>> bool(np.abs(combined.values() - series.slice_intersect(combined).values())[-20:].max() < 0.1)
    True
    """
    check_whole("forecast_horizon", forecast_horizon, "")
    if not isinstance(series, TimeSeries):
        raise Error(
            f"series is a {type(series).__name__}; give the one TimeSeries that was forecast"
        )
    if series.n_samples > 1:
        raise Error(f"series has {series.n_samples} samples; give one outcome for each time")
    models = _of_each_model(historical_forecasts, series)
    names = [f"model_{k + 1}" for k in range(len(models))] if names is None else list(names)
    if len(names) != len(models):
        raise Error(f"there are {len(names)} names for {len(models)} models; give one for each")
    options = {"method": method, "loss": loss, "tau": tau, "scale": scale}
    if all(isinstance(each, TimeSeries) for each in models):
        return _last_points(models, series, int(forecast_horizon), names, options)
    return _whole_forecasts(models, series, names, options)


class PcgsEnsemble(EnsembleModel):  # type: ignore[misc]
    """An ensemble whose weights follow whichever model is best at present.

    `fit` fits the models to the first rows (`warmup`), then walks through the others: forecast the
    whole horizon, learn each step when it becomes known, fit again to all rows so far. In the end
    every model has seen every row, and weights were learned only from forecasts of rows that the
    models had not seen. `predict`, `historical_forecasts`, `backtest` and covariates are those of
    darts' EnsembleModel. Forecasts are points: `num_samples` is 1.

    Pretrained global models, with `train_forecasting_models=False`, are not fitted again; weights
    are honest if `fit` is given rows that they were not trained on.

    Parameters
    ----------
    forecasting_models : the models, as for darts' other ensembles.
    horizon : steps ahead that weights are learned for; steps beyond have the weights of the last.
    method : how weights are learned: a name with options, or a pcgs.Controller.
    loss, tau : what forecasts are judged by, as for pcgs.Aggregator.
    scale : what losses are divided by, as for pcgs.Aggregator. None: a scale that follows them.
    warmup : rows that `fit` fits the models to before it learns weights, or a fraction of them; never
        fewer than the models need.
    refit_every : rows between two fits during the walk; None for `horizon`, so that each row is
        forecast once.
    train_num_samples, train_samples_reduction : how probabilistic models are reduced to points, as
        for RegressionEnsembleModel.
    train_forecasting_models, show_warnings : as for darts' other ensembles.
    """

    def __init__(
        self,
        forecasting_models: List[Any],
        horizon: int = 1,
        method: Any = "blend",
        loss: str = "squared",
        tau: Optional[float] = None,
        scale: Optional[float] = None,
        warmup: Union[int, float] = 0.5,
        refit_every: Optional[int] = None,
        train_num_samples: int = 1,
        train_samples_reduction: Union[str, float, None] = "median",
        train_forecasting_models: bool = True,
        show_warnings: bool = True,
    ) -> None:
        check_whole("horizon", horizon, "")
        super().__init__(
            forecasting_models=forecasting_models,
            ensemble_model=None,
            train_num_samples=train_num_samples,
            train_samples_reduction=train_samples_reduction,
            train_forecasting_models=train_forecasting_models,
            train_n_points=0,
            show_warnings=show_warnings,
        )
        self._horizon = int(horizon)
        self._options = {"method": method, "loss": loss, "tau": tau, "scale": scale}
        self._warmup = warmup
        self._refit_every = refit_every
        self._rounds: Dict[str, HorizonRounds] = {}  # by component

    def fit(
        self,
        series: Any,
        past_covariates: Any = None,
        future_covariates: Any = None,
        sample_weight: Any = None,
        verbose: Optional[bool] = None,
    ) -> PcgsEnsemble:
        """Fits the models, and learns their weights on rows that they had not seen."""
        if not isinstance(series, TimeSeries):
            raise Error(
                "PcgsEnsemble learns the weights of one series; give fit a single TimeSeries"
            )
        super().fit(series, past_covariates, future_covariates, verbose=verbose)
        needed = max(model.min_train_series_length for model in self.forecasting_models)
        first = max(rows_to_start_with(self._warmup, len(series)), needed)
        stride = rows_between_fits(self._refit_every, self._horizon)
        names = self._names()
        self._rounds = {
            component: HorizonRounds(names, self._horizon, **self._options)
            for component in series.components
        }
        future = {"future_covariates": future_covariates, "verbose": verbose}
        for origin in range(first, len(series), stride):
            known = series[:origin]
            seen = _until(past_covariates, known)
            self._fit_models(known, past_covariates=seen, sample_weight=sample_weight, **future)
            made = self._make_multiple_predictions(
                n=self._horizon,
                series=known,
                past_covariates=seen,
                num_samples=self.train_num_samples,
                **future,
            )
            table = _table(made, len(names))
            new = series[origin : origin + stride]
            for component, rounds in self._rounds.items():
                rows = table[:, :, series.components.get_loc(component)]
                for step, (time, row) in enumerate(zip(made.time_index, rows)):
                    rounds.forecast(time, step, row)
                _learn(rounds, new[component])
        self._fit_models(
            series, past_covariates=past_covariates, sample_weight=sample_weight, **future
        )
        return self

    def ensemble(
        self,
        predictions: Any,
        series: Any,
        num_samples: int = 1,
        predict_likelihood_parameters: bool = False,
        random_state: Optional[int] = None,
        verbose: Optional[bool] = None,
    ) -> Any:
        """Combines the models' predictions with what was learned; `predict` calls it."""
        if isinstance(predictions, TimeSeries):
            return self._combined(predictions, series)
        return [self._combined(one, its) for one, its in zip(predictions, series)]

    @property
    def weights(self) -> Dict[str, Dict[str, float]]:
        """The present weights by component and model."""
        return {
            component: dict(zip(self._names(), rounds.aggregator.weights().tolist()))
            for component, rounds in self._rounds.items()
        }

    @property
    def supports_probabilistic_prediction(self) -> bool:
        """The combination is a point, whatever the models are."""
        return False

    @property
    def supports_likelihood_parameter_prediction(self) -> bool:
        """The combination has no likelihood."""
        return False

    def _names(self) -> List[str]:
        """Of the classes, numbered where several are of the same."""
        names: List[str] = []
        for model in self.forecasting_models:
            name = type(model).__name__
            same = sum(each == name or each.startswith(f"{name}_") for each in names)
            names.append(f"{name}_{same + 1}" if same else name)
        return names

    def _fit_models(self, series: Any, **others: Any) -> None:
        if not self.train_forecasting_models:
            return
        self.forecasting_models: List[Any] = [
            model.untrained_model() for model in self.forecasting_models
        ]
        for model in self.forecasting_models:
            taken = {
                name: value
                for name, value in others.items()
                if name == "verbose" or getattr(model, f"supports_{name}")
            }
            model._fit_wrapper(series=series, **taken)

    def _combined(self, predictions: TimeSeries, series: TimeSeries) -> TimeSeries:
        if not self._rounds:
            raise Error("no weights were learned yet; call fit first")
        if list(series.components) != list(self._rounds):
            raise Error(
                f"the series has the components {', '.join(series.components)}; weights were learned "
                f"for {', '.join(self._rounds)}, give those"
            )
        table = _table(predictions, len(self.forecasting_models))
        columns = []
        for k, rounds in enumerate(self._rounds.values()):
            ahead = [(min(step, self._horizon - 1), row) for step, row in enumerate(table[:, :, k])]
            columns.append([forecast for forecast, _ in rounds.preview(ahead)])
        values = np.array(columns).T
        return series.with_times_and_values(times=predictions.time_index, values=values)


def _table(predictions: TimeSeries, models: int) -> Array:
    """[H x K x C] from components that are those of the first model, then those of the next."""
    values = predictions.all_values(copy=False)
    if values.shape[2] > 1:
        raise Error("a model forecasts samples; give train_num_samples, to reduce them to points")
    return values[:, :, 0].astype(float).reshape(len(values), models, -1)


def _until(covariates: Any, known: TimeSeries) -> Any:
    """What was there when the last known row was; nobody knows later ones of the past kind."""
    if covariates is None:
        return None
    return covariates.slice(covariates.start_time(), known.end_time())


def _learn(rounds: HorizonRounds, new: TimeSeries) -> None:
    values = new.values(copy=False)[:, 0].astype(float)
    pairs = dict(zip(new.time_index, values.tolist()))
    rounds.learn({time: value for time, value in pairs.items() if not np.isnan(value)})
    rounds.abandon(rounds.open_until(new.end_time()))  # what is missing


def _of_each_model(given: Any, series: TimeSeries) -> List[Any]:
    """What `historical_forecasts` of each model returned: a TimeSeries of each, or a list of each."""
    what = "give a list with what historical_forecasts of each model returned"
    if isinstance(given, TimeSeries):
        raise Error(f"there is one TimeSeries for all models; {what}")
    if not isinstance(given, (list, tuple)):
        raise Error(f"the forecasts are a {type(given).__name__}; {what}")
    if not given:
        raise Error(f"there are no forecasts; {what}")
    single = [isinstance(each, TimeSeries) for each in given]
    if any(single) and any(isinstance(each, (list, tuple)) for each in given):
        raise Error("some models have one TimeSeries and others a list; give one kind for all")
    for number, each in enumerate(given, 1):
        if not isinstance(each, (TimeSeries, list, tuple)):
            raise Error(f"model {number} has a {type(each).__name__}; {what}")
        parts = [each] if isinstance(each, TimeSeries) else each
        if not parts:
            raise Error(f"model {number} has no forecasts; {what}, or leave it out")
        starts = set()
        for part in parts:
            if not isinstance(part, TimeSeries):
                raise Error(
                    f"model {number} has a {type(part).__name__} in its list; give one TimeSeries for "
                    "each forecast"
                )
            if part.has_datetime_index != series.has_datetime_index:
                raise Error(
                    f"model {number} forecasts {_kind(part)}, and the series has {_kind(series)}; "
                    "give both as one kind"
                )
            start = part.start_time()
            if start in starts:
                raise Error(
                    f"model {number} has two forecasts that start at {start}; give one for each start"
                )
            starts.add(start)
    return list(given)


def _kind(series: TimeSeries) -> str:
    return "dates" if series.has_datetime_index else "whole numbers for times"


def _last_points(
    models: List[TimeSeries], series: TimeSeries, ahead: int, names: List[str], options: Any
) -> TimeSeries:
    times = models[0].time_index
    for each in models[1:]:
        times = times.union(each.time_index)
    table = _side_by_side(models, times, series)
    back = ahead * series.freq
    values = np.empty((len(times), series.n_components))
    for k in range(series.n_components):
        rounds = HorizonRounds(names, 1, **options)
        known = _Known(series, k)
        for t, time in enumerate(times):
            rounds.learn(known.until(time - back))
            values[t, k], _ = rounds.forecast(time, 0, table[t, :, k])
    return series.with_times_and_values(times=times, values=values)


def _whole_forecasts(
    models: List[Any], series: TimeSeries, names: List[str], options: Any
) -> List[TimeSeries]:
    by_start: Dict[Any, List[Optional[TimeSeries]]] = {}
    for k, forecasts in enumerate(models):
        for one in forecasts:
            by_start.setdefault(one.start_time(), [None] * len(models))[k] = one
    steps = max(len(one) for forecasts in models for one in forecasts)
    all_rounds = [HorizonRounds(names, steps, **options) for _ in range(series.n_components)]
    knowns = [_Known(series, k) for k in range(series.n_components)]
    answer = []
    for start in sorted(by_start):
        made = by_start[start]
        times = max((one for one in made if one is not None), key=len).time_index
        table = _side_by_side(made, times, series)
        values = np.empty((len(times), series.n_components))
        for k, (rounds, known) in enumerate(zip(all_rounds, knowns)):
            rounds.learn(known.until(start - series.freq))
            for step, time in enumerate(times):
                values[step, k], _ = rounds.forecast(time, step, table[step, :, k])
        answer.append(series.with_times_and_values(times=times, values=values))
    return answer


def _side_by_side(models: Sequence[Optional[TimeSeries]], times: Any, series: TimeSeries) -> Array:
    """[T x K x C], NaN where a model said nothing."""
    table = np.full((len(times), len(models), series.n_components), np.nan)
    for k, one in enumerate(models):
        if one is None:
            continue
        if one.n_components != series.n_components or one.n_samples > 1:
            raise Error(
                f"model {k + 1} forecasts {one.n_components} components and {one.n_samples} samples; "
                f"give points of {series.n_components} components, as the series has"
            )
        table[times.get_indexer(one.time_index), k] = one.values(copy=False)
    return table


class _Known:
    """The outcomes of a component as time goes by, each handed out once."""

    def __init__(self, series: TimeSeries, k: int) -> None:
        self._times = series.time_index
        self._values = series.values(copy=False)[:, k].astype(float)
        self._at = 0

    def until(self, time: Any) -> Dict[Any, float]:
        """What became known since the last call, up to this time."""
        end = int(self._times.searchsorted(time, side="right"))
        start, self._at = self._at, max(self._at, end)
        pairs = zip(self._times[start : self._at], self._values[start : self._at].tolist())
        return {when: value for when, value in pairs if not np.isnan(value)}
