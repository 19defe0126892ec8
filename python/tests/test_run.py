"""pcgs.run: its faces, and how it behaves as a long call."""

import copy
import importlib
import os
import pickle
import signal
import sys

import numpy as np
import pytest

import pcgs


@pytest.fixture
def result(losses):
    return pcgs.run(losses, methods=["hedge", "guard", "ml-poly"], switches=[5, 10])


def test_the_default_is_guard_for_losses_and_blend_for_forecasts(losses):
    assert pcgs.run(losses).methods == ["guard"]
    y = losses.mean(axis=1)
    assert pcgs.run(losses, y).methods == ["blend"]
    seasonal = pcgs.run(losses, y, season=7)
    assert seasonal.methods == ["blend"]
    assert seasonal["blend"]["full_name"] == "blend{season=7}"
    longer = pcgs.run(losses, y, season=(7, 21))
    assert longer["blend"]["full_name"] == "blend{season=7,longer=21}"


def test_one_number_of_switches_will_do(losses):
    for three in (3, np.int64(3), np.array(3), (3,), np.array([3])):
        assert pcgs.run(losses, methods="hedge", switches=three).to_dict()["switches"] == [3]


def test_it_prints_as_its_table(result):
    assert repr(result) == result.table()
    assert result.table().startswith("losses: 300 rounds, 5 experts\n")


def test_one_level_of_intervals_may_be_a_number(losses):
    y = losses.mean(axis=1)
    for given in (0.8, np.float64(0.8), np.array(0.8)):
        assert list(pcgs.run(losses, y, intervals=given).interval_arrays()) == [0.8]
    for wrong in ("0.8", True, 0.8j):
        with pytest.raises(pcgs.Error) as caught:
            pcgs.run(losses, y, intervals=wrong)
        assert caught.value.field == "intervals"


def test_html_is_whole_and_escaped(losses):
    result = pcgs.run(
        losses, methods=["hedge{eta=2}", "ml-poly"], models=["<b>", "&", "c", "d", "e"]
    )
    result._dict["methods"][0]["name"] = "<script>alert(1)</script>"
    page = result._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert page.count("<tr>") == page.count("</tr>") == 3
    assert page.startswith("<table>") and page.endswith("</table>")
    width = page.count("<th>") - 1
    assert page.count("<td>") == 2 * width


def test_without_pandas_it_says_so(result, losses, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_pandas\(\) is a DataFrame and needs pandas, .* use to_dict"):
        result.to_pandas()
    forecasts = pcgs.run(losses, losses.mean(axis=1), methods="boa")
    for what, instead in [
        ("forecasts", "forecast_array"),
        ("errors", "error_list"),
        ("weights", "weight_array"),
        ("intervals", "interval_arrays"),
        ("next", "next_list"),
    ]:
        with pytest.raises(ImportError, match=rf"Result.{what} is a DataFrame .* use {instead}\(\)"):
            getattr(forecasts, what)
        getattr(forecasts, instead)()


def test_without_scikit_learn_it_says_so(monkeypatch):
    monkeypatch.delitem(sys.modules, "pcgs.sklearn", raising=False)
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    with pytest.raises(ImportError, match="pcgs.sklearn needs scikit-learn 1.2 or later"):
        importlib.import_module("pcgs.sklearn")


def test_forecasts_are_kept(losses):
    y = np.linspace(0, 1, 300)
    table = y[:, None] + [[0.1, -0.1]]
    result = pcgs.run(table, y, methods=["hedge"], loss="absolute")
    assert result.forecast_array("hedge")[0] == pytest.approx(y[0])
    agg = pcgs.Aggregator(2, "hedge", loss="absolute")
    for t in range(300):
        assert agg.predict(table[t]) == result.forecast_array("hedge")[t]
        agg.learn(y[t])
    with pytest.raises(pcgs.Error, match="losses were combined"):
        pcgs.run(losses, methods="hedge").forecast_array("hedge")
    with pytest.raises(KeyError):
        result.forecast_array("boa")


def test_a_report_is_written_whole_or_not_at_all(result, tmp_path):
    page = tmp_path / "page.html"
    try:
        result.report(page)
    except pcgs.Error as error:
        assert "this build of pcgs has no report page" in str(error)
        assert list(tmp_path.iterdir()) == []
        # Where everything is installed, or the build was asked for the page, it must be there.
        assert not os.environ.get("PCGS_SKIP_NOTHING")
        assert os.environ.get("PCGS_REPORT_PAGE") != "1"
    else:
        assert "<html" in page.read_text()
        with pytest.raises(pcgs.Error):
            result.report(tmp_path / "no folder" / "page.html")
        assert list(tmp_path.iterdir()) == [page]


class Alarm(Exception):
    pass


def test_a_signal_ends_it():
    def ring(*_):
        raise Alarm

    losses = np.random.default_rng(0).random((1_000_000, 8))
    before = signal.signal(signal.SIGALRM, ring)
    try:
        with pytest.raises(Alarm):
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            pcgs.run(losses, methods="fixed-share*")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_result_is_its_own_copy_and_pickles(result, losses):
    assert copy.deepcopy([result])[0] is copy.copy(result) is result
    forecasts = pcgs.run(losses, losses.mean(axis=1), methods="boa,blend")
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        kept, of_forecasts = pickle.loads(pickle.dumps([result, forecasts], protocol))
        assert repr(kept) == repr(result) and kept.to_dict() == result.to_dict()
        np.testing.assert_array_equal(kept.weight_array(), result.weight_array())
        np.testing.assert_array_equal(of_forecasts.forecast_array("boa"), forecasts.forecast_array("boa"))
        assert of_forecasts.notes == forecasts.notes and of_forecasts.state == forecasts.state
        assert pickle.loads(pickle.dumps(of_forecasts)).headline == forecasts.headline
        with pytest.raises(pcgs.Error, match="losses were combined"):
            kept.headline
        with pytest.raises(pcgs.Error, match="has no page"):
            kept.report("page.html")


def test_what_is_tuned_in_hindsight_has_no_state(losses):
    for methods in ("hedge*", "all"):
        with pytest.raises(pcgs.Error, match="has no state"):
            pcgs.run(losses, methods=methods).state
