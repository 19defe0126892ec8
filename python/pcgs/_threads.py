"""Pieces of work that are shared out among threads; the library lets others run while it plays."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, List, Optional, Sequence, TypeVar

from ._progress import Told

Piece = TypeVar("Piece")
Made = TypeVar("Made")


def in_threads(
    work: Callable[[Piece, Optional[Told]], Made],
    pieces: Sequence[Piece],
    sizes: Sequence[int],
    threads: int,
    show: Optional[Told],
) -> List[Made]:
    """What is made of each piece, in their order. Of several that fail, the first in order is told, as
    if they were done one after the other. `show` is told of all together, in units of the sizes."""
    done = [0] * len(pieces)
    whole = sum(sizes)
    one_at_a_time = threading.Lock()

    def teller(i: int) -> Optional[Told]:
        if show is None:
            return None

        def tell(played: int, rounds: int) -> None:
            assert show is not None
            with one_at_a_time:
                done[i] = sizes[i] * played // max(rounds, 1)
                show(sum(done), whole)

        return tell

    if threads == 1 or len(pieces) == 1:
        return [work(piece, teller(i)) for i, piece in enumerate(pieces)]
    with ThreadPoolExecutor(min(threads, len(pieces))) as pool:
        futures = [pool.submit(work, piece, teller(i)) for i, piece in enumerate(pieces)]
        try:
            return [future.result() for future in futures]
        except BaseException:  # Ctrl-C too: what has not begun need not
            for future in futures:
                future.cancel()
            raise
