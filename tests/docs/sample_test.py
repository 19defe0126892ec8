"""examples/load.csv is what its script writes, and what the documentation says about it is so."""

import csv
import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def rows():
    with open(EXAMPLES / "load.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_the_script_writes_the_same_bytes(tmp_path):
    again = tmp_path / "load.csv"
    subprocess.run([sys.executable, EXAMPLES / "make_load.py", again], check=True)
    assert again.read_bytes() == (EXAMPLES / "load.csv").read_bytes()


def test_120_days_are_known_and_one_is_coming():
    known = [row["load"] != "" for row in rows()]
    assert known == [True] * 120 * 24 + [False] * 24


def test_some_forecasts_are_missing_and_never_all():
    models = ["naive", "ets", "arx", "weather", "vendor", "nn"]
    there = [[row[name] != "" for name in models] for row in rows()]
    missing = {name: sum(not row[k] for row in there) for k, name in enumerate(models)}
    assert missing == {"naive": 0, "ets": 0, "arx": 0, "weather": 72, "vendor": 96, "nn": 72}
    assert all(sum(row) >= 3 for row in there)


def test_the_file_stays_small():
    assert (EXAMPLES / "load.csv").stat().st_size < 250_000
