#!/usr/bin/env python3
"""Quantile forecasts of forecast hubs: what pcgs publishes beside each hub's own ensemble.

usage: hubs.py PCGS DATA OUT

DATA has flusight_quantiles.csv.gz with flusight_truth.csv, and respicast_models.csv.gz with
respicast_hub.csv.gz and respicast_truth.csv. Models called FluSight-* are that hub's own and are not
combined. OUT gets hubs.csv, hubs-coverage.csv and hubs-faults.csv, the tables of docs/quantiles.md. Needs
NumPy.

WIS relative to the hub's ensemble: the mean over the forecasts of both in a place, then the geometric mean
over places; the worst place in brackets. Errors are those of its logarithm, by leaving out blocks of four
weeks one after another (jackknife).
"""
import collections
import csv
import gzip
import os
import subprocess
import sys

import numpy as np

KEY = ["reference_date", "location", "horizon"]
OPTIONS = ["--expert-column", "model", "--quantiles", "q*", "--time", "reference_date", "--by",
           "location,horizon", "--known", "known", "--ignore", "target_end_date", "--y", "value", "--quiet"]


class Hub:
    def __init__(self, name, ensemble, head, models, own, truth):
        self.name, self.ensemble, self.head, self.models, self.truth = name, ensemble, head, models, truth
        self.names = [c for c in head if c[0] == "q" and c[1:2].isdigit()]
        self.levels = np.array([float(n[1:]) for n in self.names])
        self.own = self.cells(own)[ensemble]
        self.by_cell = collections.defaultdict(dict)
        for model, cells in self.cells(models).items():
            for cell, quantiles in cells.items():
                self.by_cell[cell][model] = quantiles

    def cells(self, rows):
        """{model: {(reference_date, location, horizon, target_end_date): quantiles}}"""
        at = {c: i for i, c in enumerate(self.head)}
        out = collections.defaultdict(dict)
        for row in rows:
            cell = tuple(row[at[c]] for c in (*KEY, "target_end_date"))
            out[row[at["model"]]][cell] = np.array([row[at[n]] for n in self.names], float)
        return out

    def wis(self, quantiles, outcome):
        beyond = outcome - quantiles
        return float(np.mean(2 * np.maximum(self.levels * beyond, (self.levels - 1) * beyond)))

    def outcome(self, cell):
        return self.truth.get((cell[1], cell[3]))


def rows_of(path):
    with gzip.open(path, "rt", newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    return head, rows


def truth_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)
        return {(r[0], r[1]): float(r[2]) for r in rows if r[2]}


def flusight(data):
    head, rows = rows_of(f"{data}/flusight_quantiles.csv.gz")
    head = [*head[:4], "known", *head[4:]]  # an outcome is known at the end of its week
    rows = [[*r[:4], r[3], *r[4:]] for r in rows]
    own = [r for r in rows if r[5].startswith("FluSight")]
    models = [r for r in rows if not r[5].startswith("FluSight")]
    return Hub("FluSight, 8 places", "FluSight-ensemble", head, models, own,
               truth_of(f"{data}/flusight_truth.csv"))


def respicast(data):
    head, models = rows_of(f"{data}/respicast_models.csv.gz")
    of_hub, own = rows_of(f"{data}/respicast_hub.csv.gz")
    own = [[row[of_hub.index(c)] if c in of_hub else "" for c in head] for row in own]
    return Hub("RespiCast, 24 countries", "respicast-hubEnsemble", head, models, own,
               truth_of(f"{data}/respicast_truth.csv"))


