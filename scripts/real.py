#!/usr/bin/env python3
"""Plays the methods on three real series and writes OUT/real.csv: dynamic regret per round, S = 20.

usage: real.py PCGS DATA OUT [PCGS_TRAIN]

DATA holds household_power_hourly.csv.gz, tetuan_power_10min_last20000.csv.gz and
french_load_experts.csv. With PCGS_TRAIN the shipped weights are also fine-tuned on the training part
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


def play(command):
    print("+ " + " ".join(command), file=sys.stderr)
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def on_series(pcgs, data, out, name, trainer):
    """The household protocol with its 21 experts: {method: regret per round}."""
    stem, column, season = SERIES[name]
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


def on_given_forecasts(pcgs, data, out):
    """French load: the first 30 % set the clipping scale, the rest is scored."""
    with open(f"{data}/french_load_experts.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    numbers = np.array([[float(x) for x in row[1:]] for row in rows])
    errors = (numbers[:, 1:] - numbers[:, :1]) ** 2
    start = int(0.3 * len(errors))
    losses = np.clip(errors / np.quantile(errors[:start], 0.95), 0, 1)[start:]
    np.save(f"{out}/french.npy", losses)
    command = [pcgs, "run", f"{out}/french.npy", "--method", METHODS + ",hedge*,fixed-share*"]
    played = play(command + ["--switches", "20", "--quiet", "--json"])
    return {m["name"]: m["dynamic_regret"]["20"] / played["rounds"] for m in played["methods"]}


def main():
    pcgs, data, out, *trainer = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    columns = {n: on_series(pcgs, data, out, n, trainer[0] if trainer else "") for n in SERIES}
    columns["French"] = on_given_forecasts(pcgs, data, out)
    methods = list(dict.fromkeys(m for column in columns.values() for m in column))
    with open(f"{out}/real.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["method", *columns])
        for m in methods:
            table.writerow([m, *(f"{c[m]:.5f}" if m in c else "-" for c in columns.values())])


main()
