"""What `_pcgs.run` takes: the parts of a Table, from a frame or from arrays."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._columns import Columns, as_frame, is_pandas
from ._pcgs import Error
from ._rows import check_one_series, check_same_rows, index_of, times_of, with_times
from ._types import Array

Parts = Dict[str, Any]


def parts_of(origin: str, names: Optional[Sequence[Any]], values: Any, **others: Any) -> Parts:
    """`names` of the columns of `values`, [rows x C]; None: e1, e2, ... Beside them `texts` {name: texts},
    `times` [(name, texts, seconds)], `outcomes` [rows], `side` [rows x any], `rows`, the number of each
    in messages, and `known_at`, how many rows each knows."""
    parts: Parts = {"texts": {}, "times": [], "outcomes": None, "side": None, "rows": [], "known_at": []}
    return {**parts, "origin": origin, "names": names, "values": values, **others}


class WideTable:
    """One series: forecasts or losses in columns, with an index if pandas or a column of times brought
    one, and beside them y and side information."""

    def __init__(
        self,
        X: Any,
        y: Any,
        side: Any,
        models: Optional[Sequence[Any]],
        time: Optional[str],
        name: Optional[str],
    ) -> None:
        X, side = as_frame(X), as_frame(side)
        y = _only_column(as_frame(y))
        check_same_rows(X, y, "y")
        check_same_rows(X, side, "side")
        _check_wide(X)
        X, index = with_times(X, time)
        self.outcome = "" if y is None else str(y if isinstance(y, str) else _name_of(y))
        X, y, side = _columns_apart(X, y, side)
        self.models: Optional[List[str]] = None if models is None else _names_in(models)
        names = self.models
        if hasattr(X, "columns"):
            if names is not None:
                X = X[[one for one in X.columns if str(one) in names]]
            names = [str(column) for column in X.columns]
            _check_no_times(X)
        self.index = index_of(y) if index is None else index
        check_one_series(self.index)
        self.columns = getattr(X, "columns", None)
        times = times_of(self.index)
        texts = {}
        if time is not None and times is None:
            texts[time] = [str(one) for one in _labels_of(self.index)]
        self.parts = parts_of(
            name or ("losses" if y is None else "forecasts"),
            names,
            X,
            texts=texts,
            times=[] if times is None else [times],
            outcomes=y,
            side=side,
        )
        self.time = time if texts else None

    def __len__(self) -> int:
        return len(self.parts["values"])


def _names_in(given: Any) -> List[str]:
    if isinstance(given, str) or not hasattr(given, "__iter__") or isinstance(given, (set, frozenset)):
        raise Error(f"models is {given!r}; give a list of names", field="models")
    return [str(one) for one in given]


def _name_of(y: Any) -> Any:
    name = getattr(y, "name", None)
    return "y" if name is None else name


def _labels_of(index: Any) -> Any:
    return index.moments if hasattr(index, "moments") else index


def _check_wide(X: Any) -> None:
    """Refuses a long frame, whose columns of names are no models."""
    columns = list(getattr(X, "columns", ()))
    if "unique_id" in columns and "ds" in columns:
        raise Error(
            "the frame has columns unique_id and ds, as if there were several series below each "
            "other; call pcgs.run_series(frame), or, for the rows of one, rename or drop unique_id and "
            "give time='ds'",
            kind="request",
            column="unique_id",
        )


def _check_no_times(X: Any) -> None:
    for column, dtype in X.dtypes.items():
        if getattr(dtype, "kind", "") == "M":
            raise Error(
                f"the column {column} holds times, which are no forecasts; say so, with "
                f"time={column!r}, or make it the index, with set_index({column!r})",
                column=str(column),
                field="time",
            )


def _only_column(y: Any) -> Any:
    """y itself; where it is a frame of one column, that."""
    columns = list(getattr(y, "columns", ()))
    if not columns:
        return y
    if len(columns) > 1:
        names = ", ".join(map(str, columns))
        raise Error(
            f"y is a frame with the columns {names}; give one column, such as y[{columns[0]!r}]",
            field="y",
        )
    return y.iloc[:, 0] if is_pandas(y) else y[columns[0]]


def _columns_apart(X: Any, y: Any, side: Any) -> Tuple[Any, Any, Any]:
    """What is forecast and side information, taken out of a frame where they are named."""
    columns = list(getattr(X, "columns", ()))

    def column(name: str, field: str) -> Any:
        if name not in columns:
            raise Error(
                f"{field} has {name!r}, which is no column; give numbers, or the name of a column",
                kind="unknown",
                column=name,
                field=field,
            )
        return name

    if _are_names(side):
        if isinstance(y, str) and y in side:
            raise Error(
                f"{y!r} is both y and side information, which is known before y; give one",
                kind="request",
                column=y,
                field="side",
            )
        names = [column(one, "side") for one in side]
        side = X[names]
        X = X.drop(columns=names)
    if isinstance(y, str):
        name = column(y, "y")
        y, X = X[name], X.drop(columns=name)
    if side is not None and getattr(side, "ndim", 2) == 1:
        side = np.asarray(side).reshape(-1, 1)  # one number a round is one column
    return X, y, side


def _are_names(side: Any) -> bool:
    return isinstance(side, (list, tuple)) and all(isinstance(one, str) for one in side)


def numbers_of(part: Any, name: str) -> Array:
    """[T] a column of a frame as numbers: NaN for what is missing."""
    if isinstance(part, Columns):
        return part.to_numpy()[:, 0]  # type: ignore[no-any-return]
    values = part[name]
    if values.dtype.kind not in "fiub":
        raise Error(
            f"the column {name} is of dtype {values.dtype}; give real numbers", column=str(name)
        )
    return values.to_numpy(dtype="float64", na_value=np.nan)
