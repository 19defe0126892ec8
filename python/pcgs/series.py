"""Many series, or quantiles, in one long frame: `run_series`, and `run` with by= or quantiles=."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union

import numpy as np

from . import _frames, _html, _pcgs
from ._long import LongFrame
from ._pcgs import Error
from ._progress import Progress, in_rounds, told
from ._types import Array
from .result import Result, Whole

if TYPE_CHECKING:
    import pandas


class SeriesResult(Whole, Mapping[Any, Result]):
    """What came out of `run_series`: a mapping from each series to its `Result`, and all of them
    together. Prints as the table of `pcgs run --by`.

    `forecasts`, `weights`, `intervals` and `next` are DataFrames with the rows and the index of the frame
    that was given, and its columns that say which series and time they are about.
    """

    def __init__(self, frame: LongFrame, whole: _pcgs.Run) -> None:
        self._frame = frame
        self._whole = whole
        self._rows: Dict[Any, Any] = {}  # [T] of each series, where its rounds stand in the frame
        self._results: Dict[Any, Result] = {}
        labels = {str(name): name for name in frame.models}
        for played in whole.series():
            label = frame.label_of[tuple(played.key())]
            rows = np.array(played.rows(), np.intp) - 1
            self._rows[label] = rows
            self._results[label] = Result(played, frame.index_of(rows), labels)

    def __getitem__(self, series: Any) -> Result:
        return self._results[series]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    @property
    def methods(self) -> List[str]:
        """The names of the methods, in the order in which they were given."""
        return next(iter(self.values())).methods

    @property
    def experts(self) -> List[str]:
        """The names of the models: their columns as texts."""
        return next(iter(self.values())).experts

    @property
    def forecasts(self) -> pandas.DataFrame:
        """A row for each row of the frame: series, time, cutoff where there is one, y, and the forecast
        of each method, the default (the last) being the last column."""
        return self._joined(
            "forecasts", lambda one: {name: one.forecast_array(name) for name in one.methods}, True
        )

    @property
    def weights(self) -> pandas.DataFrame:
        """A row for each row of the frame: series, time, and the weights that the last method played, in
        the columns of the models."""
        return self._joined(
            "weights", lambda one: dict(zip(one._labels(), one.weight_array().T))
        )

    @property
    def intervals(self) -> pandas.DataFrame:
        """A row for each row of the frame: series, time, and the ends of the intervals."""
        return self._joined(
            "intervals", lambda one: _frames.interval_columns(one.interval_arrays())
        )

    @property
    def next(self) -> pandas.DataFrame:
        """The rows to come, those at the end of each series whose y is NaN: series, time, forecast, and
        the ends of its interval."""
        return self._joined("next", lambda one: one._next_columns())

    @property
    def errors_by_series(self) -> pandas.DataFrame:
        """How wrong everybody was in each series: an index of the series and the name."""
        pd = _frames.pandas_for("SeriesResult.errors_by_series", "to_dict()")
        several = len(self._frame.by) > 1
        keys, errors = [], []
        for label, result in self.items():
            for one in result.error_list():
                keys.append((*(label if several else [label]), one["name"]))
                errors.append(one)
        frame = _frames.errors_frame(pd, errors)
        frame.index = pd.MultiIndex.from_tuples(keys, names=[*self._frame.by, "name"])
        return frame

    def _repr_html_(self) -> str:
        return _html.series(self.to_dict(), self.headline)

    def _joined(
        self, what: str, columns_of: Callable[[Result], Dict[str, Array]], with_y: bool = False
    ) -> pandas.DataFrame:
        """What each series has, in the order of the rows that were given; where it has fewer numbers
        than rows, they are of its last ones."""
        pd = _frames.pandas_for(f"SeriesResult.{what}", "the arrays of each series")
        there = np.zeros(self._frame.rows, bool)
        whole: Dict[str, Array] = {}
        for label, result in self.items():
            rows = self._rows[label]
            for name, column in columns_of(result).items():
                mine = rows[len(rows) - len(column) :]
                there[mine] = True
                whole.setdefault(name, np.full(len(there), np.nan))[mine] = column
        about = self._frame.about(pd, np.flatnonzero(there), with_y)
        found = pd.DataFrame({name: column[there] for name, column in whole.items()}, about.index)
        return pd.concat([about, found], axis=1)


class QuantileResult(Whole):
    """What came out of `run` with quantiles. Prints as the table of `pcgs run --quantiles`; `state` is what
    QuantilePanel.from_bytes loads."""

    def __init__(self, frame: LongFrame, whole: _pcgs.Run) -> None:
        self._frame = frame
        self._whole = whole

    @property
    def forecasts(self) -> pandas.DataFrame:
        """A row for each time of each series, in the order of time: series, time, y, and the combined
        quantiles under the names of their columns; NaN where there was no forecast."""
        pd = _frames.pandas_for("QuantileResult.forecasts", "to_dict()")
        rows = np.array(self._whole.quantile_rows(), np.intp) - 1
        about = self._frame.about(pd, rows, True)
        found = pd.DataFrame(
            self._whole.published(), columns=self._whole.quantile_columns(), index=about.index
        )
        return pd.concat([about, found], axis=1)


def run_series(
    frame: Any,
    *,
    by: Union[str, Sequence[str]] = "unique_id",
    time: str = "ds",
    y: str = "y",
    cutoff: Optional[str] = "cutoff",
    models: Optional[Sequence[str]] = None,
    ahead: Optional[int] = None,
    name: Optional[str] = None,
    progress: Progress = None,
    **options: Any,
) -> SeriesResult:
    """Combines the models of each series in a long frame, as statsforecast, neuralforecast and mlforecast
    write them: a row for each series and time, with y and a column for each model.

    >>> import numpy as np, pandas, pcgs
    >>> days = pandas.date_range("2026-01-01", periods=60)
    >>> wave = np.sin(np.arange(60.0))
    >>> cv = pandas.concat(
    ...     pandas.DataFrame({"unique_id": name, "ds": days, "cutoff": days - pandas.Timedelta(days=1),
    ...                       "y": size * wave, "ARIMA": size * wave + 0.2, "Theta": size * wave - 0.3})
    ...     for name, size in [("north", 1), ("south", 5)])
    >>> result = pcgs.run_series(cv)
    >>> list(result), result["south"].best_model
    (['north', 'south'], 'ARIMA')
    >>> list(result.forecasts)
    ['unique_id', 'ds', 'cutoff', 'y', 'blend']

    Parameters
    ----------
    frame : of pandas, Polars, PyArrow or whatever else speaks Arrow, its rows in any order. A missing
        forecast: it is missing. A missing y: not known; at the end of a series these are `next`.
    by : the column, or the columns, that say which series a row is about.
    time, y : the columns with the times and with what happened.
    cutoff : the column with the last time that was known when a row was forecast, where the frame has it,
        as what cross_validation returns does. Then an outcome is learned before a row is forecast if it
        happened no later than the row's cutoff, and not otherwise: 24 hours that were forecast together
        are combined together. Rows without a cutoff are forecast knowing what happened before them.
        None: nothing is made of it.
    models : the columns with the models' forecasts. The default is every other column, but for
        intervals, such as AutoARIMA-lo-95, and the numbers of rows that reset_index calls index.
    ahead : of windows that overlap, where one time was forecast from several cutoffs, which row after
        its cutoff: 1 for the first that the frame has, 2 for the second. Where a window lacks a row, those
        after it move up; keep that row, with NaN for the models that did not forecast it, and they are so
        many steps ahead.
    name, progress : as for `run`.
    options : method, switches, loss, tau, scale, season, intervals, state, skip_learned, drop and threads as
        for `run`; block and delay where no cutoffs say when outcomes are known. Results do not depend on
        threads.
    """
    return run_long(
        options,
        frame,
        by=by,
        time=time,
        y=y,
        cutoff=cutoff,
        ahead=ahead,
        models=models,
        name=name,
        progress=progress,
    )


def run_long(
    request: Dict[str, Any],
    frame: Any,
    *,
    by: Union[str, Sequence[str], None],
    time: Optional[str],
    y: str,
    models: Optional[Sequence[str]],
    name: Optional[str],
    progress: Progress,
    cutoff: Optional[str] = None,
    ahead: Optional[int] = None,
    side: Any = None,
) -> Any:
    """One call of the library on a long frame; the other fields of the request are given."""
    model_column, quantiles, threads = map(request.get, ("model_column", "quantiles", "threads"))
    long = LongFrame(
        frame, by, time, y, cutoff, models,
        texts=[model_column], times=[request.get("known")], side=() if side is None else list(side),
        quantiles=quantiles,
    )  # fmt: skip
    long.check_times()
    if long.cutoff is not None and (request.get("block", 1) != 1 or request.get("delay", 0) != 0):
        raise Error(
            "the cutoffs say when outcomes are known; leave block and delay out, or give cutoff=None",
            kind="request",
            field="cutoff",
        )
    if ahead is not None and (not isinstance(ahead, int) or ahead < 1):
        raise Error(f"ahead is {ahead!r}; give a whole number from 1 on", field="ahead")
    rounds = model_column is None and quantiles is None
    parts = long.parts(name or "frame", rounds=rounds, ahead=ahead)
    request = {
        **request,
        "outcome": y,
        "time": time,
        "series": long.by,
        "side": long.side,
        # Named only by whoever calls: a column that never changes is then one of them.
        "models": None if models is None else [str(one) for one in long.models],
        "threads": (os.cpu_count() or 1) if threads is None else threads,
    }
    with told(progress, name or "playing") as show:
        whole = _pcgs.play(request, parts, in_rounds(show, parts["values"]))
    check_new(whole)
    if quantiles is not None:
        return QuantileResult(long, whole)
    if long.by:
        return SeriesResult(long, whole)
    [played] = whole.series()
    rows = np.array(played.rows(), np.intp) - 1
    return Result(played, long.index_of(rows), {}, whole)


def check_new(whole: _pcgs.Run) -> None:
    """Refuses a run that found nothing to do."""
    if whole.nothing_new():
        raise Error(
            f"no row is new: the state has learned up to {whole.last_learned()}, and nothing was played",
            kind="missing",
            field="state",
        )
