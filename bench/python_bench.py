"""What Python costs beyond C++: a round of the loop, and a whole run.

A time counts only if the answer is right: totals are compared with the program's. Every figure is
the median of interleaved repetitions, with half the range between the quartiles as its spread.

    python_bench.py PROGRAM
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import pcgs

REPETITIONS = 21
ROUNDS, EXPERTS = 6000, 32


def loop(losses, certify):
    """Nanoseconds a round, and the total loss."""
    agg = pcgs.Aggregator(EXPERTS, "fixed-share", certify=certify)
    start = time.perf_counter_ns()
    for row in losses:
        agg.weights()
        agg.learn(losses=row)
    return (time.perf_counter_ns() - start) / len(losses), agg.total_loss


def forecast_loop(losses):
    """The same with forecasts of 0: predict and learn. What is lost is the square of each row."""
    agg = pcgs.Aggregator(EXPERTS, "fixed-share", scale=1, certify=False)
    start = time.perf_counter_ns()
    for row in losses:
        agg.predict(row)
        agg.learn(0.0)
    return (time.perf_counter_ns() - start) / len(losses), agg.total_loss


def in_python(losses, method):
    """Milliseconds, nanoseconds a round as the library measures them, and the total loss."""
    start = time.perf_counter_ns()
    only = pcgs.run(losses, methods=[method], switches=[20]).to_dict()["methods"][0]
    return (time.perf_counter_ns() - start) / 1e6, only["ns_per_round"], only["total_loss"]


def in_the_program(program, path, method):
    """The same; the time is that of the whole process."""
    command = [program, "run", path, "--method", method, "--switches", "20", "--json", "--quiet"]
    start = time.perf_counter_ns()
    printed = subprocess.check_output(command)
    spent = (time.perf_counter_ns() - start) / 1e6
    only = json.loads(printed)["methods"][0]
    return spent, only["ns_per_round"], only["total_loss"]


def median(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:9.2f} +- {(high - low) / 2:.2f}"


def ratio(ours, theirs):
    return median([a / b for a, b in zip(ours, theirs)])


def main(program):
    losses = np.array(pcgs.suite.generate("switch", ROUNDS, EXPERTS, 1).losses)
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file, losses)
        file.flush()
        with tempfile.NamedTemporaryFile(suffix=".npy") as squares:
            np.save(squares, losses**2)
            squares.flush()
            total_of_squares = in_the_program(program, squares.name, "fixed-share")[2]

        columns = {name: [] for name in ("C++", "loop", "certified", "forecasts")}
        for _ in range(REPETITIONS):
            _, inside, total = in_the_program(program, file.name, "fixed-share")
            columns["C++"].append(inside)
            for name, certify in (("loop", False), ("certified", True)):
                spent, ours = loop(losses, certify)
                assert ours == total, "the loop plays the program's rounds"
                columns[name].append(spent)
            spent, ours = forecast_loop(losses)
            assert ours == total_of_squares, "forecasts lose what the program's losses are"
            columns["forecasts"].append(spent)
        print(f"fixed-share, {EXPERTS} experts, ns a round; median of {REPETITIONS}")
        print(f"  the program                              {median(columns['C++'])}")
        for name, what in (
            ("loop", "weights() and learn(losses=), certify=False"),
            ("certified", "weights() and learn(losses=)               "),
            ("forecasts", "predict() and learn(y), certify=False      "),
        ):
            beyond = [a - b for a, b in zip(columns[name], columns["C++"])]
            print(f"  {what}{median(columns[name])}, beyond C++ {median(beyond)}")

        print(
            f"{ROUNDS} x {EXPERTS}, one method, one oracle of 20 switches; median of {REPETITIONS}"
        )
        for method in ("fixed-share", "guard"):
            ours, theirs = [], []
            for _ in range(REPETITIONS):
                ours.append(in_python(losses, method))
                theirs.append(in_the_program(program, file.name, method))
                assert ours[-1][2] == theirs[-1][2], "run() gives the program's total"
            wall = [[one[0] for one in side] for side in (ours, theirs)]
            inside = [[one[1] for one in side] for side in (ours, theirs)]
            print(f"  {method}: pcgs.run ms           {median(wall[0])}")
            print(f"  {method}: the process ms        {median(wall[1])}")
            print(f"  {method}: ratio, whole          {ratio(*wall)}")
            print(f"  {method}: ratio, ns a round     {ratio(*inside)}")


if __name__ == "__main__":
    main(sys.argv[1])
