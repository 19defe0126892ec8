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


def test_errors_have_an_order(X, y):
    result = pcgs.run(X, y, models=MODELS, methods=["hedge", "boa", "blend"])
    names = [one["name"] for one in result.error_list()]
    assert names == ["blend", "hedge", "boa", "equal weights", "best convex mix", *MODELS]
    assert [one["kind"] for one in result.error_list()] == 3 * ["method"] + 2 * ["reference"] + 3 * ["expert"]
    assert "difference" not in result.error_list()[0]
    assert result.best_model == "ridge"
    turned = pcgs.run(X[:, ::-1], y, models=MODELS[::-1], methods=["hedge", "boa", "blend"])
    assert [one["name"] for one in turned.error_list()] == names


def test_per_cent_of_nearly_nothing_is_no_error(X, y):
    y[3], X[3] = 0.001, 0.001
    assert all(one["mape"] is None for one in pcgs.run(X, y).error_list())


def test_a_loss_that_is_no_error_stands_beside_them(X, y):
    result = pcgs.run(X, y, models=MODELS, loss="pinball", tau=0.9)
    for k, name in enumerate(MODELS):
        error = (y - X[:, k])[~np.isnan(X[:, k])]
        wanted = np.mean(np.maximum(0.9 * error, -0.1 * error))
        assert by_name(result.error_list(), "expert")[name]["loss"] == pytest.approx(wanted, rel=1e-12)
    assert "loss" not in pcgs.run(X, y).error_list()[0]


@pytest.mark.parametrize("methods", ["guard", "ml-poly", "fixed-share", "pcgs-tf"])
def test_rounds_without_an_outcome_teach_nothing(methods, X, y):
    """Where a method does not count rounds, the others are as if these had never been."""
    unknown = np.zeros(ROUNDS, bool)
    unknown[[0, 40, 41, 100, 170]] = True
    some = pcgs.run(X, np.where(unknown, np.nan, y), methods=methods)
    without = pcgs.run(X[~unknown], y[~unknown], methods=methods)
    np.testing.assert_array_equal(some.forecast_array()[~unknown], without.forecast_array())
    for level, ends in without.interval_arrays().items():
        np.testing.assert_array_equal(some.interval_arrays()[level][~unknown], ends)
    assert np.isfinite(some.forecast_array()[unknown]).all()
    assert some.error_list() == without.error_list()
    assert some.weights_now == without.weights_now
    assert some.next_list() == without.next_list() == []
    assert some.to_dict()["rounds_without_outcome"] == 5
    # With outcomes, they do teach something.
    assert not np.array_equal(pcgs.run(X, y, methods=methods).forecast_array(), some.forecast_array())


@pytest.mark.parametrize("season", [(), 24])
def test_blend_counts_rounds_without_an_outcome(season, X, y):
    """They have a phase, and an error before the last one is not the last one."""
    everything = pcgs.run(X, y, season=season).forecast_array()
    y[[40, 100, 101, -1]] = np.nan
    result = pcgs.run(X, y, season=season)
    np.testing.assert_array_equal(result.forecast_array()[:41], everything[:41])
    agg = pcgs.Aggregator(3, "blend", season=season, intervals=(0.8, 0.95))
    for t in range(ROUNDS):
        assert agg.predict(X[t]) == pytest.approx(result.forecast_array()[t], abs=0, nan_ok=True)
        if np.isnan(y[t]):
            ends = agg.intervals()
            agg.abandon(agg.last_opened)
        else:
            agg.learn(y[t])
    coming = result.next_list()[0]
    assert {float(level): tuple(pair) for level, pair in coming["interval"].items()} == ends


@pytest.mark.parametrize("coming", [1, 7])
def test_the_last_rows_are_forecast_next(coming, X, y):
    known = ROUNDS - coming
    X[-coming:] = 11.0 + np.arange(3)
    whole = pcgs.run(X, np.where(np.arange(ROUNDS) < known, y, np.nan))
    before = pcgs.run(X[:known], y[:known])
    np.testing.assert_array_equal(whole.forecast_array()[:known], before.forecast_array())
    assert whole.error_list() == before.error_list()
    assert whole.weights_now == before.weights_now
    assert before.next_list() == [] and len(whole.next_list()) == coming
    for at, one in zip(range(known, ROUNDS), whole.next_list()):
        assert one["row"] == at + 1 and "time" not in one
        assert one["forecast"] == whole.forecast_array()[at]
        for level, ends in one["interval"].items():
            assert ends == whole.interval_arrays()[float(level)][at].tolist()
            assert ends[0] < one["forecast"] < ends[1]
        assert list(one["interval"]) == ["0.8", "0.95"]


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


def test_the_headline_says_what_the_errors_say(X, y):
    result = pcgs.run(X, y, models=MODELS)
    best, equal = (
        by_name(result.error_list(), kind)[name]
        for kind, name in [("expert", "ridge"), ("reference", "equal weights")]
    )

    def words(difference):
        size = abs(difference)
        return f"{size:.{1 if size < 9.95 else 0}f} % {'below' if difference < 0 else 'above'}"

    assert result.headline == (
        f"The combination's error (RMSE {result.error_list()[0]['rmse']:.4g}) was "
        f"{words(best['difference'])} that of your best model, ridge (in the {best['rounds']} of "
        f"{result.error_list()[0]['rounds']} rounds in which it forecast), and "
        f"{words(equal['difference'])} that of equal weights."
    )


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


def test_changing_the_answer_changes_nothing(X, y):
    y[-1] = np.nan
    result = pcgs.run(X, y)
    result.error_list().clear()
    result.next_list()[0].clear()
    result.weights_now.clear()
    assert len(result.error_list()) == 6 and result.next_list()[0]["row"] == ROUNDS and result.weights_now


def test_it_prints_errors_first(X, y):
    y[-1] = np.nan
    result = pcgs.run(X, y, models=MODELS)
    text = repr(result)
    parts = ["240 rounds, 3 experts", "blend (the combination)", "ridge", result.headline]
    parts += ["next forecast", "weights now"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


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


@pytest.fixture
def file_of(tmp_path):
    """Writes a table as the program reads it."""

    def write(table, y, times=None):
        path = tmp_path / "forecasts.csv"
        rows = ([] if times is None else ["ds"]) + MODELS + ["y"]
        lines = [",".join(rows)]
        for t, row in enumerate(np.column_stack([table, y])):
            cells = ["" if np.isnan(x) else repr(float(x)) for x in row]
            lines.append(",".join(([] if times is None else [times[t]]) + cells))
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def without_times(result):
    for method in result["methods"]:
        del method["ns_per_round"]
    return result


