"""Other threads while pcgs works: what they may do, and how a process ends that has some."""

import ctypes
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import pcgs

ENDLESS = {
    "learn": """
        agg = pcgs.Aggregator(32, "guard{learned=0}")
        while True:
            for row in losses: agg.learn(losses=row)
    """,
    "run": """
        while True: pcgs.run(losses, methods="fixed-share*")
    """,
    "oracle": """
        while True: pcgs.switching_oracle(losses, 50)
    """,
    "controller": """
        class Slow(pcgs.Controller):
            def after(self, round):
                for _ in range(10000): pass
                return pcgs.Controls(eta=1)
        agg = pcgs.Aggregator(32, Slow())
        while True:
            for row in losses: agg.learn(losses=row)
    """,
}


@pytest.mark.skipif(
    "PCGS_SANITIZED" in os.environ,
    reason="a sanitizer watches what threads do while the process takes its memory down",
)
@pytest.mark.parametrize("work", ENDLESS.values(), ids=ENDLESS)
def test_a_process_ends_well_while_a_thread_works(work):
    """Two threads, so that at the end one of them waits for the interpreter."""
    script = "\n".join(
        [
            "import sys, threading, time, numpy as np, pcgs",
            "sys.setswitchinterval(1e-4)",
            "losses = np.random.default_rng(0).random((300, 32))",
            "def work():",
            textwrap.indent(textwrap.dedent(work), "    "),
            "for _ in range(2): threading.Thread(target=work, daemon=True).start()",
            "time.sleep(0.3)",
        ]
    )
    for _ in range(3):
        ended = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
        )
        assert (ended.returncode, ended.stderr) == (0, "")


def longest_wait(work, meanwhile=lambda: None):
    """The longest that this thread had to wait for the interpreter while another was at work, as a
    share of that work's time: nearly 1 if the work never gives the interpreter up."""
    interval = []
    finished = threading.Event()

    def timed():
        interval.append(time.perf_counter())
        work()
        interval.append(time.perf_counter())
        finished.set()

    thread = threading.Thread(target=timed)
    thread.start()
    stamps = []
    while not finished.wait(0.001):
        stamps.append(time.perf_counter())
        meanwhile()
    thread.join()
    start, end = interval
    inside = [start, *(stamp for stamp in stamps if start < stamp < end), end]
    return np.diff(inside).max() / (end - start)


LONG = {
    "run": lambda losses: pcgs.run(losses, methods="guard,pcgs-tf"),
    "oracle": lambda losses: pcgs.switching_oracle(np.tile(losses, (5, 1)), 4000),
    "path": lambda losses: pcgs.switching_oracle(np.tile(losses, (5, 1)), 1000, path=True),
}


@pytest.mark.parametrize("work", LONG.values(), ids=LONG)
def test_other_threads_run_meanwhile(work):
    """Works that take a few tenths of a second: whoever waits for half of that is kept waiting."""
    losses = np.random.default_rng(0).random((3000, 32))
    assert longest_wait(lambda: work(losses)) < 0.5


def test_the_wait_would_be_seen():
    sleep_with_the_interpreter = ctypes.PyDLL(None).usleep
    assert longest_wait(lambda: sleep_with_the_interpreter(300_000)) > 0.5


def test_others_run_while_an_aggregator_learns_and_cannot_use_it():
    losses = np.random.default_rng(0).random((60, 5000))
    agg = pcgs.Aggregator(5000, "guard{learned=0}")
    refused = []

    def reach():
        try:
            agg.weights()
        except pcgs.Error as error:
            refused.append(str(error))

    def learn_all():
        for row in losses:
            agg.learn(losses=row)

    assert longest_wait(learn_all, meanwhile=reach) < 0.5
    assert refused and all("one thread at a time" in sentence for sentence in refused)
    assert agg.rounds == 60


@pytest.mark.parametrize("certify", [True, False])
def test_a_controller_may_write_into_the_callers_losses(certify):
    losses = np.array([0.1, 0.9])

    class Writing(pcgs.Controller):
        def after(self, round):
            losses[:] = np.nan
            return pcgs.Controls(eta=4)

    agg = pcgs.Aggregator(2, Writing(), certify=certify)
    plain = pcgs.Aggregator(2, "hedge{eta=4}")
    plain.learn(losses=losses)
    agg.learn(losses=losses)
    assert agg.weights().tolist() == plain.weights().tolist()
    assert agg.total_loss == plain.total_loss


def test_a_path_does_not_see_what_other_threads_write():
    """The first oracle takes the losses as they are; a thread then overwrites them."""
    losses = np.random.default_rng(0).random((4000, 32))
    given = losses.copy()
    asked, stop = threading.Event(), threading.Event()

    def write():
        asked.wait()
        while True:
            given[:] = -1.0
            given[:] = 1e9
            if stop.is_set():
                return

    expected = pcgs.switching_oracle(losses, 2000, path=True)
    thread = threading.Thread(target=write)
    thread.start()
    before = sys.getswitchinterval()
    sys.setswitchinterval(100)  # nobody else runs before pcgs lets them
    try:
        asked.set()
        best = pcgs.switching_oracle(given, 2000, path=True)
    finally:
        sys.setswitchinterval(before)
        stop.set()
        thread.join()
    assert (given != losses).all()
    assert best.values.tolist() == expected.values.tolist()
    assert best.path.tolist() == expected.path.tolist()
