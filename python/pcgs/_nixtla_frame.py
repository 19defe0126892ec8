"""A frame as Nixtla's libraries write it, of pandas or polars: its keys and its numbers, checked before
anything is learned from it."""

from __future__ import annotations

import re
from typing import Any, Dict, Hashable, Iterator, List, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from ._columns import as_frame, is_pandas
from ._long import column_moments, first_twice, is_missing, with_index_as_columns
from ._pcgs import Error
from ._table import numbers_of
from ._types import Array

Rows = npt.NDArray[np.intp]  # places in the frame


class NixtlaFrame:
    """Its rows by series. `keys` are the columns that it must have, of which the first holds ids and
    the second times."""

    def __init__(self, given: Any, keys: Sequence[str]) -> None:
        # A LazyFrame of polars has no rows yet.
        if not hasattr(given, "columns") or not (is_pandas(given) or hasattr(given, "to_numpy")):
            raise Error(
                f"a {type(given).__name__} is no frame with columns; give a frame of pandas or polars"
            )
        # Earlier versions of StatsForecast made the id the index.
        self._given = with_index_as_columns(given, keys) if is_pandas(given) else given
        self.columns: List[Any] = list(self._given.columns)
        twice = first_twice(self.columns)
        if twice is not None:
            raise Error(f"the name {twice} is given to two columns; give each its own")
        self.frame = as_frame(self._given)
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
        moments, zone = column_moments(self.frame, name)
        dates = moments.dtype.kind == "M"
        for row in np.flatnonzero(np.isnat(moments) if dates else np.isnan(moments))[:1]:
            self._refuse_missing(name, row)
        if not dates:
            return "numbers", moments
        # So that equal times are equal keys.
        return "times" if zone is None else "times with a zone", moments.astype("datetime64[ns]")

    def has_numbers(self, name: Any) -> bool:
        return getattr(self.frame.dtypes[name], "kind", "O") in "fiub"

    def numbers(self, name: Any) -> Array:
        """[T] a column of numbers, NaN where there is none."""
        numbers = numbers_of(self.frame[[name]], name)
        for row in np.flatnonzero(np.isinf(numbers))[:1]:
            raise Error(
                f"row {row + 1}: {name} is {numbers[row]}; give finite numbers, and NaN where there "
                "is none"
            )
        return numbers

    def check_once(self) -> None:
        """A row for each series and time."""
        for row in self._twice(self.times):
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
        for row in self._twice(self.times, cutoffs):
            raise Error(
                f"row {row + 1}: {self._label(row)} has {said(self.times[row])} twice from the cutoff "
                f"{said(cutoffs[row])}; give a row for each series, time and cutoff"
            )

    def with_columns(self, names: Sequence[str], answer: Array) -> Any:
        """The frame with [T x N] these columns after its own."""
        columns: Dict[str, Array] = {name: answer[:, k] for k, name in enumerate(names)}
        if is_pandas(self._given):
            return self._given.assign(**columns)
        import polars

        return self._given.with_columns(
            [polars.Series(name, column) for name, column in columns.items()]
        )

    def _read_ids(self) -> Tuple[List[Hashable], Rows]:
        """The different ids, and [T] the place of each row's id among them."""
        place_of: Dict[Hashable, int] = {}
        places = []
        for row, label in enumerate(list(self.frame[self._id])):
            if not isinstance(label, Hashable):
                raise Error(
                    f"row {row + 1}: {self._id} is a {type(label).__name__}; give text or a number"
                )
            if label not in place_of and is_missing(label):
                self._refuse_missing(self._id, row)
            places.append(place_of.setdefault(label, len(place_of)))
        return list(place_of), np.array(places, np.intp)

    def _label(self, row: int) -> Any:
        return self.ids[self._places[row]]

    def _twice(self, *keys: npt.NDArray[Any]) -> Rows:
        """The first row whose series and keys are those of another, in that order."""
        order = np.lexsort((*keys, self._places))
        same = np.ones(max(len(order) - 1, 0), bool)
        for key in (self._places, *keys):
            same &= key[order[1:]] == key[order[:-1]]
        return order[1:][same][:1]

    @staticmethod
    def _refuse_missing(name: str, row: int) -> None:
        raise Error(f"row {row + 1} has no {name}; give every row one, or drop that row")


def said(moment: Any) -> str:
    """A time without what is zero at its end."""
    if not isinstance(moment, np.datetime64):
        return str(moment)
    return re.sub(r"(T00:00:00)?\.0+$", "", str(moment))
