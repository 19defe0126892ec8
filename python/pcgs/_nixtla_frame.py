"""A frame as Nixtla's libraries write it, of pandas or polars: its keys and its numbers, checked before
anything is learned from it."""

from __future__ import annotations

import re
from typing import Any, Dict, Hashable, Iterator, List, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from ._columns import is_pandas
from ._long import _is_missing, _with_index_as_columns
from ._pcgs import Error
from ._rows import clock_of
from ._types import Array

Rows = npt.NDArray[np.intp]  # places in the frame


class NixtlaFrame:
    """Its rows by series. `keys` are the columns that it must have, of which the first holds ids and
    the second times."""

    def __init__(self, given: Any, keys: Sequence[str]) -> None:
        if not hasattr(given, "columns") or not (is_pandas(given) or _is_polars(given)):
            raise Error(
                f"a {type(given).__name__} is no frame with columns; give a frame of pandas or polars"
            )
        # Earlier versions of StatsForecast made the id the index.
        self.frame = _with_index_as_columns(given, keys) if is_pandas(given) else given
        self.columns: List[Any] = list(self.frame.columns)
        twice = next((name for name in self.columns if self.columns.count(name) > 1), None)
        if twice is not None:
            raise Error(f"the name {twice} is given to two columns; give each its own")
        self.check_columns(keys, ", ".join(map(str, keys)) + " and models")
        self._id = keys[0]
        self.ids, self._places = self._read_ids()
        self.kind, self.times = self.moments(keys[1])

    def __len__(self) -> int:
        return len(self.times)

    def check_columns(self, names: Sequence[Any], wanted: str) -> None:
        for name in names:
            if name not in self.columns:
                raise Error(f"there is no column {name}; give {wanted}")

    def series(self) -> Iterator[Tuple[Hashable, Rows]]:
        """Each id, in the order in which they begin, with its rows."""
        order = np.argsort(self._places, kind="stable")
        ends = np.searchsorted(self._places[order], np.arange(len(self.ids) + 1))
        for k, one in enumerate(self.ids):
            yield one, order[ends[k] : ends[k + 1]]

    def moments(self, name: str) -> Tuple[str, npt.NDArray[Any]]:
        """[T] a column of times or numbers, none missing, and which of these it holds. Times with a
        zone are in UTC."""
        values = self.frame[name]
        kind = "times"
        if _zone(values.dtype) is not None:
            kind = "times with a zone"
            zoned = values.dt
            values = zoned.tz_convert(None) if is_pandas(values) else zoned.convert_time_zone("UTC")
        elif hasattr(values.dtype, "freq"):  # periods, which begin then
            values = values.dt.to_timestamp()
        without = np.asarray(values.isna() if is_pandas(values) else values.is_null())
        self._check_there(name, without)
        moments = np.asarray(values.to_numpy())
        if moments.dtype.kind == "O" and getattr(values.dtype, "kind", "O") in "iuf":
            moments = values.to_numpy(dtype=f"{values.dtype.kind}8")
        elif moments.dtype.kind == "O" and getattr(values.dtype, "kind", "O") == "M":  # of Arrow
            moments = clock_of(values.to_frame(name).set_index(name).index).to_numpy()
        if moments.dtype.kind not in "Miuf":
            column = f"frame[{name!r}]"
            how = (
                f"pandas.to_datetime({column})"
                if is_pandas(values)
                else f"{column}.str.to_datetime()"
            )
            raise Error(
                f"{name} is of dtype {values.dtype}, which is neither times nor numbers; convert it, "
                f"as with {how}"
            )
        dates = moments.dtype.kind == "M"
        self._check_there(name, np.isnat(moments) if dates else np.isnan(moments))
        if dates:
            return kind, moments.astype("datetime64[ns]")  # so that equal times are equal keys
        return "numbers", moments

    def has_numbers(self, name: Any) -> bool:
        kind = self.frame[name].dtype
        if is_pandas(self.frame):
            return getattr(kind, "kind", "O") in "fiub"
        return kind.is_numeric() or str(kind) == "Boolean"

    def numbers(self, name: Any) -> Array:
        """[T] a column of numbers, NaN where there is none."""
        values = self.frame[name]
        if not self.has_numbers(name):
            raise Error(f"the column {name} is of dtype {values.dtype}; give real numbers")
        numbers: Array
        if is_pandas(self.frame):
            numbers = values.to_numpy(dtype="float64", na_value=np.nan)
        else:
            import polars

            numbers = values.cast(polars.Float64).to_numpy()
        for row in np.flatnonzero(np.isinf(numbers))[:1]:
            raise Error(
                f"row {row + 1}: {name} is {numbers[row]}; give finite numbers, and NaN where there "
                "is none"
            )
        return numbers

    def check_once(self) -> None:
        """A row for each series and time."""
        order = np.lexsort((self.times, self._places))
        for row in self._twice(order, self._places, self.times):
            raise Error(
                f"row {row + 1}: {self._label(row)} has {said(self.times[row])} twice; give a row for "
                "each series and time"
            )

    def check_cutoffs(self, name: str, cutoffs: npt.NDArray[Any]) -> None:
        """A row is forecast before it happens, and once from each cutoff."""
        for row in np.flatnonzero(~(cutoffs < self.times))[:1]:
            raise Error(
                f"row {row + 1}: {self._label(row)} has {said(self.times[row])} from the cutoff "
                f"{said(cutoffs[row])}, which is not before it; let {name} be the last time that was "
                "known, and leave out rows that models were fitted to"
            )
        order = np.lexsort((self.times, cutoffs, self._places))
        for row in self._twice(order, self._places, cutoffs, self.times):
            raise Error(
                f"row {row + 1}: {self._label(row)} has {said(self.times[row])} twice from the cutoff "
                f"{said(cutoffs[row])}; give a row for each series, time and cutoff"
            )

    def with_columns(self, names: Sequence[str], answer: Array) -> Any:
        """The frame with [T x N] these columns after its own."""
        columns: Dict[str, Array] = {name: answer[:, k] for k, name in enumerate(names)}
        if is_pandas(self.frame):
            return self.frame.assign(**columns)
        import polars

        return self.frame.with_columns(
            [polars.Series(name, column) for name, column in columns.items()]
        )

    def _read_ids(self) -> Tuple[List[Hashable], Rows]:
        """The different ids, and [T] the place of each row's id among them."""
        place_of: Dict[Hashable, int] = {}
        labels = list(self.frame[self._id])
        for row, label in enumerate(labels):
            if not isinstance(label, Hashable):
                raise Error(
                    f"row {row + 1}: {self._id} is a {type(label).__name__}; give text or a number"
                )
            if label not in place_of and _is_missing(label):
                self._refuse_missing(self._id, row)
            place_of.setdefault(label, len(place_of))
        places = np.array([place_of[label] for label in labels], np.intp)
        return list(place_of), places

    def _label(self, row: int) -> Any:
        return self.ids[self._places[row]]

    @staticmethod
    def _twice(order: Rows, *keys: npt.NDArray[Any]) -> Rows:
        """The first row whose keys are those of another, in that order."""
        same = np.ones(max(len(order) - 1, 0), bool)
        for key in keys:
            same &= key[order[1:]] == key[order[:-1]]
        return order[1:][same][:1]

    def _check_there(self, name: str, without: Any) -> None:
        for row in np.flatnonzero(without)[:1]:
            self._refuse_missing(name, row)

    @staticmethod
    def _refuse_missing(name: str, row: int) -> None:
        raise Error(f"row {row + 1} has no {name}; give every row one, or drop that row")


def said(moment: Any) -> str:
    """A time without what is zero at its end."""
    if not isinstance(moment, np.datetime64):
        return str(moment)
    return re.sub(r"(T00:00:00)?\.0+$", "", str(moment))


def _zone(dtype: Any) -> Any:
    """Of times of pandas, of Arrow in pandas, or of polars; None: they have none, or are no times."""
    zone = getattr(dtype, "tz", None) or getattr(dtype, "time_zone", None)
    return zone or getattr(getattr(dtype, "pyarrow_dtype", None), "tz", None)


def _is_polars(given: Any) -> bool:
    """Whether it is a DataFrame of polars; a LazyFrame has no rows yet."""
    return hasattr(given, "with_columns") and hasattr(given, "to_numpy")
