"""What `run` may be told, checked; the sentences name its arguments."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, List, Optional, Sequence

from ._pcgs import DEFAULT_FOR_FORECASTS, DEFAULT_METHOD, Error, methods_from
from .controller import Controller


def count(name: str, value: Any, least: int, forecasts: bool) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or not least <= value <= 10**6:
        raise Error(f"{name} is {value!r}; give a whole number from {least} to 1000000")
    if value != least and not forecasts:
        raise Error(f"{name} says when outcomes are known, and here are none; give y")
    return int(value)


def seasons(season: Any, forecasts: bool) -> Optional[List[int]]:
    if season is None:
        return None if forecasts else []
    given = list(season) if hasattr(season, "__iter__") else [season]
    if len(given) > 2 or sorted(set(given)) != given:
        raise Error(f"season is {season!r}; give one number of rounds, or two, the shorter first")
    if given and not forecasts:
        raise Error("a season is of use to methods that combine forecasts; give y")
    return [count("season", one, 2, True) for one in given]


def levels(given: Any, loss: str, forecasts: bool) -> Sequence[float]:
    if given is None:
        return (0.8, 0.95) if forecasts and loss != "log" else ()
    if getattr(given, "ndim", 1) == 0 and hasattr(given, "item"):
        given = given.item()  # of NumPy
    if isinstance(given, Real) and not isinstance(given, bool):
        given = (float(given),)
    if isinstance(given, (str, bool)) or not hasattr(given, "__len__"):
        raise Error(
            f"intervals is {given!r}; give levels between 0 and 1, such as (0.8, 0.95), or () for none"
        )
    if len(given) > 0 and not forecasts:
        raise Error("intervals lie around forecasts, and here are none; give y")
    chosen: Sequence[float] = given
    return chosen


def check_loss(loss: Any) -> None:
    """A loss of one's own is for the loop."""
    if callable(loss):
        raise Error(
            'run judges by a loss that it knows: "squared", "absolute", "pinball" or "log"; play a '
            "loss of your own in the loop, with Aggregator(experts, loss=...), or as losses, with "
            'run(pcgs.CustomLoss(function).losses(X, y), scale="auto")'
        )


def method_names(methods: Any, forecasts: bool) -> List[str]:
    if methods is None:
        return [DEFAULT_FOR_FORECASTS if forecasts else DEFAULT_METHOD]
    if isinstance(methods, str):
        if not methods.strip():
            raise Error('methods is empty; give names, "all", or leave it out')
        return methods_from(methods, forecasts)
    if not hasattr(methods, "__iter__"):
        methods = [methods]
    names = list(methods)
    for one in names:
        if isinstance(one, Controller):
            raise Error(
                f"run takes registered methods, and {one.name()} is a controller; play it in the "
                "loop, with Aggregator(experts, controller)"
            )
        if not isinstance(one, str):
            raise Error(f"methods has {one!r}; give names, as pcgs.methods() lists them")
    return names


def budgets(switches: Any) -> List[Any]:
    if hasattr(switches, "__index__") and not getattr(switches, "ndim", 0):
        return [switches]
    if not hasattr(switches, "__iter__"):
        raise Error(f"switches is {switches!r}; give a whole number, or a list of them")
    return list(switches)
