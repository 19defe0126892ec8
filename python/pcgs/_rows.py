"""What the indexes of pandas objects say about their rows. Needs no pandas: without it nothing has
an index."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any, List, Optional, Tuple

import numpy as np

from ._columns import Columns, TimeColumn, is_pandas
from ._pcgs import Error
from ._types import Array

Times = Tuple[str, List[str], Array]
_OFFSET = re.compile(r"([+-])([01]\d|2[0-3]):?([0-5]\d)")


def index_of(rows: Any) -> Any:
    """The index of a DataFrame or a Series; None for anything else, lists with their `index()` too."""
    return rows.index if is_pandas(rows) else None


def clock_of(index: Any) -> Any:
    """An index of Arrow's times in pandas as the DatetimeIndex that says the same; any other as it is."""
    kind = getattr(index, "dtype", None)
    if kind is None or not hasattr(kind, "pyarrow_dtype") or kind.kind != "M":
        return index
    import pandas  # which is there, since the index is its own

    return pandas.DatetimeIndex(index)


def check_same_rows(X: Any, other: Any, name: str) -> None:
    """Refuses rows that are labelled as others, or in another order, which would be taken for each
    other by position."""
    ours, theirs = clock_of(index_of(X)), clock_of(index_of(other))
    if ours is None or theirs is None or ours.equals(theirs) or _are_the_same_times(ours, theirs):
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
    raise Error(
        f"{name} is not about the rows of X: {difference}; give {advice}", kind="mismatch", field=name
    )


def _are_the_same_times(ours: Any, theirs: Any) -> bool:
    """Whether they are, in units of their own, which pandas before 3 takes for another index."""
    units = [getattr(one, "unit", None) for one in (ours, theirs)]
    return None not in units and len(ours) == len(theirs) and bool((ours == theirs).all())


def check_one_series(index: Any) -> None:
    """Refuses an index of several levels, as panels have."""
    if getattr(index, "nlevels", 1) == 1:
        return
    levels = ", ".join(str(name) for name in index.names)
    raise Error(
        f"the index has {index.nlevels} levels ({levels}), as if there were several series, and one "
        "is combined at a time; give the rows of one, such as X.xs(key), with the time as their index, "
        "or make the levels columns and call run_series"
    )


def with_times(table: Any, time: Optional[str]) -> Tuple[Any, Any]:
    """The table without its column of times, and when its rounds were: an index, or a TimeColumn."""
    if time is None:
        return table, index_of(table)
    if time not in list(getattr(table, "columns", ())):
        raise Error(
            f"time is {time!r}, which is no column; give a column's name, or leave it out",
            kind="unknown",
            column=str(time),
            field="time",
        )
    if not isinstance(table, Columns):
        rest = table.set_index(time)
        return rest, rest.index
    return table.drop(columns=time), table.times(time)


def _holds_times(index: Any) -> bool:
    """Whether it is a DatetimeIndex or a PeriodIndex."""
    return hasattr(clock_of(index), "tz") or hasattr(index, "to_timestamp")


def times_of(index: Any) -> Optional[Times]:
    """Name, texts and seconds since 1970 of an index of times or periods; None for any other, since
    numbers may be times, or what is left of the numbers of rows."""
    if isinstance(index, TimeColumn):
        return _times_of_column(index) if index.moments.dtype.kind == "M" else None
    if not _holds_times(index):
        return None
    index = clock_of(index)
    if index.hasnans:
        row = int(np.flatnonzero(index.isna())[0])
        raise Error(
            f"row {row + 1} of the index has no time; give every row one, or drop that row",
            kind="missing",
            row=row + 1,
        )
    name = "time" if index.name is None else str(index.name)
    if hasattr(index, "to_timestamp"):
        return name, [str(one) for one in index], _seconds(index.to_timestamp().to_numpy())
    if index.tz is not None:
        in_utc = index.tz_convert(None).to_numpy()
        return name, [one.isoformat() for one in index], _seconds(in_utc)
    moments = index.to_numpy()
    return name, np.datetime_as_string(moments, unit=_unit(moments)).tolist(), _seconds(moments)


def _times_of_column(column: TimeColumn) -> Times:
    missing = np.isnat(column.moments)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise Error(
            f"row {row + 1} has no time in {column.name}; give every row one, or drop that row",
            kind="missing",
            row=row + 1,
            column=column.name,
        )
    seconds = _seconds(column.moments)
    if column.zone is None:
        texts = np.datetime_as_string(column.moments, unit=_unit(column.moments)).tolist()
        return column.name, texts, seconds
    zone = _zone_of(column.name, column.zone)
    return column.name, [datetime.fromtimestamp(s, zone).isoformat() for s in seconds], seconds


def _zone_of(name: str, zone: str) -> tzinfo:
    """Arrow names a zone as the database of zones does, or says how far it is from UTC."""
    if zone == "UTC":
        return timezone.utc
    offset = _OFFSET.fullmatch(zone)
    if offset is not None:
        sign, hours, minutes = offset.groups()
        distance = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(-distance if sign == "-" else distance)
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError):  # ZoneInfoNotFoundError is a KeyError
        raise Error(
            f"{name} is in the time zone {zone}, which is not known here; convert it to UTC, or install "
            "tzdata if the zone is one of its database"
        ) from None


def _seconds(moments: Any) -> Array:
    """Whole seconds are exact, which nanoseconds in a double are not."""
    whole = moments.astype("datetime64[s]")
    rest = (moments - whole) / np.timedelta64(1, "s")
    return whole.astype("int64").astype("float64") + rest


def _unit(moments: Any) -> str:
    """The coarsest that says everything."""
    for unit in ("D", "s", "ms", "us"):
        if (moments.astype(f"datetime64[{unit}]") == moments).all():
            return unit
    return "ns"
