"""The package and the program are one library: the same input gives the same bits."""


import numpy as np
import pytest

import pcgs

METHODS = [*(m for m in pcgs.methods() if m not in ("blend", "pcgs-tf:combine")), "fixed-share{eta=8,rho=0.003}", "guard{learned=0}"]


def without_times(result):
    for method in result["methods"]:
        del method["ns_per_round"]
    return result


@pytest.fixture
def loss_file(tmp_path, losses):
    path = tmp_path / "losses.npy"
    np.save(path, losses)
    return path


@pytest.mark.parametrize("method", METHODS)
def test_the_loop_plays_the_programs_weights(method, losses, loss_file, program_json):
    printed = program_json("run", loss_file, "--method", method)["methods"][0]
    agg = pcgs.Aggregator(experts=losses.shape[1], method=method)
    for row in losses:
        agg.learn(losses=row)
    assert agg.total_loss == printed["total_loss"]
    assert agg.weights().tolist() == printed["next_weights"]


def test_run_on_losses_is_pcgs_run(losses, loss_file, program, program_json):
    printed = program_json("run", loss_file, "--method", "all", "--switches", "0,7,30")
    result = pcgs.run(losses, methods="all", switches=[0, 7, 30])
    assert without_times(result.to_dict()) == without_times(printed)


def test_the_loop_on_a_long_series_is_pcgs_run(tmp_path, program_json):
    random = np.random.default_rng(4)
    y = np.cumsum(random.standard_normal(400))
    table = np.column_stack([np.roll(y, 1), np.roll(y, 2), np.zeros(400)])
    rows = ["lag1,lag2,zero,y"] + [
        ",".join(repr(float(x)) for x in [*row, outcome]) for row, outcome in zip(table, y)
    ]
    (tmp_path / "f.csv").write_text("\n".join(rows) + "\n")
    printed = program_json(
        *("run", tmp_path / "f.csv", "--y", "y", "--experts", "lag1,lag2,zero"),
        *("--method", "fixed-share", "--switches", "5"),
    )
    agg = pcgs.Aggregator(experts=["lag1", "lag2", "zero"], method="fixed-share")
    for row, outcome in zip(table, y):
        agg.predict(row)
        agg.learn(outcome)
    only = printed["methods"][0]
    assert agg.scale == printed["scale"]
    assert agg.total_loss == only["total_loss"]
    assert agg.weights().tolist() == only["next_weights"]
    assert agg.certificate().bound == only["certificate"]["bound"]
    assert agg.certificate().regret == only["certificate"]["regret"]


def test_a_state_of_the_program_goes_on_in_python(losses, loss_file, tmp_path, program):
    program("run", loss_file, "--method", "fixed-share", "--save", tmp_path / "state", "--quiet")
    went_on = pcgs.Aggregator.load(tmp_path / "state")
    straight = pcgs.Aggregator(experts=[f"e{k}" for k in range(1, 6)], method="fixed-share")
    for row in losses:
        straight.learn(losses=row)
    assert went_on.note  # of the program's, for the run that goes on
    straight.note = went_on.note
    assert went_on.to_bytes() == straight.to_bytes()
    assert went_on.certificate().bound == straight.certificate().bound


def test_the_oracle_is_the_programs(losses, loss_file, tmp_path, program_json):
    printed = program_json(
        "oracle", loss_file, "--switches", "0,3,9", "--path", tmp_path / "path.csv"
    )
    best = pcgs.switching_oracle(losses, 9, path=True)
    assert {str(s): best.values[s] for s in (0, 3, 9)} == printed["values"]
    assert best.switches == printed["switches_used"]["9"]


def test_versions_agree(program):
    assert pcgs.__version__ in program("--version")
