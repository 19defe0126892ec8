"""Combines the forecasts in the frames of StatsForecast, MLForecast and NeuralForecast.

Needs none of them; frames are of pandas or polars.
"""

from __future__ import annotations

import copy
from numbers import Real
from typing import Any, Dict, Hashable, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._long import _INTERVAL
from ._nixtla_frame import NixtlaFrame, said
from ._pcgs import Error
from ._types import Array
from ._walk import Ends, HorizonRounds


def combine(cv_df: Any, **options: Any) -> Any:
    """What `cross_validation` wrote, with the combination beside its models: `pcgs`, and the ends of
    its intervals, `pcgs-lo-80` and `pcgs-hi-80`.

    The forecast for each row knows the outcomes up to the row's cutoff and no others. The options are
    those of NixtlaCombiner.
    """
    return NixtlaCombiner(**options).combine(cv_df)


def forecast(fcst_df: Any, cv_df: Any, **options: Any) -> Any:
    """What `forecast` or `predict` wrote about the coming rows, with the combination beside its
    models. It learned from all of cv_df, which `cross_validation` wrote."""
    combiner = NixtlaCombiner(**options)
    combiner.combine(cv_df)
    return combiner.forecast(fcst_df)


class NixtlaCombiner:
    """Combines the models in long frames, each series by itself.

    The rows of one series that are forecast from one cutoff are opened together, in the order of
    time; each is learned when there is a cutoff at or after its time. Weights are learned for all
    steps ahead together and for each on its own.

    >>> import pandas
    >>> from pcgs.nixtla import NixtlaCombiner
    >>> cv = pandas.DataFrame({
    ...     "unique_id": "A", "ds": range(1, 101), "cutoff": range(100),
    ...     "y": [float(t % 7) for t in range(100)]})
    >>> cv["good"], cv["bad"] = cv["y"] + 0.1, 3.0
    >>> combiner = NixtlaCombiner(method="fixed-share")
    >>> bool((combiner.combine(cv)["pcgs"] - cv["y"]).abs().tail(50).mean() < 0.3)
    True
    >>> coming = pandas.DataFrame({"unique_id": "A", "ds": [101], "good": [2.0], "bad": [3.0]})
    >>> combiner.forecast(coming).columns.tolist()
    ['unique_id', 'ds', 'good', 'bad', 'pcgs', 'pcgs-lo-80', 'pcgs-hi-80']
    >>> combiner.learn(pandas.DataFrame({"unique_id": ["A"], "ds": [101], "y": [1.9]}))
    >>> max(combiner.weights("A"), key=combiner.weights("A").get)
    'good'

    Parameters
    ----------
    method : how weights are learned: a name with options, or a pcgs.Controller.
    level : of the intervals, in percent from 1 on: a number, or several; [] for none.
    models : the columns to combine; None for all that are no key, no outcome and no interval. Those that
        a later frame of `combine` has beside them are new models, with a part of the weight.
    loss, tau, scale : as for pcgs.Aggregator.
    name : of the new columns.
    id_col, time_col, target_col, cutoff_col : as Nixtla has them.
    """

    def __init__(
        self,
        method: Any = "blend",
        *,
        level: Union[float, Sequence[float]] = (80,),
        models: Union[str, Sequence[str], None] = None,
        loss: str = "squared",
        tau: Optional[float] = None,
        scale: Optional[float] = None,
        name: str = "pcgs",
        id_col: str = "unique_id",
        time_col: str = "ds",
        target_col: str = "y",
        cutoff_col: str = "cutoff",
    ) -> None:
        self.name = name
        self._keys = (id_col, time_col, target_col, cutoff_col)
        self._percent = _percents(level)
        self._new = [name]
        for each in self._percent:
            self._new += [f"{name}-lo-{each:g}", f"{name}-hi-{each:g}"]
        if isinstance(models, str):
            models = [models]
        self._models: Optional[List[Any]] = None
        self._chosen = models is not None
        if models is not None:
            self._models = list(models) if isinstance(models, Iterable) else [None]
            if any(each is None or each in self._keys for each in self._models):
                raise Error(
                    f"models is {models!r}; give a list of the columns with forecasts, without "
                    f"{', '.join(self._keys)}"
                )
        self._options = {
            "method": method,
            "loss": loss,
            "tau": tau,
            "scale": scale,
            "intervals": [each / 100 for each in self._percent],
        }
        self._can_copy = isinstance(method, str)
        self._series: Dict[Hashable, HorizonRounds] = {}
        # Up to where outcomes are known, and what they were, for those that nobody has learned yet.
        self._known: Dict[Hashable, Any] = {}
        self._unlearned: Dict[Hashable, List[Tuple[Any, float]]] = {}
        self._kind: Optional[str] = None  # of times, as the first frame has them
        # The rounds of the latest `forecast`, and the series as it was before; gone when it learns.
        self._latest: Dict[Hashable, Tuple[Optional[HorizonRounds], List[int]]] = {}

    def combine(self, cv_df: Any) -> Any:
        """Forecasts every row of a cross-validation and learns from it, cutoff by cutoff. Returns the
        frame with the new columns. A later frame goes on where the one before ended."""
        frame = self._frame(cv_df, self._keys)
        cutoffs = self._cutoffs(frame)
        outcomes = frame.numbers(self._keys[2])
        models, table = self._table(frame, new_ones=True)
        for one, rows in frame.series():
            known, first = self._known.get(one), cutoffs[rows].min()
            if known is not None and first < known:
                raise Error(
                    f"{one}: the cutoff {said(first)} lies before {said(known)}, which is learned "
                    "already; give frames in the order of their cutoffs"
                )
        self._kind, self._models = frame.kind, models
        answer = self._no_answer(frame)
        for one, rows in frame.series():
            self._latest.pop(one, None)
            for cutoff, block in _groups(cutoffs, rows):
                self._learn_until(one, cutoff)
                self._open(one, frame.times, table, block, answer)
                self._remember(one, frame.times, outcomes, block)
        return frame.with_columns(self._new, answer)

    def forecast(self, fcst_df: Any) -> Any:
        """Forecasts the rows to come with all that is known. Returns the frame with the new columns;
        `learn` takes what happened. Rows that are forecast again before anything of their series was
        learned replace what was forecast before."""
        frame = self._frame(fcst_df, self._keys[:2])
        frame.check_once()
        models, table = self._table(frame)
        for one, rows in frame.series():
            first, known = frame.times[rows].min(), self._known_of(one)
            if known is not None and first <= known:
                raise Error(
                    f"{one}: the outcome of {said(first)} is known already; give rows after "
                    f"{said(known)}"
                )
        self._kind, self._models = frame.kind, models
        answer = self._no_answer(frame)
        for one, rows in frame.series():
            self._learn_until(one, None)
            self._take_back_latest(one)
            before = copy.deepcopy(self._series.get(one)) if self._can_copy else None
            self._latest[one] = (before, self._open(one, frame.times, table, rows, answer))
        return frame.with_columns(self._new, answer)

    def learn(self, df: Any) -> None:
        """What happened: a frame with the id, the time and the outcome. Rows that were not forecast
        are passed over."""
        frame = self._frame(df, self._keys[:3])
        outcomes = frame.numbers(self._keys[2])
        self._kind = frame.kind
        for one, rows in frame.series():
            self._remember(one, frame.times, outcomes, rows)
            self._learn_until(one, None)

    def weights(self, unique_id: Hashable) -> Dict[str, float]:
        """The present weights of the models of a series."""
        aggregator = self.aggregator(unique_id)
        return dict(zip(aggregator.names or [], aggregator.weights().tolist()))

    def aggregator(self, unique_id: Hashable) -> Any:
        """The pcgs.Aggregator of a series."""
        if unique_id not in self._series:
            raise Error(f"{unique_id} was not forecast yet; give one of the series that were")
        return self._series[unique_id].aggregator

    def _frame(self, given: Any, keys: Sequence[str]) -> NixtlaFrame:
        """That frame, with times of the kind that the first had."""
        frame = NixtlaFrame(given, keys)
        if self._kind not in (None, frame.kind):
            raise Error(
                f"{keys[1]} holds {frame.kind}, and the frames before had {self._kind}; give "
                f"{self._kind}"
            )
        return frame

    def _cutoffs(self, frame: NixtlaFrame) -> Any:
        time, cutoff = self._keys[1], self._keys[3]
        kind, cutoffs = frame.moments(cutoff)
        if kind != frame.kind:
            raise Error(
                f"{time} holds {frame.kind} and {cutoff} {kind}; give both as times, both as times "
                "with a zone, or both as numbers"
            )
        frame.check_cutoffs(cutoff, cutoffs)
        return cutoffs

    def _table(self, frame: NixtlaFrame, new_ones: bool = False) -> Tuple[List[Any], Array]:
        """The models, which the first frame names unless they were given, and their forecasts, [T x K];
        `new_ones`: with those that the frame has beside them."""
        there = next((name for name in self._new if name in frame.columns), None)
        if there is not None:
            raise Error(
                f"the frame has a column {there} already; drop it, or give name= for the new columns"
            )
        models = list(self._models or [])
        # What a controller of the user's own steers cannot be told that experts come.
        if not models or (new_ones and self._can_copy and not self._chosen):
            others = [each for each in frame.columns if each not in (*self._keys, "index", *models)]
            found = [each for each in others if not _INTERVAL.search(str(each))]
            models += [each for each in found if not models or frame.has_numbers(each)]
        if not models:
            raise Error("there is no column with forecasts; give one for each model")
        frame.check_columns(models, f"the models {', '.join(map(str, models))}")
        other = next((name for name in models if not frame.has_numbers(name)), None)
        if other is not None:
            raise Error(
                f"{other} is of dtype {frame.frame[other].dtype}, which is no model's forecast; give "
                "models=, the columns with forecasts"
            )
        return models, np.column_stack([frame.numbers(name) for name in models])

    def _no_answer(self, frame: NixtlaFrame) -> Array:
        return np.full((len(frame), len(self._new)), np.nan)

    def _open(self, one: Hashable, times: Any, table: Array, rows: Any, answer: Array) -> List[int]:
        """Forecasts these rows of a series from where it stands, into their rows of the answer.
        Returns the rounds."""
        if one not in self._series:
            self._series[one] = HorizonRounds(
                [str(name) for name in self._models or []], len(rows), **self._options
            )
        rounds = self._series[one]
        for name in (self._models or [])[rounds.aggregator.experts :]:
            rounds.aggregator.add_expert(str(name))
        opened = []
        for step, row in enumerate(rows[np.argsort(times[rows], kind="stable")]):
            combined, ends = rounds.forecast(times[row], min(step, rounds.cycle - 1), table[row])
            answer[row] = [combined, *self._in_order(ends)]
            opened.append(rounds.aggregator.last_opened)
        return opened

    def _take_back_latest(self, one: Hashable) -> None:
        """What `forecast` opened last, if nothing was learned since. A round that is abandoned is a
        gap, which methods may not pass over without a trace, so the series as it was comes back; with
        a controller, which may not be able to say what it holds, there is nothing else."""
        before, opened = self._latest.pop(one, (None, []))
        if before is not None:
            self._series[one] = before
        elif opened and self._can_copy:
            del self._series[one]
        elif opened:
            self._series[one].abandon(opened)

    def _in_order(self, ends: Ends) -> Iterator[float]:
        for each in self._options["intervals"]:
            yield from ends.get(each, (np.nan, np.nan))

    def _remember(self, one: Hashable, times: Any, outcomes: Any, rows: Any) -> None:
        there = rows[~np.isnan(outcomes[rows])]
        pairs = zip(times[there], outcomes[there].tolist())
        self._unlearned.setdefault(one, []).extend(pairs)

    def _known_of(self, one: Hashable) -> Any:
        """Up to where outcomes are known, learned or not; None: nowhere."""
        known = [time for time, _ in self._unlearned.get(one, [])]
        return max(known + ([self._known[one]] if one in self._known else []), default=None)

    def _learn_until(self, one: Hashable, cutoff: Any) -> None:
        """Learns what is known at that cutoff; None: everything."""
        waiting = self._unlearned.get(one, [])
        known = [pair for pair in waiting if cutoff is None or pair[0] <= cutoff]
        self._unlearned[one] = [pair for pair in waiting if cutoff is not None and pair[0] > cutoff]
        if known:
            self._latest.pop(one, None)
        if one in self._series:
            self._series[one].learn(dict(known))
        known_until = [time for time, _ in known] + ([] if cutoff is None else [cutoff])
        if one in self._known:
            known_until.append(self._known[one])
        if known_until:
            self._known[one] = max(known_until)


def _percents(level: Any) -> List[Any]:
    """Of the intervals, increasing."""
    several = [level] if isinstance(level, (Real, str)) else level
    try:
        percents = list(several)
    except TypeError:
        percents = [level]
    for each in percents:
        number = isinstance(each, Real) and not isinstance(each, bool)
        if not number or not 0 < float(each) < 100:
            raise Error(
                f"level is {each!r}; give percents between 0 and 100, such as [80, 95], or [] for none"
            )
        if float(each) < 1:  # which run means by intervals=
            raise Error(
                f"level is {each!r}, which is less than one percent; give percents between 0 and 100, such "
                f"as {100 * float(each):g}"
            )
    return sorted(set(percents))


def _groups(keys: Any, rows: Any) -> Iterator[Tuple[Any, Any]]:
    """Each of the keys that these rows have, in order, with its rows."""
    different, which = np.unique(keys[rows], return_inverse=True)
    order = np.argsort(which, kind="stable")
    ends = np.searchsorted(which[order], np.arange(len(different) + 1))
    for k, key in enumerate(different):
        yield key, rows[order[ends[k] : ends[k + 1]]]
