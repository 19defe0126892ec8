"""Long frames: a row for each series and time, as statsforecast, neuralforecast and mlforecast write
them, or for each model too; and what was known when each row was forecast."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._columns import Columns, TimeColumn, as_frame, is_pandas
from ._pcgs import Error
from ._rows import clock_of, times_of
from ._table import Parts, numbers_of, parts_of
from ._types import Array

Key = Tuple[str, ...]
Rows = npt.NDArray[np.intp]
# The intervals that Nixtla's libraries write beside a model's forecasts, as AutoARIMA-lo-95.
_INTERVAL = re.compile(r"-(lo|hi)-\d+(\.\d+)?$")


class LongFrame:
    """The columns of a long frame by the parts they play. Those that it lacks, the library refuses."""

    def __init__(
        self,
        frame: Any,
        by: Union[str, Sequence[str], None],
        time: Optional[str],
        y: str,
        cutoff: Optional[str] = None,
        models: Optional[Sequence[str]] = None,
        texts: Sequence[Optional[str]] = (),
        times: Sequence[Optional[str]] = (),
        side: Sequence[str] = (),
        quantiles: Optional[str] = None,
    ) -> None:
        frame = as_frame(frame)
        if not isinstance(frame, Columns) and not is_pandas(frame):
            raise Error(
                f"several series are read from a long frame of pandas, Polars or Arrow, and this is a "
                f"{type(frame).__name__}; give a frame with columns {time}, {y} and a model's"
            )
        self.by = [] if by is None else _names_in(by, "by")
        self.time, self.y = time, y
        self.texts = [name for name in texts if name is not None]
        self.times = [name for name in times if name is not None]
        self.side = list(side)
        frame = with_index_as_columns(frame, [*self.by, time])
        columns = list(frame.columns)
        twice = first_twice(columns)
        if twice is not None:
            raise Error(
                f"the name {twice} is given to two columns; give each its own",
                kind="duplicate",
                column=str(twice),
            )
        self.cutoff = cutoff if cutoff in columns else None
        roles = [*self.by, time, y, self.cutoff, *self.texts, *self.times, *self.side]
        others = [name for name in roles if name is not None]
        if others.count(self.cutoff) > 1:
            raise Error(
                f"{self.cutoff!r} is given as cutoff and as another part; name a column once",
                kind="request",
                column=self.cutoff,
                field="cutoff",
            )
        if quantiles is None:
            self.models = _models_of(frame, others, models)
        else:
            begin, _, end = quantiles.partition("*")
            self.models = [
                name
                for name in columns
                if name not in others and str(name).startswith(begin) and str(name).endswith(end)
            ]
        used = [name for name in dict.fromkeys([*others, *self.models]) if name in columns]
        # A copy, so that whoever changes the frame later does not change the result.
        self.frame = frame[used] if isinstance(frame, Columns) else frame[used].copy()
        self.used = used
        self.rows = len(self.frame)
        if not self.rows:
            raise Error("the frame has no rows; give a row for each series and time", kind="missing")
        self._zones: Dict[str, Any] = {}  # of the times and the cutoffs
        self.moments = self._moments(time) if time in used else None
        self._made = None if self.cutoff is None else self._moments(self.cutoff)
        self._check_zones()
        self._indexes: Dict[str, Any] = {}
        self.label_of: Dict[Key, Any] = {}  # the series as the frame has them, by their texts

    # ---- What the library takes -----------------------------------------------------------------

    def parts(self, origin: str, *, rounds: bool, ahead: Optional[int] = None) -> Parts:
        """The table; `rounds`: a row is a round, so that those of a series are put in order."""
        rows_of = self._rows_by_series()
        order = np.arange(self.rows)
        known: List[int] = []
        if rounds:
            if ahead is not None and self._made is None:
                raise Error(
                    "ahead counts rows after their cutoff, and there is none; leave it out",
                    kind="request",
                    field="ahead",
                )
            ordered = [self._in_order(label, rows, ahead) for label, rows in rows_of.items()]
            order = np.concatenate([rows for rows, _ in ordered])
            if self._made is not None:
                known = [one for _, knows in ordered for one in knows]
        texts = {
            name: [str(value) for value in self._values(name, order)]
            for name in [*self.by, *self.texts]
            if name in self.used
        }
        numeric = [*self.models, self.y, *self.side]
        times = []
        for name in [self.time, *self.times]:
            if name not in self.used:
                continue
            found = times_of(self.index_of(order, name))
            if found is not None:
                times.append((name, *found[1:]))
            else:
                numeric.append(name)
        taken = [*texts, *(name for name, *_ in times)]  # by two parts, which the library refuses
        names = [name for name in dict.fromkeys(numeric) if name in self.used and name not in taken]
        return parts_of(
            origin,
            [str(name) for name in names],
            np.column_stack([self._column(name)[order] for name in names]),
            texts=texts,
            times=times,
            rows=(order + 1).tolist(),
            known_at=known,
        )

    def _values(self, name: str, order: Rows) -> List[Any]:
        values = list(self.frame[name])
        return [values[row] for row in order]

    def _rows_by_series(self) -> Dict[Any, Rows]:
        """The rows of every series, in the order in which they begin in the frame."""
        rows_of: Dict[Any, List[int]] = {}
        for row, label in enumerate(self._labels()):
            rows_of.setdefault(label, []).append(row)
        for label in rows_of:
            key = tuple(str(part) for part in (label if len(self.by) > 1 else [label]))
            if key in self.label_of:
                raise Error(
                    f"two series are called {', '.join(key)}; give each its own name",
                    kind="duplicate",
                    field="by",
                )
            self.label_of[key] = label
        return {label: np.array(rows, np.intp) for label, rows in rows_of.items()}

    def _labels(self) -> Iterable[Any]:
        columns = [list(self.frame[name]) for name in self.by if name in self.used]
        for name, values in zip(self.by, columns):
            missing = next((row for row, value in enumerate(values) if is_missing(value)), None)
            if missing is not None:
                raise Error(
                    f"row {missing + 1} has no {name}; give every row one, or drop that row",
                    kind="missing",
                    row=missing + 1,
                    column=name,
                )
        if not columns:
            return [None] * self.rows
        return columns[0] if len(columns) == 1 else zip(*columns)

    def _in_order(self, label: Any, rows: Rows, ahead: Optional[int]) -> Tuple[Rows, List[int]]:
        """The rows of a series in the order of time, and how many of them each knows."""
        if self.moments is None:
            return rows, []
        name = ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)
        made = self._made
        if made is None:
            return rows[np.argsort(self.moments[rows], kind="stable")], []
        if (made.dtype.kind == "M") != self.has_dates():
            raise Error(
                f"{self.cutoff} is of another kind than {self.time}; give both as times, or numbers",
                column=self.cutoff,
                field="cutoff",
            )
        rows = rows[np.lexsort((self.moments[rows], made[rows]))]
        self._check_once_from_each(name, rows)
        if ahead is not None:
            rows = rows[_places(made[rows]) == ahead]
            if not len(rows):
                raise Error(
                    f"{name} has no row that is {ahead} after its cutoff; give a smaller ahead",
                    kind="missing",
                    field="ahead",
                )
        rows = rows[np.argsort(self.moments[rows], kind="stable")]
        self._check_once(name, rows, ahead)
        self._check_before(name, rows)
        return rows, _known(self.moments[rows], made[rows]).tolist()

    # ---- Columns --------------------------------------------------------------------------------

    def _moments(self, name: str) -> npt.NDArray[Any]:
        """[T] a column as numbers or times that can be compared."""
        moments, self._zones[name] = column_moments(
            self.frame, name, "time" if name == self.time else "cutoff"
        )
        return moments

    def _check_zones(self) -> None:
        """A time of a clock on a wall and one with a zone are hours apart that nobody has said."""
        if self.cutoff is None or self._made is None:
            return
        if self._made.dtype.kind != "M" or not self.has_dates():
            return
        zoned = {name: self._zones[name] for name in (self.time, self.cutoff)}
        if sum(zone is None for zone in zoned.values()) != 1 or np.isnat(self._made).all():
            return
        with_one, zone = next((name, zone) for name, zone in zoned.items() if zone is not None)
        without = next(name for name, zone in zoned.items() if zone is None)
        raise Error(
            f"{with_one} has the time zone {zone} and {without} has none, so that nobody can say which "
            "is earlier; give both a zone, or none",
            kind="mismatch",
            column=without,
        )

    def check_times(self) -> None:
        if self.moments is None:
            return
        missing = np.flatnonzero(
            np.isnat(self.moments) if self.has_dates() else np.isnan(self.moments)
        )
        if len(missing):
            raise Error(
                f"row {missing[0] + 1} has no {self.time}; give every row one, or drop that row",
                kind="missing",
                row=int(missing[0]) + 1,
                column=self.time,
            )

    def has_dates(self) -> bool:
        return self.moments is not None and self.moments.dtype.kind == "M"

    def _column(self, name: str) -> Array:
        return numbers_of(self.frame[[name]], name)

    def index_of(self, rows: Rows, name: Optional[str] = None) -> Any:
        """When these rows were, or another column of times: an index of pandas, or what stands for it."""
        name = self.time if name is None else name
        if name not in self.used:
            return None
        if isinstance(self.frame, Columns):
            times = self.frame.times(name)
            if times.moments.dtype.kind != "M":
                return None
            return TimeColumn(name, times.moments[rows], times.zone)
        if name not in self._indexes:
            self._indexes[name] = self.frame[[name]].set_index(name).index
        return self._indexes[name][rows]

    def about(self, pd: Any, rows: Any, with_y: bool) -> Any:
        """The columns that say what these rows are about."""
        wanted = [*self.by, self.time, self.cutoff, self.y if with_y else None]
        names = [name for name in wanted if name is not None]
        if hasattr(self.frame, "iloc"):
            return self.frame.iloc[rows][names]
        columns = {}
        for name in names:
            values = self.frame[name]
            if values.dtype.kind == "M":
                columns[name] = self.frame.times(name).to_pandas(pd).rename(None)
            else:
                columns[name] = values
        return pd.DataFrame(columns).iloc[rows]

    # ---- Cutoffs --------------------------------------------------------------------------------

    def _check_before(self, name: str, rows: Rows) -> None:
        """A row is forecast before it happens."""
        assert self._made is not None and self.moments is not None
        moments, made = self.moments[rows], self._made[rows]
        late = np.flatnonzero(~(made < moments) & (made == made))
        if len(late):
            raise Error(
                f"{name}: {moments[late[0]]} was forecast at {made[late[0]]}, which is not before "
                f"it; let {self.cutoff} be the last time that was known",
                row=int(rows[late[0]]) + 1,
                column=self.cutoff,
            )

    def _check_once_from_each(self, name: str, rows: Rows) -> None:
        """Refuses rows that are there twice, which `ahead` would take for two steps."""
        assert self._made is not None and self.moments is not None
        moments, made = self.moments[rows], self._made[rows]
        same = (made[1:] == made[:-1]) | ((made[1:] != made[1:]) & (made[:-1] != made[:-1]))
        for place in np.flatnonzero(same & (moments[1:] == moments[:-1]))[:1]:
            cutoff = made[place]
            without = cutoff != cutoff
            where = f"without a {self.cutoff}" if without else f"from the cutoff {cutoff}"
            raise Error(
                f"{name} has {moments[place]} twice {where}; give a row for each series, time and cutoff",
                kind="duplicate",
                row=int(rows[place + 1]) + 1,
                column=self.time,
            )

    def _check_once(self, name: str, rows: Rows, ahead: Optional[int]) -> None:
        assert self.moments is not None
        moments = self.moments[rows]
        twice = np.flatnonzero(moments[1:] == moments[:-1])
        if not len(twice):
            return
        if ahead is None:
            why = (
                "from several cutoffs, and one forecast is combined for each time; give ahead=1 for the "
                "first row after each cutoff, ahead=2 for the second, and so on, or keep one cutoff for "
                "each time; pcgs.nixtla combines all"
            )
        else:
            why = (
                f"as row {ahead} after several cutoffs, since a window lacks a row; keep every row of a "
                "window, with NaN for models that did not forecast it"
            )
        raise Error(
            f"{name} has {moments[twice[0]]} {why}",
            kind="duplicate",
            row=int(rows[twice[0] + 1]) + 1,
            column=self.time,
            field="ahead",
        )


def column_moments(frame: Any, name: str, field: Optional[str] = None) -> Tuple[npt.NDArray[Any], Any]:
    """[T] a column as numbers or times that can be compared: those with a zone in UTC, periods where they
    begin, and what is missing as NaN or NaT. And the zone, if there is one."""
    values, zone = frame[name], None
    kind = values.dtype
    if isinstance(frame, Columns):
        zone = frame.times(name).zone
    elif kind.kind == "M":
        values = clock_of(frame[[name]].set_index(name).index)  # a DatetimeIndex
        zone = values.tz
        values = values if zone is None else values.tz_convert(None)
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
            f"as with pandas.to_datetime(frame[{name!r}])",
            column=name,
            field=field,
        )
    return moments, zone


def first_twice(names: Sequence[Any]) -> Any:
    """The first that is there twice; None: all are different."""
    return next((name for name in names if names.count(name) > 1), None)


def _places(cutoffs: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """[T] of rows in the order of cutoff and time: each one's place after its cutoff, from 1. A
    row that is missing is not counted: what a step is, months and days of business do not say."""
    at = np.arange(len(cutoffs))
    begins = (
        np.concatenate([[True], cutoffs[1:] != cutoffs[:-1]]) if len(cutoffs) else at.astype(bool)
    )
    return at - np.maximum.accumulate(np.where(begins, at, 0)) + 1


def _known(moments: npt.NDArray[Any], made: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """[T] how many of the rows happened no later than the cutoff of each. What one row may not know, no
    row before it may have taught. A row without a cutoff knows whatever happened before it."""
    known = np.searchsorted(moments, made, side="right")
    own = np.arange(len(moments))
    known = np.where(made == made, np.minimum(known, own), own)
    return np.minimum.accumulate(known[::-1])[::-1]


def is_missing(value: Any) -> bool:
    """None, NaN, NaT or pandas' own missing value, which is not even different from itself."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def with_index_as_columns(frame: Any, wanted: Sequence[str]) -> Any:
    """Where the index of a DataFrame holds what is asked for, it becomes columns."""
    if isinstance(frame, Columns):
        return frame
    there = [name for name in frame.index.names if name is not None and name not in frame.columns]
    return frame.reset_index(level=there) if any(name in wanted for name in there) else frame


def _names_in(given: Any, what: str) -> List[str]:
    if isinstance(given, str):
        return [given]
    if not hasattr(given, "__iter__"):
        raise Error(f"{what} is {given!r}; give the name of a column, or a list of names", field=what)
    return list(given)


def _numbers_rows(frame: Any, name: Any) -> bool:
    """Whether a column is what reset_index makes of an index without a name."""
    return name in ("index", "level_0") and getattr(frame.dtypes[name], "kind", "O") in "iu"


def _models_of(frame: Any, others: Sequence[str], models: Optional[Sequence[str]]) -> List[str]:
    if models is not None:
        names = _names_in(models, "models")
        if not names:
            raise Error("models is empty; name the columns with forecasts, or leave it out", field="models")
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
                "as in models=['AutoARIMA', 'Theta']",
                column=str(name),
                field="models",
            )
    return names
