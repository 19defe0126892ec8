"""What several threads gain where `pcgs run --by` combines many series.

A time counts only if the answer is right: every run must print the bytes of the first one. Runs with one
thread and with several take turns, and each pair gives a ratio. On a machine that others use, too, one thread
finds a core that is free where several do not, so how much others took is told: it makes ratios smaller.

    series_bench.py PROGRAM [--series 2000] [--rounds 100] [--threads N] [--pairs 7]
"""

import argparse
import os
import random
import statistics
import subprocess
import tempfile
import time


def write_panel(path, series, rounds):
    """Three models of each series, in the order of time, as a job that runs every day would write it."""
    draw = random.Random(1)
    with open(path, "w", encoding="ascii") as file:
        print("series,y,good,late,biased", file=file)
        before = [100.0] * series
        for _ in range(rounds):
            for s in range(series):
                y = 0.8 * before[s] + draw.gauss(20, 5)
                print(f"s{s},{y:.3f},{y + draw.gauss(0, 2):.3f},{before[s]:.3f},{y + draw.gauss(3, 1):.3f}", file=file)
                before[s] = y


def machine_seconds():
    """Of all cores together, since the start: at work, for whomever, and in all."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, idle, waiting, *more = map(int, file.readline().split()[1:9])
    busy = user + nice + system + sum(more)
    return busy / os.sysconf("SC_CLK_TCK"), (busy + idle + waiting) / os.sysconf("SC_CLK_TCK")


class Runs:
    """Whole processes with so many threads: seconds, seconds of the CPU, and the share that others took of it."""

    def __init__(self, program, path, threads, method):
        self.command = [program, "run", path, "--y", "y", "--by", "series", "--method", method,
                        "--threads", str(threads), "--json", "--quiet"]
        self.seconds, self.cpu, self.others = [], [], []

    def once(self):
        """What it prints."""
        busy, every = machine_seconds()
        before, start = os.times(), time.perf_counter()
        printed = subprocess.check_output(self.command)
        self.seconds.append(time.perf_counter() - start)
        after = os.times()
        busy, every = machine_seconds()[0] - busy, machine_seconds()[1] - every
        self.cpu.append(after.children_user + after.children_system - before.children_user - before.children_system)
        self.others.append(max(0, busy - self.cpu[-1]) / every)
        return printed


def in_range(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--series", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--pairs", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/panel.csv"
        write_panel(path, options.series, options.rounds)
        print(f"{options.series} series of {options.rounds} rounds; medians of {options.pairs} pairs, and their range")
        for method in ("blend", "ml-poly"):
            one, several = (Runs(options.program, path, threads, method) for threads in (1, options.threads))
            printed = set()
            for pair in range(options.pairs):
                # Whoever comes first has the colder machine.
                for runs in (one, several) if pair % 2 == 0 else (several, one):
                    printed.add(runs.once())
            assert len(printed) == 1, "what is printed depends on threads"
            ratios = [a / b for a, b in zip(one.seconds, several.seconds)]
            print(f"  {method}: ratio {in_range(ratios)}")
            for threads, runs in ((1, one), (options.threads, several)):
                print(f"    threads {threads}: {in_range(runs.seconds)} s, {in_range(runs.cpu)} s of the CPU; "
                      f"others took {in_range(runs.others)} of the machine", flush=True)


if __name__ == "__main__":
    main()
