#!/usr/bin/env python3
"""What other packages for Python make of the same forecasts, with their defaults.

usage: peers.py FORECASTS OUT

FORECASTS as for combine.py. Writes OUT/combine_peers.csv: root mean squared errors relative to the best
single expert of each series, and seconds for a thousand rounds. Each learns from an outcome when it is
known, whole blocks at once. Needs NumPy, river and sktime.
"""
import csv
import glob
import os
import sys
import time

import numpy as np
from river import base, ensemble
from sktime.forecasting.online_learning import NNLSEnsemble

BLOCK = 24


class Given(base.Regressor):
    """Forecasts what an expert was given to say."""

    def __init__(self, k=0):
        self.k = k

    def learn_one(self, x, y):
        pass

    def predict_one(self, x):
        return x[self.k]


def blocks(rounds, block):
    return [range(start, min(start + block, rounds)) for start in range(0, rounds, block)]


def river_ewa(x, y, block):
    """Exponential weights at a rate of 0.5 on squared errors as they are."""
    model = ensemble.EWARegressor([Given(k) for k in range(x.shape[1])])
    rows = [dict(enumerate(row)) for row in x.tolist()]
    forecasts = np.empty(len(y))
    for rounds in blocks(len(y), block):
        for t in rounds:
            forecasts[t] = model.predict_one(rows[t])
        for t in rounds:
            model.learn_one(rows[t], y[t])
    return forecasts


def sktime_nnls(x, y, block):
    """Least squares over the whole past with weights that are not negative."""
    model = NNLSEnsemble(n_estimators=x.shape[1])
    forecasts = np.empty(len(y))
    for rounds in blocks(len(y), block):
        forecasts[rounds] = x[rounds] @ np.asarray(model.weights)
        model.update(x[rounds].T, y[rounds])
    return forecasts


PEERS = {"river's EWARegressor": river_ewa, "sktime's NNLSEnsemble": sktime_nnls}


def main():
    folder, out = sys.argv[1:]
    columns, seconds, rounds = {}, dict.fromkeys(PEERS, 0.0), 0
    for path in sorted(glob.glob(f"{folder}/*.csv")):
        series = os.path.basename(path)[:-4].split("@")[0]
        print("+ " + path, file=sys.stderr)
        numbers = np.genfromtxt(path, delimiter=",", skip_header=1)
        y, x = numbers[:, 0], numbers[:, 1:]
        best = min(np.mean((x[:, k] - y) ** 2) for k in range(x.shape[1]))
        rounds += len(y)
        column = columns[series.replace("dayahead_", "day-ahead ")] = {}
        for name, run in PEERS.items():
            start = time.perf_counter()
            forecasts = run(x, y, BLOCK if series.startswith("dayahead") else 1)
            seconds[name] += time.perf_counter() - start
            column[name] = np.sqrt(np.mean((forecasts - y) ** 2) / best)
    with open(f"{out}/combine_peers.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["method", *columns, "seconds for 1000 rounds"])
        for name in PEERS:
            row = [f"{column[name]:.3f}" for column in columns.values()]
            table.writerow([name, *row, f"{1000 * seconds[name] / rounds:.1f}"])


main()
