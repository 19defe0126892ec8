"""Kills the service with SIGKILL between and during requests: what was answered stays, and in the end every forecast is
that of an offline run.

kill_serve.py PROGRAM [--kills N] [--seed N] [--unsafe]

--unsafe: with --unsafe-no-sync, which a killed process survives, too."""

import argparse
import csv
import pathlib
import random
import signal
import subprocess
import tempfile

from served import Service

EXPERTS = ["a", "b", "c"]
STREAMS = ["north", "south"]


def rows_of(stream, rounds):
    draw = random.Random(stream)
    y, rows = 100.0, []
    for _ in range(rounds):
        y += draw.gauss(0, 1)
        rows.append((y, [y + draw.gauss(0, k + 1) if draw.random() > 0.1 else None for k in range(len(EXPERTS))]))
    return rows


def offline(program, folder, stream, rows):
    table = folder / f"{stream}.csv"
    with open(table, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["y", *EXPERTS])
        writer.writerows([repr(y), *("" if x is None else repr(x) for x in xs)] for y, xs in rows)
    subprocess.run([program, "run", table, "--y", "y", "--quiet", "--out", folder / stream], check=True,
                   stdout=subprocess.DEVNULL)
    with open(folder / stream / "forecasts.csv") as file:
        return [None if row[-1] == "" else float(row[-1]) for row in list(csv.reader(file))[1:]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    for name, usual in (("--kills", 40), ("--seed", 7)):
        parser.add_argument(name, type=int, default=usual)
    parser.add_argument("--unsafe", action="store_true")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        service = Service(options.program, folder / "store", arguments=["--unsafe-no-sync"] if options.unsafe else [])
        rounds = options.kills  # of each stream, with two requests in each: one in four is a kill
        rows = {stream: rows_of(stream, rounds) for stream in STREAMS}
        published = {stream: [] for stream in STREAMS}
        kills = 0
        for stream in STREAMS:
            assert service.ask("PUT", f"/streams/{stream}", {"experts": EXPERTS})[0] == 201
        for t in range(rounds):
            for stream in STREAMS:
                y, xs = rows[stream][t]
                requests = [("rounds", {"id": f"t{t}", "forecasts": dict(zip(EXPERTS, xs))}),
                            ("outcomes", {"id": f"t{t}", "y": y})]
                for route, body in requests:
                    path = f"/streams/{stream}/{route}"
                    before = service.ask("POST", path, body) if draw.random() < 0.5 else None
                    if draw.random() < 0.25:
                        service.send_and_kill(path, body)
                        service.start()
                        kills += 1
                    status, answer = service.ask("POST", path, body)
                    assert status == 200, answer
                    assert before in (None, (status, answer)), f"{path}: {before} became {answer}"
                    if route == "rounds":
                        published[stream].append(answer["forecast"])
                status, _ = service.ask("POST", f"/streams/{stream}/outcomes", {"id": f"t{t}", "y": y + 1})
                assert status == 409, status
        service.stop(signal.SIGTERM)
        for stream in STREAMS:
            assert published[stream] == offline(options.program, folder, stream, rows[stream]), stream
        assert kills >= options.kills / 2, kills
        print(f"{kills} kills, {len(STREAMS) * rounds} forecasts, all of them those of an offline run")


main()
