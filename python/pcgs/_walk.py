"""Walking forward through rows: how many are fitted to first, how many lie between two fits, and
which outcomes are known when. What every adapter does that learns weights from forecasts."""

from __future__ import annotations

import contextlib
import copy
from typing import Any, Dict, Hashable, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._pcgs import Aggregator, Error
from ._types import Array, Numbers

Ends = Dict[float, Tuple[float, float]]  # of intervals, by their level


def rows_to_start_with(warmup: Union[int, float], rows: int) -> int:
    """How many of the rows the models are fitted to before weights are learned: a number of them, or
    a fraction."""
    fraction = isinstance(warmup, (float, np.floating))
    if not fraction:
        check_whole("warmup", warmup, ", or a fraction in (0, 1]")
    if fraction and not 0 < warmup <= 1:
        raise Error(f"warmup is {warmup}; give a fraction in (0, 1], or a number of rows")
    wanted = int(warmup * rows) if fraction else int(warmup)
    return min(max(wanted, 1), rows)


def rows_between_fits(refit_every: Optional[int], usually: int) -> int:
    """What was asked for, or what is usual here."""
    if refit_every is None:
        return max(1, usually)
    check_whole("refit_every", refit_every, "")
    return int(refit_every)


def check_whole(what: str, rows: Any, otherwise: str) -> None:
    """Refuses what is no number of rows."""
    whole = isinstance(rows, (int, np.integer)) and not isinstance(rows, bool)
    if not whole or rows < 1:
        raise Error(f"{what} is {rows!r}; give a whole number of rows, at least 1{otherwise}")


def over_the_awake(weights: Array, awake: Any) -> Array:
    """[T x K] what each row plays. As in an Aggregator: if the awake have no weight at all, they
    share evenly."""
    played = np.where(awake, weights, 0.0)
    total = played.sum(axis=1, keepdims=True)
    some_sleep = ~awake.all(axis=1, keepdims=True)
    weighty = total >= np.finfo(float).tiny
    even = awake / np.maximum(awake.sum(axis=1, keepdims=True), 1)
    shares = np.where(weighty, played / np.where(weighty, total, 1.0), even)
    return np.where(some_sleep, shares, played)


def keep(one: Any, given: Dict[str, Any]) -> None:
    """The parameters of a constructor under their names, as scikit-learn, river and sktime look for them."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(one, name, value)


def learn_or_abandon(aggregator: Aggregator, y: Any, number: int) -> None:
    """Closes that round one way or the other; what was refused is raised."""
    try:
        aggregator.learn(y, round=number)
    except Exception:
        with contextlib.suppress(Error):  # it may be closed, or of no more use
            aggregator.abandon(number)
        raise


class HorizonRounds:
    """An Aggregator that plays the horizons of one forecast after the other.

    All horizons that are forecast from one origin are rounds that are opened together, in their
    order; each is learned when its outcome is known. A season of the Aggregator is one such
    forecast, so that a horizon is a phase: weights and the widths of intervals are learned for all
    horizons together and for each on its own. With `clock`, phases are those of the clock instead,
    and a round is numbered by the row that it is a forecast of.
    """

    def __init__(
        self, names: Sequence[str], horizons: int, *, clock: Sequence[int] = (), **options: Any
    ) -> None:
        self.cycle = int(np.lcm.reduce(clock)) if clock else horizons
        season = list(clock) or ([horizons] if horizons > 1 else [])
        # A controller steers one aggregator, and a parameter may be that of a clone too.
        options["method"] = copy.deepcopy(options["method"])
        self.aggregator = Aggregator(list(names), season=season, certify=False, **options)
        self.open: Dict[int, Any] = {}  # round: the row that it is a forecast of

    def forecast(self, of: Hashable, phase: int, forecasts: Numbers) -> Tuple[float, Ends]:
        """Opens the round of that row, and keeps it open. Phases count from 0."""
        number = self.aggregator.last_opened + 1
        self.aggregator.skip((phase + 1 - number) % self.cycle)
        combined = self.aggregator.predict(forecasts)
        number = self.aggregator.last_opened
        self.open[number] = of
        return combined, self.aggregator.intervals(number)

    def preview(self, rows: Iterable[Tuple[int, Numbers]]) -> List[Tuple[float, Ends]]:
        """What `forecast` would say of these phases and forecasts; opens nothing."""
        other = copy.deepcopy(self)
        return [other.forecast(None, phase, forecasts) for phase, forecasts in rows]

    def learn(self, outcomes: Mapping[Any, float]) -> None:
        """Closes the rounds of those rows, in the order of opening."""
        for number, of in list(self.open.items()):
            if of not in outcomes:
                continue
            del self.open[number]
            learn_or_abandon(self.aggregator, outcomes[of], number)

    def open_until(self, row: Any) -> List[int]:
        """The open rounds of the rows up to this one."""
        return [number for number, of in self.open.items() if of <= row]

    def abandon(self, rounds: Iterable[int]) -> None:
        """Forgets those rounds that are still open, whose outcome nobody will know or ask for."""
        for number in rounds:
            if number in self.open:
                del self.open[number]
                self.aggregator.abandon(number)

    def __eq__(self, other: object) -> bool:
        """Whether everything that comes would be the same; sktime asks whether a call changed it."""
        if not isinstance(other, HorizonRounds):
            return NotImplemented
        mine, theirs = (one.aggregator.to_bytes() for one in (self, other))
        return self.cycle == other.cycle and self.open == other.open and mine == theirs

    __hash__ = None  # type: ignore[assignment]
