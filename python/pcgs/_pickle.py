"""What pickles call for objects that only pcgs makes."""

from __future__ import annotations

from typing import Any

from . import _pcgs

def make_round(*parts: Any) -> _pcgs.Round:
    return _pcgs._make_round(*parts)


def make_certificate(*parts: Any) -> _pcgs.Certificate:
    return _pcgs._make_certificate(*parts)
