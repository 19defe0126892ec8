"""Forecasts or losses of a whole sequence combined at once: `run`."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence, Union

from . import _pcgs
from ._pcgs import Error
from ._progress import Progress, in_rounds, told
from ._table import WideTable
from ._types import Numbers, Path, Table
from .result import Result
from .series import QuantileResult, SeriesResult, check_new, run_long

# What goes to the library as it is given.
OPTIONS = (
    *("method", "methods", "known", "quantiles", "model_column", "loss", "tau", "scale", "season"),
    *("block", "delay", "intervals", "calibrate", "log1p", "switches", "switch_cost", "state"),
    *("skip_learned", "drop", "threads"),
)
State = Union[bytes, bytearray, memoryview, Path, Result, SeriesResult, QuantileResult]


def run(
    X: Table,
    y: Union[Numbers, str, None] = None,
    *,
    method: Union[str, Sequence[str], None] = None,
    methods: Union[str, Sequence[str], None] = None,
    models: Optional[Sequence[str]] = None,
    side: Union[Table, Sequence[str], None] = None,
    time: Optional[str] = None,
    by: Union[str, Sequence[str], None] = None,
    model_column: Optional[str] = None,
    quantiles: Optional[str] = None,
    known: Optional[str] = None,
    loss: Optional[str] = None,
    tau: Optional[float] = None,
    scale: Union[float, str, None] = None,
    season: Union[int, Sequence[int], None] = None,
    block: int = 1,
    delay: int = 0,
    intervals: Union[float, Sequence[float], None] = None,
    calibrate: bool = True,
    log1p: bool = False,
    switches: Union[int, Iterable[int], None] = None,
    switch_cost: Optional[float] = None,
    state: Optional[State] = None,
    skip_learned: bool = False,
    drop: Sequence[str] = (),
    threads: Optional[int] = None,
    name: Optional[str] = None,
    progress: Progress = None,
) -> Any:
    """Combines the forecasts in X of what happened, y, round after round, as `pcgs run` does, and
    says how wrong the combination was beside each of them.

    >>> import numpy as np, pcgs
    >>> y = np.sin(np.arange(300.0))
    >>> X = y[:, None] + np.random.default_rng(1).standard_normal((300, 3)) * [0.1, 0.2, 0.3]
    >>> result = pcgs.run(X, y, models=["ridge", "tree", "lag"])
    >>> result.best_model
    'ridge'
    >>> result.headline.split(" (")[0]
    "The combination's error"

    A run resumes from the state of an earlier one, and gives what one run over both would have given:

    >>> first = pcgs.run(X[:200], y[:200])
    >>> rest = pcgs.run(X[200:], y[200:], state=first.state)
    >>> bool((rest.forecast_array() == pcgs.run(X, y).forecast_array()[200:]).all())
    True

    Without y, of losses, methods are measured against the best path of experts in hindsight:

    >>> losses = np.random.default_rng(1).random((300, 3)) * [0.4, 0.6, 1.0]
    >>> result = pcgs.run(losses, methods=["fixed-share", "ml-poly"], switches=[5, 10])
    >>> print(result.table().splitlines()[0])
    losses: 300 rounds, 3 experts

    Parameters
    ----------
    X : with y, forecasts: a row for each round in the order of time and a column for each model, NaN
        where a forecast is missing. Without y, losses in [0, 1]. A DataFrame's columns name the models;
        its index, if it holds times (a DatetimeIndex or a PeriodIndex), says when the rounds were, and
        phases of a season keep to the clock where some are missing. Frames of Polars, PyArrow and others
        that speak Arrow are read without pandas.
    y : what the forecasts are about, a number for each round, or a frame of one column; in a frame also
        a column's name. NaN: not known, so that this round is forecast and not learned; at the end these
        are `Result.next`. Where both are of pandas, X and y must have the same index.
    method, methods : names, in a list or as one text with commas; "all" for every one. The default is blend for
        forecasts and guard for losses, or what the state was saved by. The last one is the combination.
    models : of a frame, the columns to combine, all others unless you say otherwise; of an array, the
        names of its columns. A column that equals y, and, unless it is named here, one that never
        changes or counts the rows is refused.
    side : side information, a row for each round, for methods that take it; in a frame also names of
        columns, which are then no models.
    time : the column of the frame that says when the rounds were, where no index does.
    by : the column, or the columns, that tell series apart. Then the result is a SeriesResult, and y and
        time name columns too.
    model_column : long format: a row for each model and time, with the name of the model in this column.
    quantiles : forecasts are distributions: the columns with their quantiles, with * for the level, as
        "q*" for q0.1, q0.5 and q0.9. With y, time, model_column and by, whose series learn from each
        other; the result is a QuantileResult.
    known : of quantiles, the column that says when an outcome is known; unless given, at its time.
    loss, tau, scale : as for Aggregator.
    season : rounds in a season whose phase matters, such as 24, or in two of them, as (24, 168); ()
        for none. The default is what the times suggest, and none without times.
    block : rounds that are forecast together, before the outcome of any of them is known.
    delay : rounds by which every outcome comes late. All three go with y.
    intervals : the level of the intervals around the forecasts of the last method, or several: (0.8,
        0.95) unless you say otherwise, none for log loss or where it is empty.
    calibrate, log1p : of quantiles: whether intervals are stretched until they hold what they say, and
        whether they are combined as ln(1 + x).
    switches : how often the paths may switch that regret is measured against: 5, 10 and 20 for losses;
        for forecasts there is regret where you give some.
    switch_cost : regret also where every switch of a path costs this much, and weights pay as much
        for moving from one expert to another, in units of losses in [0, 1].
    state : where an earlier run stopped: its `state`, the path of a file that holds it (of `pcgs run
        --save`, too), or its result.
    skip_learned : leave rows out that the state has learned, which are refused otherwise.
    drop : models of the state that leave for good.
    threads : how many share out the series, all cores unless you say otherwise.
    name : what messages and the table call the sequence.
    progress : True for a bar on standard error, of tqdm where it is installed; a function, which is
        called now and then with the rounds played and those to play, by all methods together; False for
        nothing. The default is a bar of tqdm on a terminal or in a notebook, where the run is long, and
        nothing elsewhere.

    Other Python threads run meanwhile, and Ctrl-C ends it.
    """
    given = locals()
    request = {name: given[name] for name in OPTIONS}
    if by is not None or model_column is not None or quantiles is not None:
        if not isinstance(y, str):
            raise Error("with several rows for one time, y is the name of a column", field="y")
        return run_long(
            request, X, by=by, time=time, y=y, models=models, side=side, name=name, progress=progress
        )
    table = WideTable(X, y, side, models, time, name)
    request.update(outcome=table.outcome, models=table.models, time=table.time)
    with told(progress, name or "playing") as show:
        whole = _pcgs.play(request, table.parts, in_rounds(show, table))
    check_new(whole)
    [played] = whole.series()
    return Result(played, table.index, table.columns, whole)
