#!/usr/bin/env python3
"""Ablation by retraining: what attention between experts and a memory along time are worth.

usage: attention.py train PCGS_TRAIN MODELS JOBS [OPTION of pcgs-train]...
       attention.py table PCGS MODELS DATA OUT
       attention.py combined PCGS MODELS FORECASTS OUT

`train` trains four networks that differ in nothing else (no attention, attention over experts, over
time, both), each with three seeds, JOBS at a time, with the same options: MODELS/NAME-SEED.safetensors.
What is there already stays, so that an interrupted call can be repeated.

`table` plays them on the families (evaluation sequences of `pcgs suite`) and on the real losses of
scripts/real.py (DATA as there), and writes OUT/attention.csv: how much of the distance from tuned Fixed
Share to the limit is closed, in per cent, or regret a round in thousandths; mean and range over seeds.
That needs NumPy.

`combined` is for networks that were trained with --recipe combine. It plays them on the forecasts of
scripts/combine.py (FORECASTS as there), alone and inside blend, and writes OUT/attention_combined.csv:
root mean squared errors relative to the best expert, geometric means over series, and over seeds the
mean and the range.
"""
import concurrent.futures
import csv
import glob
import json
import os
import subprocess
import statistics
import sys

VARIANTS = {  # memory has as many channels as a quarter of the default width
    "none": ["--attention", "none"],
    "experts": ["--attention", "full"],
    "time": ["--attention", "none", "--memory", "16"],
    "both": ["--attention", "full", "--memory", "16"],
}
TITLES = {
    "none": "no attention",
    "experts": "attention over experts",
    "time": "over time (memory)",
    "both": "both",
}
SEEDS = (1, 2, 3)
REAL = {
    "household": ("household_power_hourly", "global_active_power", "24,168"),
    "Tetouan": ("tetuan_power_10min_last20000", "zone1_power", "144,1008"),
}


def train(trainer, models, jobs, options):
    os.makedirs(models, exist_ok=True)

    def one(name, seed):
        out = f"{models}/{name}-{seed}.safetensors"
        if os.path.exists(out):
            return
        command = [trainer, "--out", out, "--seed", str(seed), *VARIANTS[name], *options]
        print("+ " + " ".join(command), file=sys.stderr)
        with open(f"{out}.log", "w", encoding="utf-8") as log:
            subprocess.run(command, check=True, stdout=log, stderr=log)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(one, n, s) for s in SEEDS for n in VARIANTS]:
            done.result()


def play(command):
    print("+ " + " ".join(command), file=sys.stderr)
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def spec(model):
    return f'pcgs-tf{{model="{model}"}}'


def by_model(methods, models, value):
    """{model: value of its row}; a row is named after the model's file."""
    rows = {}
    for model in models:
        named = [m for m in methods if m["name"].startswith("pcgs-tf{") and model in m["name"]]
        assert len(named) == 1, model
        rows[model] = value(named[0])
    return rows


def on_families(pcgs, models):
    """{family: {model: per cent of the distance closed}}"""
    methods = ",".join(["fixed-share*", *map(spec, models)])
    played = play([pcgs, "suite", "--study", "main", "--method", methods, "--json", "--quiet"])
    columns = {}
    for family in played["families"]:
        mean = {m["name"]: m["mean"] for m in family["methods"]}
        if "bayes" not in mean:
            continue
        tuned, limit = mean["fixed-share*"], mean["bayes"]
        columns[family["name"]] = by_model(
            family["methods"], models, lambda m: 100 * (tuned - m["mean"]) / (tuned - limit))
    return columns


def on_real_losses(pcgs, data, out, models):
    """{series: {model: regret a round in thousandths, S = 20}}"""
    import numpy as np  # not there where networks are trained, perhaps
    columns = {}
    methods = ",".join(map(spec, models))
    for name, (stem, column, season) in REAL.items():
        plain = f"{out}/{stem}.csv"
        subprocess.run(f"gunzip -c '{data}/{stem}.csv.gz' > '{plain}'", shell=True, check=True)
        played = play([pcgs, "electricity", plain, "--column", column, "--season", season,
                       "--window", "0", "--switches", "20", "--quiet", "--json", "--method", methods])
        columns[name] = by_model(played["methods"], models,
                                 lambda m: 1000 * m["regret_per_round"]["20"])
    numbers = np.genfromtxt(f"{data}/french_load_experts.csv", delimiter=",", skip_header=1)[:, 1:]
    errors = (numbers[:, 1:] - numbers[:, :1]) ** 2
    start = int(0.3 * len(errors))
    np.save(f"{out}/french.npy",
            np.clip(errors / np.quantile(errors[:start], 0.95), 0, 1)[start:])
    played = play([pcgs, "run", f"{out}/french.npy", "--method", methods, "--switches", "20",
                   "--quiet", "--json"])
    columns["French"] = by_model(played["methods"], models,
                                 lambda m: 1000 * m["dynamic_regret"]["20"] / played["rounds"])
    return columns


def models_in(folder):
    models = sorted(glob.glob(f"{folder}/*.safetensors"))
    if not models:
        sys.exit(f"{folder} has no models; attention.py train makes them")
    return models


def table(pcgs, folder, data, out):
    os.makedirs(out, exist_ok=True)
    models = models_in(folder)
    families = on_families(pcgs, models)
    columns = families | on_real_losses(pcgs, data, out, models)
    write_rows(f"{out}/attention.csv", list(columns), models, columns,
               lambda head: 0 if head in families else 2)


def write_rows(path, heads, models, values, digits):
    """values: {column: {model: number}}"""
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["network", *heads])
        for name, title in TITLES.items():
            own = [m for m in models if os.path.basename(m).startswith(f"{name}-")]
            if not own:
                continue
            cells = []
            for head in heads:
                some = [values[head][m] for m in own]
                d = digits(head)
                cells.append(f"{statistics.mean(some):.{d}f} ({min(some):.{d}f} to {max(some):.{d}f})")
            rows.writerow([title, *cells])


def combined(pcgs, folder, forecasts, out):
    import numpy as np
    import combine
    os.makedirs(out, exist_ok=True)
    models = models_in(folder)
    spoken = {"alone": "pcgs-tf:combine", "in blend": "blend"}
    ratios = {}  # (column, model): of each series
    for path, name, season, block in combine.series_of(forecasts):
        y, x = combine.read(path)
        best = min(np.mean((x[:, k] - y) ** 2) for k in range(x.shape[1]))
        asked = {(how, m): f'{method}{{model="{m}"}}'
                 for how, method in spoken.items() for m in models}
        played = combine.played(pcgs, path, season, block, "squared", f"{out}/{name}",
                                list(asked.values()))
        for (how, m), method in asked.items():
            column = f"{how}, {'one step' if block == 1 else 'day-ahead'}"
            error = np.sqrt(np.mean((played[method] - y) ** 2) / best)
            ratios.setdefault(column, {}).setdefault(m, []).append(error)
    values = {column: {m: statistics.geometric_mean(r) for m, r in of.items()}
              for column, of in ratios.items()}
    write_rows(f"{out}/attention_combined.csv", sorted(values), models, values, lambda head: 4)


def main():
    what, program, *rest = sys.argv[1:] if len(sys.argv) > 4 else ("", "")
    if what == "train":
        train(program, rest[0], int(rest[1]), rest[2:])
    elif what == "table" and len(rest) == 3:
        table(program, *rest)
    elif what == "combined" and len(rest) == 3:
        combined(program, *rest)
    else:
        sys.exit(__doc__)


main()
