"""Pictures of a result with Vega-Lite, from templates of the report page (charts/*.json, which are those
of web/charts), and Altair around them, which is imported when a chart is asked for."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from . import _drawn
from ._pcgs import Error

if TYPE_CHECKING:
    import altair

    from .result import Result

Specification = Dict[str, Any]

_TEMPLATES = pathlib.Path(__file__).with_name("charts")
_DIGITS = 6  # of what is drawn


class Charts:
    """What `Result.chart` has: charts of Altair, and what they are made of."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def weights(self, top: int = 9) -> altair.LayerChart:
        """The weights that the last method played, one above the other: those of `top` experts, 9 at most,
        with the most on average, and of all others together."""
        return _altair(self._weights(top))

    def errors(self) -> altair.Chart:
        """The error of everybody, the smallest on top."""
        return _altair(self._errors())

    def forecasts(self, last: Optional[int] = 200) -> altair.LayerChart:
        """The last rounds and those to come: outcomes, the combination in its intervals, and the best
        model. last=None: all rounds."""
        return _altair(self._forecasts(last))

    def specification(self, what: str, **options: Any) -> Specification:
        """The Vega-Lite specification of "weights", "errors" or "forecasts", as a dict that any version of
        Vega-Lite from 5 on draws; options are those of the chart."""
        makers: Dict[str, Callable[..., Specification]] = {
            "weights": self._weights,
            "errors": self._errors,
            "forecasts": self._forecasts,
        }
        if what not in makers:
            raise Error(f"what is {what!r}; give one of {', '.join(makers)}")
        return makers[what](**options)

    def _weights(self, top: int = 9) -> Specification:
        shown = _drawn.weights_of(self._result, top)
        at, ends = self._along(slice(None))
        rows = [
            {"round": where, "series": name, "rank": rank, "value": _rounded(share)}
            for rank, (name, shares) in enumerate(zip(shown.names, shown.shares))
            for where, share in zip(at, shares.tolist())
        ]
        values = {**ends, "top": 1.0, "series": shown.names, "colours": shown.colours}
        # The best path in hindsight, which the page shows above the weights, is not known here.
        return self._filled("weights", values, rows, {"path": []}, height=260)

    def _errors(self) -> Specification:
        shown = _drawn.errors_of(self._result)
        rows = [
            {"name": name, "value": _rounded(value), "series": kind}
            for name, value, kind in zip(shown.names, shown.values, shown.kinds)
        ]
        kinds = [kind for kind in _drawn.KINDS if kind in shown.kinds]
        values = {
            "axis": shown.measure,
            "names": shown.names,
            "series": kinds,
            "colours": [_drawn.KINDS[kind] for kind in kinds],
        }
        return self._filled("dots", values, rows, {}, height=22 * len(shown.names) + 20)

    def _forecasts(self, last: Optional[int] = 200) -> Specification:
        shown = _drawn.latest_of(self._result, last)
        at, ends = self._along(shown.rows)
        lines = [("what came", shown.outcome, _drawn.OTHER, 1.25)]
        if shown.best is not None:
            lines.append((f"{shown.best[0]}, the best model", shown.best[1], _drawn.BEST, 1))
        lines.append((self._result.methods[-1], shown.combination, _drawn.COMBINATION, 2))
        rows = [
            {"round": where, "series": name, "value": _rounded(value), "width": width}
            for name, values, _, width in lines
            for where, value in zip(at, values.tolist())
        ]
        bands = [
            {
                "level": f"{100 * level:g} %",
                "round": where,
                "low": _rounded(low),
                "high": _rounded(high),
            }
            for level, pairs in shown.bands
            for where, (low, high) in zip(at, pairs.tolist())
        ]
        came = [row for row in rows if row["series"] == "what came" and row["value"] is not None]
        now = [{"round": at[shown.known - 1]}] if 0 < shown.known < len(at) else []
        values = {
            **ends,
            "axis": "forecast and outcome",
            "series": [name for name, *_ in lines],
            "colours": [colour for _, _, colour, _ in lines],
        }
        datasets = {"bands": bands, "now": now, "outcomes": came}
        return self._filled("latest", values, rows, datasets, height=320)

    def _along(self, rows: slice) -> Tuple[List[Any], Dict[str, Any]]:
        """Where the rounds stand, as milliseconds since 1970 where they have times, and the two ends."""
        moments = self._result._moments()[rows]
        if moments.dtype.kind == "M":
            moments = moments.astype("M8[ms]").astype("i8")
        at = moments.tolist()
        return at, {"first": at[0], "last": at[-1]}

    def _filled(
        self,
        template: str,
        values: Dict[str, Any],
        rows: List[Dict[str, Any]],
        datasets: Dict[str, List[Dict[str, Any]]],
        height: int,
    ) -> Specification:
        spec = _fill(json.loads((_TEMPLATES / f"{template}.json").read_text()), values)
        if self._result._moments().dtype.kind == "M":
            spec = _along_dates(spec)
        spec["data"] = {"values": rows}
        _give_data(spec, datasets)
        spec["params"] = [*spec.get("params", []), *_colours()]
        return {**spec, "width": 640, "height": height, "config": _CONFIGURATION}


