"""What pickles call for objects that only pcgs makes, and what has no pickle."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from . import _pcgs

Same = TypeVar("Same")


def make_round(*parts: Any) -> _pcgs.Round:
    return _pcgs._make_round(*parts)


class NotPickled:
    """What keeps a whole run, which no pickle holds. Nothing in it changes: it is its own copy."""

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        name = type(self).__name__
        raise _pcgs.Error(
            f"a {name} keeps the run itself, which cannot be pickled; keep what you need of it, such as "
            "to_dict(), or the frames forecasts, errors, weights and intervals"
        )

    def __copy__(self: Same) -> Same:
        return self

    def __deepcopy__(self: Same, memo: Any) -> Same:
        return self


def make_certificate(*parts: Any) -> _pcgs.Certificate:
    return _pcgs._make_certificate(*parts)
