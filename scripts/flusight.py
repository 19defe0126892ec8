#!/usr/bin/env python3
"""Quantile forecasts of the FluSight hub: what pcgs publishes beside the hub's own ensemble.

usage: flusight.py PCGS DATA OUT

DATA has flusight_quantiles.csv.gz (reference_date, location, horizon, target_end_date, model, q0.01 ...
q0.99) and flusight_truth.csv (location, target_end_date, admissions). Models called FluSight-* are the
hub's own ensembles and its baseline, and are not combined. OUT gets flusight.csv and
flusight-coverage.csv, the tables of docs/quantiles.md. Needs NumPy.

WIS relative to FluSight-ensemble: the mean over the forecasts of both in a location, then the geometric
mean over locations.
"""
import collections
import csv
import gzip
import json
import os
import subprocess
import sys

import numpy as np

OPTIONS = ["--expert-column", "model", "--quantiles", "q*", "--time", "reference_date", "--by",
           "location,horizon", "--known", "target_end_date", "--y", "admissions", "--quiet"]
HUB = "FluSight-ensemble"


def read(data):
    with gzip.open(f"{data}/flusight_quantiles.csv.gz", "rt", newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    with open(f"{data}/flusight_truth.csv", newline="", encoding="utf-8") as file:
        truth = {(r["location"], r["target_end_date"]): float(r["admissions"])
                 for r in csv.DictReader(file)}
    return head, rows, truth


def write(path, head, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def run(pcgs, path, truth, out, *more):
    subprocess.run([pcgs, "run", path, *OPTIONS, "--y-file", truth, "--out", out, *more],
                   check=True, stdout=subprocess.DEVNULL)


def published(out, names):
    """{(reference_date, location, horizon, target_end_date): quantiles}"""
    with open(f"{out}/forecasts.csv", newline="", encoding="utf-8") as file:
        return {tuple(r[c] for c in ("reference_date", "location", "horizon", "target_end_date")):
                np.array([float(r[n]) for n in names]) for r in csv.DictReader(file)}


def alone(pcgs, data, out, head, rows, names):
    """Each series by itself, so that none learns from another."""
    series = collections.defaultdict(list)
    for row in rows:
        series[row[1], row[2]].append(row)
    cells = {}
    for key, own in series.items():
        path = f"{out}/one.csv"
        write(path, head, own)
        run(pcgs, path, f"{data}/flusight_truth.csv", f"{out}/one")
        cells |= published(f"{out}/one", names)
    return cells


class Scores:
    def __init__(self, levels, truth):
        self.levels, self.truth = levels, truth

    def wis(self, quantiles, outcome):
        beyond = outcome - quantiles
        return float(np.mean(2 * np.maximum(self.levels * beyond, (self.levels - 1) * beyond)))

    def by_location(self, cells, hub):
        """{location: WIS relative to the hub's}, on the forecasts of both."""
        sums = collections.defaultdict(lambda: np.zeros(2))
        for cell, quantiles in cells.items():
            outcome = self.truth.get((cell[1], cell[3]))
            if outcome is not None and cell in hub:
                sums[cell[1]] += self.wis(quantiles, outcome), self.wis(hub[cell], outcome)
        return {location: a / b for location, (a, b) in sorted(sums.items())}

    def coverage(self, cells, low, high, first, last):
        held = [quantiles[low] <= self.truth[cell[1], cell[3]] <= quantiles[high]
                for cell, quantiles in cells.items()
                if first <= cell[0] < last and (cell[1], cell[3]) in self.truth]
        return np.mean(held)


def main():
    pcgs, data, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    head, rows, truth = read(data)
    names = head[5:]
    scores = Scores(np.array([float(n[1:]) for n in names]), truth)
    models = [row for row in rows if not row[4].startswith("FluSight")]
    write(f"{out}/models.csv", head, models)
    run(pcgs, f"{out}/models.csv", f"{data}/flusight_truth.csv", f"{out}/all")
    run(pcgs, f"{out}/models.csv", f"{data}/flusight_truth.csv", f"{out}/plain", "--no-calibration")

    by_model = collections.defaultdict(dict)
    by_cell = collections.defaultdict(list)
    for row in rows:
        quantiles = np.array(row[5:], float)
        by_model[row[4]][tuple(row[:4])] = quantiles
        if not row[4].startswith("FluSight"):
            by_cell[tuple(row[:4])].append(quantiles)
    hub = by_model[HUB]
    forecasters = {
        "blend": published(f"{out}/all", names),
        "blend, --no-calibration": published(f"{out}/plain", names),
        "blend, each series alone": alone(pcgs, data, out, head, models, names),
        "quantile mean, equal weights": {c: np.mean(q, axis=0) for c, q in by_cell.items()},
        "median of quantiles": {c: np.median(q, axis=0) for c, q in by_cell.items()},
    }
    relative = {name: scores.by_location(cells, hub) for name, cells in forecasters.items()}
    # The linear pool with equal weights, as pcgs found it beside its own score: of a run on the hub's
    # cells alone, because a ratio holds on the cells that it was found on.
    write(f"{out}/common.csv", head, [row for row in models if tuple(row[:4]) in hub])
    run(pcgs, f"{out}/common.csv", f"{data}/flusight_truth.csv", f"{out}/common")
    common = scores.by_location(published(f"{out}/common", names), hub)
    with open(f"{out}/common/results.json", encoding="utf-8") as file:
        found = json.load(file)
    sums = collections.defaultdict(lambda: np.zeros(2))
    for one in found["series"]:
        weight = one["beside_equal_weights"]["rounds"] * one["score"]
        sums[one["key"][0]] += weight, weight / (1 + one["beside_equal_weights"]["difference"] / 100)
    relative["linear pool, equal weights"] = {
        location: common[location] * sums[location][1] / sums[location][0] for location in common}
    # The best model, found in hindsight among those that gave half of the forecasts.
    mean = lambda ratios: float(np.exp(np.mean(np.log(list(ratios.values())))))
    regular = {m: scores.by_location(c, hub) for m, c in by_model.items()
               if not m.startswith("FluSight") and 2 * len(c) >= len(by_cell)}
    best = min(regular, key=lambda m: mean(regular[m]))
    relative[f"best model in hindsight, {best}"] = regular[best]

    locations = list(relative["blend"])
    order = sorted(relative, key=lambda name: mean(relative[name]))
    write(f"{out}/flusight.csv", ["what is published", "all", *locations],
          [[name, f"{mean(relative[name]):.3f}", *(f"{relative[name][l]:.3f}" for l in locations)]
           for name in order])
    seasons = {"2023/24": ("2023", "2024-08"), "2024/25": ("2024-08", "2025-08"),
               "2025/26": ("2025-08", "2027")}
    intervals = {"50 %": (6, 16), "80 %": (3, 19), "95 %": (1, 21)}
    shown = {"blend": forecasters["blend"],
             "blend, --no-calibration": forecasters["blend, --no-calibration"], HUB: hub}
    write(f"{out}/flusight-coverage.csv",
          ["outcomes held, %"] + [f"{s}: {i}" for s in seasons for i in intervals],
          [[name] + [f"{100 * scores.coverage(cells, *ends, *season):.0f}"
                     for season in seasons.values() for ends in intervals.values()]
           for name, cells in shown.items()])


main()
