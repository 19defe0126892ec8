"""result.plot with Matplotlib, result.chart with Vega-Lite and Altair."""

import sys

import numpy as np
import pytest

import pcgs

ROUNDS = 300
NAMES = [f"model {k}" for k in range(12)]


def made(losses=False, index=None, **options):
    random = np.random.default_rng(3)
    y = np.sin(np.arange(ROUNDS) / 9)
    X = y[:, None] + random.standard_normal((ROUNDS, 12)) * np.linspace(0.1, 1, 12)
    if losses:
        return pcgs.run(np.abs(X).clip(max=1), methods="fixed-share", models=NAMES)
    y[-5:] = np.nan
    if index is None:
        return pcgs.run(X, y, methods=["boa", "fixed-share"], models=NAMES, **options)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=NAMES, index=pandas.date_range(index, periods=ROUNDS, freq="h"))
    return pcgs.run(frame, y, methods="fixed-share", season=(), **options)


@pytest.fixture
def result():
    return made()


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot

    yield matplotlib.pyplot
    matplotlib.pyplot.close("all")


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_weights_are_drawn_one_above_the_other(result, pyplot):
    ax = result.plot.weights(top=3)
    assert legend_of(ax)[-1] == "9 others together" and len(legend_of(ax)) == 4
    edges = ax.collections[-1].get_paths()[0].vertices[:, 1]
    assert edges.max() == pytest.approx(1)
    assert ax.get_xlim() == (1, ROUNDS)


def test_the_others_are_those_with_the_least_weight(result, pyplot):
    means = result.weight_array().mean(axis=0)
    shown = legend_of(result.plot.weights(top=3))[:3]
    assert set(shown) == {NAMES[k] for k in np.argsort(-means)[:3]}
    assert len(legend_of(result.plot.weights())) == 10


def test_errors_are_drawn_the_smallest_first(result, pyplot):
    ax = result.plot.errors()
    names = [label.get_text() for label in ax.get_yticklabels()]
    rmse = {one["name"]: one["rmse"] for one in result.error_list()}
    assert names == sorted(rmse, key=rmse.get)
    assert ax.yaxis_inverted() and ax.get_xlabel() == "RMSE"
    widths = {bar.get_y() + bar.get_height() / 2: bar.get_width() for bar in ax.patches}
    assert [widths[k] for k in sorted(widths)] == [rmse[name] for name in names]


@pytest.mark.parametrize("experts", [3, 66, 400])
def test_a_figure_of_errors_is_as_high_as_its_names_need(experts, pyplot):
    random = np.random.default_rng(4)
    y = np.sin(np.arange(60.0))
    names = [f"model {k}" for k in range(experts)]
    drawn = pcgs.run(y[:, None] + random.random((60, experts)), y, methods="boa", models=names).plot.errors()
    height = drawn.figure.get_size_inches()[1]
    assert height == {3: 4, 66: pytest.approx(1 + 0.22 * 69), 400: 40}[experts]
    drawn.figure.canvas.draw()
    labels = [label.get_window_extent() for label in drawn.get_yticklabels()]
    assert all(below.y1 <= above.y0 + 0.5 for above, below in zip(labels, labels[1:]))


def test_errors_are_those_that_the_task_pays_for(pyplot):
    assert made(loss="absolute").plot.errors().get_xlabel() == "MAE"
    assert made(loss="pinball", tau=0.9).plot.errors().get_xlabel() == "pinball loss"


def test_forecasts_are_drawn_with_what_came(result, pyplot):
    ax = result.plot.forecasts(last=50)
    drawn = {line.get_label(): line for line in ax.lines}
    np.testing.assert_array_equal(drawn["fixed-share"].get_ydata(), result.forecast_array()[-55:])
    np.testing.assert_array_equal(drawn["what came"].get_ydata(), result.outcome_array()[-55:])
    assert f"{result.best_model}, the best model" in drawn
    assert drawn["what came"].get_xdata()[[0, -1]].tolist() == [ROUNDS - 54, ROUNDS]
    assert [text for text in legend_of(ax) if "interval" in text] == ["95 % interval", "80 % interval"]
    assert len(result.plot.forecasts(last=None).lines[0].get_xdata()) == ROUNDS


