"""DataFrames that a result has: what arrays say, with the index of X."""

import numpy as np
import pytest

import pcgs

pandas = pytest.importorskip("pandas")

ROUNDS = 60
DAYS = pandas.date_range("2026-01-01", periods=ROUNDS, name="ds")


def frame_of(index=None):
    values = np.random.default_rng(5).standard_normal((ROUNDS, 2))
    return pandas.DataFrame(values, columns=["a", "b"], index=index)


def series_of(index=None, unknown=0):
    y = pandas.Series(np.random.default_rng(6).standard_normal(ROUNDS), index=index)
    y.iloc[ROUNDS - unknown :] = np.nan
    return y


@pytest.fixture
def result():
    return pcgs.run(frame_of(DAYS), series_of(DAYS, unknown=2), methods=["boa", "blend"])


def test_forecasts_are_the_arrays_with_the_default_method_last(result):
    frame = result.forecasts
    assert frame.index.equals(DAYS) and frame.index.name == "ds"
    assert list(frame) == ["outcome", "boa", "blend"]
    np.testing.assert_array_equal(frame["outcome"], series_of(unknown=2))
    for name in ("boa", "blend"):
        assert frame[name].to_numpy().tobytes() == result.forecast_array(name).tobytes()


def test_errors_are_the_list_by_name(result):
    frame = result.errors
    assert list(frame) == ["kind", "rounds", "rmse", "mae", "mape", "bias", "difference"]
    assert list(frame.index) == ["blend", "boa", "equal weights", "best convex mix", "a", "b"] or set("ab") <= set(
        frame.index
    )
    for said in result.error_list():
        row = frame.loc[said["name"]]
        assert row["kind"] == said["kind"] and row["rounds"] == said["rounds"]
        for what in ("rmse", "mae", "mape", "bias", "difference"):
            number = said.get(what)
            assert np.isnan(row[what]) if number is None else row[what] == number
    assert frame.dtypes[2:].eq(float).all()
    X, y = frame_of(DAYS), series_of(DAYS, unknown=2)
    assert frame.loc["a", "rmse"] == pytest.approx(np.sqrt(((X["a"] - y) ** 2).mean()), rel=1e-12)


def test_errors_have_a_loss_where_it_is_no_error():
    frame = pcgs.run(frame_of(), series_of(), methods="boa", loss="pinball", tau=0.9).errors
    assert list(frame)[-2:] == ["loss", "difference"] and frame["loss"].notna().all()


def test_intervals_and_next_are_the_arrays(result):
    ends = result.intervals
    assert ends.index.equals(DAYS)
    assert list(ends) == ["low_80", "high_80", "low_95", "high_95"]
    for level, pair in result.interval_arrays().items():
        np.testing.assert_array_equal(ends[[f"low_{100 * level:g}", f"high_{100 * level:g}"]], pair)
    coming = result.next
    assert coming.index.equals(DAYS[-2:])
    assert list(coming) == ["forecast", *ends]
    assert coming["forecast"].tolist() == [one["forecast"] for one in result.next_list()]
    assert coming[["low_95", "high_95"]].to_numpy().tolist() == [
        one["interval"]["0.95"] for one in result.next_list()
    ]


def test_without_intervals_next_has_forecasts_alone():
    result = pcgs.run(frame_of().to_numpy(), series_of(unknown=1).to_numpy(), intervals=())
    assert list(result.next) == ["forecast"] and list(result.next.index) == [ROUNDS - 1]
    with pytest.raises(pcgs.Error, match="there are no intervals for blend"):
        result.intervals
    assert len(pcgs.run(frame_of(), series_of()).next) == 0


@pytest.mark.parametrize("method", ["blend", "boa", "fixed-share", "guard{learned=0}"])
@pytest.mark.parametrize("options", [{}, {"block": 7}, {"delay": 3}, {"intervals": ()}])
def test_weights_are_those_that_the_loop_plays(method, options):
    X, y = frame_of(DAYS), series_of(DAYS, unknown=2)
    X.iloc[[3, 30], 0] = np.nan
    result = pcgs.run(X, y, methods=method, season=(), **options)
    assert list(result.weights) == ["a", "b"] and result.weights.index.equals(DAYS)
    assert result.weights.to_numpy().tobytes() == result.weight_array().tobytes()
    assert result.weights["a"].iloc[[3, 30]].tolist() == [0, 0]
    agg = pcgs.Aggregator(["a", "b"], method)
    block, delay = options.get("block", 1), options.get("delay", 0)
    learned = 0
    for t in range(ROUNDS - 2):
        while learned < t - t % block - delay:
            agg.learn(y.iloc[learned], round=learned + 1)
            learned += 1
        assert agg.predict(X.iloc[t]) == result.forecast_array()[t]
        assert agg.played(t + 1).tolist() == result.weight_array()[t].tolist()


def test_losses_have_weights_too(losses):
    result = pcgs.run(losses, methods="fixed-share", models=list("abcde"))
    agg = pcgs.Aggregator(5, "fixed-share")
    for row, weights in zip(losses, result.weights.to_numpy()):
        assert agg.weights().tolist() == weights.tolist()
        agg.learn(losses=row)
    assert list(result.weights) == list("abcde")


def test_weights_of_a_method_tuned_in_hindsight_are_those_of_its_choice(losses):
    starred = pcgs.run(losses, methods="hedge*")
    chosen = pcgs.run(losses, methods=starred["hedge*"]["chosen_in_hindsight"])
    np.testing.assert_array_equal(starred.weight_array(), chosen.weight_array())


def test_an_array_has_numbered_rows():
    result = pcgs.run(frame_of().to_numpy(), series_of().to_numpy(), methods="boa")
    for frame in (result.forecasts, result.weights, result.intervals):
        assert frame.index.equals(pandas.RangeIndex(ROUNDS))
    assert list(result.weights) == ["e1", "e2"]
    beside = pcgs.run(frame_of().to_numpy(), series_of(DAYS), methods="boa")
    assert beside.forecasts.index.equals(DAYS)


def test_importing_pcgs_imports_neither_pandas_nor_pictures():
    import subprocess
    import sys

    heavy = "pandas", "matplotlib", "altair", "tqdm", "sklearn", "polars", "pyarrow", "ctypes"
    code = f"import sys, numpy; before = set(sys.modules); import pcgs; print([m for m in {heavy!r} if m in set(sys.modules) - before])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
