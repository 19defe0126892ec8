"""Numbers at the ends of what is accepted: every answer is a number, and what was saved loads."""

import math
import sys

import numpy as np
import pytest

import pcgs

MOST = sys.float_info.max
LEAST = 5e-324
METHODS = ["guard", "boa", "squint", "ml-poly", "fixed-share", "blend"]


def expect_numbers(agg, played):
    assert np.isfinite(agg.weights()).all() and abs(agg.weights().sum() - 1) < 1e-12
    assert math.isfinite(played)
    assert math.isfinite(agg.total_loss) and math.isfinite(agg.total_forecast_loss)


@pytest.mark.parametrize("method", METHODS)
def test_forecasts_that_are_sure_and_wrong(method, tmp_path):
    agg = pcgs.Aggregator(10, method, loss="log", scale=3)
    for sure, y in [(1.0, 0), (0.5, 1), (0.0, 1), (1 - 2**-53, 0), (LEAST, 1)] * 8:
        combined = agg.predict(np.full(10, sure))
        assert combined == sure or method == "blend" and 0 <= combined <= 1  # it corrects a bias
        agg.learn(y)
        expect_numbers(agg, combined)
    agg.save(tmp_path / "state")
    again = pcgs.Aggregator.load(tmp_path / "state")
    some = np.linspace(0, 1, 10)
    assert again.predict(some) == agg.predict(some)


@pytest.mark.parametrize("loss", ["squared", "absolute", "pinball"])
@pytest.mark.parametrize("method", METHODS)
def test_forecasts_up_to_the_largest_number(method, loss, tmp_path):
    agg = pcgs.Aggregator(3, method, loss=loss, intervals=(0.8,))
    rows = [([MOST] * 3, -MOST), ([MOST, -MOST, np.nan], MOST), ([1, 2, 3], 2), ([LEAST] * 3, 0)]
    for forecasts, y in rows * 10:
        combined = agg.predict(np.array(forecasts, float))
        agg.learn(y)
        expect_numbers(agg, combined)
    agg.save(tmp_path / "state")
    assert pcgs.Aggregator.load(tmp_path / "state").predict([1, 2, 3]) == agg.predict([1, 2, 3])


def test_errors_of_forecasts_up_to_the_largest_number():
    X = np.array([[MOST, -MOST], [1.0, 2.0], [1e200, -1e200]] * 12)
    y = np.array([1.0, 2.0, 3.0] * 12)
    result = pcgs.run(X, y, block=2)
    for one in result.error_list():
        assert all(math.isfinite(one[error]) for error in ("rmse", "mae", "bias")), one
    assert "RMSE" in result.headline
