#!/usr/bin/env python3
"""The error of combined forecasts, relative to the best single expert of each series.

usage: combine.py PCGS FORECASTS OUT

FORECASTS holds NAME@SEASONS.csv: the outcome in the first column, y, and one column for each expert;
SEASONS as for --season. Files whose name begins with dayahead are forecast 24 rounds at a time, before
any outcome of the 24 is known. Writes OUT/combine_rmse.csv (squared loss) and OUT/combine_mae.csv
(absolute loss), with geometric means; OUT/combine_certificate.csv: what blend's squared loss was beyond
that of the best expert and of the best paths, and what is proved of it; OUT/combine_intervals.csv: what
the intervals of blend cover and their interval score; and OUT/combine_ablation.csv: what its parts are
worth. Needs NumPy.
"""
import csv
import glob
import json
import os
import subprocess
import sys

import numpy as np

METHODS = ["fixed-share", "guard", "ml-poly", "ml-prod", "ml-ewa", "boa", "pcgs-tf:combine", "blend"]
NO_ATTENTION = "pcgs-tf:combine{model=models/ablation/combine-no-attention.safetensors}"
ABLATION = {  # row: method, and whether it is told the season
    "blend": ("blend", True),
    "without seasons": ("blend", False),
    "the network alone, pcgs-tf:combine": ("pcgs-tf:combine", False),
    "the same without attention, trained alike": (NO_ATTENTION, False),
}
BLOCK = 24


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    numbers = np.array([[float(x) if x else np.nan for x in row] for row in rows])
    return numbers[:, 0], numbers[:, 1:]


