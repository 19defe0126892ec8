"""Methods played on a whole sequence: errors beside every model's, and regret to the exact oracle."""

from __future__ import annotations

import json
import os
from numbers import Integral
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _html
from ._pcgs import DEFAULT_FOR_FORECASTS, DEFAULT_METHOD, Error, Run, methods_from, play
from ._rows import check_one_series, check_same_rows, index_of, times_of
from ._types import Array, Numbers, Table
from .controller import Controller

if TYPE_CHECKING:
    import pandas


class Result:
    """What came out of `run`. Prints as a table, in a notebook too.

    >>> import numpy as np, pcgs
    >>> y = np.sin(np.arange(200.0))
    >>> X = y[:, None] + [0.3, -0.5]
    >>> y[-1] = np.nan                     # not known yet
    >>> result = pcgs.run(X, y, experts=["high", "low"])
    >>> result.best_model
    'high'
    >>> result.errors[0]["name"], result.errors[0]["rmse"] < 0.3
    ('blend', True)
    >>> abs(result.next[0]["forecast"] - np.sin(199)) < 0.1
    True

    Of losses, without y, there are regrets and certificates:

    >>> losses = pcgs.suite.generate("switch", rounds=200, experts=4, seed=1).losses
    >>> result = pcgs.run(losses, methods=["hedge", "fixed-share"], switches=[5])
    >>> [method["name"] for method in result.to_dict()["methods"]]
    ['hedge', 'fixed-share']
    >>> result["fixed-share"]["certificate"]["holds"]
    True
    """

    def __init__(self, run: Run, index: Any = None) -> None:
        self._run = run
        self._index = index  # of the rows, where pandas brought one
        self._dict: Dict[str, Any] = json.loads(run.json())

    @property
    def headline(self) -> str:
        """How wrong the combination was beside the best model and equal weights, in a sentence."""
        return self._run.headline()

    @property
    def errors(self) -> List[Dict[str, Any]]:
        """How wrong everybody was: the combination, which is the last method, then other methods,
        equal weights, the best convex mix in hindsight, and the experts from the best on.

        Each is a dict with name, kind ("method", "reference" or "expert"), rounds, rmse, mae, mape and
        bias, over the rounds that it forecast and whose outcome is known; loss, where it is none of
        these; and difference, how far the combination's error is from this one on the same rounds, in
        per cent: below 0, the combination is better. to_pandas("errors") has them as a DataFrame.
        """
        return self._answer("errors")

    @property
    def next(self) -> List[Dict[str, Any]]:
        """The forecasts of the last rows, whose y is NaN, by the last method.

        Each is a dict with time, where the rows have times, row (from 1 on), forecast (None: nobody
        forecasts) and interval, {"0.8": [low, high]}.
        """
        return self._answer("next")

    @property
    def best_model(self) -> Optional[str]:
        """The expert with the least error, among those that forecast often; None if no outcome is known."""
        experts = (one for one in self._answer("errors") if one["kind"] == "expert")
        best = next(experts)
        return best["name"] if best["rounds"] > 0 else None

    @property
    def weights_now(self) -> Dict[str, float]:
        """What the last method would give each expert next, if all are awake."""
        return dict(zip(self._dict["experts"], self._dict["methods"][-1]["next_weights"]))

    @property
    def notes(self) -> List[str]:
        """What was found out about the rows: that times are missing, say. A sentence each."""
        return self._run.notes()

    def to_dict(self) -> Dict[str, Any]:
        """The object that `pcgs run --json` prints."""
        whole: Dict[str, Any] = json.loads(self._run.json())
        return whole

    def table(self) -> str:
        """The tables that `pcgs run` prints."""
        return self._run.table()

    @property
    def methods(self) -> List[str]:
        """The names of the methods, in the order in which they were given."""
        return [method["name"] for method in self._dict["methods"]]

    def __getitem__(self, method: str) -> Dict[str, Any]:
        """What `to_dict` says about one method."""
        found: List[Dict[str, Any]] = self.to_dict()["methods"]
        for one in found:
            if one["name"] == method:
                return one
        raise KeyError(method)

    def forecasts(self, method: Optional[str] = None) -> Array:
        """[T] the combined forecasts of a method, the last unless you say which; NaN where nobody was
        awake."""
        forecasts = self._run.forecasts(self._place_of(method))
        if forecasts.size == 0:
            raise Error("losses were combined, not forecasts; give run() forecasts and y")
        return forecasts

    def intervals(self, method: Optional[str] = None) -> Dict[float, Array]:
        """{level: [T, 2]} low and high around the forecasts of the last method; NaN where there is none.

        How many outcomes they held stands in `to_dict`.
        """
        place = self._place_of(method)
        found = self._run.intervals(place)
        if not found:
            name = self.methods[place]
            raise Error(f"there are no intervals for {name}; run() puts them around the last method")
        return found

    def to_pandas(self, what: str = "methods") -> pandas.DataFrame:
        """A DataFrame with a row for each method, with total losses, regrets and certificates.

        what="errors": a row for each forecaster, as in `errors`. "forecasts": a row for each round,
        with the index that X or y had, the outcome, the forecast of each method and the intervals of
        the last. "next": of these, the rows of `next`.
        """
        try:
            import pandas
        except ImportError as missing:
            raise ImportError(
                "to_pandas() needs pandas, which is not installed; install it, or use to_dict()"
            ) from missing
        frames = {
            "methods": self._methods_frame,
            "errors": self._errors_frame,
            "forecasts": self._forecasts_frame,
            "next": self._next_frame,
        }
        if what not in frames:
            raise Error(f"what is {what!r}; give one of {', '.join(frames)}")
        return frames[what](pandas)

    def report(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the result as one HTML page that needs nothing else."""
        self._run.report(path)

    def _answer(self, field: str) -> Any:
        self._run.headline()  # refuses losses
        return self.to_dict()[field]

    def _place_of(self, method: Optional[str]) -> int:
        names = self.methods
        if method is None:
            return len(names) - 1
        if method not in names:
            raise KeyError(method)
        return names.index(method)

    def _cells(self, method: Dict[str, Any]) -> List[Tuple[str, Any]]:
        """Name and value of each column; the same columns for every method."""
        cells: List[Tuple[str, Any]] = [("total_loss", method["total_loss"])]
        for budget, regret in method["dynamic_regret"].items():
            cells.append((f"regret_{budget}", regret))
        if "mean_forecast_loss" in method:
            cells.append(("mean_forecast_loss", method["mean_forecast_loss"]))
        certificate = method.get("certificate", {})
        cells.append(("certificate_bound", certificate.get("bound")))
        cells.append(("certificate_regret", certificate.get("regret")))
        cells.append(("ns_per_round", method["ns_per_round"]))
        return cells

    def _methods_frame(self, pandas: Any) -> pandas.DataFrame:
        cells = [dict(self._cells(method)) for method in self._dict["methods"]]
        return pandas.DataFrame(
            [list(one.values()) for one in cells],
            columns=list(cells[0]),
            index=pandas.Index(self.methods, name="method"),
        )

    def _errors_frame(self, pandas: Any) -> pandas.DataFrame:
        frame = pandas.DataFrame(self.errors).set_index("name")
        numbers = [column for column in frame if column not in ("kind", "rounds")]
        return frame.astype(dict.fromkeys(numbers, float))

    def _forecasts_frame(self, pandas: Any) -> pandas.DataFrame:
        columns = {"outcome": self._run.outcomes()}
        for name in self.methods:
            columns[name] = self.forecasts(name)
        for level, ends in self._run.intervals(len(self.methods) - 1).items():
            columns[f"low_{100 * level:g}"] = ends[:, 0]
            columns[f"high_{100 * level:g}"] = ends[:, 1]
        return pandas.DataFrame(columns, index=self._index)

    def _next_frame(self, pandas: Any) -> pandas.DataFrame:
        whole = self._forecasts_frame(pandas)
        return whole.iloc[len(whole) - len(self.next) :].drop(columns="outcome")

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        regrets = _html.regret_table(
            self._dict, [(method["name"], self._cells(method)) for method in self._dict["methods"]]
        )
        if "errors" not in self._dict:
            return regrets
        first = _html.answer(self._dict, self.headline, self._run.sureness(), self.notes)
        return f"<div>{first}{regrets}</div>"


def run(
    losses: Table,
    y: Union[Numbers, str, None] = None,
    *,
    methods: Union[str, Sequence[str], None] = None,
    switches: Union[int, Iterable[int]] = (5, 10, 20),
    switch_cost: Optional[float] = None,
    experts: Optional[Sequence[str]] = None,
    side: Union[Table, Sequence[str], None] = None,
    loss: str = "squared",
    tau: Optional[float] = None,
    scale: Union[float, str, None] = None,
    season: Union[int, Sequence[int], None] = None,
    block: int = 1,
    delay: int = 0,
    intervals: Optional[Sequence[float]] = None,
    name: Optional[str] = None,
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
        rounds were, and phases of a season keep to the clock where some are missing.
    y : what the forecasts are about, a number for each round; in a DataFrame also a column's name.
        NaN: not known, so that this round is forecast and not learned; at the end these are
        `Result.next`. Where both are of pandas, X and y must have the same index.
    methods : names, in a list or as one text with commas; "all" for every one. The default is
        blend for forecasts and guard for losses.
    switches : how often the paths may switch that regret is measured against.
    switch_cost : regret also where every switch of a path costs this much, and weights pay as much
        for moving from one expert to another, in units of losses in [0, 1].
    experts : names of the columns, unless a DataFrame brings them.
    side : side information, a row for each round; in a DataFrame also names of columns, which are
        then no experts.
    loss, tau, scale : as for Aggregator.
    season : rounds in a season whose phase matters, such as 24, or in two of them, as (24, 168); ()
        for none. The default is what the times of the index suggest, and none without times.
    block : rounds that are forecast together, before the outcome of any of them is known.
    delay : rounds by which every outcome comes late. All three go with y.
    intervals : levels of the intervals around the forecasts of the last method: (0.8, 0.95) unless
        you say otherwise, none for log loss or where it is empty.
    name : what messages and the table call the sequence.

    Other Python threads run meanwhile, and Ctrl-C ends it.
    """
    outcome_name = y if isinstance(y, str) else "y"
    check_same_rows(losses, y, "y")
    check_same_rows(losses, side, "side")
    table, outcomes, side = _columns_apart(losses, y, side)
    if hasattr(table, "columns"):
        experts = _names_of_columns(table, experts)
    index = index_of(table)
    if index is None:
        index = index_of(outcomes)
    check_one_series(index)
    return Result(
        play(
            table,
            names=experts,
            y=outcomes,
            methods=_method_names(methods, y is not None),
            switches=_budgets(switches),
            switch_cost=switch_cost,
            side=side,
            loss=loss,
            tau=tau,
            scale=scale,
            seasons=_seasons(season, y is not None),
            block=_count("block", block, 1, y is not None),
            delay=_count("delay", delay, 0, y is not None),
            intervals=_levels(intervals, loss, y is not None),
            origin=name or ("losses" if outcomes is None else "forecasts"),
            outcome_name=outcome_name,
            times=times_of(index),
        ),
        index,
    )


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
                f"the column {column} holds times, which nobody forecasts with; make it the index, "
                f"with set_index({column!r})"
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


def _count(name: str, value: Any, least: int, forecasts: bool) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or not least <= value <= 10**6:
        raise Error(f"{name} is {value!r}; give a whole number from {least} to 1000000")
    if value != least and not forecasts:
        raise Error(f"{name} says when outcomes are known, and here are none; give y")
    return int(value)


def _seasons(season: Any, forecasts: bool) -> Optional[List[int]]:
    if season is None:
        return None if forecasts else []
    seasons = list(season) if hasattr(season, "__iter__") else [season]
    if len(seasons) > 2 or sorted(set(seasons)) != seasons:
        raise Error(f"season is {season!r}; give one number of rounds, or two, the shorter first")
    if seasons and not forecasts:
        raise Error("a season is of use to methods that combine forecasts; give y")
    return [_count("season", one, 2, True) for one in seasons]


def _levels(levels: Any, loss: str, forecasts: bool) -> Sequence[float]:
    if levels is None:
        return (0.8, 0.95) if forecasts and loss != "log" else ()
    if len(levels) > 0 and not forecasts:
        raise Error("intervals lie around forecasts, and here are none; give y")
    given: Sequence[float] = levels
    return given


def _method_names(methods: Any, forecasts: bool) -> List[str]:
    if methods is None:
        return [DEFAULT_FOR_FORECASTS if forecasts else DEFAULT_METHOD]
    if isinstance(methods, str):
        if not methods.strip():
            raise Error('methods is empty; give names, "all", or leave it out')
        return methods_from(methods, forecasts)
    if not hasattr(methods, "__iter__"):
        methods = [methods]
    names = list(methods)
    for one in names:
        if isinstance(one, Controller):
            raise Error(
                f"run takes registered methods, and {one.name()} is a controller; play it in the "
                "loop, with Aggregator(experts, controller)"
            )
        if not isinstance(one, str):
            raise Error(f"methods has {one!r}; give names, as pcgs.methods() lists them")
    return names


def _budgets(switches: Any) -> List[Any]:
    if hasattr(switches, "__index__") and not getattr(switches, "ndim", 0):
        return [switches]
    if not hasattr(switches, "__iter__"):
        raise Error(f"switches is {switches!r}; give a whole number, or a list of them")
    return list(switches)


def _are_names(side: Any) -> bool:
    return isinstance(side, (list, tuple)) and all(isinstance(one, str) for one in side)
