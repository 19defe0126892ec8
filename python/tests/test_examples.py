"""The examples run; what they claim, they assert."""

import json
import pathlib
import runpy

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
NEEDS = {"three_models": "sklearn"}
SERVES = {"service"}  # does not end by itself; tests/docs/cookbook_test.py talks to it


@pytest.mark.parametrize("name", sorted({path.stem for path in EXAMPLES.glob("*.py")} - SERVES))
def test_scripts_run(name, tmp_path, monkeypatch, capsys):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [f"{name}.py"])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out


SAYS = {
    "tour": "proved to be at most",
    "beat_your_best_model": "below that of your best model",
}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_run_and_draw(path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot

    notebook = json.loads(path.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    monkeypatch.chdir(EXAMPLES)
    names, pictures = {}, 0
    for cell in notebook["cells"]:
        assert cell["id"] and cell["cell_type"] in ("markdown", "code")
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None  # `make docs` plays them
            exec(compile("".join(cell["source"]), f"{path.name}, {cell['id']}", "exec"), names)
            pictures += len(matplotlib.pyplot.get_fignums())
            matplotlib.pyplot.close("all")
    assert pictures >= 4
    assert SAYS[path.stem] in capsys.readouterr().out


def test_there_are_examples():
    assert len(list(EXAMPLES.glob("*.py"))) == 4
    assert {path.stem for path in EXAMPLES.glob("*.ipynb")} == set(SAYS)
