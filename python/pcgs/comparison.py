"""Methods played on a whole sequence: `run`."""

from __future__ import annotations

from typing import Any, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _options
from ._columns import as_frame, is_pandas
from ._pcgs import Error, play
from ._progress import Progress, in_rounds, told
from ._rows import check_one_series, check_same_rows, index_of, times_of, with_times
from ._types import Array, Numbers, Table
from ._words import in_words_of_python
from .result import Result


def run(
    losses: Table,
    y: Union[Numbers, str, None] = None,
    *,
    methods: Union[str, Sequence[str], None] = None,
    switches: Union[int, Iterable[int]] = (5, 10, 20),
    switch_cost: Optional[float] = None,
    experts: Optional[Sequence[str]] = None,
    side: Union[Table, Sequence[str], None] = None,
    time: Optional[str] = None,
    loss: str = "squared",
    tau: Optional[float] = None,
    scale: Union[float, str, None] = None,
    season: Union[int, Sequence[int], None] = None,
    block: int = 1,
    delay: int = 0,
    intervals: Union[float, Sequence[float], None] = None,
    name: Optional[str] = None,
    progress: Progress = None,
) -> Result:
    """Combines the forecasts in X of what happened, y, round after round, as `pcgs run` does, and
    says how wrong the combination was beside each of them.

    >>> import numpy as np, pcgs
    >>> y = np.sin(np.arange(300.0))
    >>> X = y[:, None] + np.random.default_rng(1).standard_normal((300, 3)) * [0.1, 0.2, 0.3]
    >>> result = pcgs.run(X, y, experts=["ridge", "tree", "lag"])
    >>> result.best_model
    'ridge'
    >>> result.headline.split(" (")[0]
    "The combination's error"

    Without y, of losses, methods are measured against the best path of experts in hindsight:

    >>> losses = np.random.default_rng(1).random((300, 3)) * [0.4, 0.6, 1.0]
    >>> result = pcgs.run(losses, methods=["fixed-share", "ml-poly"], switches=[5, 10])
    >>> print(result.table().splitlines()[0])
    losses: 300 rounds, 3 experts

    Parameters
    ----------
    losses : with y, X: forecasts, a row for each round in the order of time and a column for each
        expert, and NaN where an expert sleeps. Without y, losses in [0, 1]. A DataFrame's columns name
        the experts; its index, if it holds times (a DatetimeIndex or a PeriodIndex), says when the
        rounds were, and phases of a season keep to the clock where some are missing. Frames of Polars,
        PyArrow and others that speak Arrow are read without pandas. Several series in one long frame
        are for run_series.
    y : what the forecasts are about, a number for each round, or a frame of one column; in a DataFrame
        also a column's name.
        NaN: not known, so that this round is forecast and not learned; at the end these are
        `Result.next`. Where both are of pandas, X and y must have the same index. A column of X that has
        y's name and, wherever y is known, its values is y itself, and refused.
    methods : names, in a list or as one text with commas; "all" for every one. The default is
        blend for forecasts and guard for losses.
    switches : how often the paths may switch that regret is measured against.
    switch_cost : regret also where every switch of a path costs this much, and weights pay as much
        for moving from one expert to another, in units of losses in [0, 1].
    experts : names of the columns, unless a DataFrame brings them.
    side : side information, a row for each round; in a DataFrame also names of columns, which are
        then no experts.
    time : the column of the frame that says when the rounds were, where no index does.
    loss, tau, scale : as for Aggregator.
    season : rounds in a season whose phase matters, such as 24, or in two of them, as (24, 168); ()
        for none. The default is what the times of the index suggest, and none without times.
    block : rounds that are forecast together, before the outcome of any of them is known.
    delay : rounds by which every outcome comes late. All three go with y.
    intervals : the level of the intervals around the forecasts of the last method, or several: (0.8,
        0.95) unless you say otherwise, none for log loss or where it is empty.
    name : what messages and the table call the sequence.
    progress : True for a bar on standard error, of tqdm where it is installed; a function, which is
        called now and then with the rounds played and those to play, by all methods together: of 300 rounds
        150 are played when half of the work is done; False for nothing. The default is a bar of tqdm on a
        terminal or in a notebook, where the run is long, and nothing elsewhere.

    Other Python threads run meanwhile, and Ctrl-C ends it.
    """
    outcome_name = y if isinstance(y, str) else "y"
    _options.check_loss(loss)
    losses, side = as_frame(losses), as_frame(side)
    y = _only_column(as_frame(y))
    check_same_rows(losses, y, "y")
    check_same_rows(losses, side, "side")
    _check_wide(losses)
    losses, index = with_times(losses, time)
    table, outcomes, side = _columns_apart(losses, y, side)
    for one in (table, side):
        _check_outcome_apart(one, outcomes, y if isinstance(y, str) else getattr(y, "name", None))
    if hasattr(table, "columns"):
        experts = _names_of_columns(table, experts)
    if index is None:
        index = index_of(outcomes)
    check_one_series(index)
    forecasts = y is not None
    with told(progress, name or "playing") as show, in_words_of_python():
        played = play(
            table,
            names=experts,
            y=outcomes,
            methods=_options.method_names(methods, forecasts),
            switches=_options.budgets(switches),
            switch_cost=switch_cost,
            side=side,
            loss=loss,
            tau=tau,
            scale=scale,
            seasons=_options.seasons(season, forecasts),
            rows=None,
            block=_options.count("block", block, 1, forecasts),
            delay=_options.count("delay", delay, 0, forecasts),
            known=None,
            intervals=_options.levels(intervals, loss, forecasts),
            origin=name or ("forecasts" if forecasts else "losses"),
            outcome_name=outcome_name,
            times=times_of(index),
            progress=in_rounds(show, table),
        )
    return Result(played, index, getattr(table, "columns", None))


