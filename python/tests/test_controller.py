"""Controllers written in Python: their numbers, and what happens when they fail."""

import copy
import gc
import pickle

import numpy as np
import pytest

import controllers
import pcgs


def test_the_same_controls_give_the_bits_of_the_registered_method(losses):
    ours = pcgs.Aggregator(5, controllers.FixedShare())
    theirs = pcgs.Aggregator(5, "fixed-share{eta=4,rho=0.01}")
    for row in losses:
        ours.learn(losses=row)
        theirs.learn(losses=row)
        assert (ours.weights() == theirs.weights()).all()
    assert ours.certificate().bound == theirs.certificate().bound


def test_a_round_shows_what_happened():
    rounds = []

    class Keeping(pcgs.Controller):
        def after(self, round):
            rounds.append(round)
            return pcgs.Controls(eta=1)

    agg = pcgs.Aggregator(2, Keeping(), scale=4)
    agg.predict([1.0, np.nan])
    agg.learn(2.0)
    agg.learn(losses=[4, 2])
    first, second = rounds
    assert (first.number, second.number) == (1, 2)
    assert first.losses.tolist() == [0.25, 0.25]
    assert first.awake.tolist() == [True, False]
    assert second.awake is None
    assert first.weights.tolist() == [0.5, 0.5]
    assert second.mixture_loss == second.learner_loss == pytest.approx(0.75)
    second.losses[0] = 99  # its arrays are its own
    assert on_simplex(agg)


def on_simplex(agg):
    return abs(agg.weights().sum() - 1) < 1e-12


class Answering(pcgs.Controller):
    def __init__(self, answer):
        self.answer = answer

    def after(self, round):
        return self.answer


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (None, "returned a NoneType; return pcgs.Controls"),
        (4.0, "returned a float"),
        ((1.0,), "returned a tuple"),
        ([1.0, 0.0], "returned a list"),
        (("fast", 0.0), "eta: the array is of dtype"),
        ((None, 0.0), "eta: here is None"),
        ((1 + 1j, 0.0), "eta: the array is of dtype complex128"),
        (([1.0, 2.0], 0.0), "eta: the array has shape"),
        ((0.0, 0.0), "eta = 0; return one from 1e-06 to 10000"),
        ((-1.0, 0.0), "eta = -1"),
        ((np.nan, 0.0), "eta = nan"),
        ((np.inf, 0.0), "eta = inf"),
        ((1e300, 0.0), "eta = 1e"),
        ((5e-324, 0.0), "eta = 5e-324"),
        ((1.0, 1.0), "rho = 1; return one in"),
        ((1.0, 2.0), "rho = 2"),
        ((1.0, -0.1), "rho = -0.1"),
        ((1.0, np.nan), "rho = nan"),
        ((1.0, 0.1, [0.5, 0.5]), "a q of 2 numbers for 3 experts"),
        ((1.0, 0.1, [0.5, 0.5, 0.5]), "a q that sums to 1.5"),
        ((1.0, 0.1, [1.5, -0.5, 0.0]), "a q that holds -0.5"),
        ((1.0, 0.1, [np.nan, 0.5, 0.5]), "a q that holds nan"),
        ((1.0, 0.1, [np.inf, 0.5, 0.5]), "a q that sums to inf"),
        ((1.0, 0.1, np.eye(3)), "q: the array has shape"),
        ((1.0, 0.1, "uniform"), "q: the array has shape|q: the array is of dtype"),
    ],
)
def test_controls_that_make_no_sense_are_refused(answer, sentence):
    agg = pcgs.Aggregator(3, Answering(answer))
    with pytest.raises(pcgs.Error, match=sentence):
        agg.learn(losses=[0, 0.5, 1])
    with pytest.raises(pcgs.Error, match="stopped in the middle of a round"):
        agg.learn(losses=[0, 0.5, 1])


class FailingAt(pcgs.Controller):
    def __init__(self, round):
        self.round = round

    def after(self, round):
        if round.number == self.round:
            raise KeyError("the weather of tomorrow")
        return pcgs.Controls(eta=1)


def test_what_a_controller_raises_learn_raises():
    agg = pcgs.Aggregator(2, FailingAt(3), scale=1)
    agg.learn(losses=[0, 1])
    agg.learn(losses=[0, 1])
    saved = agg.to_bytes()
    with pytest.raises(KeyError, match="the weather of tomorrow"):
        agg.learn(losses=[0, 1])
    for use in (
        lambda: agg.learn(losses=[0, 1]),
        lambda: agg.weights(),
        lambda: agg.predict([0, 1]),
        lambda: agg.to_bytes(),
        lambda: pickle.dumps(agg),
        lambda: agg.certificate(),
    ):
        with pytest.raises(pcgs.Error, match="when its controller FailingAt failed"):
            use()
    again = pcgs.Aggregator.from_bytes(saved, controller=FailingAt(9))
    assert again.rounds == 2


def test_it_may_fail_while_a_late_round_is_learned():
    late = pcgs.Aggregator(2, FailingAt(1), scale=1)
    late.predict([0.0, 1.0])
    with pytest.raises(KeyError):
        late.learn(1.0, round=1)
    with pytest.raises(pcgs.Error, match="stopped"):
        late.weights()


def test_it_may_fail_before_the_first_round():
    class NoReset(pcgs.Controller):
        def reset(self, experts):
            raise OSError("no such sensor")

    class NoName(pcgs.Controller):
        def name(self):
            return 7

    with pytest.raises(OSError, match="no such sensor"):
        pcgs.Aggregator(2, NoReset())
    with pytest.raises(pcgs.Error, match="returned no text"):
        pcgs.Aggregator(2, NoName())
    with pytest.raises(NotImplementedError, match="no method after"):
        pcgs.Aggregator(2, pcgs.Controller()).learn(losses=[0, 1])
    with pytest.raises(pcgs.Error, match="neither a name nor a pcgs.Controller"):
        pcgs.Aggregator(2, object())


