"""Losses of one's own in the loop."""

import copy
import pickle

import numpy as np
import pytest

import pcgs


def squared(forecast, y):
    return (forecast - y) ** 2


def slope(forecast, y):
    return 2 * (forecast - y)


def dear_if_short(forecast, y):
    return 9 * (y - forecast) if y > forecast else forecast - y


def rounds(count=150):
    random = np.random.default_rng(4)
    y = np.sin(np.arange(count) / 5)
    X = y[:, None] + random.standard_normal((count, 3)) * [0.2, 0.4, 0.6]
    X[random.random(X.shape) < 0.1] = np.nan
    X[7] = np.nan
    return X, y


def test_a_loss_that_is_known_gives_what_the_known_one_gives():
    """Without a gradient, methods on losses learn the same, and combine the same."""
    X, y = rounds()
    own = pcgs.Aggregator(3, "fixed-share", loss=squared)
    known = pcgs.Aggregator(3, "fixed-share", loss="squared", scale="auto")
    for row, outcome in zip(X, y):
        np.testing.assert_array_equal(own.predict(row), known.predict(row))
        own.learn(outcome)
        known.learn(outcome)
    np.testing.assert_allclose(own.weights(), known.weights(), rtol=1e-12)
    assert own.total_forecast_loss == pytest.approx(known.total_forecast_loss, rel=1e-12)
    assert (own.rounds, own.skipped) == (known.rounds, known.skipped) == (149, 1)


def test_with_a_gradient_it_learns_linearised_losses():
    X, y = rounds()
    own = pcgs.Aggregator(3, "fixed-share", loss=pcgs.CustomLoss(squared, slope), scale=4)
    plain = pcgs.Aggregator(3, "fixed-share", scale=4)
    for row, outcome in zip(X, y):
        awake = ~np.isnan(row)
        number = plain.open(awake=awake)
        combined = own.predict(row)
        charged = np.where(awake, slope(combined, outcome) * row, 0)
        if awake.any():
            assert combined == pytest.approx(np.nansum(plain.played(number) * row), rel=1e-12)
            charged[awake] -= charged[awake].min()
        own.learn(outcome)
        plain.learn(losses=charged, round=number)
    np.testing.assert_allclose(own.weights(), plain.weights(), rtol=1e-9)


def test_outcomes_may_come_late_and_not_at_all():
    X, y = rounds(40)
    agg = pcgs.Aggregator(3, "fixed-share", loss=squared)
    known = pcgs.Aggregator(3, "fixed-share", scale="auto")
    for one in (agg, known):
        for row in X:
            one.predict(row)
        for t in range(39, -1, -1):
            one.abandon(t + 1) if t % 5 == 0 else one.learn(y[t], round=t + 1)
    np.testing.assert_allclose(agg.weights(), known.weights(), rtol=1e-12)
    assert agg.open_rounds == 0
    with pytest.raises(pcgs.Error, match="0 rounds are open; predict.. opens one"):
        agg.learn(1.0)
    agg.predict(X[0]), agg.predict(X[1])
    with pytest.raises(pcgs.Error, match="2 rounds are open; say which one this closes"):
        agg.learn(1.0)
    with pytest.raises(pcgs.Error, match="round 3 is not open"):
        agg.learn(1.0, round=3)


def test_rounds_that_open_opened_are_counted():
    agg = pcgs.Aggregator(2, "fixed-share", loss=squared)
    first = agg.open()
    agg.open()
    with pytest.raises(pcgs.Error, match="2 rounds are open; say which one this closes"):
        agg.learn(1.0)
    agg.learn(losses=[0.5, 0.25], round=first)
    with pytest.raises(pcgs.Error, match="the open round was opened without forecasts; close it with losses"):
        agg.learn(1.0)
    agg.predict([1.0, 2.0])
    with pytest.raises(pcgs.Error, match="2 rounds are open; say which one this closes"):
        agg.learn(1.0)
    agg.learn(1.0, round=agg.last_opened)
    assert (agg.rounds, agg.open_rounds) == (2, 1)


@pytest.mark.parametrize(
    "loss, part",
    [
        (lambda f, y: -1.0, r"the loss of the forecast 2.0 when 1.0 happened is -1.0; let the function"),
        (lambda f, y: np.nan, "is nan; let the function return a finite number"),
        (lambda f, y: np.inf, "is inf; let the function return a finite number"),
        (pcgs.CustomLoss(squared, lambda f, y: np.nan), "the gradient at the forecast"),
    ],
)
def test_a_loss_that_is_no_loss_is_refused_and_changes_nothing(loss, part):
    agg = pcgs.Aggregator(2, "fixed-share", loss=loss)
    agg.predict([2.0, 3.0])
    with pytest.raises(pcgs.Error, match=part):
        agg.learn(1.0)
    assert (agg.rounds, agg.open_rounds) == (0, 1)
    agg.abandon(1)


