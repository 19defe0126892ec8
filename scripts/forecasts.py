#!/usr/bin/env python3
"""Forecasts to combine, as combine.py reads them.

usage: forecasts.py DATA OUT

From six series in DATA, simple experts forecast one step ahead (lags, means, exponential means, means of
the same hour, yesterday's change, recursive least squares), and the last 30 % is written, so that nobody
is judged while it warms up. French load (without its first 30 %) and two day-ahead markets come with
forecasts of their own. Writes OUT/NAME@SEASONS.csv. Needs NumPy.
"""
import csv
import gzip
import os
import sys

import numpy as np

LAST = 20000  # rounds of a series that are used
SERIES = {  # name: file, column, rounds in a day and in a week
    "household": ("household_power_hourly.csv.gz", "global_active_power", 24, 168),
    "tetouan": ("tetuan_power_10min_last20000.csv.gz", "zone1_power", 144, 1008),
    "bike": ("bike_sharing_hourly.csv.gz", "count", 24, 168),
    "pjme": ("pjme_load_hourly_last20000.csv.gz", "load_mw", 24, 168),
    "gefcom": ("gefcom2014_price_hourly.csv.gz", "zonal_price", 24, 168),
    "elec2": ("elec2.csv.gz", "nswprice", 48, 336),
}
GIVEN = {  # name and season: file, column of outcomes, share of the rounds to leave out
    "french@7": ("french_load_experts.csv", "y_national_load", 0.3),
    "dayahead_us@24": ("epf_price_experts_hourly.csv.gz", "y_price", 0),
    "dayahead_germany@24": ("epf_germany_dayahead.csv.gz", "price", 0),
}
MISSING = ("", "nan", "NA")


def rows_of(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def exponential_mean(y, rate):
    forecast = np.empty_like(y)
    mean = y[0]
    for t, value in enumerate(y):
        forecast[t] = mean
        mean += rate * (value - mean)
    return forecast


def regression(y, lags, forgetting):
    """Recursive least squares on these lags, in units of the first tenth of the series."""
    first = y[: max(200, len(y) // 10)]
    centre, size = first.mean(), first.std() + 1e-9
    z = (y - centre) / size
    theta, inverse = np.zeros(len(lags) + 1), 100.0 * np.eye(len(lags) + 1)
    forecast = np.full(len(y), np.nan)
    lags = np.array(lags)
    for t in range(lags.max(), len(y)):
        x = np.concatenate(([1.0], z[t - lags]))
        made = x @ theta
        forecast[t] = made * size + centre
        gain = inverse @ x / (forgetting + x @ inverse @ x)
        theta = theta + gain * (z[t] - made)
        inverse = (inverse - np.outer(gain, x @ inverse)) / forgetting
        inverse = (inverse + inverse.T) / 2
    return forecast


def experts(y, day, week):
    """{name: forecasts}, nan until there is one."""
    made = {}

    def put(name, first, values):
        made[name] = np.concatenate((np.full(first, np.nan), values))

    for lag in (1, 2, 3, day, 2 * day, week):
        put(f"lag{lag}", lag, y[:-lag])
    sums = np.concatenate(([0.0], np.cumsum(y)))
    for window in (3, 6, 12, day, week):
        put(f"mean{window}", window, (sums[window:-1] - sums[: -window - 1]) / window)
    for rate in (0.05, 0.1, 0.3, 0.5, 0.8):
        made[f"ewma{rate}"] = exponential_mean(y, rate)
    t = np.arange(4 * day, len(y))
    put("days4", 4 * day, sum(y[t - n * day] for n in (1, 2, 3, 4)) / 4)
    t = np.arange(day + 1, len(y))
    put("change", day + 1, y[t - 1] + y[t - day] - y[t - day - 1])
    made["rls1.0"] = regression(y, (1, 2, 3, day), 1.0)
    made["rls0.999"] = regression(y, (1, 2, 3, 4, 5, 6, day, day + 1), 0.999)
    made["rls0.99"] = regression(y, (1, 2, day), 0.99)
    return made


def write(path, y, forecasts):
    print("+ " + path, file=sys.stderr)
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["y", *forecasts])
        table.writerows(zip(y.tolist(), *(f.tolist() for f in forecasts.values())))


def main():
    data, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    for name, (file, column, day, week) in SERIES.items():
        header, rows = rows_of(f"{data}/{file}")
        at = header.index(column)
        y = np.array([float(row[at]) for row in rows if row[at] not in MISSING])[-LAST:]
        start = int(0.7 * len(y))
        made = {name: f[start:] for name, f in experts(y, day, week).items()}
        write(f"{out}/{name}@{day},{week}.csv", y[start:], made)
    for name, (file, column, left_out) in GIVEN.items():
        header, rows = rows_of(f"{data}/{file}")
        numbers = np.array([[float(x) for x in row[1:]] for row in rows])
        numbers = numbers[int(left_out * len(numbers)) :]
        columns = dict(zip(header[1:], numbers.T))
        y = columns.pop(column)
        write(f"{out}/{name}.csv", y, columns)


main()
