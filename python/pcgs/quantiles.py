"""Quantile forecasts of several models in a long frame, combined by `run(..., quantiles="q*")`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _frames, _pcgs
from ._long import LongFrame
from .result import Whole

if TYPE_CHECKING:
    import pandas


class QuantileResult(Whole):
    """What came out of `run` with quantiles. Prints as the table of `pcgs run --quantiles`; `state` is what
    QuantilePanel.from_bytes loads."""

    def __init__(self, frame: LongFrame, whole: _pcgs.Run) -> None:
        self._frame = frame
        self._whole = whole

    @property
    def forecasts(self) -> pandas.DataFrame:
        """A row for each time of each series, in the order of time: series, time, y, and the combined
        quantiles under the names of their columns; NaN where there was no forecast."""
        pd = _frames.pandas_for("QuantileResult.forecasts", "to_dict()")
        rows = np.array(self._whole.quantile_rows(), np.intp) - 1
        about = self._frame.about(pd, rows, True)
        found = pd.DataFrame(
            self._whole.published(), columns=self._whole.quantile_columns(), index=about.index
        )
        return pd.concat([about, found], axis=1)