def test_what_the_function_raises_passes_and_the_round_stays_open():
    class Trouble(Exception):
        pass

    trouble = [True]

    def fails_once(forecast, y):
        if trouble:
            raise Trouble
        return 1.0

    agg = pcgs.Aggregator(2, "fixed-share", loss=fails_once)
    agg.predict([2.0, 3.0])
    with pytest.raises(Trouble):
        agg.learn(1.0)
    trouble.clear()
    agg.learn(1.0)
    assert agg.rounds == 1


def test_the_function_cannot_reach_for_its_aggregator():
    made = []
    agg = pcgs.Aggregator(2, "fixed-share", loss=lambda f, y: made[0].weights()[0])
    made.append(agg)
    agg.predict([2.0, 3.0])
    with pytest.raises(pcgs.Error, match="in the middle of another call"):
        agg.learn(1.0)
    agg.abandon(1)


def test_what_needs_errors_is_refused():
    with pytest.raises(pcgs.Error, match="blend learns from the errors of forecasts.*such as guard"):
        pcgs.Aggregator(2, "blend", loss=squared)
    with pytest.raises(pcgs.Error, match="intervals are made from the errors of forecasts.*leave intervals out"):
        pcgs.Aggregator(2, "boa", loss=squared, intervals=(0.8,))
    with pytest.raises(pcgs.Error, match="tau is the level of the pinball loss"):
        pcgs.Aggregator(2, "boa", loss=squared, tau=0.5)
    with pytest.raises(pcgs.Error, match="function is 3; give a function"):
        pcgs.CustomLoss(3)
    with pytest.raises(pcgs.Error, match="function is <class .*CustomLoss'>; give a function"):
        pcgs.Aggregator(2, "boa", loss=pcgs.CustomLoss)
    with pytest.raises(pcgs.Error, match="gradient is 3; give a function"):
        pcgs.CustomLoss(squared, 3)
    with pytest.raises(pcgs.Error, match="the forecast of expert 2 is inf"):
        pcgs.Aggregator(2, "boa", loss=squared).predict([1.0, np.inf])
    with pytest.raises(pcgs.Error, match="a loss of your own plays in the loop"):
        pcgs.run(*rounds(), loss=squared)


def test_a_state_holds_no_function_and_says_so():
    agg = pcgs.Aggregator(2, "fixed-share", loss=squared)
    for save in (agg.to_bytes, lambda: agg.save("/nowhere/state")):
        with pytest.raises(pcgs.Error, match="a state cannot hold a loss of your own.*pickle the aggregator"):
            save()


@pytest.mark.parametrize("again", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_pickle_keeps_a_function_that_can_be_imported(again):
    X, y = rounds(60)
    whole = pcgs.Aggregator(3, "fixed-share", loss=pcgs.CustomLoss(squared, slope))
    other = pcgs.Aggregator(3, "fixed-share", loss=pcgs.CustomLoss(squared, slope))
    for t in range(30):
        for one in (whole, other):
            one.predict(X[t])
            if t != 29:
                one.learn(y[t])
    other = again(other)  # in the middle of a round
    for one in (whole, other):
        one.learn(y[29])
        for t in range(30, 60):
            one.predict(X[t])
            one.learn(y[t])
    assert whole.weights().tolist() == other.weights().tolist()
    assert whole.total_forecast_loss == other.total_forecast_loss
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(pcgs.Aggregator(3, loss=lambda f, y: 1.0))


def test_experts_may_change_between_rounds():
    agg = pcgs.Aggregator(["a", "b"], "fixed-share", loss=squared)
    agg.predict({"a": 1.0, "b": 2.0})
    with pytest.raises(pcgs.Error, match="1 rounds are open.*close them first"):
        agg.add_expert("c")
    agg.learn(1.5)
    agg.add_expert("c")
    agg.predict({"c": 1.0})
    agg.learn(1.0)
    assert agg.rounds == 2


def test_losses_of_a_table_are_those_of_its_cells():
    X, y = rounds()
    whole = ~np.isnan(X).any(axis=1)
    table = pcgs.CustomLoss(dear_if_short).losses(X[whole], y[whole])
    assert table.shape == X[whole].shape
    assert table[3, 1] == dear_if_short(X[whole][3, 1], y[whole][3])
    with pytest.raises(pcgs.Error, match="NaN; give rows that have them all"):
        pcgs.CustomLoss(squared).losses(X, y)
    with pytest.raises(pcgs.Error, match="give a row of forecasts for each outcome"):
        pcgs.CustomLoss(squared).losses(X, y[:-1])


def test_run_plays_the_losses_that_the_loop_plays():
    X, y = rounds()
    whole = ~np.isnan(X).any(axis=1)
    loss = pcgs.CustomLoss(dear_if_short)
    result = pcgs.run(loss.losses(X[whole], y[whole]), scale="auto", methods="fixed-share")
    agg = pcgs.Aggregator(3, "fixed-share", loss=loss)
    for t, (row, outcome) in enumerate(zip(X[whole], y[whole])):
        agg.predict(row)
        assert agg.played(t + 1).tolist() == result.weight_array()[t].tolist()
        agg.learn(outcome)
