"""River's verbs around an Aggregator. Does not need river."""

from __future__ import annotations

import math
from typing import Any, Dict, Hashable, List, Mapping, Optional, Sequence

from ._pcgs import Aggregator, Error


class RiverCombiner:
    """Combines the forecasts in a dict, one for each expert.

    A key that is missing, or NaN: that expert sleeps. `predict_one` changes nothing, as river wants
    it; `learn_one` may come with or without it.

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
    experts : their names; None for the keys of the first forecasts.
    method, options : as for pcgs.Aggregator.
    """

    def __init__(
        self, experts: Optional[Sequence[Hashable]] = None, method: Any = "guard", **options: Any
    ) -> None:
        self._method = method
        self._options = options
        self._keys: List[Hashable] = []
        self.aggregator: Optional[Aggregator] = None
        if experts is not None:
            self._begin(experts)

    def predict_one(self, x: Mapping[Hashable, float]) -> float:
        """The combined forecast; NaN if nobody is awake."""
        aggregator = self._ready(x)
        forecast = aggregator.predict(self._row(x))
        aggregator.abandon(aggregator.last_opened)
        return forecast

    def learn_one(self, x: Mapping[Hashable, float], y: float) -> None:
        """Learns from what happened."""
        aggregator = self._ready(x)
        aggregator.predict(self._row(x))
        number = aggregator.last_opened
        try:
            aggregator.learn(y, round=number)
        except Error:
            aggregator.abandon(number)
            raise

    def weights(self) -> Dict[Hashable, float]:
        """The present weights by name."""
        if self.aggregator is None:
            return {}
        return dict(zip(self._keys, self.aggregator.weights().tolist()))

    def _begin(self, experts: Sequence[Hashable]) -> Aggregator:
        self._keys = list(experts)
        self.aggregator = Aggregator(self._keys, self._method, **self._options)
        return self.aggregator

    def _ready(self, x: Mapping[Hashable, float]) -> Aggregator:
        if self.aggregator is None:
            return self._begin(list(x))
        strangers = [key for key in x if key not in self._keys]
        if strangers:
            known = ", ".join(map(str, self._keys))
            raise Error(f"{strangers[0]} is no expert here; give forecasts of {known}")
        return self.aggregator

    def _row(self, x: Mapping[Hashable, float]) -> List[float]:
        return [x.get(key, math.nan) for key in self._keys]
