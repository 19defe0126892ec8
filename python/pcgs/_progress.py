"""How far a long run is, where somebody watches."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterator, Optional, Sized, Union

# Called with the rounds played so far and all rounds to play.
Told = Callable[[int, int], None]
Progress = Union[None, bool, Told]

_QUIET_SECONDS = 0.5  # runs that are shorter show nothing


@contextlib.contextmanager
def told(progress: Progress, what: str) -> Iterator[Optional[Told]]:
    """What `run` calls while it plays: a function of the caller's, a bar that is closed in the end, or
    None, nothing."""
    if callable(progress):
        yield progress
        return
    if progress is False or (progress is None and not _is_watched()):
        yield None
        return
    bar_class = _bar_class()
    if bar_class is None:
        yield _line(what) if progress else None
        return
    with bar_class(
        desc=what, unit=" rounds", leave=False, delay=0 if progress else _QUIET_SECONDS
    ) as bar:

        def show(played: int, rounds: int) -> None:
            bar.total = rounds
            bar.update(played - bar.n)

        yield show


def in_rounds(show: Optional[Told], table: Sized) -> Optional[Told]:
    """The same, told in rows of the table, which every method plays, and some twice."""
    if show is None:
        return None

    def tell(played: int, passes: int) -> None:
        assert show is not None
        show(len(table) * played // max(passes, 1), len(table))

    return tell


def _is_watched() -> bool:
    """Whether standard error is a terminal, or this is a notebook."""
    stream = sys.stderr
    if stream is not None and hasattr(stream, "isatty") and stream.isatty():
        return True
    return _in_notebook()


def _in_notebook() -> bool:
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def _bar_class() -> Any:
    """tqdm's, for where this runs; None where it is not installed."""
    try:
        if _in_notebook():
            import tqdm.auto as tqdm
        else:
            import tqdm
    except ImportError:
        return None
    return tqdm.tqdm


def _line(what: str) -> Told:
    """One line that is written again at every tenth, for those who asked and have no tqdm."""
    shown = [-1]

    def show(played: int, rounds: int) -> None:
        tenth = 10 * played // max(rounds, 1)
        if tenth == shown[0]:
            return
        shown[0] = tenth
        print(
            f"\r{what}: {10 * tenth} %",
            end="\n" if played == rounds else "",
            file=sys.stderr,
            flush=True,
        )

    return show
