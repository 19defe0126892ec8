"""Pictures of a result with Matplotlib, which is imported when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .result import Result

_HEIGHT, _HIGHEST = 4, 40  # of a new figure, in inches


class Plots:
    """What `Result.plot` has. Each draws into `ax`, or into a new figure, and returns the Axes."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def weights(self, ax: Optional[Axes] = None, top: int = 9) -> Axes:
        """The weights that the last method played, one above the other: those of `top` experts, 9 at most,
        with the most on average, and of all others together."""
        ax = _axes(ax)
        shown = _drawn.weights_of(self._result, top)
        at = self._result._moments()
        ax.stackplot(at, *shown.shares, labels=shown.names, colors=shown.colours, step="post", lw=0)
        ax.set(
            ylim=(0, max(1.0, float(np.sum(shown.shares, axis=0).max()))),
            ylabel="weight",
            xlabel=self._along(),
        )
        self._mind_dates(ax)
        ax.margins(x=0)
        _legend(ax, len(shown.names))
        return ax

    def errors(self, ax: Optional[Axes] = None) -> Axes:
        """The error of everybody, the smallest on top: methods, references and experts in colours of
        their own. A new figure is as high as their names need, up to 40 inches; then they are smaller."""
        shown = _drawn.errors_of(self._result)
        needed = 1 + 0.22 * len(shown.names)
        ax = _axes(ax, height=min(max(_HEIGHT, needed), _HIGHEST))
        places = range(len(shown.names))
        for kind, colour in _drawn.KINDS.items():
            mine = [k for k in places if shown.kinds[k] == kind]
            ax.barh(mine, [shown.values[k] for k in mine], color=colour, label=kind)
        ax.set_yticks(list(places))
        ax.set_yticklabels(shown.names, fontsize=min(10, 10 * _HIGHEST / needed))
        ax.set_ylim(len(shown.names) - 0.4, -0.6)
        ax.set_xlabel(shown.measure)
        _legend(ax, 3)
        return ax

    def forecasts(self, ax: Optional[Axes] = None, last: Optional[int] = 200) -> Axes:
        """The last rounds and those to come: outcomes, the combination in its intervals, and the best
        model. last=None: all rounds."""
        ax = _axes(ax)
        shown = _drawn.latest_of(self._result, last)
        at = self._result._moments()[shown.rows]
        for level, ends in shown.bands:
            ax.fill_between(
                at, ends[:, 0], ends[:, 1], color=_drawn.COMBINATION, alpha=0.17, lw=0,
                label=f"{100 * level:g} % interval",
            )  # fmt: skip
        if shown.best is not None:
            name, forecast = shown.best
            ax.plot(at, forecast, color=_drawn.BEST, lw=1, label=f"{name}, the best model")
        ax.plot(
            at, shown.combination, color=_drawn.COMBINATION, lw=2, label=self._result.methods[-1]
        )
        ax.plot(at, shown.outcome, color=_drawn.INK, lw=1, marker=".", ms=3, label="what came")
        if 0 < shown.known < len(at):
            ax.axvline(at[shown.known - 1], color=_drawn.SOFT, ls="--", lw=1)
        ax.set(xlabel=self._along(), ylabel="forecast and outcome")
        self._mind_dates(ax)
        ax.margins(x=0)
        _legend(ax, 3)
        return ax

    def _along(self) -> str:
        """Dates explain themselves."""
        return "" if self._has_dates() else "round"

    def _has_dates(self) -> bool:
        kind: str = self._result._moments().dtype.kind
        return kind == "M"

    def _mind_dates(self, ax: Axes) -> None:
        """As few words as tell them apart."""
        if not self._has_dates():
            return
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        locator = AutoDateLocator()
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))


def _axes(ax: Optional[Axes], height: float = _HEIGHT) -> Axes:
    if ax is not None:
        return ax
    made: Axes
    try:
        import matplotlib.pyplot
    except ImportError as missing:
        raise ImportError(
            "plot needs Matplotlib, which is not installed; install matplotlib, or use "
            "chart.specification(), which needs nothing, or report()"
        ) from missing
    made = matplotlib.pyplot.subplots(figsize=(9, height), layout="constrained")[1]
    return made


def _legend(ax: Any, names: int) -> None:
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=min(names, 5),
        frameon=False,
        borderaxespad=0.2,
    )
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
