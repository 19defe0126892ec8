"""Methods of your own: a controller steers the share recursion.

v(k)  = w(k) exp(-eta l(k)) / Z
w'(k) = (1 - rho) v(k) + rho q(k)
"""

from __future__ import annotations

import pickle
from typing import Any, Dict, NamedTuple, Optional, Tuple, Union

from ._answers import Round
from ._types import Numbers


class Controls(NamedTuple):
    """What a controller chooses after each round."""

    eta: float
    """Learning rate, from 1e-6 to 1e4."""
    rho: float = 0.0
    """How much to restart, in [0, 1)."""
    q: Optional[Numbers] = None
    """[K] where to: probabilities that sum to 1; None for all experts alike."""


_Answer = Union[Controls, Tuple[float, float], Tuple[float, float, Optional[Numbers]]]


class Controller:
    """Chooses, after each finished round, how the share recursion goes on.

    Write a subclass with `after`, and give an object of it to an Aggregator as its method. Whatever
    it chooses, weights stay weights and certificates hold. One controller steers one aggregator.

    >>> import pcgs
    >>> class RestartAfterSurprise(pcgs.Controller):
    ...     def after(self, round):
    ...         surprised = round.mixture_loss > 0.6
    ...         return pcgs.Controls(eta=4, rho=0.3 if surprised else 0.01)
    >>> agg = pcgs.Aggregator(experts=3, method=RestartAfterSurprise())
    >>> for _ in range(20):
    ...     agg.learn(losses=[0.1, 0.5, 0.9])
    >>> agg.weights().round(2)
    array([0.99, 0.  , 0.  ])
    >>> agg.certificate().holds
    True

    What `after` raises, learn() raises; controls that make no sense are an Error. Either way the
    round is half learned by then, and the aggregator refuses to go on.
    """

    def name(self) -> str:
        """Goes into the saved state, which only a controller of the same name may continue."""
        return type(self).__name__

    def reset(self, experts: int) -> None:
        """Forget everything and prepare for this many experts. Comes before the first round."""

    def after(self, round: Round) -> _Answer:
        """The controls that turn the weights of this round into those of the next; a tuple of the
        same numbers will do."""
        raise NotImplementedError(f"{type(self).__name__} has no method after(round)")

    def side_needed(self) -> int:
        """How many numbers of side information every round must bring; 0: any number."""
        return 0

    def save(self) -> bytes:
        """What load() needs to go on. Here: the attributes, pickled."""
        return pickle.dumps((self.__dict__, _slots_of(self)))

    def load(self, state: bytes) -> None:
        """Goes on from save(). This one unpickles, which runs whatever code the state asks for:
        load only states that you trust, or write your own pair."""
        attributes, slots = pickle.loads(state)
        self.__dict__.clear()
        self.__dict__.update(attributes)
        for name in _slots_of(self):
            delattr(self, name)
        for name, value in slots.items():
            setattr(self, name, value)


def _slots_of(thing: object) -> Dict[str, Any]:
    """What is in the slots of its classes, which __dict__ does not show."""
    found = {}
    for kind in type(thing).__mro__:
        names = vars(kind).get("__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            if name.startswith("__") and not name.endswith("__"):
                name = f"_{kind.__name__.lstrip('_')}{name}"  # as Python spells private ones
            if name not in ("__dict__", "__weakref__") and hasattr(thing, name):
                found[name] = getattr(thing, name)
    return found
