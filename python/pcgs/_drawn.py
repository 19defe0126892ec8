"""What pictures of a result show, whoever draws them: names, numbers and colours."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from ._pcgs import Error
from ._types import Array

if TYPE_CHECKING:
    from .result import Result

# Those of the report page, web/theme.js.
INK, SOFT, FAINT, HAIR, PAPER = "#1d2126", "#585f68", "#b9b6af", "#e6e3dd", "#fdfcfa"
COMBINATION, BEST, OTHER = "#e8590c", "#1c7ed6", "#868e96"
# Nine, and one for all others together.
EXPERTS = [
    *["#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2"],
    *["#b279a2", "#d4a72c", "#9d755d", "#7f95d1", "#a0a6ad"],
]
KINDS = {"method": COMBINATION, "reference": OTHER, "expert": BEST}


class Weights(NamedTuple):
    names: List[str]
    shares: List[Array]  # [T] of each
    colours: List[str]


class ErrorBars(NamedTuple):
    names: List[str]  # the best first
    values: List[float]
    kinds: List[str]
    measure: str  # what the task pays for, such as RMSE


class Latest(NamedTuple):
    rows: slice
    outcome: Array
    combination: Array
    best: Optional[Tuple[str, Array]]
    bands: List[Tuple[float, Array]]  # level and [T, 2], the widest first
    known: int  # how many of them have an outcome, or stand before one that has


def weights_of(result: Result, top: int) -> Weights:
    """Those with the largest weights on average, in the order of the columns, and all others together."""
    most_shown = len(EXPERTS) - 1
    if not isinstance(top, Integral) or not 1 <= top <= most_shown:
        raise Error(
            f"top is {top!r}; give a whole number from 1 to {most_shown}, as there are no more colours to tell "
            "apart, or draw columns of weights"
        )
    table, names = result.weight_array(), result.experts
    most = np.argsort(-table.mean(axis=0), kind="stable")
    shown = sorted(most[:top].tolist())
    shares = [table[:, k] for k in shown]
    said = [names[k] for k in shown]
    rest = len(names) - len(shown)
    if rest:
        shares.append(np.delete(table, shown, axis=1).sum(axis=1))
        said.append(f"{rest} others together" if rest > 1 else "one other")
    colours = EXPERTS[: len(shown)] + EXPERTS[-1:] * (rest > 0)
    return Weights(said, shares, colours)


def errors_of(result: Result) -> ErrorBars:
    """Everybody who has an error, by what the task pays for."""
    errors = result.error_list()
    measure = result.to_dict()["measure"]
    key = {"RMSE": "rmse", "MAE": "mae"}.get(measure, "loss")
    found = sorted(
        ((one[key], one["name"], one["kind"]) for one in errors if one.get(key) is not None),
        key=lambda one: one[0],
    )
    if not found:
        raise Error("no outcome is known yet, so there is no error to draw; learn a round first")
    values, names, kinds = (list(column) for column in zip(*found))
    return ErrorBars(names, values, kinds, measure)


def latest_of(result: Result, last: Optional[int]) -> Latest:
    """The last rows with an outcome, and those to come."""
    outcome = result.outcome_array()
    there = np.flatnonzero(~np.isnan(outcome))
    known = int(there[-1]) + 1 if len(there) else 0
    if last is not None and last < 1:
        raise Error(f"last is {last}; give a number of rounds of at least 1")
    start = 0 if last is None else max(0, known - last)
    rows = slice(start, len(outcome))
    best = result.best_model
    forecast = None
    if best is not None:
        forecast = (best, result._run.experts()[rows, result.experts.index(best)])
    place = len(result.methods) - 1
    ends: Dict[float, Any] = result._run.intervals(place)
    bands = [(level, ends[level][rows]) for level in sorted(ends, reverse=True)]
    return Latest(
        rows, outcome[rows], result.forecast_array()[rows], forecast, bands, known - start
    )
