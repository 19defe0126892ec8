"""What a QuantilePanel proves."""

import numpy as np
import pytest

import pcgs

LEVELS = [0.1, 0.5, 0.9]


def played(certify=True, rounds=60):
    rng = np.random.default_rng(2)
    panel = pcgs.QuantilePanel(LEVELS, certify=certify)
    for t in range(rounds):
        y = rng.normal()
        given = {name: y + rng.normal() * size + np.array([-1, 0, 1])
                 for name, size in [("a", 0.3), ("b", 1.0), ("c", 2.0)]
                 if rng.random() < 0.9}
        if t > 30:
            given["late"] = y + np.array([-0.5, 0, 0.5])
        if given:
            panel.learn(panel.open("north", given), y)
    return panel


def test_what_is_proved_holds_and_is_kept():
    panel = played()
    proved = panel.certificate("north")
    assert proved["holds"] and panel.certify
    assert proved["above_expert"] <= proved["expert_bound"] < 1
    assert proved["above_path"] <= proved["path_bound"]
    assert 0 < proved["score"] < 1.5 and proved["rounds"] <= 60
    assert pcgs.QuantilePanel.from_bytes(panel.to_bytes()).certificate("north") == proved


def test_it_changes_no_forecast():
    given = {"a": [0.0, 1.0, 2.0], "b": [1.0, 2.0, 4.0], "late": [0.0, 0.5, 1.0]}
    with_it, without = played(True), played(False)
    np.testing.assert_array_equal(
        with_it.forecast(with_it.open("north", given)), without.forecast(without.open("north", given))
    )


def test_it_has_to_be_asked_for():
    with pytest.raises(pcgs.Error, match="certify"):
        played(False, 2).certificate("north")
    with pytest.raises(pcgs.Error, match="no series"):
        played(True, 2).certificate("south")
    with pytest.raises(pcgs.Error, match="certify is 1"):
        pcgs.QuantilePanel(LEVELS, certify=1)