def _check_wide(table: Any) -> None:
    """Refuses a long frame, whose columns of names are no experts."""
    columns = list(getattr(table, "columns", ()))
    if "unique_id" in columns and "ds" in columns:
        raise Error(
            "the frame has columns unique_id and ds, as if there were several series below each "
            "other, and one is combined at a time; call pcgs.run_series(frame), or, for the rows of one, "
            "rename or drop unique_id and give time='ds'"
        )


def _only_column(y: Any) -> Any:
    """y itself; where it is a frame of one column, that."""
    columns = list(getattr(y, "columns", ()))
    if not columns:
        return y
    if len(columns) > 1:
        names = ", ".join(map(str, columns))
        raise Error(
            f"y is a frame with the columns {names}; give one column, such as y[{columns[0]!r}]"
        )
    return y.iloc[:, 0] if is_pandas(y) else y[columns[0]]


def _check_outcome_apart(table: Any, y: Any, called: Any) -> None:
    """Refuses a frame that still has what is forecast among its columns: an expert without errors. It is
    known by its name, and by its values wherever y is known; a column of another name may be that good."""
    columns = list(getattr(table, "columns", ()))
    if y is None or not columns:
        return
    for name in dict.fromkeys([called, "y"]):
        if columns.count(name) != 1:
            continue
        ours, theirs = _as_numbers(y), _as_numbers(table[name])
        if ours is None or theirs is None or ours.shape != theirs.shape:
            continue  # which is refused elsewhere, if it is wrong
        known = ~np.isnan(ours)
        if known.any() and (ours[known] == theirs[known]).all():
            raise Error(
                f"the column {name} is y itself, which nobody knew before it happened; take it out, "
                f"with drop(columns={name!r}), or give y by its name, as in run(X, {name!r})"
            )


def _as_numbers(values: Any) -> Optional[Array]:
    """[T] a column, or None where it is none of numbers."""
    try:
        if is_pandas(values):
            numbers: Array = values.to_numpy(dtype="float64", na_value=np.nan)
        else:
            numbers = np.asarray(values, float)
    except (TypeError, ValueError):
        return None
    return numbers


def _columns_apart(table: Any, y: Any, side: Any) -> Tuple[Any, Any, Any]:
    """What is forecast and side information, taken out of a DataFrame where they are named."""
    columns = getattr(table, "columns", None)
    outcomes = y
    if isinstance(y, str) and _are_names(side) and y in side:
        raise Error(f"{y!r} is both y and side information, which is known before y; give one")
    if isinstance(y, str):
        if columns is None or y not in columns:
            raise Error(f"y is {y!r}, which is no column; give numbers or a column's name")
        outcomes, table = table[y], table.drop(columns=y)
    if columns is not None and _are_names(side):
        for one in side:
            if one not in columns:
                raise Error(f"side has {one!r}, which is no column; give names of columns")
        side, table = table[list(side)], table.drop(columns=list(side))
    if side is not None and getattr(side, "ndim", 2) == 1:
        side = np.asarray(side).reshape(-1, 1)  # one number a round is one column
    return table, outcomes, side


def _names_of_columns(table: Any, experts: Optional[Sequence[str]]) -> List[str]:
    for column, dtype in getattr(table, "dtypes", {}).items():
        if getattr(dtype, "kind", "") == "M":
            raise Error(
                f"the column {column} holds times, which nobody forecasts with; say so, with "
                f"time={column!r}, or make it the index, with set_index({column!r})"
            )
    columns = [str(column) for column in table.columns]
    given = [str(name) for name in experts] if hasattr(experts, "__iter__") else experts
    if given is not None and given != columns:
        # By position they would get other names, by name others would be left out.
        raise Error(
            f"experts are not the columns of the frame, {', '.join(columns)}; leave experts out, "
            "and select or rename the columns"
        )
    return columns


def _are_names(side: Any) -> bool:
    return isinstance(side, (list, tuple)) and all(isinstance(one, str) for one in side)
