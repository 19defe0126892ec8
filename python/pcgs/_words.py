"""The library's sentences where they name options of the program, in the words of Python."""

from __future__ import annotations

import contextlib
from typing import Iterator

from ._pcgs import Error

_SAID = {
    "with --scale C or --scale auto": 'with scale=C or scale="auto"',
    "if these are forecasts, name the outcome with --y": (
        "if these are forecasts, give y, what they are about, as in run(X, y)"
    ),
    "pcgs run takes them with --side or --side-file": "run takes them with side=",
    "give forecasts and their outcomes with --y": "give forecasts and y, as in run(X, y)",
}


@contextlib.contextmanager
def in_words_of_python() -> Iterator[None]:
    """Around calls of the library."""
    try:
        yield
    except Error as refused:
        said = str(refused)
        for theirs, ours in _SAID.items():
            said = said.replace(theirs, ours)
        if said == str(refused):
            raise
        raise Error(said) from None