def write(path, head, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


class Player:
    """What pcgs publishes for rows of models."""

    def __init__(self, pcgs, out):
        self.pcgs, self.out = pcgs, out

    def play(self, hub, rows, *more):
        write(f"{self.out}/models.csv", hub.head, rows)
        truth = [[place, week, value] for (place, week), value in hub.truth.items()]
        write(f"{self.out}/truth.csv", ["location", "target_end_date", "value"], truth)
        subprocess.run([self.pcgs, "run", f"{self.out}/models.csv", *OPTIONS, "--y-file",
                        f"{self.out}/truth.csv", "--out", f"{self.out}/run", *more],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ends = {cell[:3]: cell for cell in hub.by_cell}
        with open(f"{self.out}/run/forecasts.csv", newline="", encoding="utf-8") as file:
            return {ends[tuple(r[c] for c in KEY)]: np.array([float(r[n]) for n in hub.names])
                    for r in csv.DictReader(file)}

    def alone(self, hub):
        """Each series by itself, so that none learns from another."""
        at = [hub.head.index("location"), hub.head.index("horizon")]
        series = collections.defaultdict(list)
        for row in hub.models:
            series[row[at[0]], row[at[1]]].append(row)
        cells = {}
        for own in series.values():
            cells |= self.play(hub, own)
        return cells


def linear_pool(rows, levels):
    """The mean of distribution functions that are linear between quantiles, with lumps at both ends."""
    points = np.unique(rows)
    heights = np.zeros(len(points))
    for row in rows:
        last = np.searchsorted(row, points, side="right") - 1  # of its quantiles that are not above
        inside = np.clip(last, 0, len(levels) - 2)
        width = row[inside + 1] - row[inside]
        part = np.where(width > 0, (points - row[inside]) / np.where(width > 0, width, 1), 1)
        line = levels[inside] + np.clip(part, 0, 1) * (levels[inside + 1] - levels[inside])
        heights += np.where(last < 0, 0, np.where(last == len(levels) - 1, 1, line)) / len(rows)
    out = []
    for level in levels:
        j = int(np.searchsorted(heights, level - 1e-12))
        out.append(points[min(j, len(points) - 1)] if j == 0 or j >= len(points) else np.interp(
            level, heights[j - 1:j + 1], points[j - 1:j + 1]))
    return np.maximum.accumulate(out)


class Scores:
    """Scores of one hub, by place and by block of four weeks."""

    def __init__(self, hub):
        self.hub = hub
        weeks = sorted({cell[0] for cell in hub.by_cell})
        self.block = {week: i // 4 for i, week in enumerate(weeks)}

    def sums(self, cells):
        """[blocks x places x (own score, the ensemble's)], on the forecasts of both."""
        places = sorted({cell[1] for cell in self.hub.by_cell})
        at = {place: i for i, place in enumerate(places)}
        out = np.zeros((max(self.block.values()) + 1, len(places), 2))
        for cell, quantiles in cells.items():
            outcome = self.hub.outcome(cell)
            if outcome is None or cell not in self.hub.own:
                continue
            both = self.hub.wis(quantiles, outcome), self.hub.wis(self.hub.own[cell], outcome)
            out[self.block[cell[0]], at[cell[1]]] += both
        return out

    @staticmethod
    def ratios(sums):
        total = sums.sum(axis=0)
        there = total[:, 1] > 0
        return total[there, 0] / total[there, 1]

    def text(self, cells):
        ratios = self.ratios(self.sums(cells))
        return f"{np.exp(np.log(ratios).mean()):.3f} ({ratios.max():.2f})"

    def difference(self, cells, others):
        """ln of the first's score beside the second's, and its standard error."""
        a, b = self.sums(cells), self.sums(others)
        value = lambda x: np.log(self.ratios(x)).mean()
        leave = lambda x, i: np.delete(x, i, axis=0)
        left_out = [value(leave(a, i)) - value(leave(b, i)) for i in range(len(a))
                    if a[i, :, 1].any()]
        n = len(left_out)
        return value(a) - value(b), np.sqrt((n - 1) / n * np.sum((left_out - np.mean(left_out)) ** 2))

    def coverage(self, cells, share):
        i = int(np.argmin(abs(self.hub.levels - (1 - share) / 2)))
        held = [q[i] <= self.hub.outcome(c) <= q[len(q) - 1 - i] for c, q in cells.items()
                if self.hub.outcome(c) is not None and c in self.hub.own]
        return 100 * np.mean(held)


def faulty(hub, kind, rng):
    """The rows of the models with faults of one kind, drawn anew."""
    first = hub.head.index(hub.names[0])
    model, week = hub.head.index("model"), hub.head.index("reference_date")
    models = sorted({row[model] for row in hub.models})
    weeks = sorted({row[week] for row in hub.models})
    counts = collections.Counter(row[model] for row in hub.models)
    busiest = counts.most_common(1)[0][0]
    bad_weeks = set(rng.choice(weeks, max(1, len(weeks) // 10), replace=False))
    bad_models = {w: set(rng.choice(models, int(0.4 * len(models)), replace=False)) for w in bad_weeks}
    out = []
    for row in hub.models:
        factor = 1.0
        if kind == "5 % of forecasts times 10 to 10^6" and rng.random() < 0.05:
            factor = 10 ** rng.uniform(1, 6)
        elif kind == "one model times 1000" and row[model] == busiest:
            factor = 1000.0
        elif kind == "40 % of models times 10 in a tenth of the weeks":
            factor = 10.0 if row[model] in bad_models.get(row[week], ()) else 1.0
        out.append(row[:first] + [repr(factor * float(x)) if x else x for x in row[first:]]
                   if factor != 1 else row)
    return out


def median_of(hub, rows):
    cells = collections.defaultdict(list)
    for of_model in hub.cells(rows).values():
        for cell, quantiles in of_model.items():
            cells[cell].append(quantiles)
    return {cell: np.median(q, axis=0) for cell, q in cells.items()}


def main():
    pcgs, data, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    player = Player(pcgs, out)
    table, coverage, faults, heads = {}, {}, {}, []
    for hub in (flusight(data), respicast(data)):
        scores = Scores(hub)
        heads.append(hub.name)
        every = {cell: np.array(list(models.values())) for cell, models in hub.by_cell.items()}
        cells = {
            "pcgs": player.play(hub, hub.models),
            "pcgs, --no-calibration": player.play(hub, hub.models, "--no-calibration"),
            "pcgs, each series alone": player.alone(hub),
            "median of quantiles": {c: np.median(q, axis=0) for c, q in every.items()},
            "quantile mean, equal weights": {c: np.mean(q, axis=0) for c, q in every.items()},
            "linear pool, equal weights": {c: linear_pool(np.sort(q), hub.levels)
                                           for c, q in every.items()},
        }
        # Found in hindsight among those that gave half of the forecasts, on the cells that they gave.
        regular = {m: c for m, c in hub.cells(hub.models).items() if 2 * len(c) >= len(every)}
        ratio = lambda c: np.log(scores.ratios(scores.sums(c))).mean()
        cells["best model in hindsight"] = regular[min(regular, key=lambda m: ratio(regular[m]))]
        for name, one in cells.items():
            text = scores.text(one)
            table.setdefault(name, []).append(text if len(text) < 20 else "absurd")
        for other in ("median of quantiles", "pcgs, each series alone"):
            value, error = scores.difference(cells["pcgs"], cells[other])
            table.setdefault(f"*pcgs beside {other}, ln*", []).append(f"{value:+.3f} ± {error:.3f}")
        for name, one in (("pcgs", cells["pcgs"]), ("pcgs, --no-calibration", cells["pcgs, --no-calibration"]),
                          ("the hub's ensemble", hub.own)):
            coverage.setdefault(name, []).extend(
                f"{scores.coverage(one, share):.0f}" for share in (0.5, 0.8, 0.95))
        for kind in ("5 % of forecasts times 10 to 10^6", "one model times 1000",
                     "40 % of models times 10 in a tenth of the weeks"):
            rows = faulty(hub, kind, np.random.default_rng(1))
            for name, one in (("pcgs", player.play(hub, rows)), ("median", median_of(hub, rows))):
                ratios = scores.ratios(scores.sums(one))
                faults.setdefault(kind, []).append(f"{np.exp(np.log(ratios).mean()):.3g}")
    write(f"{out}/hubs.csv", ["what is published", *heads], [[n, *r] for n, r in table.items()])
    write(f"{out}/hubs-coverage.csv",
          ["outcomes held, %"] + [f"{hub}: {i}" for hub in heads for i in ("50 %", "80 %", "95 %")],
          [[n, *r] for n, r in coverage.items()])
    write(f"{out}/hubs-faults.csv",
          ["faults in the forecasts"] + [f"{hub}: {who}" for hub in heads for who in ("pcgs", "median")],
          [[n, *r] for n, r in faults.items()])


main()
