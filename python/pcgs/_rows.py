"""What the indexes of pandas objects say about their rows. Needs no pandas: without it nothing has
an index."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from ._pcgs import Error
from ._types import Array

Times = Tuple[str, List[str], Array]


def index_of(rows: Any) -> Any:
    """The index of a DataFrame or a Series; None for anything else, lists with their `index()` too."""
    index = getattr(rows, "index", None)
    return index if hasattr(index, "equals") else None


def check_same_rows(X: Any, other: Any, name: str) -> None:
    """Refuses rows that are labelled as others, or in another order, which would be taken for each
    other by position."""
    ours, theirs = index_of(X), index_of(other)
    if ours is None or theirs is None or ours.equals(theirs):
        return
    if len(ours) != len(theirs):
        difference = f"it has {len(theirs)} and X has {len(ours)}"
    else:
        row = next((t for t, (a, b) in enumerate(zip(ours, theirs)) if a != b), 0)
        difference = f"row {row + 1} is {ours[row]} in X and {theirs[row]} in {name}"
    by_label = theirs.is_unique and bool(theirs.isin(ours).any())
    advice = f"{name}.reindex(X.index)" if by_label else "both the same index"
    if len(ours) == len(theirs):
        advice += f", or {name}.to_numpy() if they belong together as they stand"
    raise Error(f"{name} is not about the rows of X: {difference}; give {advice}")


def check_one_series(index: Any) -> None:
    """Refuses an index of several levels, as panels have."""
    if getattr(index, "nlevels", 1) == 1:
        return
    levels = ", ".join(str(name) for name in index.names)
    raise Error(
        f"the index has {index.nlevels} levels ({levels}), as if there were several series, and one "
        "is combined at a time; give the rows of one, such as X.xs(key), with the time as their index"
    )


def times_of(index: Any) -> Optional[Times]:
    """Name, texts and seconds since 1970 of an index of times or periods; None for any other, since
    numbers may be times, or what is left of the numbers of rows."""
    if not hasattr(index, "tz") and not hasattr(index, "to_timestamp"):
        return None
    if index.hasnans:
        row = int(np.flatnonzero(index.isna())[0])
        raise Error(f"row {row + 1} of the index has no time; give every row one, or drop that row")
    name = "time" if index.name is None else str(index.name)
    if hasattr(index, "to_timestamp"):
        return name, [str(one) for one in index], _seconds(index.to_timestamp().to_numpy())
    if index.tz is not None:
        in_utc = index.tz_convert(None).to_numpy()
        return name, [one.isoformat() for one in index], _seconds(in_utc)
    moments = index.to_numpy()
    return name, np.datetime_as_string(moments, unit=_unit(moments)).tolist(), _seconds(moments)


def _seconds(moments: Any) -> Array:
    """Whole seconds are exact, which nanoseconds in a double are not."""
    whole = moments.astype("datetime64[s]")
    rest = (moments - whole) / np.timedelta64(1, "s")
    seconds: Array = whole.astype("int64").astype("float64") + rest
    return seconds


def _unit(moments: Any) -> str:
    """The coarsest that says everything."""
    for unit in ("D", "s", "ms", "us"):
        if (moments.astype(f"datetime64[{unit}]") == moments).all():
            return unit
    return "ns"
