#!/usr/bin/env python3
"""What can be had on each family: networks that were trained on from pcgs-tf, each on one family alone.

usage: specialists.py train PCGS_TRAIN START MODELS [OPTION of pcgs-train]...
       specialists.py table PCGS MODELS OUT

`train` trains a copy of START for each family: MODELS/FAMILY.safetensors. What is there already stays, so that an
interrupted call can be repeated.

`table` plays each beside pcgs-tf on a hundred evaluation sequences of its family, and writes OUT/specialists.csv.
"""
import csv
import json
import os
import subprocess
import sys

FAMILIES = ["switch", "drift", "hetero", "heavy-tail", "mix", "predictive", "adversarial"]


def train(trainer, start, models, options):
    os.makedirs(models, exist_ok=True)
    for family in FAMILIES:
        out = f"{models}/{family}.safetensors"
        if os.path.exists(out):
            continue
        command = [trainer, "--init", start, "--family", family, "--out", out, *options]
        print("+ " + " ".join(command), file=sys.stderr)
        with open(f"{out}.log", "w", encoding="utf-8") as log:
            subprocess.run(command, check=True, stdout=log, stderr=log)


def row_of(pcgs, family, model):
    """Mean regrets, and how much of the way from tuned Fixed Share to the limit is gone."""
    specialist = f'pcgs-tf{{model="{model}"}}'
    command = [pcgs, "suite", "--study", "main", "--families", family, "--sequences", "100", "--json",
               "--quiet", "--method", f"pcgs-tf,{specialist},fixed-share*"]
    print("+ " + " ".join(command), file=sys.stderr)
    played = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    methods = {m["name"]: m for m in played["families"][0]["methods"]}
    mean = {name: m["mean"] for name, m in methods.items()}
    own = next(name for name in mean if name.startswith("pcgs-tf{"))
    tuned, limit = mean["fixed-share*"], mean.get("bayes")

    def closed(name):
        return f"{100 * (tuned - mean[name]) / (tuned - limit):.0f} %" if limit is not None else "-"

    above = 100 * (mean["pcgs-tf"] - mean[own]) / abs(mean[own])
    won = sum(a < b for a, b in zip(methods[own]["regret"], methods["pcgs-tf"]["regret"]))
    return [family, f"{tuned:.2f}", f"{mean['pcgs-tf']:.2f}", f"{mean[own]:.2f}",
            f"{limit:.2f}" if limit is not None else "-", f"{above:.1f} %", f"{won} %",
            closed("pcgs-tf"), closed(own)]


def table(pcgs, models, out):
    os.makedirs(out, exist_ok=True)
    with open(f"{out}/specialists.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["family", "fixed-share*", "pcgs-tf", "specialist", "bayes", "pcgs-tf above it",
                       "sequences on which it is ahead", "pcgs-tf closes", "specialist closes"])
        for family in FAMILIES:
            model = f"{models}/{family}.safetensors"
            if os.path.exists(model):
                rows.writerow(row_of(pcgs, family, model))


def main():
    what, program, *rest = sys.argv[1:] if len(sys.argv) > 4 else ("", "")
    if what == "train":
        train(program, rest[0], rest[1], rest[2:])
    elif what == "table" and len(rest) == 2:
        table(program, *rest)
    else:
        sys.exit(__doc__)


main()
