"""Every example in a docstring and in docs/python.md runs, and the stubs say what is there."""

import ast
import contextlib
import importlib
import inspect
import io
import pathlib

import guide
import numpy as np
import pytest

import pcgs
from pcgs import _pcgs

MODULES = ["pcgs", "pcgs._pcgs", "pcgs.comparison", "pcgs.controller", "pcgs.custom_loss", "pcgs.result"]
MODULES += ["pcgs.river", "pcgs.series"]
GUIDE = guide.DOCS / "python.md"
STUB = pathlib.Path(_pcgs.__file__).with_name("_pcgs.pyi")


def documented(module):
    """Name and docstring of a module, what it defines, and what its classes do."""
    yield module.__name__, module.__doc__
    for name, thing in vars(module).items():
        if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
            continue
        yield f"{module.__name__}.{name}", thing.__doc__
        if inspect.isclass(thing):
            for part, member in vars(thing).items():
                if not part.startswith("_"):
                    yield f"{module.__name__}.{name}.{part}", getattr(member, "__doc__", None)


def examples():
    for name in MODULES:
        for where, text in documented(importlib.import_module(name)):
            if text and ">>>" in text:
                yield pytest.param(where, text, id=where)


@pytest.mark.parametrize("where, text", list(examples()))
def test_examples_run(where, text):
    if "pandas, pcgs" in text:
        pytest.importorskip("pandas")
    guide.run_example(where, text)


def guide_blocks():
    """The code of each example in the guide, and what it says is printed."""
    for line, code, printed in guide.blocks(GUIDE) if GUIDE.exists() else ():
        yield pytest.param(code, printed, id=f"line {line}")


def write_forecasts(path):
    """Two weeks of hours, made up: the load, three models of it, and three hours that are coming."""
    random = np.random.default_rng(2026)
    hours = np.arange(14 * 24 + 3)
    load = 100 + 20 * np.sin(2 * np.pi * hours / 24) + 2 * random.standard_normal(hours.size)
    models = load[:, None] + random.standard_normal((hours.size, 3)) * [3, 4, 6] + [1, -2, 0]
    start = np.datetime64("2026-03-01T00:00")
    lines = ["ds,load,arima,forest,lag"]
    for t in hours:
        said = "" if t >= 14 * 24 else f"{load[t]:.1f}"
        lines.append(f"{start + np.timedelta64(t, 'h')},{said}," + ",".join(f"{x:.1f}" for x in models[t]))
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("code, printed", list(guide_blocks()))
def test_the_guide_runs(code, printed, tmp_path, monkeypatch):
    for library, sign in [("pandas", "pandas"), ("matplotlib", "result.plot")]:
        if sign in code:
            pytest.importorskip(library)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    write_forecasts(tmp_path / "forecasts.csv")
    random = np.random.default_rng(1)
    losses = random.random((60, 3))
    names = {
        "np": np,
        "pcgs": pcgs,
        "losses": losses,
        "forecasts": losses[0],
        "stream": [(row, row.mean()) for row in losses],
    }
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            exec(compile(code, "docs/python.md", "exec"), names)
        except pcgs.Error as error:
            assert "has no report page" in str(error)  # a build without it says so
    if printed is not None:
        assert guide.printed_as_written(printed, said.getvalue()), said.getvalue()


def test_everything_public_is_documented():
    for name in pcgs.__all__:
        thing = getattr(pcgs, name)
        if callable(thing):
            assert thing.__doc__, name
            for part, member in vars(thing).items() if inspect.isclass(thing) else ():
                if not part.startswith("_"):
                    assert member.__doc__, f"{name}.{part}"


def public(names):
    special = {"__version__", "__getstate__", "__setstate__", "__len__", "__init__"}
    return {name for name in names if not name.startswith("_") or name in special}


def names_of_values(node):
    return {part.target.id for part in node.body if isinstance(part, ast.AnnAssign)}


def test_the_stub_has_what_the_module_has():
    stub = ast.parse(STUB.read_text())
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    values = names_of_values(stub)
    imported = {
        alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert public(vars(_pcgs)) == public({*classes, *functions, *values, *(imported - {None})}) - {"SequenceOf"}
    for name, node in classes.items():
        said = {part.name for part in node.body if isinstance(part, ast.FunctionDef)} | names_of_values(node)
        there = public(vars(getattr(_pcgs, name)))
        if "__init__" not in said:  # what users cannot make
            there.discard("__init__")
        assert said == there, name


def test_the_stub_has_the_modules_arguments():
    """The first line of a docstring is the signature that the stub types."""
    stub = ast.parse(STUB.read_text())
    nodes = {(None, node.name): node for node in stub.body if isinstance(node, ast.FunctionDef)}
    for one in stub.body:
        if isinstance(one, ast.ClassDef):
            nodes.update(
                {(one.name, f.name): f for f in one.body if isinstance(f, ast.FunctionDef)}
            )
    checked = 0
    for (owner, name), node in nodes.items():
        thing = getattr(getattr(_pcgs, owner) if owner else _pcgs, name)
        if name == "__init__":
            thing, name = getattr(_pcgs, owner), owner
        first = (thing.__doc__ or "").splitlines()[:1]
        if not first or not first[0].startswith(f"{name}("):
            continue
        signature = ast.parse(f"def {first[0]}: ...").body[0].args
        said = [a.arg for a in node.args.args if a.arg != "self"]
        assert [a.arg for a in signature.args] == said, name
        assert [a.arg for a in signature.kwonlyargs] == [a.arg for a in node.args.kwonlyargs], name
        checked += 1
    assert checked > 15


def test_the_package_is_typed():
    assert STUB.with_name("py.typed").exists()
