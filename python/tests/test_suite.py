"""Made-up sequences."""

import gc

import numpy as np
import pytest

import pcgs


@pytest.mark.parametrize("family", pcgs.suite.families())
def test_sequences_are_losses(family):
    sequence = pcgs.suite.generate(family, rounds=50, experts=4, seed=1)
    assert sequence.losses.shape == (50, 4)
    assert (sequence.losses >= 0).all() and (sequence.losses <= 1).all()
    assert sequence.path.shape == (50,) and sequence.path.max() < 4


def test_the_seed_fixes_everything():
    one, same, other = (pcgs.suite.generate("switch", 50, 4, seed) for seed in (1, 1, 2))
    assert (one.losses == same.losses).all()
    assert (one.losses != other.losses).any()


def test_parameters_go_into_braces():
    calm = pcgs.suite.generate("switch{hazard=0}", 200, 4, 1)
    assert (calm.path == calm.path[0]).all()


def test_an_array_outlives_its_sequence():
    losses = pcgs.suite.generate("drift", 50, 4, 1).losses
    gc.collect()
    assert losses.base is not None
    assert np.isfinite(losses.sum())
    with pytest.raises(ValueError):
        losses[0, 0] = 1


def test_it_has_the_shape_of_the_study_by_default():
    assert pcgs.suite.generate("switch").losses.shape == (600, 32)
