"""What a run found, as DataFrames. pandas is imported when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Sequence

import numpy as np

from ._columns import TimeColumn
from ._types import Array

if TYPE_CHECKING:
    import pandas

ERROR_COLUMNS = ["kind", "rounds", "rmse", "mae", "mape", "bias", "loss", "difference"]


def pandas_for(what: str, instead: str) -> Any:
    """pandas, or an ImportError that says what to do without it."""
    try:
        import pandas
    except ImportError as missing:
        raise ImportError(
            f"{what} is a DataFrame and needs pandas, which is not installed; install pandas, or use "
            f"{instead}"
        ) from missing
    return pandas


def index_of_rows(pandas: Any, index: Any, rounds: int) -> Any:
    """The index of X, or what stands for it."""
    if index is None:
        return pandas.RangeIndex(rounds)
    return index.to_pandas(pandas) if isinstance(index, TimeColumn) else index


def interval_columns(intervals: Dict[float, Array]) -> Dict[str, Array]:
    """low_80, high_80 and so on, as intervals.csv of the program calls them."""
    columns = {}
    for level, ends in intervals.items():
        columns[f"low_{100 * level:g}"] = ends[:, 0]
        columns[f"high_{100 * level:g}"] = ends[:, 1]
    return columns


def errors_frame(pd: Any, errors: Sequence[Dict[str, Any]]) -> pandas.DataFrame:
    """A row for each of the dicts, by name."""
    wanted = [name for name in ERROR_COLUMNS if name != "loss" or any("loss" in e for e in errors)]
    columns: Dict[str, Any] = {}
    for name in wanted:
        values: List[Any] = [one.get(name) for one in errors]
        if name not in ("kind", "rounds"):
            values = [np.nan if value is None else float(value) for value in values]
        columns[name] = values
    return pd.DataFrame(
        columns, index=pd.Index([one["name"] for one in errors], name="name")
    )
