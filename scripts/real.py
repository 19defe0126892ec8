#!/usr/bin/env python3
"""Plays the methods on real series and writes dynamic regret per round, S = 20: OUT/real.csv on the three
that all figures of this project are about, OUT/real-more.csv on six others, where DATA has them.

usage: real.py PCGS DATA OUT [PCGS_TRAIN]

DATA holds household_power_hourly.csv.gz, tetuan_power_10min_last20000.csv.gz and
french_load_experts.csv, and for the others those that scripts/forecasts.py reads. With PCGS_TRAIN the shipped weights are also fine-tuned on the training part
of the first two. Needs NumPy.
"""
import csv
import gzip
import json
import os
import subprocess
import sys

import numpy as np

METHODS = "hedge,fixed-share,genshare,variable-share,learn-alpha,adahedge,ml-poly,boa,pcgs-tf,guard"
SERIES = {
    "household": ("household_power_hourly", "global_active_power", "24,168"),
    "Tetouan": ("tetuan_power_10min_last20000", "zone1_power", "144,1008"),
}
MORE_SERIES = {
    "bike sharing": ("bike_sharing_hourly", "count", "24,168"),
    "PJM East load": ("pjme_load_hourly_last20000", "load_mw", "24,168"),
    "GEFCom price": ("gefcom2014_price_hourly", "zonal_price", "24,168"),
    "NSW price": ("elec2", "nswprice", "48,336"),
}
FRENCH = ("french_load_experts.csv", "y_national_load")
MARKETS = {
    "US price": ("epf_price_experts_hourly.csv.gz", "y_price"),
    "German price": ("epf_germany_dayahead.csv.gz", "price"),
}


def play(command):
    print("+ " + " ".join(command), file=sys.stderr)
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def on_series(pcgs, data, out, name, series, trainer):
    """The household protocol with its 21 experts: {method: regret per round}."""
    stem, column, season = series
    plain = f"{out}/{stem}.csv"
    with gzip.open(f"{data}/{stem}.csv.gz", "rb") as packed, open(plain, "wb") as file:
        file.write(packed.read())
    losses = f"{out}/{name}"
    command = [pcgs, "electricity", plain, "--column", column, "--season", season, "--window", "0"]
    command += ["--switches", "20", "--quiet", "--json", "--method"]
    methods = METHODS
    if trainer:
        play(command + ["hedge", "--losses", losses])
        model = f"{out}/{name}.safetensors"
        tune = [trainer, "--init", "models/regret.safetensors", "--losses", f"{losses}/train.npy"]
        play(tune + ["--out", model])
        methods += f",pcgs-tf{{model={model}}},guard{{model={model}}}"
    played = play(command + [methods])
    return {m["name"].split("{")[0] + (", fine-tuned" if "model=" in m["name"] else ""):
            m["regret_per_round"]["20"] for m in played["methods"]}


def on_given_forecasts(pcgs, data, out, name, given):
    """The first 30 % set the clipping scale, the rest is scored."""
    file_name, column = given
    opened = gzip.open if file_name.endswith(".gz") else open
    with opened(f"{data}/{file_name}", "rt", newline="", encoding="utf-8") as file:
        heads, *rows = csv.reader(file)
    numbers = np.array([[float(x) for x in row[1:]] for row in rows])
    at = heads.index(column) - 1
    errors = (np.delete(numbers, at, 1) - numbers[:, at:at + 1]) ** 2
    start = int(0.3 * len(errors))
    losses = np.clip(errors / np.quantile(errors[:start], 0.95), 0, 1)[start:]
    np.save(f"{out}/{name}.npy", losses)
    command = [pcgs, "run", f"{out}/{name}.npy", "--method", METHODS + ",hedge*,fixed-share*"]
    played = play(command + ["--switches", "20", "--quiet", "--json"])
    return {m["name"]: m["dynamic_regret"]["20"] / played["rounds"] for m in played["methods"]}


def write(path, columns):
    methods = list(dict.fromkeys(m for column in columns.values() for m in column))
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["method", *columns])
        for m in methods:
            table.writerow([m, *(f"{c[m]:.5f}" if m in c else "-" for c in columns.values())])


def main():
    pcgs, data, out, *trainer = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    columns = {n: on_series(pcgs, data, out, n, s, trainer[0] if trainer else "")
               for n, s in SERIES.items()}
    columns["French"] = on_given_forecasts(pcgs, data, out, "french", FRENCH)
    write(f"{out}/real.csv", columns)
    more = {n: on_series(pcgs, data, out, n.replace(" ", "-"), s, "")
            for n, s in MORE_SERIES.items() if os.path.exists(f"{data}/{s[0]}.csv.gz")}
    more |= {n: on_given_forecasts(pcgs, data, out, n.replace(" ", "-"), given)
             for n, given in MARKETS.items() if os.path.exists(f"{data}/{given[0]}")}
    if more:
        write(f"{out}/real-more.csv", more)


main()
