"""What the tests share: the program to compare with, and losses to play on."""

import json
import os
import subprocess

import numpy as np
import pytest


NOT_IN_DEBIAN = ("altair", "darts", "mlforecast", "polars", "pyarrow", "river", "sktime", "statsforecast")


def pytest_sessionfinish(session):
    """With PCGS_SKIP_NOTHING a skipped test is a failure: with 1, as in `make python-test`, where all is
    installed that Debian has, unless it needs what Debian has not; with all in any case, as in
    `make adapters-test`."""
    wanted = os.environ.get("PCGS_SKIP_NOTHING")
    excused = () if wanted == "all" else NOT_IN_DEBIAN
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = [
        report
        for report in reporter.stats.get("skipped", [])
        if not any(f"could not import '{name}'" in str(report.longrepr) for name in excused)
    ]
    if wanted and skipped:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def program():
    """Runs `pcgs` and returns what it printed; without a program there is nothing to compare."""
    path = os.environ.get("PCGS_PROGRAM")
    if not path:
        pytest.skip("PCGS_PROGRAM does not say where the program is")

    def run(*arguments):
        return subprocess.run(
            [path, *map(str, arguments)], check=True, capture_output=True, text=True
        ).stdout

    return run


@pytest.fixture(scope="session")
def program_json(program):
    return lambda *arguments: json.loads(program(*arguments, "--json"))


@pytest.fixture
def losses():
    return shifting_losses(rounds=300, experts=5, seed=1)


def shifting_losses(rounds, experts, seed):
    """[T x K] in [0, 1]; the best expert changes every 40 rounds."""
    random = np.random.default_rng(seed)
    table = random.random((rounds, experts)) * 0.6 + 0.4
    best = np.repeat(random.integers(experts, size=rounds // 40 + 1), 40)[:rounds]
    table[np.arange(rounds), best] *= 0.4
    return table
