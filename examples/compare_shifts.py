"""Plays models on sequences of make_shifts.py that they were not trained on, beside the shipped pcgs-tf.

    python3 examples/compare_shifts.py build/release/pcgs mine.safetensors [OTHER.safetensors ...]

Twenty sequences of 100 days, seeds 101 to 120. Prints for each method the mean loss of a round, its difference to
that of pcgs-tf with its standard error over the sequences, and on how many sequences it lost less.
"""

import json
import math
import os
import subprocess
import sys
import tempfile

SEEDS = range(101, 121)
DAYS = 100


def losses_of(pcgs, methods, seed, folder):
    """The mean loss of a round of every method on one sequence."""
    losses, hours = os.path.join(folder, "losses.csv"), os.path.join(folder, "hours.csv")
    make = os.path.join(os.path.dirname(__file__), "make_shifts.py")
    arguments = [losses, "--days", str(DAYS), "--seed", str(seed), "--side", hours]
    subprocess.run([sys.executable, make, *arguments], check=True)
    run = [pcgs, "run", losses, "--side-file", hours, "--json", "--method", ",".join(methods)]
    played = json.loads(subprocess.run(run, check=True, stdout=subprocess.PIPE).stdout)
    return [method["total_loss"] / played["rounds"] for method in played["methods"]]


def main():
    pcgs, *models = sys.argv[1:]
    methods = ["pcgs-tf", *(f"pcgs-tf{{model={model}}}" for model in models), "guard", "fixed-share*"]
    with tempfile.TemporaryDirectory() as folder:
        rows = [losses_of(pcgs, methods, seed, folder) for seed in SEEDS]
    print(f"{'method':40} mean loss  beside pcgs-tf     better on")
    for index, method in enumerate(methods):
        mean = sum(row[index] for row in rows) / len(rows)
        differences = [row[index] - row[0] for row in rows]
        difference = sum(differences) / len(rows)
        variance = sum((d - difference) ** 2 for d in differences) / (len(rows) - 1)
        error = math.sqrt(variance / len(rows))
        better = sum(d < 0 for d in differences)
        beside = f"{difference:+.4f} ± {error:.4f}" if index else ""
        print(f"{method:40} {mean:9.4f}  {beside:17} {f'{better} of {len(rows)}' if index else ''}".rstrip())


if __name__ == "__main__":
    main()
