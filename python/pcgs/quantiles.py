"""Quantile forecasts of several models in a long frame, combined by `run(..., quantiles="q*")`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Union

import numpy as np

from . import _frames, _pcgs
from ._kept import Pickled
from ._long import LongFrame
from .result import Note

if TYPE_CHECKING:
    import pandas


class QuantileResult(Pickled):
    """What came out of `run` with quantiles. Prints as the table of `pcgs run --quantiles`."""

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
        joined: pandas.DataFrame = pd.concat([about, found], axis=1)
        return joined

    @property
    def errors(self) -> pandas.DataFrame:
        """The score of the combination and of everybody, as `Result.errors`."""
        pd = _frames.pandas_for("QuantileResult.errors", "to_dict()")
        return _frames.errors_frame(pd, self.to_dict()["errors"])

    @property
    def headline(self) -> str:
        """How good the combination was, beside the best model and equal weights."""
        return self._whole.headline()

    @property
    def notes(self) -> List[Note]:
        """What was found out about the rows, a sentence each, with its `kind`."""
        return [Note(sentence, kind) for kind, sentence in self._whole.notes()]

    @property
    def state(self) -> bytes:
        """What a later run resumes from, and QuantilePanel.from_bytes loads."""
        return self._whole.state()

    def to_dict(self) -> Dict[str, Any]:
        """The object that `pcgs run --quantiles --json` prints."""
        whole: Dict[str, Any] = json.loads(self._whole.json())
        return whole

    def table(self) -> str:
        """The tables that `pcgs run --quantiles` prints."""
        return self._whole.table()

    def report(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the result as one HTML page that needs nothing else."""
        self._whole.report(path)

    def __repr__(self) -> str:
        return self.table()