def test_a_controller_is_reset_once():

    class Once(controllers.FixedShare):
        def reset(self, experts):
            assert not hasattr(self, "began")
            self.began = True

    agg = pcgs.Aggregator(2, Once())
    agg.predict([0.0, 1.0])
    agg.learn(0.0)
    agg.learn(losses=[0, 1])
    assert agg.rounds == 2


def test_a_controller_cannot_reach_for_its_own_aggregator():
    class Reaching(pcgs.Controller):
        def after(self, round):
            self.agg.learn(losses=[0, 1])
            return pcgs.Controls(eta=1)

        def save(self):
            return b""

    controller = Reaching()
    controller.agg = pcgs.Aggregator(2, controller)
    with pytest.raises(pcgs.Error, match="in the middle of another call"):
        controller.agg.learn(losses=[0, 1])


def test_a_state_needs_its_controller():
    agg = pcgs.Aggregator(2, controllers.OwnFormat(0.1))
    agg.learn(losses=[0, 1])
    with pytest.raises(pcgs.Error, match="own-format"):
        pcgs.Aggregator.from_bytes(agg.to_bytes())
    with pytest.raises(pcgs.Error, match="own-format"):
        pcgs.Aggregator.from_bytes(agg.to_bytes(), controller=controllers.OwnFormat(0.2))
    with pytest.raises(pcgs.Error, match="neither a name"):
        pcgs.Aggregator.from_bytes(agg.to_bytes(), controller="own-format")


def test_states_that_cannot_be_saved_or_loaded_say_so():
    class Textual(controllers.FixedShare):
        def save(self):
            return "text"

    class Forgetful(controllers.FixedShare):
        def load(self, state):
            raise EOFError("nothing here")

    with pytest.raises(pcgs.Error, match="returned no bytes"):
        pcgs.Aggregator(2, Textual()).to_bytes()
    forgetful = pcgs.Aggregator(2, Forgetful())
    with pytest.raises(EOFError):
        pcgs.Aggregator.from_bytes(forgetful.to_bytes(), controller=Forgetful())
    forgetful.learn(losses=[0, 1])  # saving changed nothing


def test_side_information_that_a_controller_needs_is_asked_for():
    class Hourly(controllers.FixedShare):
        def side_needed(self):
            return 1

    agg = pcgs.Aggregator(2, Hourly())
    with pytest.raises(pcgs.Error, match="Hourly needs 1 number of side information"):
        agg.learn(losses=[0, 1])
    agg.learn(losses=[0, 1], round=agg.open(side=[12]))
    assert agg.rounds == 1


class Slotted(pcgs.Controller):
    __slots__ = ("rounds", "__private")

    def reset(self, experts):
        self.rounds = 0
        self.__private = "mine"

    def after(self, round):
        self.rounds += 1
        self.extra = self.rounds
        return pcgs.Controls(eta=self.rounds)

    def private(self):
        return self.__private


def test_slots_are_saved_too():
    agg = pcgs.Aggregator(2, Slotted())
    for _ in range(5):
        agg.learn(losses=[0, 1])
    other = pcgs.Aggregator.from_bytes(agg.to_bytes(), controller=Slotted())
    assert (other.controller.rounds, other.controller.extra) == (5, 5)
    assert other.controller.private() == "mine"


class Keeping(pcgs.Controller):
    def reset(self, experts):
        self.kept = []

    def after(self, round):
        self.kept.append(round)
        return pcgs.Controls(eta=1)


def test_a_controller_may_keep_its_rounds():
    agg = pcgs.Aggregator(2, Keeping(), scale=4)
    agg.predict([1.0, np.nan], side=[7.0])
    agg.learn(2.0)
    agg.learn(losses=[4, 2])
    (first, second), (same, last) = agg.controller.kept, copy.deepcopy(agg).controller.kept
    assert (same.number, same.mixture_loss, same.learner_loss) == (
        first.number,
        first.mixture_loss,
        first.learner_loss,
    )
    for name in ("losses", "weights", "awake", "side"):
        assert getattr(same, name).tolist() == getattr(first, name).tolist()
    assert last.awake is None and last.losses.tolist() == second.losses.tolist()


def test_a_controller_steers_one_aggregator():
    controller = controllers.Remembering()
    agg = pcgs.Aggregator(2, controller)
    agg.learn(losses=[0, 1])
    state = agg.to_bytes()
    for take in (
        lambda: pcgs.Aggregator(2, controller),
        lambda: pcgs.Aggregator.from_bytes(state, controller=controller),
    ):
        with pytest.raises(pcgs.Error, match="already steers another aggregator; give each its"):
            take()
    assert controller.rounds == 1
    copied = copy.copy(agg)
    copied.learn(losses=[0, 1])
    assert (controller.rounds, copied.controller.rounds) == (1, 2)
    del agg
    gc.collect()
    assert pcgs.Aggregator(2, controller).controller.rounds == 0


def test_a_failed_aggregator_lets_its_controller_go():
    controller = FailingAt(1)
    failed = pcgs.Aggregator(2, controller)
    with pytest.raises(KeyError):
        failed.learn(losses=[0, 1])
    controller.round = 2
    again = pcgs.Aggregator(2, controller)
    again.learn(losses=[0, 1])
    del failed
    with pytest.raises(pcgs.Error, match="already steers"):
        pcgs.Aggregator(2, controller)
