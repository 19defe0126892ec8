#!/usr/bin/env python3
"""The error of combined forecasts, relative to the best single expert of each series.

usage: combine.py PCGS FORECASTS OUT

FORECASTS holds NAME@SEASONS.csv: the outcome in the first column, y, and one column for each expert;
SEASONS as for --season. Files whose name begins with dayahead are forecast 24 rounds at a time, before
any outcome of the 24 is known. Writes OUT/combine_rmse.csv (squared loss) and OUT/combine_mae.csv
(absolute loss), with geometric means, and OUT/combine_certificate.csv: what blend's squared loss was
beyond that of the best expert and of the best paths, and what is proved of it. Needs NumPy.
"""
import csv
import glob
import json
import os
import subprocess
import sys

import numpy as np

METHODS = ["fixed-share", "guard", "ml-poly", "ml-prod", "ml-ewa", "boa", "blend"]
BLOCK = 24


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    numbers = np.array([[float(x) if x else np.nan for x in row] for row in rows])
    return numbers[:, 0], numbers[:, 1:]


def played(pcgs, path, season, block, loss, out):
    """{method: its forecasts}"""
    command = [pcgs, "run", path, "--y", "y", "--loss", loss, "--method", ",".join(METHODS)]
    command += ["--season", season, "--block", str(block), "--quiet", "--out", out]
    print("+ " + " ".join(command), file=sys.stderr)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(f"{out}/forecasts.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    columns = np.array([[float(x) for x in row[2:]] for row in rows[1:]])
    return dict(zip(METHODS, columns.T))


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
        for path in sorted(glob.glob(f"{folder}/*.csv")):
            series, season = os.path.basename(path)[:-4].split("@")
            block = BLOCK if series.startswith("dayahead") else 1
            claims = proved(pcgs, path, season, block, f"{out}/{series}")
            row = [series.replace("dayahead_", "day-ahead ")]
            for name in ("expert", "raw_path", "path"):
                claim = claims[name]
                unit = claims["expert"]["loss"] - claims["expert"]["regret"]
                row += [f"{claim['regret'] / unit:.3f}", f"{claim['bound'] / unit:.3f}"]
                row += [claim["switches"]] if "switches" in claim else []
            table.writerow(row)


def main():
    pcgs, folder, out = sys.argv[1:]
    for loss, name in (("squared", "rmse"), ("absolute", "mae")):
        measure = (lambda e: np.sqrt(np.mean(e**2))) if loss == "squared" else (
            lambda e: np.mean(np.abs(e)))
        groups = {"one step": {}, "day-ahead": {}}
        for path in sorted(glob.glob(f"{folder}/*.csv")):
            series, season = os.path.basename(path)[:-4].split("@")
            late = series.startswith("dayahead")
            y, x = read(path)
            forecasts = played(pcgs, path, season, BLOCK if late else 1, loss, f"{out}/{series}")
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
    write_certificates(pcgs, folder, out)


main()
