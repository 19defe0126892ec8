"""Other threads while pcgs works: what they may do, and how a process ends that has some."""

import subprocess
import sys
import textwrap
import threading

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
    "generate": """
        while True: pcgs.suite.generate("switch", 2000, 32)
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
        while not stop.is_set():
            given[:] = -1.0
            given[:] = 1e9

    expected = pcgs.switching_oracle(losses, 200, path=True)
    thread = threading.Thread(target=write)
    thread.start()
    before = sys.getswitchinterval()
    sys.setswitchinterval(100)  # nobody else runs before pcgs lets them
    try:
        asked.set()
        best = pcgs.switching_oracle(given, 200, path=True)
    finally:
        sys.setswitchinterval(before)
        stop.set()
        thread.join()
    assert (given != losses).all()
    assert best.values.tolist() == expected.values.tolist()
    assert best.path.tolist() == expected.path.tolist()
