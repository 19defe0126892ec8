"""What the compiled part answers with, and `certify`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from ._pcgs import certified_json
from ._types import Array, Path

if TYPE_CHECKING:
    from .controller import Controller


class Round(NamedTuple):
    """A finished round, as a Controller is shown it.

    Its arrays are its own: keep them or change them as you like.

    Attributes
    ----------
    number : 1, 2, ... in the order in which rounds were opened.
    losses : [K] losses in [0, 1]; a sleeper's is mixture_loss.
    weights : [K] the weights when the losses arrived, before they are learned.
    awake : [K] True where the expert was awake; None when everybody was.
    side : side information; may be empty.
    mixture_loss : what the weights that were played lost.
    learner_loss : what the combined forecast lost; without forecasts mixture_loss.
    """

    number: int
    losses: Array
    weights: Array
    awake: Optional[npt.NDArray[np.bool_]]
    side: Array
    mixture_loss: float
    learner_loss: float


class OraclePath(NamedTuple):
    """The best path of experts with so many switches.

    Attributes
    ----------
    values : [switches + 1] the least loss with at most 0, 1, ... switches; [1] where their number has no
        limit.
    path : [T] the expert of each round; empty where every path meets a sleeper.
    loss : what the path loses, with what switches cost.
    switches : how many switches it takes: the fewest that reach this loss.
    """

    values: Array
    path: npt.NDArray[np.uint32]
    loss: float
    switches: int


class Certificate(NamedTuple):
    """What is proved: regret <= bound.

    Attributes
    ----------
    bound : what the regret is at most.
    regret : the regret that really occurred; None where it cannot be known without every loss.
    holds : whether regret <= bound, up to rounding; None where the regret cannot be known.
    switches : how often the paths that it is about may switch; None: any number of times.
    weighted : True where every round is weighted by its eta, which changed.
    """

    bound: float
    regret: Optional[float]
    holds: Optional[bool]
    switches: Optional[int]
    weighted: bool


class CodeParts(NamedTuple):
    """The code length of a path in nats, by what it is paid for.

    Attributes
    ----------
    start : -ln w_1 of the first expert.
    stays : the rounds in which the path stays.
    restarts : its switches: -ln rho, for there is a restart.
    where_to : its switches: -ln q of the next expert, for it goes there. C_eff of the paper.
    uniform_stays, uniform_where_to : what stays and where_to would be with uniform q; the latter is
        switches ln K.
    switches : how often the path switches.
    """

    start: float
    stays: float
    restarts: float
    where_to: float
    uniform_stays: float
    uniform_where_to: float
    switches: int

    @property
    def total(self) -> float:
        """The code length."""
        return self.start + self.stays + self.restarts + self.where_to


class CrossEntropy(NamedTuple):
    """Lemma 1 of the paper, in nats.

    Attributes
    ----------
    effective : C_eff: -ln q of the next expert, over the switches of the path.
    all_rounds : the same over all rounds.
    by_floor : the number of switches times ln(K / eps).
    """

    effective: float
    all_rounds: float
    by_floor: float


def after(controller: Controller, *round: Any) -> Any:
    """What a controller chooses after a round of these numbers."""
    return controller.after(Round(*round))


def certify(trace: Path, certificate: Path) -> Dict[str, Any]:
    """Proves a certificate again from its trace, as `pcgs certify` does; an Error unless it holds.

    Returns the certificate, and as `made_of` what the bound of each method against its best path is made
    of, in nats: `start`, `stays`, `restarts` and `where_to` are the code length of the path, `gaps` the
    rest; `uniform_stays` and `uniform_where_to` are what the same path would cost with uniform q. None of
    it is believed: all is computed from the trace.
    """
    return json.loads(certified_json(trace, certificate))