def _altair(spec: Specification) -> Any:
    try:
        import altair
    except ImportError as missing:
        raise ImportError(
            "chart needs Altair, which is not installed; install altair, or use chart.specification(), "
            "which needs nothing"
        ) from missing
    return altair.Chart.from_dict(spec)


def _fill(template: Specification, values: Dict[str, Any]) -> Specification:
    """A text "$name" stands for the value of that name, as in web/data.js."""
    placeholders = template.pop("usermeta")["placeholders"]
    template.pop("$schema")  # Altair and viewers bring their own
    given = {**placeholders, **values}

    def fill(part: Any) -> Any:
        if isinstance(part, str) and part.startswith("$"):
            return given[part[1:]]
        if isinstance(part, list):
            return [fill(one) for one in part]
        if isinstance(part, dict):
            return {key: fill(one) for key, one in part.items()}
        return part

    return fill(template)


def _along_dates(part: Any) -> Any:
    """The same chart with rounds at their dates, as in web/specification.js."""
    if isinstance(part, list):
        return [_along_dates(one) for one in part]
    if not isinstance(part, dict):
        return part
    inside = {key: _along_dates(one) for key, one in part.items()}
    if inside.get("field") != "round" or inside.get("type") != "quantitative":
        return inside
    scale = {key: value for key, value in inside.get("scale", {}).items() if key != "zero"}
    return {
        **inside,
        "type": "temporal",
        "title": None,
        "scale": {**scale, "type": "utc"},
        "axis": {"grid": False},
    }


def _give_data(part: Specification, datasets: Dict[str, List[Dict[str, Any]]]) -> None:
    """Puts data where layers name it, and leaves out layers whose data has no rows."""
    kept = []
    for layer in part.get("layer", []):
        name = layer.get("data", {}).get("name")
        if name is not None:
            if not datasets[name]:
                continue
            layer["data"] = {"values": datasets[name]}
        _give_data(layer, datasets)
        kept.append(layer)
    if kept:
        part["layer"] = kept


def _rounded(value: float) -> Optional[float]:
    return float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None


def _colours() -> List[Dict[str, str]]:
    """What templates call the page's colours."""
    return [{"name": "ink", "value": _drawn.INK}, {"name": "soft", "value": _drawn.SOFT}]


_CONFIGURATION: Specification = {
    "background": _drawn.PAPER,
    "view": {"stroke": None},
    "axis": {
        "labelColor": _drawn.SOFT,
        "titleColor": _drawn.SOFT,
        "titleFontWeight": "normal",
        "gridColor": _drawn.HAIR,
        "domainColor": _drawn.FAINT,
        "ticks": False,
        "labelPadding": 6,
    },
    "axisYQuantitative": {"domain": False, "tickCount": 5},
    "legend": {"orient": "top", "labelColor": _drawn.INK, "columns": 5, "symbolStrokeWidth": 2.5},
}
