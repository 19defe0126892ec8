"""Long frames: a row for each series and time, as statsforecast, neuralforecast and mlforecast write
them, taken apart into series, and what was known when each row was forecast."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._columns import Columns, TimeColumn, as_frame, is_pandas
from ._pcgs import Error
from ._rows import clock_of
from ._types import Array

Key = Tuple[str, ...]
# The intervals that Nixtla's libraries write beside a model's forecasts, as AutoARIMA-lo-95.
_INTERVAL = re.compile(r"-(lo|hi)-\d+(\.\d+)?$")


class Series(NamedTuple):
    """The rows of one series, in the order of time."""

    key: Key
    label: Any  # as the frame has it: a value, or a tuple of them
    rows: npt.NDArray[np.intp]  # [T] in the frame
    known: Optional[List[int]]  # [T] how many of its rows were known when each was forecast


class LongFrame:
    """The columns of a long frame by the parts they play."""

    def __init__(
        self,
        frame: Any,
        id: Union[str, Sequence[str]],
        time: str,
        y: str,
        cutoff: Optional[str],
        models: Optional[Sequence[str]],
    ) -> None:
        frame = as_frame(frame)
        if not isinstance(frame, Columns) and not is_pandas(frame):
            raise Error(
                f"run_series takes a long frame of pandas, Polars or Arrow, and this is a "
                f"{type(frame).__name__}; give a frame with columns {time}, {y} and a model's"
            )
        self.by = _names_in(id, "id")
        self.time, self.y = time, y
        frame = _with_index_as_columns(frame, [*self.by, time])
        columns = list(frame.columns)
        twice = next((name for name in columns if columns.count(name) > 1), None)
        if twice is not None:
            raise Error(f"the name {twice} is given to two columns; give each its own")
        _check_columns(frame, self.by, "id")
        _check_columns(frame, [time], "time")
        _check_columns(frame, [y], "y")
        self.cutoff = cutoff if cutoff in columns else None
        others = [*self.by, time, y, *([] if self.cutoff is None else [self.cutoff])]
        _check_parts(self.by, time, y, self.cutoff)
        self.models = _models_of(frame, others, models)
        used = [*others, *(name for name in self.models if name not in others)]
        # A copy, so that whoever changes the frame later does not change the result.
        self.frame = frame[used] if isinstance(frame, Columns) else frame[used].copy()
        self.moments = self._moments(time)
        self._made = None if self.cutoff is None else self._moments(self.cutoff)
        self._check_zones()
        self._columns: Dict[str, Array] = {}

    def _moments(self, name: str) -> npt.NDArray[Any]:
        """[T] a column as numbers or times that can be compared: those with a zone in UTC, periods where
        they begin."""
        values = self.frame[name]
        kind = values.dtype
        if is_pandas(values) and kind.kind == "M":
            index = self._clock(name)
            values = index if index.tz is None else index.tz_convert(None)
        elif hasattr(getattr(values, "dt", None), "to_timestamp"):
            values = values.dt.to_timestamp()
        elif kind.kind in "iuf" and not isinstance(kind, np.dtype):
            # A dtype with pandas' own missing value, which NumPy makes objects of.
            whole = kind.kind != "f" and not values.isna().any()
            values = values.to_numpy("int64" if whole else "float64", na_value=np.nan)
        moments = np.asarray(values)
        if moments.dtype.kind not in "Miuf":
            raise Error(
                f"{name} is of dtype {kind}, which is neither times nor numbers; convert it, "
                f"as with pandas.to_datetime(frame[{name!r}])"
            )
        return moments

    def _check_zones(self) -> None:
        """A time of a clock on a wall and one with a zone are hours apart that nobody has said."""
        if self.cutoff is None or self._made is None:
            return
        if self._made.dtype.kind != "M" or not self.has_dates():
            return
        zoned = {name: self._zone(name) for name in (self.time, self.cutoff)}
        if sum(zone is None for zone in zoned.values()) != 1 or np.isnat(self._made).all():
            return
        with_one, zone = next((name, zone) for name, zone in zoned.items() if zone is not None)
        without = next(name for name, zone in zoned.items() if zone is None)
        raise Error(
            f"{with_one} has the time zone {zone} and {without} has none, so that nobody can say which "
            "is earlier; give both a zone, or none"
        )

    def _zone(self, name: str) -> Any:
        if isinstance(self.frame, Columns):
            return self.frame.times(name).zone
        return getattr(self._clock(name), "tz", None)

    def _clock(self, name: str) -> Any:
        """A column of times as a DatetimeIndex."""
        return clock_of(self.frame[[name]].set_index(name).index)

    def check_times(self) -> None:
        missing = np.flatnonzero(
            np.isnat(self.moments) if self.has_dates() else np.isnan(self.moments)
        )
        if len(missing):
            raise Error(
                f"row {missing[0] + 1} has no {self.time}; give every row one, or drop that row"
            )

    def has_dates(self) -> bool:
        return self.moments.dtype.kind == "M"

    def numbers(self, names: Sequence[str], rows: npt.NDArray[np.intp]) -> Array:
        """[T, K] these columns in these rows."""
        table: Array = np.column_stack([self._column(name)[rows] for name in names])
        return table

    def read(self, names: Sequence[str]) -> None:
        """Reads these columns as numbers, or says which one is none, and the times as an index."""
        for name in names:
            self._column(name)
        if not isinstance(self.frame, Columns):
            self._index = self.frame[[self.time]].set_index(self.time).index

    def _column(self, name: str) -> Array:
        if name not in self._columns:
            part = self.frame[[name]]
            read = isinstance(part, Columns)
            self._columns[name] = part.to_numpy()[:, 0] if read else _numbers(part, name)
        return self._columns[name]

    def index_of(self, rows: npt.NDArray[np.intp]) -> Any:
        """When these rows were: an index of pandas, or what stands for it."""
        if isinstance(self.frame, Columns):
            times = self.frame.times(self.time)
            return (
                TimeColumn(self.time, times.moments[rows], times.zone) if self.has_dates() else None
            )
        return self._index[rows]

    def series(self, ahead: Optional[int]) -> List[Series]:
        """Every series, in the order in which they begin in the frame."""
        rows_of: Dict[Any, List[int]] = {}
        for row, label in enumerate(self._labels()):
            rows_of.setdefault(label, []).append(row)
        if not rows_of:
            raise Error("the frame has no rows; give a row for each series and time")
        return [self._one(label, np.array(rows, np.intp), ahead) for label, rows in rows_of.items()]

    def _labels(self) -> Iterable[Any]:
        columns = [list(self.frame[name]) for name in self.by]
        for name, values in zip(self.by, columns):
            missing = next((row for row, value in enumerate(values) if _is_missing(value)), None)
            if missing is not None:
                raise Error(
                    f"row {missing + 1} has no {name}; give every row one, or drop that row"
                )
        return columns[0] if len(columns) == 1 else zip(*columns)

    def _one(self, label: Any, rows: npt.NDArray[np.intp], ahead: Optional[int]) -> Series:
        key = tuple(str(part) for part in (label if len(self.by) > 1 else [label]))
        name = ", ".join(key)
        made = self._made
        if made is None:
            if ahead is not None:
                raise Error("ahead counts rows after their cutoff, and there is none; leave it out")
            rows = rows[np.argsort(self.moments[rows], kind="stable")]
            self._check_once(name, self.moments[rows], False)
            return Series(key, label, rows, None)
        if (made.dtype.kind == "M") != self.has_dates():
            raise Error(
                f"{self.cutoff} is of another kind than {self.time}; give both as times, or numbers"
            )
        rows = rows[np.lexsort((self.moments[rows], made[rows]))]
        self._check_once_from_each(name, self.moments[rows], made[rows])
        if ahead is not None:
            rows = rows[_places(made[rows]) == ahead]
            if not len(rows):
                raise Error(
                    f"{name} has no row that is {ahead} after its cutoff; give a smaller ahead"
                )
        rows = rows[np.argsort(self.moments[rows], kind="stable")]
        self._check_once(name, self.moments[rows], True, ahead)
        self._check_before(name, rows)
        return Series(key, label, rows, _known(self.moments[rows], made[rows]).tolist())

    def _check_before(self, name: str, rows: npt.NDArray[np.intp]) -> None:
        """A row is forecast before it happens."""
        assert self._made is not None
        moments, made = self.moments[rows], self._made[rows]
        late = np.flatnonzero(~(made < moments) & (made == made))
        if len(late):
            raise Error(
                f"{name}: {moments[late[0]]} was forecast at {made[late[0]]}, which is not before "
                f"it; let {self.cutoff} be the last time that was known"
            )

    def _check_once_from_each(
        self, name: str, moments: npt.NDArray[Any], made: npt.NDArray[Any]
    ) -> None:
        """Refuses rows that are there twice, which `ahead` would take for two steps."""
        same = (made[1:] == made[:-1]) | ((made[1:] != made[1:]) & (made[:-1] != made[:-1]))
        for place in np.flatnonzero(same & (moments[1:] == moments[:-1]))[:1]:
            cutoff = made[place]
            without = cutoff != cutoff
            where = f"without a {self.cutoff}" if without else f"from the cutoff {cutoff}"
            raise Error(
                f"{name} has {moments[place]} twice {where}; give a row for each series, time and cutoff"
            )

    def _check_once(
        self, name: str, moments: npt.NDArray[Any], windows: bool, ahead: Optional[int] = None
    ) -> None:
        twice = np.flatnonzero(moments[1:] == moments[:-1])
        if not len(twice):
            return
        if not windows:
            raise Error(
                f"{name} has {moments[twice[0]]} twice; give a row for each series and time"
            )
        if ahead is not None:
            raise Error(
                f"{name} has {moments[twice[0]]} as row {ahead} after several cutoffs, since a window lacks "
                "a row; keep every row of a window, with NaN for models that did not forecast it"
            )
        raise Error(
            f"{name} has {moments[twice[0]]} from several cutoffs, and one forecast is combined for "
            "each time; give ahead=1 for the first row after each cutoff, ahead=2 for the second, and "
            "so on, or keep one cutoff for each time; pcgs.nixtla combines all"
        )


def _places(cutoffs: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """[T] of rows in the order of cutoff and time: each one's place after its cutoff, from 1. A
    row that is missing is not counted: what a step is, months and days of business do not say."""
    at = np.arange(len(cutoffs))
    begins = (
        np.concatenate([[True], cutoffs[1:] != cutoffs[:-1]]) if len(cutoffs) else at.astype(bool)
    )
    places: npt.NDArray[np.intp] = at - np.maximum.accumulate(np.where(begins, at, 0)) + 1
    return places


def _known(moments: npt.NDArray[Any], made: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """[T] how many of the rows happened no later than the cutoff of each. What one row may not know, no
    row before it may have taught. A row without a cutoff knows whatever happened before it."""
    known = np.searchsorted(moments, made, side="right")
    own = np.arange(len(moments))
    known = np.where(made == made, np.minimum(known, own), own)
    least: npt.NDArray[np.intp] = np.minimum.accumulate(known[::-1])[::-1]
    return least


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT or pandas' own missing value, which is not even different from itself."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _numbers(part: Any, name: str) -> Array:
    """A column of pandas as numbers: NaN for its own missing value."""
    values = part[name]
    if values.dtype.kind not in "fiub":
        raise Error(f"the column {name} is of dtype {values.dtype}; give real numbers")
    numbers: Array = values.to_numpy(dtype="float64", na_value=np.nan)
    return numbers


def _with_index_as_columns(frame: Any, wanted: Sequence[str]) -> Any:
    """Where the index of a DataFrame holds what is asked for, it becomes columns."""
    if isinstance(frame, Columns):
        return frame
    there = [name for name in frame.index.names if name is not None and name not in frame.columns]
    return frame.reset_index(level=there) if any(name in wanted for name in there) else frame


def _check_columns(frame: Any, names: Sequence[str], what: str) -> None:
    columns = list(frame.columns)
    for name in names:
        if name not in columns:
            raise Error(
                f"{what} is {name!r}, which is no column; there are {', '.join(map(str, columns))}"
            )


def _names_in(given: Any, what: str) -> List[str]:
    if isinstance(given, str):
        return [given]
    if not hasattr(given, "__iter__"):
        raise Error(f"{what} is {given!r}; give the name of a column, or a list of names")
    return list(given)


def _check_parts(by: Sequence[str], time: str, y: str, cutoff: Optional[str]) -> None:
    """A column plays one part."""
    if not by:
        raise Error(
            "id is empty; name the column, or the columns, that say which series a row is about"
        )
    taken: Dict[str, str] = {}
    for part, name in [
        *(("id", name) for name in by),
        ("time", time),
        ("y", y),
        ("cutoff", cutoff),
    ]:
        if name is None:
            continue
        if name in taken:
            raise Error(f"{name!r} is given as {taken[name]} and as {part}; name a column once")
        taken[name] = part


def _numbers_rows(frame: Any, name: Any) -> bool:
    """Whether a column is what reset_index makes of an index without a name."""
    return name in ("index", "level_0") and getattr(frame.dtypes[name], "kind", "O") in "iu"


def _models_of(frame: Any, others: Sequence[str], models: Optional[Sequence[str]]) -> List[str]:
    if models is not None:
        names = _names_in(models, "models")
        if not names:
            raise Error("models is empty; name the columns with forecasts, or leave it out")
        _check_columns(frame, names, "models")
        for name in names:
            if name in others:
                raise Error(
                    f"models has {name!r}, which is no model's forecast, since id, time, y or cutoff "
                    "names it; leave it out"
                )
            if names.count(name) > 1:
                raise Error(f"models has {name!r} twice; name each column once")
        return names
    names = [
        name
        for name in frame.columns
        if name not in others and not _INTERVAL.search(str(name)) and not _numbers_rows(frame, name)
    ]
    for name in names:
        kind = frame.dtypes[name]
        if getattr(kind, "kind", "O") not in "fiub":
            raise Error(
                f"the column {name} is of dtype {kind}, which is no model's forecast; name the models, "
                "as in models=['AutoARIMA', 'Theta']"
            )
    if not names:
        raise Error("the frame has no column of a model; give one for each")
    return names
