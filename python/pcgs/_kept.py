"""What a pickle holds of a run: what there is to read of it, without the run itself."""

from __future__ import annotations

import json
from typing import Any, Dict, TypeVar, Union

from . import _pcgs

Same = TypeVar("Same")

_OF_ALL = ["notes", "state", "json", "table", "headline", "quantile_rows", "quantile_columns", "published"]
_OF_ONE = ["json", "table", "headline", "sureness", "outcomes", "experts", "weights"]


class Kept:
    """Answers as a Run or a Played of _pcgs does."""

    def __init__(self, run: Union[_pcgs.Run, _pcgs.Played]) -> None:
        self._answers: Dict[Any, Any] = {}
        one = isinstance(run, _pcgs.Played)
        wanted = [(name,) for name in (_OF_ONE if one else _OF_ALL)]
        if one:
            methods = range(len(json.loads(run.json())["methods"]))
            wanted += [(name, i) for name in ("forecasts", "intervals") for i in methods]
        for name, *which in wanted:
            try:
                self._answers[(name, *which)] = getattr(run, name)(*which)
            except _pcgs.Error as refused:
                self._answers[(name, *which)] = refused

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def answer(*which: int) -> Any:
            found = self._answers[(name, *which)]
            if isinstance(found, _pcgs.Error):
                raise found
            return found

        return answer

    def report(self, path: Any) -> None:
        raise _pcgs.Error(
            "a result that was pickled has no page; write it where the run was played", kind="call"
        )


class Pickled:
    """What keeps runs in `_run` and `_whole`, which a pickle replaces. Nothing in it changes: it is its
    own copy."""

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        for name in ("_run", "_whole"):
            if isinstance(state.get(name), (_pcgs.Run, _pcgs.Played)):
                state[name] = Kept(state[name])
        return state

    def __copy__(self: Same) -> Same:
        return self

    def __deepcopy__(self: Same, memo: Any) -> Same:
        return self
