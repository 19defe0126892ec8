"""A frame without pandas: what is left of one of Polars, PyArrow or DuckDB. It has as much of a
DataFrame's interface as `run` asks for."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._pcgs import Error
from ._types import Array


class TimeColumn:
    """When rounds were, where no index of pandas says it; in UTC if there is a zone."""

    def __init__(self, name: str, moments: npt.NDArray[Any], zone: Optional[str]) -> None:
        self.name, self.moments, self.zone = name, moments, zone

    def __len__(self) -> int:
        return len(self.moments)

    def __getitem__(self, rows: npt.NDArray[np.intp]) -> TimeColumn:
        return TimeColumn(self.name, self.moments[rows], self.zone)

    def to_pandas(self, pandas: Any) -> Any:
        # No pandas knows days, and old ones know nanoseconds only.
        unit = np.datetime_data(self.moments.dtype)[0]
        index = pandas.DatetimeIndex(
            self.moments.astype("M8[s]" if unit == "D" else self.moments.dtype)
        )
        index.name = self.name
        return index if self.zone is None else index.tz_localize("UTC").tz_convert(self.zone)


class Columns:
    """Names and their values, in order, all of one length."""

    def __init__(
        self,
        values: Dict[str, npt.NDArray[Any]],
        zones: Optional[Dict[str, Optional[str]]] = None,
    ) -> None:
        self._values = values
        self._zones = zones or {}

    @property
    def columns(self) -> List[str]:
        return list(self._values)

    @property
    def dtypes(self) -> Dict[str, np.dtype[Any]]:
        return {name: values.dtype for name, values in self._values.items()}

    def __len__(self) -> int:
        return len(next(iter(self._values.values()))) if self._values else 0

    def __getitem__(self, which: Union[str, Sequence[str]]) -> Any:
        if isinstance(which, str):
            return self._values[which]
        return Columns({name: self._values[name] for name in which}, self._zones)

    def drop(self, columns: Union[str, Sequence[str]]) -> Columns:
        left_out = [columns] if isinstance(columns, str) else columns
        return self[[name for name in self._values if name not in left_out]]  # type: ignore[no-any-return]

    def times(self, name: str) -> TimeColumn:
        return TimeColumn(name, self._values[name], self._zones.get(name))

    def to_numpy(self) -> Array:
        """[T x K] the numbers; text is refused by name."""
        for name, values in self._values.items():
            if values.dtype.kind not in "fiub":
                raise Error(
                    f"the column {name} is of dtype {values.dtype}; give real numbers, and leave "
                    "other columns out"
                )
        return np.column_stack([one.astype("f8") for one in self._values.values()])


def as_frame(given: Any) -> Any:
    """What is given, unless it is a frame that only speaks Arrow: that becomes `Columns`."""
    if is_pandas(given) or not hasattr(given, "__arrow_c_stream__"):
        if hasattr(given, "__dataframe__") and not hasattr(given, "index"):
            raise Error(
                f"a {type(given).__module__}.{type(given).__name__} is read through Arrow, which this "
                "version of it does not speak (__arrow_c_stream__); install a newer one, or give "
                ".to_pandas()"
            )
        return given
    if not hasattr(given, "columns") and not hasattr(given, "column_names"):
        return given  # a column, which is an array
    from ._arrow import read_columns

    found = read_columns(given)
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Error(f"the name {twice} is given to two columns; give each its own")
    return Columns({one.name: one.values for one in found}, {one.name: one.zone for one in found})


def is_pandas(given: Any) -> bool:
    return hasattr(getattr(given, "index", None), "equals")
