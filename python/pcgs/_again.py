"""What pickles call for objects that only pcgs makes."""

from __future__ import annotations

from typing import Any

from . import _pcgs


def round_again(*parts: Any) -> _pcgs.Round:
    return _pcgs._round_again(*parts)


def certificate_again(*parts: Any) -> _pcgs.Certificate:
    return _pcgs._certificate_again(*parts)
