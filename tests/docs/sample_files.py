"""The files that command lines of the documentation name, small and made up."""

import csv
import datetime
import json
import math
import pathlib
import random
import shutil
import subprocess
from typing import Iterable

from blocks import ROOT


def write(path: pathlib.Path, header: str, rows: Iterable[Iterable[object]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header.split(","))
        table.writerows(rows)


def hours(count: int):
    start = datetime.datetime(2026, 1, 1)
    return [f"{start + datetime.timedelta(hours=t):%Y-%m-%d %H:%M}" for t in range(count)]


def write_losses(folder: pathlib.Path, noise: random.Random) -> None:
    """Twelve experts, as examples/make_shifts.py has them; what is known of each round beside."""
    for name in ("losses.csv", "past.csv"):
        best = [noise.randrange(12) for _ in range(10)]
        rows = (
            [noise.random() * (0.4 if k == best[t // 40] else 1) for k in range(12)]
            for t in range(400)
        )
        write(folder / name, ",".join(f"e{k}" for k in range(12)), rows)
    for name in ("hours.csv", "weather.csv"):
        write(
            folder / name, "sine,cosine", ([math.sin(t / 4), math.cos(t / 4)] for t in range(400))
        )


def write_forecasts(folder: pathlib.Path, noise: random.Random) -> None:
    times = hours(340)
    load = [100 + 20 * math.sin(t * math.pi / 12) + noise.gauss(0, 2) for t in range(len(times))]
    models = [
        [y + noise.gauss(bias, error) for bias, error in ((1, 3), (-2, 4), (0, 6))] for y in load
    ]
    known = ["" if t >= 336 else y for t, y in enumerate(load)]
    rows = [[ds, y, *said] for ds, y, said in zip(times, known, models)]
    write(folder / "forecasts.csv", "ds,load,arima,forest,lag", rows)
    write(
        folder / "stores.csv",
        "store,ds,sales,a,b,c",
        ([s, *row] for s in ("north", "south") for row in rows),
    )
    write(
        folder / "panel.csv",
        "unique_id,ds,y,a,b,c",
        ([s, *row] for s in ("A", "B") for row in rows),
    )
    write(
        folder / "load.csv",
        "ds,load,ours,theirs",
        ([ds, y, *said[:2]] for ds, y, said in zip(times, load, models)),
    )


def write_hub(folder: pathlib.Path, noise: random.Random, horizons: int) -> None:
    """Weeks, places and models, and what became known later, as docs/quantiles.md shows the file;
    several horizons are in a column of their own."""
    start = datetime.date(2026, 1, 3)
    rows = []
    for week in range(30):
        day = start + datetime.timedelta(weeks=week)
        for place, level in (("north", 100), ("south", 40)):
            for horizon in range(1, horizons + 1):
                cases = round(level + 30 * math.sin((week + horizon) / 4) + noise.gauss(0, 5))
                which = [place, horizon] if horizons > 1 else [place]
                for model, error in (("arima", 6), ("ets", 12)):
                    middle = cases + noise.gauss(0, error)
                    quantiles = [round(middle + step * error) for step in (-1.3, 0, 1.3)]
                    rows.append(
                        [
                            day,
                            *which,
                            day + datetime.timedelta(weeks=horizon),
                            model,
                            *quantiles,
                            cases,
                        ]
                    )
    name, columns = ("horizons", "place,horizon") if horizons > 1 else ("hub", "place")
    write(folder / f"{name}.csv", f"week,{columns},target,model,q0.1,q0.5,q0.9,cases", rows)


def write_all(folder: pathlib.Path, program: str) -> None:
    noise = random.Random(21)
    write_losses(folder, noise)
    write_forecasts(folder, noise)
    write_hub(folder, noise, horizons=1)
    write_hub(folder, noise, horizons=2)
    (folder / "pool.json").write_text(
        json.dumps({"experts": [{"kind": "lag", "lag": 24}]}), encoding="utf-8"
    )
    for name in ("mine", "with-hours"):
        shutil.copyfile(ROOT / "models" / "regret.safetensors", folder / f"{name}.safetensors")
    command = [program, "run", "losses.csv", "--method", "guard", "--json", "--trace", "trace.csv"]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    (folder / "results.json").write_text(done.stdout, encoding="utf-8")
    command = [program, "run", "forecasts.csv", "--y", "load", "--time", "ds", "--out", "results"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
