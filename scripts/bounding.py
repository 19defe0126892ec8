#!/usr/bin/env python3
"""Losses that are clipped beside losses that are bent by Catoni's function: what is worth learning from?

usage: bounding.py PCGS OUT

Plays squares of the heavy-tail family's unclipped losses (600 rounds, 32 experts, jump probability
0.03, 20 sequences for each df), divided by several scales C, and writes OUT/bounding.csv: the mean
dynamic regret on the losses as they are, neither clipped nor bent (12 switches), of methods that
learned from min(l/C, 1); how much lower it is when they learn from Catoni's bound, with the 95 %
interval of Student's t over the sequences; on how many that is so; and a two-sided p from 100,000
random signs of the differences. Needs NumPy and the Python package beside the program.
"""
import csv
import io
import os
import subprocess
import sys

import numpy as np
import pcgs

METHODS = ["fixed-share", "guard", "pcgs-tf"]
ROUNDS, EXPERTS, SEQUENCES, SWITCHES = 600, 32, 20, 12
T_95 = 2.093  # 97.5 % quantile of Student's t with 19 degrees of freedom
SCALES = ["0.25", "0.5", "1", "2", "5", "auto"]  # most losses are near 0.25


def raw_losses(program, df, seed):
    family = f"heavy-tail{{df={df},jump_probability=0.03}}"
    made = subprocess.run([program, "suite", "--sequence", family, "--unclipped", "--rounds", str(ROUNDS), "--experts",
                           str(EXPERTS), "--seed", str(seed)], check=True, stdout=subprocess.PIPE, text=True)
    return np.loadtxt(io.StringIO(made.stdout), delimiter=",", skiprows=1) ** 2


def regrets(losses, scale):
    result = pcgs.run(losses, methods=METHODS, switches=SWITCHES, scale=scale)
    return [result[method]["unclipped"]["regret"][str(SWITCHES)] for method in METHODS]


def sign_p(differences, random):
    signs = random.choice([-1, 1], (100_000, len(differences)))
    means = np.abs(signs @ differences)
    return (1 + np.count_nonzero(means >= abs(differences.sum()) * (1 - 1e-12))) / 100_001


def cells(clipped, bent, random):
    better = clipped - bent
    mean, half = better.mean(), T_95 * better.std(ddof=1) / np.sqrt(len(better))
    return [f"{clipped.mean():.2f}", f"{mean:+.2f} [{mean - half:+.2f}, {mean + half:+.2f}]",
            f"{100 * np.mean(better > 0):.0f} %", f"{sign_p(better, random):.1g}"]


def main():
    program, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(1)
    head = ["df", "C"]
    for method in METHODS:
        head += [f"{method}: clipped", "bent: lower by", "won", "p"]
    rows = []
    for df in (2, 3, 5):
        sequences = [raw_losses(program, df, seed) for seed in range(SEQUENCES)]
        for scale in SCALES:
            number = scale if scale == "auto" else float(scale)
            clipped = np.array([regrets(losses, number) for losses in sequences])
            bent = np.array([regrets(losses, f"catoni:{scale}") for losses in sequences])
            row = [str(df), scale]
            for m in range(len(METHODS)):
                row += cells(clipped[:, m], bent[:, m], random)
            rows.append(row)
            print(*row, sep="  ", flush=True)
    with open(f"{folder}/bounding.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head] + rows)


main()
