"""How far a long run is: nothing where nobody watches, tqdm's bar or a line where somebody does."""

import sys
import types

import numpy as np
import pytest

import pcgs
from pcgs import _progress

ROUNDS = 6000


def table():
    return np.random.default_rng(1).random((ROUNDS, 4))


class Terminal:
    def __init__(self):
        self.said = ""

    def isatty(self):
        return True

    def write(self, text):
        self.said += text

    def flush(self):
        pass


class Bar:
    """What is used of tqdm's."""

    made = []

    def __init__(self, **options):
        self.options, self.n, self.total, self.closed = options, 0, None, False
        Bar.made.append(self)

    def update(self, n):
        self.n += n

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closed = True


@pytest.fixture
def tqdm(monkeypatch):
    Bar.made = []
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    return Bar.made


def test_a_function_is_told_and_sees_the_end():
    said = []
    pcgs.run(table(), methods=["hedge", "boa"], progress=lambda *told: said.append(told))
    assert said[-1] == (ROUNDS, ROUNDS)
    assert all(0 <= played <= rounds == ROUNDS for played, rounds in said)
    assert said == sorted(said)


@pytest.mark.parametrize("methods", ["hedge", "blend", ["boa", "hedge*", "blend"]])
def test_rounds_are_those_of_the_table_whatever_plays_them(methods):
    said = []
    pcgs.run(table()[:300], np.ones(300), methods=methods, progress=lambda *told: said.append(told))
    assert said[-1] == (300, 300) and {rounds for _, rounds in said} == {300}


def test_what_it_raises_ends_the_run():
    class Enough(Exception):
        pass

    def stop(*_):
        raise Enough

    with pytest.raises(Enough):
        pcgs.run(table(), methods="hedge", progress=stop)


def test_nothing_is_shown_where_nobody_watches(tqdm, capfd):
    pcgs.run(table(), methods="hedge")
    pcgs.run(table(), methods="hedge", progress=False)
    assert tqdm == [] and capfd.readouterr() == ("", "")


def test_a_terminal_gets_a_bar_that_goes_away_and_waits_for_long_runs(tqdm, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    pcgs.run(table(), methods="hedge", name="losses of May")
    [bar] = tqdm
    assert (bar.n, bar.total, bar.closed) == (ROUNDS, ROUNDS, True)
    assert bar.options["desc"] == "losses of May" and not bar.options["leave"]
    assert bar.options["delay"] > 0
    pcgs.run(table(), methods="hedge", progress=False)
    assert len(tqdm) == 1


def test_whoever_asks_for_a_bar_gets_one(tqdm):
    pcgs.run(table(), methods="hedge", progress=True)
    assert [bar.options["delay"] for bar in tqdm] == [0]


def test_a_notebook_is_watched(tqdm, monkeypatch):
    class ZMQInteractiveShell:
        pass

    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=ZMQInteractiveShell))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    sys.modules["tqdm"].auto = sys.modules["tqdm.auto"]
    assert _progress._is_watched()
    pcgs.run(table(), methods="hedge")
    assert len(tqdm) == 1


def test_without_tqdm_there_is_a_line_for_whoever_asks(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys, "stderr", Terminal())
    pcgs.run(table(), methods="hedge")
    assert sys.stderr.said == ""
    pcgs.run(table(), methods="hedge", progress=True)
    assert sys.stderr.said.endswith("\rplaying: 100 %\n") and sys.stderr.said.count("\n") == 1


def test_it_changes_no_number():
    one = pcgs.run(table(), methods="boa", progress=lambda *_: None)
    assert one["boa"]["total_loss"] == pcgs.run(table(), methods="boa")["boa"]["total_loss"]
