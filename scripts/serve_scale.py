#!/usr/bin/env python3
"""What many streams cost a service: time, disk, memory, and a start.

usage: serve_scale.py PCGS OUT [--sizes 1000,10000,100000] [--default-sizes 1000,10000,20000] [--rounds 3]

Starts `pcgs serve` on the loopback with an empty store for each size, makes that many streams of three experts and
plays a few rounds of each in turn, so that beyond --in-memory every stream has to come back from the store. Then it
starts the service again and asks for streams that are not in memory. OUT gets serve-scale.csv, the table of
docs/serving.md. A size of the default method is left out if the one before it took more than 4 GB.
"""
import argparse
import csv
import itertools
import json
import os
import random
import tempfile
import time

from serve_load import LINES, Connection, Service, check

MOST_BYTES = 4_000_000_000
ASKED = 100  # streams after the start


def in_requests(port, lines):
    """Sends lines to /events; how many, and the seconds from the first to the last answer."""
    connection, done, seconds = Connection(port), 0, 0.0
    while group := list(itertools.islice(lines, LINES)):
        body = "".join(group)
        begin = time.monotonic()
        check(*connection.ask("POST", "/events", body))
        seconds += time.monotonic() - begin
        done += len(group)
    connection.socket.close()
    return done, seconds


def made(count, method):
    spec = json.dumps({"experts": ["a", "b", "c"], **({"method": method} if method else {})})
    return (f'{{"stream":"s{s}","make":{spec}}}\n' for s in range(count))


def played(count, rounds):
    draw = random.Random(1)
    for turn in range(rounds):
        for s in range(count):
            x, y = draw.random(), turn + s
            yield (f'{{"stream":"s{s}","round":{{"id":"{turn}","forecasts":'
                   f'{{"a":{y + x},"b":{y - x},"c":{y + 2 * x}}}}}}}\n')
            yield f'{{"stream":"s{s}","outcome":{{"id":"{turn}","y":{y}}}}}\n'


def bytes_in(folder):
    return sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(folder) for name in names)


def measured(program, method, count, rounds):
    """A row, and the bytes that it took."""
    limit = ("--streams", str(count))
    with tempfile.TemporaryDirectory() as folder:
        with Service(program, folder, *limit) as service:
            _, making = in_requests(service.port, made(count, method))
            events, playing = in_requests(service.port, played(count, rounds))
            memory = service.resident_bytes()
        disk = bytes_in(folder)
        begin = time.monotonic()
        with Service(program, folder, *limit) as service:
            connection = Connection(service.port)
            check(*connection.ask("GET", "/health", ""))
            start = time.monotonic() - begin
            latencies = []
            for s in random.Random(2).sample(range(count), ASKED):
                begin = time.monotonic()
                check(*connection.ask("GET", f"/streams/s{s}", ""))
                latencies.append(1000 * (time.monotonic() - begin))
            connection.socket.close()
    latencies.sort()
    row = [f"{count}", method or "default", f"{1e6 * making / count:.0f}", f"{1e6 * playing / events:.0f}",
           f"{disk / count / 1000:.2f}", f"{memory / 1e6:.0f}", f"{start:.2f}", f"{latencies[ASKED // 2]:.2f}",
           f"{latencies[-1]:.2f}"]
    print(*row, sep=", ", flush=True)
    return row, disk


def main():
    def sizes(text):
        return [int(size) for size in text.split(",") if size]

    parser = argparse.ArgumentParser()
    parser.add_argument("pcgs")
    parser.add_argument("out")
    parser.add_argument("--sizes", type=sizes, default=[1000, 10000, 100000])
    parser.add_argument("--default-sizes", type=sizes, default=[1000, 10000, 20000])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rows = [["streams", "method", "µs to make one", "µs an event", "kB of disk a stream", "MB of memory", "s to start",
             "ms to come back, 50 %", "ms, slowest of 100"]]
    for method, counts in (("fixed-share", options.sizes), (None, options.default_sizes)):
        for count in counts:
            row, disk = measured(options.pcgs, method, count, options.rounds)
            rows.append(row)
            if disk > MOST_BYTES:
                break
    with open(f"{options.out}/serve-scale.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
