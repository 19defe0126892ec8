"""Results and aggregators as a notebook shows them: of results errors first, and then what the theory
says."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, List, Sequence, Tuple

_EXPERTS_SHOWN = 12
_COMING_SHOWN = 6
_SERIES_SHOWN = 12

Cells = List[Tuple[str, Any]]


def regret_table(whole: Dict[str, Any], rows: Sequence[Tuple[str, Cells]]) -> str:
    """Methods beside the best paths in hindsight."""
    budgets = ", ".join(
        f"{budget} switches: {'none' if loss is None else format(loss, ',.3f')}"
        for budget, loss in whole.get("oracle", {}).items()
    )
    caption = f"{whole['rounds']} rounds, {len(whole['experts'])} experts"
    if budgets:
        caption += f"; best path in hindsight with {budgets}"
    heads = [name.replace("_", " ") for name, _ in rows[0][1]]
    shown = [
        (name, ["" if value is None else f"{value:,.3f}" for _, value in cells])
        for name, cells in rows
    ]
    return _table(caption, "method", heads, shown)


def answer(whole: Dict[str, Any], headline: str, sureness: str, notes: Sequence[str]) -> str:
    """What a forecaster asks first."""
    sentence = f"<strong>{escape(headline)}</strong> {escape(sureness)}".rstrip()
    parts = [f"<p>{sentence}</p>", _errors_table(whole)]
    parts += [f"<p>{escape(note)}</p>" for note in notes]
    if whole["next"]:
        parts.append(_next_table(whole["next"]))
    return "".join(parts)


def series(whole: Dict[str, Any], headline: str) -> str:
    """Many series: the errors of all together, and a row for each of the first."""
    shown = whole["series"][:_SERIES_SHOWN]
    rows = []
    for one in shown:
        best = one.get("beside_best") or {}
        error = one["errors"][0][_measured(whole["measure"])]
        difference = best.get("difference")
        rows.append(
            (
                ", ".join(one["key"]),
                [
                    str(one["rounds"]),
                    "" if error is None else _number(error),
                    best.get("name", ""),
                    "" if difference is None else f"{difference:+.1f} %",
                ],
            )
        )
    more = len(whole["series"]) - len(shown)
    caption = f"{more} more series are in errors_by_series" if more > 0 else ""
    heads = ["rounds", whole["measure"], "best model", "combination beside it"]
    table = _table(caption, ", ".join(whole["by"]), heads, rows)
    return f"<div><p><strong>{escape(headline)}</strong></p>{_errors_table(whole)}{table}</div>"


def aggregator(agg: Any) -> str:
    """An Aggregator: its method, how much it has learned, and who has the weight now."""
    weights = agg.weights().tolist()
    names = agg.names or [f"expert {k}" for k in range(1, len(weights) + 1)]
    ranked = sorted(zip(names, weights), key=lambda one: -one[1])
    shown = ranked[:_EXPERTS_SHOWN]
    facts = f"{agg.rounds} rounds learned"
    if agg.open_rounds:
        facts += f", {agg.open_rounds} open"
    sentence = f"<p><strong>{escape(agg.method)}</strong> over {len(weights)} experts; {facts}</p>"
    caption = ""
    if len(ranked) > len(shown):
        rest = sum(weight for _, weight in ranked[_EXPERTS_SHOWN:])
        caption = f"{len(ranked) - len(shown)} more experts have {rest:.3f} together"
    rows = [(name, [f"{weight:.3f}"]) for name, weight in shown]
    return f"<div>{sentence}{_table(caption, 'expert', ['weight now'], rows)}</div>"


def _measured(measure: str) -> str:
    """Where an error has it."""
    return {"RMSE": "rmse", "MAE": "mae"}.get(measure, "loss")


def _errors_table(whole: Dict[str, Any]) -> str:
    errors: List[Dict[str, Any]] = whole["errors"]
    shown = [one for one in errors if one["kind"] != "expert"]
    experts = [one for one in errors if one["kind"] == "expert"]
    shown += experts[:_EXPERTS_SHOWN]
    columns = [("rmse", "RMSE", _number), ("mae", "MAE", _number), ("bias", "bias", _number)]
    if any(one["mape"] is not None for one in errors):
        columns.insert(2, ("mape", "MAPE", lambda x: f"{100 * x:.2f} %"))
    if any("loss" in one for one in errors):
        columns.insert(0, ("loss", whole["measure"], _number))
    columns.append(("difference", "combination beside it", lambda x: f"{x:+.1f} %"))
    columns.append(("rounds", "rounds", str))
    rows = []
    for one in shown:
        name = one["name"]
        if one is errors[0]:
            name += " (the combination)"
        elif one["kind"] == "reference" and name == "best convex mix":
            name += ", in hindsight"
        values = [(one.get(key), text) for key, _, text in columns]
        rows.append((name, ["" if value is None else text(value) for value, text in values]))
    caption = ""
    if len(experts) > _EXPERTS_SHOWN:
        caption = f"{len(experts) - _EXPERTS_SHOWN} more experts are in errors"
    return _table(caption, "error of", [head for _, head, _ in columns], rows)


def _next_table(coming: List[Dict[str, Any]]) -> str:
    levels = list(coming[0]["interval"])
    rows = []
    for one in coming[:_COMING_SHOWN]:
        ends = [one["interval"].get(level) for level in levels]
        forecast = "nobody forecasts" if one["forecast"] is None else f"{one['forecast']:.6g}"
        cells = ["" if end is None else f"{end[0]:.6g} to {end[1]:.6g}" for end in ends]
        rows.append((one.get("time") or f"row {one['row']}", [forecast, *cells]))
    caption = ""
    if len(coming) > _COMING_SHOWN:
        caption = f"{len(coming) - _COMING_SHOWN} more are in next"
    heads = ["forecast", *(f"{100 * float(level):g} %" for level in levels)]
    return _table(caption, "next", heads, rows)


def _number(x: float) -> str:
    return f"{x:.4g}"


def _table(
    caption: str, first: str, heads: Sequence[str], rows: Sequence[Tuple[str, Sequence[str]]]
) -> str:
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(f"<th>{escape(name)}</th>" for name in [first, *heads])
    body = []
    for name, cells in rows:
        values = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        body.append(f'<tr><th scope="row">{escape(name)}</th>{values}</tr>')
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
