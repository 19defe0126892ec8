"""River's verbs around an Aggregator. Does not need river; where it is installed, a regressor of
river's."""

from __future__ import annotations

import contextlib
import copy
import math
from typing import Any, Dict, Hashable, List, Mapping, Optional, Sequence, Union

from ._pcgs import Aggregator, Error

try:
    from river import base

    _Base: Any = base.Regressor
except ImportError:
    _Base = object


class RiverCombiner(_Base):  # type: ignore[misc]
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
        self.experts = experts
        self.method = method
        self.loss = loss
        self.tau = tau
        self.scale = scale
        self.certify = certify
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
        except Exception:
            with contextlib.suppress(Error):  # it may be closed, or of no more use
                aggregator.abandon(number)
            raise

    def weights(self) -> Dict[Hashable, float]:
        """The present weights by name."""
        if self.aggregator is None:
            return {}
        return dict(zip(self._keys, self.aggregator.weights().tolist()))

    def _begin(self, experts: Sequence[Hashable]) -> Aggregator:
        # A controller steers one aggregator, and the parameter may be that of a clone too.
        aggregator = Aggregator(
            experts,
            copy.deepcopy(self.method),
            loss=self.loss,
            tau=self.tau,
            scale=self.scale,
            certify=self.certify,
        )
        self._keys = list(experts)
        self.aggregator = aggregator
        return aggregator

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
