"""The examples for Spark and Dask give the forecasts of `pcgs run --by`, to the bit.

`make batch-test` runs this where pyspark and dask are installed. PCGS_PROGRAM is the program.
"""

import csv
import datetime
import os
import pathlib
import random
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SERIES, DAYS, COMING = 40, 70, 3
MODELS = ["naive", "ets", "nn"]


def rows_of_a_panel():
    """Series of other lengths, with numbers of all digits, in which days, forecasts and outcomes are missing."""
    draw = random.Random(11)
    names = [f"{s:03}" for s in range(SERIES - 1)] + ["Zürich, north"]
    begins = {name: draw.randrange(DAYS - 20) for name in names}
    for day in range(DAYS):
        for name in names:
            if day < begins[name] or draw.random() < 0.02:
                continue
            y = draw.gauss(100, 10)
            forecasts = [y + draw.gauss(k, 1 + k) if draw.random() < 0.95 else "" for k in range(len(MODELS))]
            known = day < DAYS - COMING and draw.random() < 0.98
            date = datetime.date(2026, 1, 1) + datetime.timedelta(day)
            yield [name, date.isoformat(), y if known else "", *forecasts]


def forecasts_in(path, column):
    """{(series, day): forecast}; None where nobody had one."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = {(row["unique_id"], row["ds"]): float(row[column]) if row[column] else None for row in rows}
    assert len(found) == len(rows)
    return found


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([["unique_id", "ds", "y", *MODELS], *rows])


@pytest.fixture(scope="module")
def panel(tmp_path_factory):
    """A folder with the panel, whole and in parts that cut series, and what the program makes of it."""
    folder = tmp_path_factory.mktemp("panel")
    rows = list(rows_of_a_panel())
    write(folder / "panel.csv", rows)
    for part in range(5):
        write(folder / f"part-{part}.csv", rows[part::5])
    subprocess.run(
        [os.environ["PCGS_PROGRAM"], "run", "panel.csv", "--y", "y", "--time", "ds", "--by", "unique_id",
         "--season", "7", "--out", "out"],
        cwd=folder, check=True, stdout=subprocess.DEVNULL,
    )
    return folder, forecasts_in(folder / "out" / "forecasts.csv", "blend")


@pytest.mark.parametrize("name", ["spark_panel", "dask_panel"])
@pytest.mark.parametrize("files", ["panel.csv", "part-*.csv"])
def test_forecasts_are_those_of_the_program_to_the_bit(name, files, panel, tmp_path):
    folder, expected = panel
    assert len({series for series, _ in expected}) == SERIES
    subprocess.run([sys.executable, EXAMPLES / f"{name}.py", files, tmp_path / "out.csv"], cwd=folder, check=True)
    assert forecasts_in(tmp_path / "out.csv", "forecast") == expected


def test_the_panel_is_no_easy_one(panel):
    folder, expected = panel
    with open(folder / "panel.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert any(row["y"] == "" and row["ds"] < "2026-03-01" for row in rows)
    assert any(row["nn"] == "" for row in rows)
    assert sum(forecast is not None for forecast in expected.values()) > 1000
    lengths = {sum(1 for row in rows if row["unique_id"] == name) for name in {row["unique_id"] for row in rows}}
    assert min(lengths) < 30 < max(lengths)
