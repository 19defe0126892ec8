"""What came out of a run: errors beside every model's, forecasts, weights, and regret to the exact
oracle. Frames are of pandas, where it is installed; everything is there as arrays without it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _frames, _html
from ._kept import Pickled
from ._pcgs import Error, Played, Run
from ._rows import clock_of
from ._types import Array

if TYPE_CHECKING:
    import pandas

    from ._charts import Charts
    from ._plots import Plots


class Note(str):
    """A sentence about what was taken for granted or looks like a mistake. `kind` is "reading", "times",
    "season", "zeros", "coming", "experts", "learned" or "side"."""

    kind: str

    def __new__(cls, sentence: str, kind: str) -> Note:
        note = super().__new__(cls, sentence)
        note.kind = kind
        return note

    def __getnewargs__(self) -> Tuple[str, str]:
        return str(self), self.kind


class Whole(Pickled):
    """What came of one call: the face of all series together."""

    _whole: Run

    @property
    def headline(self) -> str:
        """How wrong the combination was over all series, beside the best model and equal weights."""
        return self._whole.headline()

    @property
    def notes(self) -> List[Note]:
        """What was found out about the rows, a sentence each, with its `kind`."""
        return [Note(sentence, kind) for kind, sentence in self._whole.notes()]

    @property
    def state(self) -> bytes:
        """What a later run resumes from, for all series: `state=result.state`."""
        return self._whole.state()

    @property
    def errors(self) -> pandas.DataFrame:
        """How wrong everybody was over all series together, as `Result.errors`."""
        pd = _frames.pandas_for(f"{type(self).__name__}.errors", "to_dict()")
        return _frames.errors_frame(pd, self.to_dict()["errors"])

    def to_dict(self) -> Dict[str, Any]:
        """The object that `pcgs run --json` prints."""
        return json.loads(self._whole.json())

    def table(self) -> str:
        """The tables that `pcgs run` prints."""
        return self._whole.table()

    def report(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the errors of all series and each as one HTML page that needs nothing else."""
        self._whole.report(path)

    def __repr__(self) -> str:
        return self.table()