def played(pcgs, path, season, block, loss, out, methods=METHODS):
    """{method: its forecasts}"""
    command = [pcgs, "run", path, "--y", "y", "--loss", loss, "--method", ",".join(methods)]
    command += ["--season", season] if season else []
    command += ["--block", str(block), "--quiet", "--out", out]
    print("+ " + " ".join(command), file=sys.stderr)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(f"{out}/forecasts.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    columns = np.array([[float(x) for x in row[2:]] for row in rows[1:]])
    return dict(zip(methods, columns.T))


def best_mixture(x, y, loss):
    """The best fixed weights on the simplex in hindsight, by exponentiated gradients."""
    w = np.full(x.shape[1], 1 / x.shape[1])
    size = np.mean(np.abs(x - y[:, None])) + 1e-300
    best, lowest = w, np.inf
    for step in range(3000):
        e = (x @ w - y) / size
        value = np.mean(e**2) if loss == "squared" else np.mean(np.abs(e))
        if value < lowest:
            best, lowest = w, value
        slope = 2 * e if loss == "squared" else np.sign(e)
        g = (x / size).T @ slope / len(y)
        g -= w @ g
        w = w * np.exp(-g / (np.abs(g).max() + 1e-12) * 0.5 / np.sqrt(1 + step / 50))
        w /= w.sum()
    return x @ best


def series_of(folder):
    """(path, name, season, block) of each"""
    for path in sorted(glob.glob(f"{folder}/*.csv")):
        name, season = os.path.basename(path)[:-4].split("@")
        yield path, name, season, BLOCK if name.startswith("dayahead") else 1


def write_ablation(pcgs, folder, out):
    """Root mean squared errors relative to the best expert, geometric means."""
    ratios = {row: {1: [], BLOCK: []} for row in ABLATION}
    for path, name, season, block in series_of(folder):
        y, x = read(path)
        best = min(np.mean((x[:, k] - y) ** 2) for k in range(x.shape[1]))
        for told in (season, ""):
            rows = [row for row, (_, tells) in ABLATION.items() if tells == bool(told)]
            methods = [ABLATION[row][0] for row in rows]
            forecasts = played(pcgs, path, told, block, "squared", f"{out}/{name}/ablation", methods)
            for row, f in zip(rows, forecasts.values()):
                ratios[row][block].append(np.sqrt(np.mean((f - y) ** 2) / best))
    with open(f"{out}/combine_ablation.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["what is published", "one step", "day-ahead"])
        for row, groups in ratios.items():
            means = [np.exp(np.mean(np.log(group))) for group in groups.values() if group]
            table.writerow([row, *(f"{mean:.4f}" for mean in means)])


def proved(pcgs, path, season, block, out):
    """What blend proves about its forecasts, as --certificate writes it."""
    os.makedirs(out, exist_ok=True)
    file_name = f"{out}/certificate.json"
    command = [pcgs, "run", path, "--y", "y", "--method", "blend", "--season", season]
    command += ["--block", str(block), "--quiet", "--certificate", file_name]
    print("+ " + " ".join(command), file=sys.stderr)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(file_name, encoding="utf-8") as file:
        return json.load(file)["published"][0]


def write_certificates(pcgs, folder, out):
    """Mean squared losses beyond each comparator's, relative to the best expert's."""
    with open(f"{out}/combine_certificate.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["series", "best expert: measured", "proved", "best path of experts: measured",
                        "proved", "switches", "best path of all: measured", "proved", "switches"])
        for path, series, season, block in series_of(folder):
            claims = proved(pcgs, path, season, block, f"{out}/{series}")
            row = [series.replace("dayahead_", "day-ahead ")]
            for name in ("expert", "raw_path", "path"):
                claim = claims[name]
                unit = claims["expert"]["loss"] - claims["expert"]["regret"]
                row += [f"{claim['regret'] / unit:.3f}", f"{claim['bound'] / unit:.3f}"]
                row += [claim["switches"]] if "switches" in claim else []
            table.writerow(row)


LEVELS = (80, 95)
ERRORS = 300


def interval_score(low, high, y, level):
    """Width, and 2 / (1 - level) times what an outcome is outside by (Winkler 1972)."""
    outside = np.maximum(low - y, 0) + np.maximum(y - high, 0)
    return np.mean(high - low + 2 / (1 - level / 100) * outside)


def rolling_quantiles(forecast, y, block, level):
    """Around each forecast the quantiles of the last errors that were known."""
    error = y - forecast
    tail = (1 - level / 100) / 2
    ends = np.full((2, len(y)), np.nan)
    for t in range(len(y)):
        known = t // block * block
        last = error[max(0, known - ERRORS) : known]
        if len(last) > 1:
            ends[:, t] = forecast[t] + np.quantile(last, [tail, 1 - tail])
    return ends


def judged_intervals(path, block):
    """{row of the table: value}, of intervals.csv."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    column = {key: np.array([float(row[key] or "nan") for row in rows]) for key in rows[0]}
    y, forecast = column["outcome"], column["forecast"]
    values = {}
    for level in LEVELS:
        low, high = column[f"low_{level}"], column[f"high_{level}"]
        plain = rolling_quantiles(forecast, y, block, level)
        both = ~np.isnan(low) & ~np.isnan(plain[0])
        inside = ((y >= low) & (y <= high))[~np.isnan(low)]
        values[f"{level} %: held"] = f"{100 * np.mean(inside):.1f} %"
        thirds = [100 * np.mean(third) for third in np.array_split(inside, 3)]
        values[f"{level} %: held, in thirds of the run"] = " ".join(f"{x:.0f}" for x in thirds)
        scores = [
            interval_score(*ends[:, both], y[both], level) for ends in (np.array([low, high]), plain)
        ]
        values[f"{level} %: score"] = f"{scores[0] / scores[1]:.3f}"
    return values


def write_intervals(columns, out):
    with open(f"{out}/combine_intervals.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["intervals of blend", *columns])
        for row in next(iter(columns.values())):
            table.writerow([row, *(column[row] for column in columns.values())])


def main():
    pcgs, folder, out = sys.argv[1:]
    intervals = {}  # of the last method, blend
    for loss, name in (("squared", "rmse"), ("absolute", "mae")):
        measure = (lambda e: np.sqrt(np.mean(e**2))) if loss == "squared" else (
            lambda e: np.mean(np.abs(e)))
        groups = {"one step": {}, "day-ahead": {}}
        for path, series, season, block in series_of(folder):
            late = block > 1
            y, x = read(path)
            forecasts = played(pcgs, path, season, block, loss, f"{out}/{series}")
            if loss == "squared":
                intervals[series] = judged_intervals(f"{out}/{series}/intervals.csv", block)
            forecasts = {"equal weights": np.nanmean(x, axis=1), **forecasts}
            forecasts["best mixture in hindsight*"] = best_mixture(x, y, loss)
            best = min(measure(x[:, k] - y) for k in range(x.shape[1]))
            column = {m: measure(f - y) / best for m, f in forecasts.items()}
            groups["day-ahead" if late else "one step"][series.replace("dayahead_", "")] = column
        for group, columns in groups.items():
            if not columns:
                continue
            file_name = f"{out}/combine_{name}_{group.replace(' ', '_').replace('-', '_')}.csv"
            with open(file_name, "w", newline="", encoding="utf-8") as file:
                table = csv.writer(file, lineterminator="\n")
                table.writerow([group, *columns, "geometric mean"])
                for m in next(iter(columns.values())):
                    values = [c[m] for c in columns.values()]
                    mean = np.exp(np.mean(np.log(values)))
                    table.writerow([m, *(f"{v:.3f}" for v in values), f"{mean:.3f}"])
    write_intervals(intervals, out)
    write_certificates(pcgs, folder, out)
    write_ablation(pcgs, folder, out)


if __name__ == "__main__":
    main()
