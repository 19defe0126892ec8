"""Methods played on a whole sequence and measured against the exact oracle."""

from __future__ import annotations

import json
import os
from html import escape
from numbers import Integral
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._pcgs import DEFAULT_FOR_FORECASTS, DEFAULT_METHOD, Error, Run, methods_from, play
from ._types import Array, Numbers, Table
from .controller import Controller

if TYPE_CHECKING:
    import pandas


class Result:
    """What came out of `run`. Prints as a table, in a notebook too.

    >>> import pcgs
    >>> losses = pcgs.suite.generate("switch", rounds=200, experts=4, seed=1).losses
    >>> result = pcgs.run(losses, methods=["hedge", "fixed-share"], switches=[5])
    >>> [method["name"] for method in result.to_dict()["methods"]]
    ['hedge', 'fixed-share']
    >>> result["fixed-share"]["certificate"]["holds"]
    True
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._dict: Dict[str, Any] = json.loads(run.json())

    def to_dict(self) -> Dict[str, Any]:
        """The object that `pcgs run --json` prints."""
        whole: Dict[str, Any] = json.loads(self._run.json())
        return whole

    def table(self) -> str:
        """The table that `pcgs run` prints."""
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

    def forecasts(self, method: str) -> Array:
        """[T] the combined forecasts of a method; NaN where nobody was awake."""
        if method not in self.methods:
            raise KeyError(method)
        forecasts = self._run.forecasts(self.methods.index(method))
        if forecasts.size == 0:
            raise Error("losses were combined, not forecasts; give run() forecasts and y")
        return forecasts

    def intervals(self, method: Optional[str] = None) -> Dict[float, Array]:
        """{level: [T, 2]} low and high around the forecasts of the last method; NaN where there is none.

        How many outcomes they held stands in `to_dict`.
        """
        name = self.methods[-1] if method is None else method
        if name not in self.methods:
            raise KeyError(name)
        found = self._run.intervals(self.methods.index(name))
        if not found:
            raise Error(f"there are no intervals for {name}; run() puts them around the last method")
        return found

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a row for each method."""
        try:
            import pandas
        except ImportError as missing:
            raise ImportError(
                "to_pandas() needs pandas, which is not installed; install it, or use to_dict()"
            ) from missing
        columns = self._columns()
        rows = [[value for _, value in self._cells(method)] for method in self._dict["methods"]]
        names = pandas.Index(self.methods, name="method")
        return pandas.DataFrame(rows, columns=columns, index=names)

    def report(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the result as one HTML page that needs nothing else."""
        self._run.report(path)

    def _columns(self) -> List[str]:
        return [name for name, _ in self._cells(self._dict["methods"][0])]

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

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        def shown(value: Any) -> str:
            return "" if value is None else f"{value:,.3f}"

        heads = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in self._columns())
        rows = []
        for method in self._dict["methods"]:
            cells = "".join(f"<td>{shown(value)}</td>" for _, value in self._cells(method))
            rows.append(f'<tr><th scope="row">{escape(method["name"])}</th>{cells}</tr>')
        budgets = ", ".join(
            f"{budget} switches: {'none' if loss is None else format(loss, ',.3f')}"
            for budget, loss in self._dict["oracle"].items()
        )
        return (
            f"<table><caption>{self._dict['rounds']} rounds, {len(self._dict['experts'])} experts; "
            f"best path in hindsight with {budgets}</caption>"
            f"<thead><tr><th>method</th>{heads}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>"
        )


def run(
    losses: Table,
    y: Union[Numbers, str, None] = None,
    *,
    methods: Union[str, Sequence[str], None] = None,
    switches: Union[int, Iterable[int]] = (5, 10, 20),
    experts: Optional[Sequence[str]] = None,
    side: Union[Table, Sequence[str], None] = None,
    loss: str = "squared",
    tau: Optional[float] = None,
    scale: Union[float, str, None] = None,
    season: Union[int, Sequence[int]] = (),
    block: int = 1,
    delay: int = 0,
    intervals: Optional[Sequence[float]] = None,
    name: Optional[str] = None,
) -> Result:
    """Plays methods on a whole sequence, as `pcgs run` does, and measures them against the oracle.

    >>> import numpy as np, pcgs
    >>> losses = np.random.default_rng(1).random((300, 3)) * [0.4, 0.6, 1.0]
    >>> result = pcgs.run(losses, methods=["fixed-share", "ml-poly"], switches=[5, 10])
    >>> print(result.table().splitlines()[0])
    losses: 300 rounds, 3 experts

    Parameters
    ----------
    losses : a row for each round, a column for each expert, in [0, 1]. With y: forecasts, and NaN
        where an expert sleeps. A DataFrame's columns name the experts.
    y : what the forecasts are about, a number for each round; in a DataFrame also a column's name.
    methods : names, in a list or as one text with commas; "all" for every one. The default is
        blend for forecasts and guard for losses.
    switches : how often the paths may switch that regret is measured against.
    experts : names of the columns, unless a DataFrame brings them.
    side : side information, a row for each round; in a DataFrame also names of columns, which are
        then no experts.
    loss, tau, scale : as for Aggregator.
    season : rounds in a season whose phase matters, such as 24, or in two of them, as (24, 168).
    block : rounds that are forecast together, before the outcome of any of them is known.
    delay : rounds by which every outcome comes late. All three go with y.
    intervals : levels of the intervals around the forecasts of the last method: (0.8, 0.95) unless
        you say otherwise, none for log loss or where it is empty.
    name : what messages and the table call the sequence.

    Other Python threads run meanwhile, and Ctrl-C ends it.
    """
    outcome_name = y if isinstance(y, str) else "y"
    table, outcomes, side = _columns_apart(losses, y, side)
    if hasattr(table, "columns"):
        experts = _names_of_columns(table, experts)
    return Result(
        play(
            table,
            names=experts,
            y=outcomes,
            methods=_method_names(methods, y is not None),
            switches=_budgets(switches),
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
        )
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


def _seasons(season: Any, forecasts: bool) -> List[int]:
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
