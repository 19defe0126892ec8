"""A loss of one's own: what a forecast costs when something happens."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import numpy as np

from ._pcgs import Error
from ._types import Array, Numbers, Table


class CustomLoss:
    """A loss that pcgs does not know, for `Aggregator(loss=...)`.

    >>> import pcgs
    >>> def dear_if_short(forecast, y):    # too little costs four times as much as too much
    ...     return 4 * (y - forecast) if y > forecast else forecast - y
    >>> agg = pcgs.Aggregator(["low", "high"], "fixed-share", loss=dear_if_short)
    >>> for y in (10.0, 12.0, 11.0, 13.0):
    ...     f = agg.predict({"low": y - 2, "high": y + 2})
    ...     agg.learn(y)
    >>> bool(agg.weights()[1] > agg.weights()[0])
    True

    Parameters
    ----------
    function : function(forecast, y) is what that forecast costs when y happens, a finite number that is
        not negative.
    gradient : gradient(forecast, y), its derivative in the forecast, or any slope of a tangent below a
        loss that is convex. With it, experts are charged by what moving the combination towards them
        costs at first, gradient * (forecast - combination), so that the method competes with the best
        mixture of experts and not with the best one only. This takes a convex loss.

    Each outcome calls the function once for every expert that is awake and once for the combined
    forecast. The losses go to the method as `learn(losses=...)` gives them, divided by a scale that
    follows them unless the Aggregator has another. Methods that learn from errors, as blend does, and
    intervals do not go with it. `save` and `to_bytes` refuse it, since a state holds no function;
    `pickle` and `copy.deepcopy` keep it if it can be pickled.
    """

    def __init__(
        self,
        function: Callable[[float, Any], float],
        gradient: Optional[Callable[[float, Any], float]] = None,
    ) -> None:
        for what, one in (("function", function), ("gradient", gradient or function)):
            if not callable(one) or isinstance(one, type):  # a class makes an object, not a cost
                raise Error(f"{what} is {one!r}; give a function of a forecast and what happened")
        self.function = function
        self.gradient = gradient

    def __call__(self, forecast: float, y: Any) -> float:
        """What the forecast costs, checked."""
        loss = float(self.function(forecast, y))
        if not 0 <= loss < np.inf:
            raise Error(
                f"the loss of the forecast {forecast} when {y} happened is {loss}; let the function "
                "return a finite number that is not negative"
            )
        return loss

    def losses(self, forecasts: Table, y: Numbers) -> Array:
        """[T, K] what each forecast cost: losses for `run(losses, scale="auto")`. Nobody may sleep."""
        table, outcomes = np.asarray(forecasts, float), np.asarray(y, float)
        if table.ndim != 2 or outcomes.shape != table.shape[:1]:
            raise Error(
                f"forecasts have shape {table.shape} and y has {outcomes.shape}; give a row of "
                "forecasts for each outcome"
            )
        if np.isnan(table).any() or np.isnan(outcomes).any():
            raise Error(
                "there are forecasts or outcomes that are NaN; give rows that have them all"
            )
        return np.array(
            [[self(f, y) for f in row] for row, y in zip(table.tolist(), outcomes.tolist())]
        )

    def of_round(self, forecasts: Array, combined: float, y: float) -> Tuple[Array, float]:
        """[K] what a method learns from a round, and what the combined forecast cost. A sleeper (NaN)
        has 0."""
        awake = ~np.isnan(forecasts)
        learned = np.zeros(len(forecasts))
        if not awake.any():
            return learned, 0.0
        if self.gradient is None:
            learned[awake] = [self(f, y) for f in forecasts[awake].tolist()]
        else:
            slope = float(self.gradient(combined, y))
            if not np.isfinite(slope):
                raise Error(
                    f"the gradient at the forecast {combined} when {y} happened is {slope}; let it "
                    "return a finite number"
                )
            charged = slope * forecasts[awake]
            learned[awake] = (
                charged - charged.min()
            )  # from 0 on; what all pay alike changes nothing
        return learned, self(combined, y)
