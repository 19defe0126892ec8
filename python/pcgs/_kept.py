"""What a pickle holds of a run: what there is to read of it, without the run itself."""

from __future__ import annotations

from typing import Any, Dict, TypeVar, Union

from . import _pcgs

Same = TypeVar("Same")

_OF_ALL = ["notes", "state", "json", "table", "headline"]
_OF_QUANTILES = ["quantile_rows", "quantile_columns", "published"]
_OF_ONE = ["json", "table", "headline", "sureness", "outcomes", "experts", "weights"]
_BY_METHOD = ["forecasts", "intervals"]


class Kept:
    """Answers as a Run or a Played of _pcgs does."""

    def __init__(self, run: Union[_pcgs.Run, _pcgs.Played]) -> None:
        self._answers: Dict[str, Any] = {}
        one = isinstance(run, _pcgs.Played)
        for name in _OF_ONE if one else [*_OF_ALL, *_OF_QUANTILES]:
            try:
                self._answers[name] = getattr(run, name)()
            except _pcgs.Error as refused:
                self._answers[name] = refused
        if one:
            methods = _count_of_methods(self._answers["json"])
            for name in _BY_METHOD:
                self._answers[name] = [getattr(run, name)(i) for i in range(methods)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._answers:
            raise AttributeError(name)
        found = self._answers[name]

        def answer(*which: int) -> Any:
            if isinstance(found, _pcgs.Error):
                raise found
            return found[which[0]] if which else found

        return answer

    def report(self, path: Any) -> None:
        raise _pcgs.Error(
            "a result that was pickled has no page; write it where the run was played", kind="call"
        )


def _count_of_methods(text: str) -> int:
    import json

    return len(json.loads(text)["methods"])


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
