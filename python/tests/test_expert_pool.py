"""The library's own forecasters."""

import copy
import json
import math
import pickle

import numpy as np
import pytest

import pcgs


def series(rounds):
    hours = np.arange(rounds)
    return (
        50 + 10 * np.sin(2 * np.pi * hours / 24) + np.random.default_rng(1).standard_normal(rounds)
    )


def test_gaps_are_steps_without_a_value():
    pool = pcgs.ExpertPool()
    pool.observe(1.0)
    pool.observe(math.nan)
    assert len(pool) == len(pool.names) == pool.forecast().size
    with pytest.raises(pcgs.Error, match="give finite numbers"):
        pool.observe(math.inf)
    with pytest.raises(pcgs.Error):
        pool.observe("1")


@pytest.mark.parametrize("again", [copy.deepcopy, lambda pool: pickle.loads(pickle.dumps(pool))])
def test_copies_go_on_to_the_bit(again):
    y = series(100)
    pool = pcgs.ExpertPool(seasons=[24])
    for value in y[:60]:
        pool.observe(value)
    other = again(pool)
    for value in y[60:]:
        pool.observe(value)
        other.observe(value)
    np.testing.assert_array_equal(other.forecast(), pool.forecast())


def test_a_file_describes_a_pool(tmp_path, monkeypatch):
    path = tmp_path / "pool.json"
    path.write_text(json.dumps({"experts": [{"kind": "lag", "lag": 1}, {"kind": "lag", "lag": 2}]}))
    try:
        pool = pcgs.ExpertPool(file=path)
    except pcgs.Error as error:
        pytest.fail(str(error))
    pool.observe(3.0)
    assert pool.forecast()[0] == 3
    with pytest.raises(pcgs.Error, match="not both"):
        pcgs.ExpertPool([24], file=path)
    with pytest.raises(pcgs.Error):
        pcgs.ExpertPool(file=tmp_path / "nothing.json")


@pytest.mark.parametrize("bad", [24, None, [0], [-1], [1.5], ["day"], [1 << 40]])
def test_seasons_that_make_no_sense_are_refused(bad):
    with pytest.raises(pcgs.Error):
        pcgs.ExpertPool(seasons=bad)


def test_a_pool_that_was_never_made_says_so():
    unmade = pcgs.ExpertPool.__new__(pcgs.ExpertPool)
    for use in (
        lambda: unmade.forecast(),
        lambda: unmade.observe(1.0),
        lambda: len(unmade),
        lambda: pickle.dumps(unmade),
        lambda: unmade.__setstate__(((), None, b"nonsense")),
        lambda: unmade.__setstate__((1, 2)),
    ):
        with pytest.raises((pcgs.Error, TypeError)):
            use()