def test_pictures_go_into_the_axes_that_are_given(result, pyplot):
    _, axes = pyplot.subplots(3)
    before = pyplot.get_fignums()
    for ax, draw in zip(axes, (result.plot.weights, result.plot.errors, result.plot.forecasts)):
        assert draw(ax=ax) is ax
    assert pyplot.get_fignums() == before


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_rounds_with_times_stand_at_them(zone, pyplot):
    pandas = pytest.importorskip("pandas")
    start = pandas.Timestamp("2026-01-01", tz=zone)
    result = made(index=start)
    for ax in (result.plot.weights(), result.plot.forecasts(last=None)):
        low = pyplot.matplotlib.dates.num2date(ax.get_xlim()[0])
        assert low.strftime("%Y-%m-%d %H:%M") == "2026-01-01 00:00" and ax.get_xlabel() == ""


def test_losses_have_weights_to_draw_and_no_errors(pyplot):
    result = made(losses=True)
    result.plot.weights()
    for draw in (result.plot.errors, result.plot.forecasts, result.chart.errors, result.chart.forecasts):
        with pytest.raises(pcgs.Error, match="losses were combined, not forecasts"):
            draw()


def test_numbers_that_make_no_picture_are_refused(result, pyplot):
    for top in (0, 10, 20, 2.5, "3"):
        for draw in (result.plot.weights, result.chart.weights):
            with pytest.raises(pcgs.Error, match=f"top is {top!r}; give a whole number from 1 to 9"):
                draw(top=top)
    with pytest.raises(pcgs.Error, match="last is 0"):
        result.plot.forecasts(last=0)


def test_without_the_libraries_it_says_so(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(ImportError, match="plot needs Matplotlib, which is not installed"):
        result.plot.weights()
    with pytest.raises(ImportError, match="chart needs Altair, which is not installed"):
        result.chart.weights()
    assert result.chart.specification("weights")["data"]["values"]


# ---- Vega-Lite ----------------------------------------------------------------------------------


def rows_of(spec, series):
    return [row["value"] for row in spec["data"]["values"] if row["series"] == series]


def near(ours, theirs):
    ours = [np.nan if x is None else x for x in ours]
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_specifications_hold_what_is_drawn(result):
    spec = result.chart.specification("weights", top=3)
    names = spec["encoding"]["color"]["scale"]["domain"]
    near(rows_of(spec, names[0]), result.weight_array()[:, NAMES.index(names[0])])
    assert names[-1] == "9 others together"
    spec = result.chart.specification("errors")
    rmse = {one["name"]: one["rmse"] for one in result.error_list()}
    assert {row["name"] for row in spec["data"]["values"]} == set(rmse)
    near([row["value"] for row in spec["data"]["values"]], sorted(rmse.values()))
    spec = result.chart.specification("forecasts", last=50)
    near(rows_of(spec, "fixed-share"), result.forecast_array()[-55:])
    near(rows_of(spec, "what came"), result.outcome_array()[-55:])
    bands = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "area")["data"]["values"]
    assert {row["level"] for row in bands} == {"80 %", "95 %"} and len(bands) == 2 * 55


def test_no_placeholder_is_left_and_every_dataset_is_there(result):
    def check(part):
        assert not (isinstance(part, str) and part.startswith("$")), part
        if isinstance(part, dict):
            if "data" in part:
                assert list(part["data"]) == ["values"] and part["data"]["values"]
            for one in part.values():
                check(one)
        elif isinstance(part, list):
            for one in part:
                check(one)

    for what in ("weights", "errors", "forecasts"):
        check(result.chart.specification(what))
    with pytest.raises(pcgs.Error, match="what is 'regret'; give one of weights, errors, forecasts"):
        result.chart.specification("regret")


def test_rounds_with_times_are_temporal():
    spec = made(index="2026-01-01").chart.specification("weights")
    assert spec["encoding"]["x"]["type"] == "temporal"
    assert spec["data"]["values"][0]["round"] == 1767225600000


def test_charts_are_altairs(result):
    altair = pytest.importorskip("altair")
    for chart in (result.chart.weights(), result.chart.errors(), result.chart.forecasts(last=20)):
        assert isinstance(chart, altair.TopLevelMixin)
        assert chart.to_dict()["config"]  # which validates it
    assert isinstance(made(index="2026-01-01").chart.forecasts(), altair.LayerChart)
