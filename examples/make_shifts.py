"""Writes losses of twelve made-up models, an hour a row, whose best one changes with the hour of the day.

    python3 examples/make_shifts.py FILE [--days 400] [--seed 1] [--side HOURS]

The file is CSV: a column for each model, a row for each hour, losses in [0, 1]. The day has five shifts: night
(0 to 5 o'clock), morning (6 to 8), day (9 to 15), evening (16 to 19) and late (20 to 23). In each of them one
model is at home and loses 0.25 less than the others; the other seven models are at home nowhere. After 20 to 60 days
a shift is given to another model. On top of that is noise: the loss of a model in an hour is its mean plus a
deviate that is uniform in [-0.3, 0.3], cut to [0, 1].

With --side, HOURS is CSV as well and says of every row what hour comes next, as the sine and the cosine of its
place in the day: 23 o'clock and 0 o'clock are neighbours.

Everything is drawn from the seed by random.Random, which is the same in every Python, and nothing else is needed.
"""

import argparse
import math
import random

MODELS = 12
FIRST_HOURS = (0, 6, 9, 16, 20)  # of the shifts


def shift_of(hour):
    return sum(hour >= first for first in FIRST_HOURS) - 1


def rows(days, seed):
    draw = random.Random(seed)
    at_home = draw.sample(range(MODELS), len(FIRST_HOURS))
    changes = [draw.randint(20, 60) for _ in FIRST_HOURS]
    for day in range(days):
        for shift, last in enumerate(changes):
            if day < last:
                continue
            at_home[shift] = draw.choice([m for m in range(MODELS) if m not in at_home])
            changes[shift] = day + draw.randint(20, 60)
        for hour in range(24):
            best = at_home[shift_of(hour)]
            means = [0.35 if model == best else 0.6 for model in range(MODELS)]
            yield [min(1.0, max(0.0, mean + draw.uniform(-0.3, 0.3))) for mean in means]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--days", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--side")
    options = parser.parse_args()
    with open(options.file, "w", encoding="ascii") as out:
        print(*(f"m{model + 1}" for model in range(MODELS)), sep=",", file=out)
        for row in rows(options.days, options.seed):
            print(*(f"{loss:.4f}" for loss in row), sep=",", file=out)
    if options.side:
        with open(options.side, "w", encoding="ascii") as out:
            print("sine,cosine", file=out)
            for row in range(24 * options.days):
                turn = 2 * math.pi * ((row + 1) % 24) / 24
                print(f"{math.sin(turn):.4f},{math.cos(turn):.4f}", file=out)


if __name__ == "__main__":
    main()
