"""River's verbs around an Aggregator. Does not need river; where it is installed, a regressor of
river's."""

from __future__ import annotations

import copy
import math
from typing import Any, Dict, Hashable, List, Mapping, Optional, Sequence, Tuple, Union

from ._long import is_missing
from ._pcgs import Aggregator, Error
from ._walk import keep, learn_or_abandon

try:
    from river import base

    _Base: Any = base.Regressor
except ImportError:
    _Base = object

Forecasts = Mapping[Hashable, Optional[float]]


class RiverCombiner(_Base):  # type: ignore[misc]
    """Combines the forecasts in a dict, one for each expert.

    A key that is missing, or whose value is None or NaN: that expert sleeps. `predict_one` changes
    nothing, as river wants it; `learn_one` may come with or without it.

    >>> from pcgs.river import RiverCombiner
    >>> combiner = RiverCombiner(["lag1", "ewma"], method="fixed-share", scale=4)
    >>> combiner.predict_one({"lag1": 10.0, "ewma": 12.0})
    11.0
    >>> combiner.learn_one({"lag1": 10.0, "ewma": 12.0}, 10.5)
    >>> combiner.predict_one({"lag1": 10.5})
    10.5
    >>> sorted(combiner.weights())
    ['ewma', 'lag1']

    Parameters
    ----------
    experts : their names, and no others come; None for the keys of the forecasts, of which new ones may
        come at any time: they get about 1/K of the weight.
    method, loss, tau, scale, certify : as for pcgs.Aggregator. A pcgs.Controller
        is copied.
    """

    # River makes clones from what is stored under the names of these parameters.
    def __init__(
        self,
        experts: Optional[Sequence[Hashable]] = None,
        method: Any = "blend",
        loss: str = "squared",
        tau: Optional[float] = None,
        scale: Union[float, str, None] = None,
        certify: bool = True,
    ) -> None:
        keep(self, locals())
        self._keys: List[Hashable] = []
        self.aggregator: Optional[Aggregator] = None
        if experts is not None:
            self._keys, self.aggregator = list(experts), self._made(experts)

    def predict_one(self, x: Forecasts) -> float:
        """The combined forecast; NaN if nobody is awake."""
        keys, aggregator = self._ready(x)
        if aggregator is self.aggregator and isinstance(self.method, str):
            # A round that is abandoned is a gap, which blend does not pass over without a trace; what a
            # controller steers does, and copying one may be more than it can.
            aggregator = copy.deepcopy(aggregator)
        forecast = aggregator.predict(_row(x, keys))
        aggregator.abandon(aggregator.last_opened)
        return forecast

    def learn_one(self, x: Forecasts, y: float) -> None:
        """Learns from what happened."""
        keys, aggregator = self._ready(x)
        aggregator.predict(_row(x, keys))
        learn_or_abandon(aggregator, y, aggregator.last_opened)
        self._keys, self.aggregator = keys, aggregator

    def weights(self) -> Dict[Hashable, float]:
        """The present weights by name."""
        if self.aggregator is None:
            return {}
        return dict(zip(self._keys, self.aggregator.weights().tolist()))

    def _made(self, experts: Sequence[Hashable]) -> Aggregator:
        # A controller steers one aggregator, and the parameter may be that of a clone too.
        options = {name: getattr(self, name) for name in ("loss", "tau", "scale", "certify")}
        return Aggregator(experts, copy.deepcopy(self.method), **options)

    def _ready(self, x: Forecasts) -> Tuple[List[Hashable], Aggregator]:
        """The keys and what plays them; those that are new are in a copy, which is kept when a round was
        learned with them."""
        if self.aggregator is None:
            return list(x), self._made(list(x))
        strangers = [key for key in x if key not in self._keys]
        if not strangers:
            return self._keys, self.aggregator
        if self.experts is not None:
            known = ", ".join(map(str, self._keys))
            raise Error(
                f"{strangers[0]} is no expert here; give forecasts of {known}, or leave experts out, "
                "and new ones may come"
            )
        grown = copy.deepcopy(self.aggregator)
        for key in strangers:
            grown.add_expert(str(key))
        return [*self._keys, *strangers], grown


def _row(x: Forecasts, keys: Sequence[Hashable]) -> List[float]:
    """The forecasts in the order of the keys, NaN for who sleeps."""
    values = [x.get(key) for key in keys]
    return [math.nan if value is None or is_missing(value) else value for value in values]
