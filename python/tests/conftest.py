"""What the tests share: the program to compare with, and losses to play on."""

import json
import os
import subprocess

import numpy as np
import pytest


def pytest_sessionfinish(session):
    """`make python-test` has all installed that Debian has: there a skipped test is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = [
        report
        for report in reporter.stats.get("skipped", [])
        if "could not import 'river'" not in str(report.longrepr)
    ]
    if os.environ.get("PCGS_SKIP_NOTHING") and skipped:
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
