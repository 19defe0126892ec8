"""Many series in one long frame, each combined for itself: `run_series`."""

from __future__ import annotations

import json
import os
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Union,
)

import numpy as np

from . import _frames, _html, _options
from ._long import LongFrame, Series
from ._pcgs import Error, Together, play, together
from ._pickle import NotPickled
from ._progress import Progress, Told, told
from ._rows import times_of
from ._threads import in_threads
from ._types import Array
from ._words import in_words_of_python
from .result import Result

if TYPE_CHECKING:
    import pandas


class SeriesResult(NotPickled, Mapping[Any, Result]):
    """What came out of `run_series`: a mapping from each series to its `Result`, and all of them
    together. Prints as the table of `pcgs run --by`.

    `forecasts`, `weights`, `intervals` and `next` are DataFrames with the rows and the index of the frame
    that was given, and its columns that say which series and time they are about.
    """

    def __init__(
        self, frame: LongFrame, series: Sequence[Series], results: Sequence[Result], origin: str
    ) -> None:
        self._frame = frame
        self._series = {one.label: one for one in series}
        self._results: Dict[Any, Result] = dict(zip(self._series, results))
        keys = [list(one.key) for one in series]
        self._together: Together = together(frame.by, keys, [one._run for one in results], origin)

    def __getitem__(self, series: Any) -> Result:
        found: Result = self._results[series]
        return found

    def __iter__(self) -> Iterator[Any]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    @property
    def headline(self) -> str:
        """How wrong the combination was over all series, beside the best model and equal weights."""
        return self._together.headline()

    @property
    def methods(self) -> List[str]:
        """The names of the methods, in the order in which they were given."""
        return next(iter(self.values())).methods

    @property
    def experts(self) -> List[str]:
        """The names of the models: their columns as texts."""
        return [str(name) for name in self._frame.models]

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
        models = self._frame.models
        return self._joined("weights", lambda one: dict(zip(models, one.weight_array().T)))

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
    def errors(self) -> pandas.DataFrame:
        """How wrong everybody was over all series together, as `Result.errors`."""
        pd = _frames.pandas_for("SeriesResult.errors", "to_dict()")
        return _frames.errors_frame(pd, self.to_dict()["errors"])

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

    def to_dict(self) -> Dict[str, Any]:
        """The object that `pcgs run --by ... --json` prints."""
        whole: Dict[str, Any] = json.loads(self._together.json())
        return whole

    def table(self) -> str:
        """The tables that `pcgs run --by` prints."""
        return self._together.table()

    def report(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the errors of all series and each as one HTML page that needs nothing else."""
        self._together.report(path)

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return _html.series(self.to_dict(), self.headline)

    def _joined(
        self, what: str, columns_of: Callable[[Result], Dict[str, Array]], with_y: bool = False
    ) -> pandas.DataFrame:
        """What each series has, in the order of the rows that were given; where it has fewer numbers
        than rows, they are of its last ones."""
        pd = _frames.pandas_for(f"SeriesResult.{what}", "the arrays of each series")
        there = np.zeros(len(self._frame.moments), bool)
        whole: Dict[str, Array] = {}
        for label, result in self.items():
            rows = self._series[label].rows
            for name, column in columns_of(result).items():
                mine = rows[len(rows) - len(column) :]
                there[mine] = True
                whole.setdefault(name, np.full(len(there), np.nan))[mine] = column
        about = self._about(pd, np.flatnonzero(there), with_y)
        found = pd.DataFrame({name: column[there] for name, column in whole.items()}, about.index)
        joined: pandas.DataFrame = pd.concat([about, found], axis=1)
        return joined

    def _about(self, pd: Any, rows: Any, with_y: bool) -> Any:
        """The columns of the frame that say what these rows are about."""
        long = self._frame
        names = [
            *long.by,
            long.time,
            *([long.cutoff] if long.cutoff else []),
            *([long.y] if with_y else []),
        ]
        if hasattr(long.frame, "iloc"):
            return long.frame.iloc[rows][names]
        columns = {}
        for name in names:
            values = long.frame[name]
            if values.dtype.kind == "M":
                columns[name] = long.frame.times(name).to_pandas(pd).rename(None)
            else:
                columns[name] = values
        return pd.DataFrame(columns).iloc[rows]


def run_series(
    frame: Any,
    *,
    id: Union[str, Sequence[str]] = "unique_id",
    time: str = "ds",
    y: str = "y",
    cutoff: Optional[str] = "cutoff",
    models: Optional[Sequence[str]] = None,
    ahead: Optional[int] = None,
    methods: Union[str, Sequence[str], None] = None,
    switches: Union[int, Iterable[int]] = (5, 10, 20),
    loss: str = "squared",
    tau: Optional[float] = None,
    scale: Union[float, str, None] = None,
    season: Union[int, Sequence[int], None] = None,
    block: int = 1,
    delay: int = 0,
    intervals: Union[float, Sequence[float], None] = None,
    name: Optional[str] = None,
    threads: Optional[int] = None,
    progress: Progress = None,
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
        forecast: that model sleeps. A missing y: not known; at the end of a series these are `next`.
    id : the column, or the columns, that say which series a row is about.
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
    methods, switches, loss, tau, scale, season, intervals, name, progress : as for `run`.
    block, delay : as for `run`, where no cutoffs say when outcomes are known.
    threads : how many share out the series, all cores unless you say otherwise. Results do not depend
        on it.
    """
    _options.check_loss(loss)
    long = LongFrame(frame, id, time, y, cutoff, models)
    long.check_times()
    if long.cutoff is not None and (block != 1 or delay != 0):
        raise Error(
            "the cutoffs say when outcomes are known; leave block and delay out, or give cutoff=None"
        )
    if ahead is not None:
        _options.count("ahead", ahead, 1, True)
    if threads is not None:
        _options.count("threads", threads, 1, True)
    options: Dict[str, Any] = dict(
        names=[str(model) for model in long.models],
        methods=_options.method_names(methods, True),
        switches=_options.budgets(switches),
        switch_cost=None,
        side=None,
        loss=loss,
        tau=tau,
        scale=scale,
        seasons=_options.seasons(season, True),
        block=_options.count("block", block, 1, True),
        delay=_options.count("delay", delay, 0, True),
        intervals=_options.levels(intervals, loss, True),
        outcome_name=y,
    )
    series = long.series(ahead)
    long.read([*long.models, y])  # once, before several threads ask for them
    with told(progress, name or "playing") as show, in_words_of_python():
        results = in_threads(
            lambda one, tell: _played(long, one, options, tell),
            series,
            [len(one.rows) for one in series],
            threads or os.cpu_count() or 1,
            show,
        )
    return SeriesResult(long, series, results, name or "frame")


def _played(long: LongFrame, one: Series, options: Dict[str, Any], tell: Optional[Told]) -> Result:
    index = long.index_of(one.rows)
    run = play(
        long.numbers(long.models, one.rows),
        y=long.numbers([long.y], one.rows)[:, 0],
        rows=(one.rows + 1).tolist(),
        known=one.known,
        origin=", ".join(one.key),
        times=times_of(index) if long.has_dates() else None,
        progress=tell,
        **options,
    )
    return Result(run, index, long.models)