class Result(Pickled):
    """What came out of `run`. Prints as a table, in a notebook too.

    >>> import numpy as np, pcgs
    >>> y = np.sin(np.arange(200.0))
    >>> X = y[:, None] + [0.3, -0.5]
    >>> y[-1] = np.nan                     # not known yet
    >>> result = pcgs.run(X, y, models=["high", "low"])
    >>> result.best_model
    'high'
    >>> combination = result.error_list()[0]
    >>> combination["name"], combination["rmse"] < 0.3
    ('blend', True)
    >>> bool(abs(result.next_list()[0]["forecast"] - np.sin(199)) < 0.1)
    True

    `forecasts`, `errors`, `weights`, `intervals` and `next` are DataFrames with the index of X; without
    pandas there are `forecast_array`, `error_list`, `weight_array`, `interval_arrays` and `next_list`.

    Of losses, without y, there are weights, regrets and certificates:

    >>> losses = np.random.default_rng(1).random((200, 4))
    >>> result = pcgs.run(losses, methods=["hedge", "fixed-share"], switches=[5])
    >>> [method["name"] for method in result.to_dict()["methods"]]
    ['hedge', 'fixed-share']
    >>> result["fixed-share"]["certificate"]["holds"]
    True
    """

    def __init__(self, run: Played, index: Any, columns: Any, whole: Optional[Run] = None) -> None:
        self._run = run
        self._whole = whole  # None: this is one of several series
        self._dict: Dict[str, Any] = json.loads(run.json())
        # As X calls the models, by their names.
        self._label_of: Dict[str, Any] = dict(columns if isinstance(columns, dict) else {})
        self._columns = None
        if columns is not None and not isinstance(columns, dict):
            self._columns = columns
            self._label_of = {str(label): label for label in columns}
        # Of the rounds that were played, where pandas or a column of times brought an index.
        self._index = index
        rows = run.rows()
        if index is not None and len(index) != len(rows):
            self._index = index[np.array(rows, np.intp) - 1]

    # ---- In a sentence, and by name -------------------------------------------------------------

    @property
    def headline(self) -> str:
        """How wrong the combination was beside the best model and equal weights, in a sentence."""
        return self._run.headline()

    @property
    def best_model(self) -> Optional[str]:
        """The expert with the least error, among those that forecast often; None if no outcome is known."""
        experts = (one for one in self._answer("errors") if one["kind"] == "expert")
        best = next(experts)
        return best["name"] if best["rounds"] > 0 else None

    @property
    def weights_now(self) -> Dict[str, float]:
        """What the last method would give each expert next, if all are awake; by names, which are texts."""
        return dict(zip(self._dict["experts"], self._dict["methods"][-1]["next_weights"]))

    @property
    def notes(self) -> List[Note]:
        """What was found out about the rows: that times are missing, say. A sentence each, with its
        `kind`; of several series, `SeriesResult.notes` has them."""
        found = [] if self._whole is None else self._whole.notes()
        return [Note(sentence, kind) for kind, sentence in found]

    @property
    def state(self) -> bytes:
        """What a later run resumes from, as run(X, y, state=result.state), and what Aggregator.from_bytes
        loads; written to a file, `pcgs run --resume` does, too."""
        if self._whole is None:
            raise Error("the state is that of all series together; take SeriesResult.state", kind="call")
        return self._whole.state()

    @property
    def experts(self) -> List[str]:
        """The names of the experts: the columns of X as texts."""
        return list(self._dict["experts"])

    @property
    def methods(self) -> List[str]:
        """The names of the methods, in the order in which they were given."""
        return [method["name"] for method in self._dict["methods"]]

    def __getitem__(self, method: str) -> Dict[str, Any]:
        """What `to_dict` says about one method."""
        found: List[Dict[str, Any]] = self.to_dict()["methods"]
        for one in found:
            if one["name"] == method:
                return one
        raise KeyError(method)

    # ---- As DataFrames --------------------------------------------------------------------------

    @property
    def forecasts(self) -> pandas.DataFrame:
        """A row for each round, with the index of X: the outcome, and the forecast of each method, the
        default (the last) being the last column, as in forecasts.csv of `pcgs run --out`."""
        pd = _frames.pandas_for("Result.forecasts", "forecast_array()")
        columns = {"outcome": self.outcome_array()}
        for name in self.methods:
            columns[name] = self.forecast_array(name)
        return pd.DataFrame(columns, index=self._rows(pd))

    @property
    def errors(self) -> pandas.DataFrame:
        """How wrong everybody was, by name: the combination, which is the last method, then other
        methods, equal weights, the best convex mix in hindsight, and the experts from the best on.

        The columns are kind ("method", "reference" or "expert"), rounds, rmse, mae, mape and bias, over
        the rounds that it forecast and whose outcome is known; loss, where it is none of these; and
        difference, how far the combination's error is from this one on the same rounds, in per cent:
        below 0, the combination is better.
        """
        pd = _frames.pandas_for("Result.errors", "error_list()")
        return _frames.errors_frame(pd, self.error_list())

    @property
    def weights(self) -> pandas.DataFrame:
        """What the last method gave each expert, round by round, with the index and the columns of X, so
        that `(X * result.weights).sum(axis=1)` is their mixture: the weights that it played, of which a
        sleeper has none. Of a method on derived forecasts, as blend, those of the experts in them. Losses
        have weights too."""
        pd = _frames.pandas_for("Result.weights", "weight_array()")
        return pd.DataFrame(
            self.weight_array(),
            columns=self._labels(),
            index=self._rows(pd),
        )

    @property
    def intervals(self) -> pandas.DataFrame:
        """The intervals around the forecasts of the last method, with the index of X: low_80, high_80
        and so on, NaN where there is none. How many outcomes they held stands in `to_dict`."""
        pd = _frames.pandas_for("Result.intervals", "interval_arrays()")
        columns = _frames.interval_columns(self.interval_arrays())
        return pd.DataFrame(columns, index=self._rows(pd))

    @property
    def next(self) -> pandas.DataFrame:
        """The forecasts of the last rows, whose y is NaN, by the last method, and the ends of their
        intervals, with their part of the index of X."""
        pd = _frames.pandas_for("Result.next", "next_list()")
        columns = self._next_columns()
        rows = self._rows(pd)
        return pd.DataFrame(
            columns, rows[len(rows) - len(columns["forecast"]) :]
        )

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each method, with total losses, regrets and certificates."""
        pd = _frames.pandas_for("to_pandas()", "to_dict()")
        cells = [dict(self._cells(method)) for method in self._dict["methods"]]
        return pd.DataFrame(
            [list(one.values()) for one in cells],
            columns=list(cells[0]),
            index=pd.Index(self.methods, name="method"),
        )

    # ---- As arrays, lists and text --------------------------------------------------------------

    def forecast_array(self, method: Optional[str] = None) -> Array:
        """[T] the combined forecasts of a method, the last unless you say which; NaN where nobody was
        awake."""
        forecasts = self._run.forecasts(self._place_of(method))
        if forecasts.size == 0:
            raise Error("losses were combined, not forecasts; give forecasts and y", kind="call", field="y")
        return forecasts

    def outcome_array(self) -> Array:
        """[T] what happened, as it was given; NaN where it is not known."""
        self._run.headline()  # refuses losses
        return self._run.outcomes()

    def weight_array(self) -> Array:
        """[T, K] the weights that the last method played: those of `weights`."""
        return self._run.weights()

    def interval_arrays(self, method: Optional[str] = None) -> Dict[float, Array]:
        """{level: [T, 2]} low and high around the forecasts of the last method; NaN where there is none."""
        place = self._place_of(method)
        found = self._run.intervals(place)
        if not found:
            name = self.methods[place]
            raise Error(
                f"there are no intervals for {name}; run() puts them around the last method",
                kind="missing",
                field="intervals",
            )
        return found

    def error_list(self) -> List[Dict[str, Any]]:
        """The rows of `errors`, each a dict with its name; None, or no key, where there is no number."""
        return self._answer("errors")

    def next_list(self) -> List[Dict[str, Any]]:
        """The rows of `next`, each a dict with time, where the rows have times, row (from 1 on), forecast
        (None: nobody forecasts) and interval, {"0.8": [low, high]}."""
        return self._answer("next")

    def to_dict(self) -> Dict[str, Any]:
        """The object that `pcgs run --json` prints."""
        return json.loads(self._run.json())

    def table(self) -> str:
        """The tables that `pcgs run` prints."""
        return self._run.table()

    # ---- Pictures -------------------------------------------------------------------------------

    @property
    def plot(self) -> Plots:
        """Matplotlib's Axes: plot.weights(), plot.errors(), plot.forecasts()."""
        from ._plots import Plots

        return Plots(self)

    @property
    def chart(self) -> Charts:
        """Altair's charts, from the templates of the report page: chart.weights(), chart.errors(),
        chart.forecasts(); chart.specification("weights") is the dict of Vega-Lite, without Altair."""
        from ._charts import Charts

        return Charts(self)

    def report(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the result as one HTML page that needs nothing else."""
        self._run.report(path)

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        regrets = _html.regret_table(
            self._dict, [(method["name"], self._cells(method)) for method in self._dict["methods"]]
        )
        if "errors" not in self._dict:
            return regrets
        first = _html.answer(self._dict, self.headline, self._run.sureness(), self.notes)
        return f"<div>{first}{regrets if 'oracle' in self._dict else ''}</div>"

    # ---- Parts of these -------------------------------------------------------------------------

    def _answer(self, field: str) -> Any:
        self._run.headline()  # refuses losses
        return self.to_dict()[field]

    def _place_of(self, method: Optional[str]) -> int:
        names = self.methods
        if method is None:
            return len(names) - 1
        if method not in names:
            raise KeyError(method)
        return names.index(method)

    def _labels(self) -> Any:
        """What the columns of the experts are called: as in X."""
        if self._columns is not None and [str(one) for one in self._columns] == self.experts:
            return self._columns
        return [self._label_of.get(name, name) for name in self.experts]

    def _rows(self, pd: Any) -> Any:
        return _frames.index_of_rows(pd, self._index, self._dict["rounds"])

    def _interval_columns(self) -> Dict[str, Array]:
        """Nothing where there are none."""
        return _frames.interval_columns(self._run.intervals(len(self.methods) - 1))

    def _next_columns(self) -> Dict[str, Array]:
        columns = {"forecast": self.forecast_array(), **self._interval_columns()}
        coming = len(self._answer("next"))
        return {name: column[len(column) - coming :] for name, column in columns.items()}

    def _moments(self) -> Any:
        """[T] where each round stands along an axis: its time, or its number from 1 on."""
        index = clock_of(self._index)
        if hasattr(index, "moments"):
            return index.moments
        if hasattr(index, "to_timestamp"):
            return index.to_timestamp().to_numpy()
        if hasattr(index, "tz"):
            return (index if index.tz is None else index.tz_localize(None)).to_numpy()
        return np.arange(1, self._dict["rounds"] + 1)

    def _cells(self, method: Dict[str, Any]) -> List[Tuple[str, Any]]:
        """Name and value of each column; the same columns for every method."""
        cells: List[Tuple[str, Any]] = [("total_loss", method["total_loss"])]
        for budget, regret in method.get("dynamic_regret", {}).items():
            cells.append((f"regret_{budget}", regret))
        if "mean_forecast_loss" in method:
            cells.append(("mean_forecast_loss", method["mean_forecast_loss"]))
        certificate = method.get("certificate", {})
        cells.append(("certificate_bound", certificate.get("bound")))
        cells.append(("certificate_regret", certificate.get("regret")))
        cells.append(("ns_per_round", method["ns_per_round"]))
        return cells
