"""What a forecaster asks first: errors beside every model, the next forecast, the weights now."""

import html
import sys

import numpy as np
import pytest

import pcgs

ROUNDS = 240
MODELS = ["ridge", "tree", "lag"]


@pytest.fixture
def X():
    """Three models of a wave around 10, each with gaps of its own."""
    random = np.random.default_rng(11)
    table = wave()[:, None] + random.standard_normal((ROUNDS, 3)) * [0.3, 0.5, 1.0] + [0.1, 0, -0.2]
    table[random.random(table.shape) < 0.1] = np.nan
    return table


@pytest.fixture
def y():
    return wave() + 0.1 * np.random.default_rng(12).standard_normal(ROUNDS)


def wave():
    return 10 + 3 * np.sin(np.arange(ROUNDS) / 5.0)


def by_name(errors, kind):
    return {one["name"]: one for one in errors if one["kind"] == kind}


def measured(forecast, y):
    """What numpy says about the rounds that have both."""
    both = ~np.isnan(forecast) & ~np.isnan(y)
    error, outcome = forecast[both] - y[both], y[both]
    return {
        "rounds": int(both.sum()),
        "rmse": np.sqrt(np.mean(error**2)),
        "mae": np.mean(np.abs(error)),
        "mape": np.mean(np.abs(error / outcome)),
        "bias": np.mean(error),
    }


def check_line(line, forecast, combined, y):
    wanted = measured(forecast, y)
    assert {key: line[key] for key in wanted} == pytest.approx(wanted, rel=1e-12)
    theirs = measured(forecast, np.where(np.isnan(combined), np.nan, y))["rmse"]
    ours = measured(combined, np.where(np.isnan(forecast), np.nan, y))["rmse"]
    if "difference" in line:
        assert line["difference"] == pytest.approx(100 * (ours / theirs - 1), rel=1e-9)


def test_errors_are_numpys(X, y):
    y[[50, 51, -1]] = np.nan
    result = pcgs.run(X, y, models=MODELS, methods=["boa", "blend"])
    combined = result.forecast_array("blend")
    errors = result.error_list()
    check_line(errors[0], combined, combined, y)
    check_line(errors[1], result.forecast_array("boa"), combined, y)
    for k, name in enumerate(MODELS):
        check_line(by_name(errors, "expert")[name], X[:, k], combined, y)
    references = by_name(errors, "reference")
    check_line(references["equal weights"], np.nanmean(X, axis=1), combined, y)
    all_awake = ~np.isnan(X).any(axis=1)
    mix = references["best convex mix"]
    assert mix["rounds"] == (all_awake & ~np.isnan(y)).sum()
    for k in range(3):
        alone = measured(X[:, k], np.where(all_awake, y, np.nan))["rmse"]
        assert mix["rmse"] <= alone * (1 + 1e-9)


def test_a_coming_round_may_have_no_forecast(X, y):
    X[-1], y[-1] = np.nan, np.nan
    assert pcgs.run(X, y).next_list()[0]["forecast"] is None


def test_without_any_outcome_there_is_no_error_and_a_forecast(X, y):
    result = pcgs.run(X, y * np.nan, methods="fixed-share")
    assert result.headline == "No outcome is known yet, so no error is."
    assert result.best_model is None
    assert len(result.next_list()) == ROUNDS
    np.testing.assert_allclose(result.forecast_array()[0], np.nanmean(X[0]))
    assert result.weights_now == pytest.approx(dict.fromkeys(["e1", "e2", "e3"], 1 / 3))
    assert "No outcome is known yet" in repr(result) and "No outcome" in result._repr_html_()


def test_weights_now_are_those_that_would_be_played(X, y):
    result = pcgs.run(X, y, models=MODELS, methods=["boa", "fixed-share"])
    agg = pcgs.Aggregator(MODELS, "fixed-share")
    for row, outcome in zip(X, y):
        agg.predict(row)
        agg.learn(outcome)
    assert list(result.weights_now) == MODELS
    assert list(result.weights_now.values()) == agg.weights().tolist()


def test_losses_have_no_errors(losses):
    result = pcgs.run(losses, methods="fixed-share")
    for ask in ("headline", "best_model"):
        with pytest.raises(pcgs.Error, match="losses were combined, not forecasts"):
            getattr(result, ask)
    for ask in ("error_list", "next_list", "outcome_array", "forecast_array"):
        with pytest.raises(pcgs.Error, match="losses were combined, not forecasts"):
            getattr(result, ask)()
    assert result.weights_now == dict(
        zip(["e1", "e2", "e3", "e4", "e5"], result["fixed-share"]["next_weights"])
    )
    assert "<p>" not in result._repr_html_()


def test_a_notebook_shows_the_headline_and_the_errors_first(X, y):
    y[-1] = np.nan
    result = pcgs.run(X, y, models=["<b>ridge</b>", "tree", "lag"])
    page = result._repr_html_()
    assert "<b>" not in page and "&lt;b&gt;ridge" in page
    shown = html.unescape(page)
    assert result.headline in shown
    rows = ["blend (the combination)", "equal weights", "best convex mix, in hindsight"]
    rows += ["<b>ridge</b>", "tree"]
    parts = [result.headline, "RMSE", *(f'<th scope="row">{name}</th>' for name in rows)]
    parts += [f"{result.next_list()[0]['forecast']:.6g}"]
    places = [shown.index(part) for part in parts]
    assert places == sorted(places)
    for tag in ("table", "tr", "td", "thead", "tbody", "p", "div"):
        assert page.count(f"<{tag}>") == page.count(f"</{tag}>") > 0
    assert f"<td>{result.error_list()[0]['rmse']:.4g}</td>" in page


def test_a_notebook_shows_a_dozen_experts():
    y = np.sin(np.arange(40.0))
    page = pcgs.run(y[:, None] + np.arange(1, 21), y, methods="boa")._repr_html_()
    assert "8 more experts are in errors" in page
    assert ">e12<" in page and ">e13<" not in page


def test_pandas_is_not_needed(X, y, monkeypatch):
    with_it = pcgs.run(X, y)
    monkeypatch.setitem(sys.modules, "pandas", None)
    y[-1] = np.nan
    result = pcgs.run(X, y)
    assert len(result.next_list()) == 1 and len(result.error_list()) == len(with_it.error_list())
    assert result.headline in html.unescape(result._repr_html_())
    assert result.weight_array().shape == X.shape
    assert list(result.interval_arrays()) == [0.8, 0.95]


def test_errors_of_forecasts_up_to_the_largest_number():
    most = sys.float_info.max
    X = np.array([[most, -most], [1.0, 2.0], [1e200, -1e200]] * 12)
    y = np.array([1.0, 2.0, 3.0] * 12)
    result = pcgs.run(X, y, block=2)
    for one in result.error_list():
        assert all(np.isfinite(one[error]) for error in ("rmse", "mae", "bias")), one
    assert "RMSE" in result.headline
