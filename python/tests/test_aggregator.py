"""The user's object: two verbs, sleepers, late outcomes, saving."""

import copy
import math
import pickle
import threading
import tracemalloc

import numpy as np
import pytest

import pcgs


def test_the_loop_of_the_readme():
    random = np.random.default_rng(0)
    agg = pcgs.Aggregator(experts=["lag1", "ewma", "rls"], method="guard")
    for y in random.random(150):
        yhat = agg.predict(np.array([y + 0.1, np.nan, y - 0.1]))
        assert isinstance(yhat, float)
        agg.learn(y)
    assert agg.rounds == 150
    assert 0 < agg.certificate().bound < math.inf


def test_weights_are_an_array_of_their_own():
    agg = pcgs.Aggregator(2, "fixed-share")
    before = agg.weights()
    agg.learn(losses=[0, 1])
    assert before.tolist() == [0.5, 0.5]
    assert agg.weights()[0] > 0.9
    with pytest.raises(ValueError):
        before[0] = 1


def test_input_is_not_copied_where_it_need_not_be():
    """NumPy says what it allocates; a copy of the losses would be seen."""
    losses = np.zeros(3000)
    agg = pcgs.Aggregator(losses.size, "hedge")

    def allocated(given):
        tracemalloc.start()
        agg.learn(losses=given)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    assert allocated(losses) < losses.nbytes / 2
    assert allocated(losses.astype(np.float32)) >= losses.nbytes
    losses.flags.writeable = False
    assert allocated(losses) < losses.nbytes / 2


@pytest.mark.parametrize(
    "given",
    [
        [0, 1, 1],
        (0.0, 1.0, 1.0),
        np.array([0, 1, 1], dtype=np.int8),
        np.array([0, 1, 1], dtype=np.uint64),
        np.array([False, True, True]),
        np.array([0, 1, 1], dtype=np.float32),
        np.array([0, 1, 1], dtype=np.float16),
        np.array([0, 1, 1], dtype=">f8"),
        np.array([0, 5, 1, 5, 1, 5], dtype=float)[::2],
        np.frombuffer(b"x" + np.array([0, 1, 1], dtype=float).tobytes(), offset=1),
    ],
)
def test_numbers_of_every_kind_are_read(given):
    plain, other = pcgs.Aggregator(3, "boa"), pcgs.Aggregator(3, "boa")
    plain.learn(losses=np.array([0.0, 1.0, 1.0]))
    other.learn(losses=given)
    assert other.to_bytes() == plain.to_bytes()


def test_outcomes_may_come_late_and_in_any_order():
    agg = pcgs.Aggregator(2, "hedge", scale=1)
    numbers = []
    for forecasts in ([0.0, 1.0], [1.0, 0.0], [0.5, 0.0]):
        agg.predict(forecasts)
        numbers.append(agg.last_opened)
    assert numbers == [1, 2, 3]
    agg.learn(0.0, round=3)
    agg.learn(0.0, round=1)
    assert agg.open_rounds == 1
    agg.abandon(2)
    assert (agg.open_rounds, agg.rounds) == (0, 2)


def test_side_information_reaches_the_round():
    seen = []

    class Watching(pcgs.Controller):
        def after(self, round):
            seen.append(round.side.tolist())
            return pcgs.Controls(eta=1)

    agg = pcgs.Aggregator(2, Watching(), scale=1)
    agg.predict([0.0, 1.0], side=[7, 8])
    agg.learn(0.0)
    agg.learn(losses=[0, 1], round=agg.open(side=np.array([9.0])))
    assert seen == [[7, 8], [9]]


def test_a_failed_call_changes_nothing():
    agg = pcgs.Aggregator(2, "fixed-share", scale=1)
    agg.predict([0.0, 1.0])
    before = agg.to_bytes()
    for bad in (
        lambda: agg.predict([1.0]),
        lambda: agg.predict([1.0, math.inf]),
        lambda: agg.learn(math.nan),
        lambda: agg.learn(1.0, round=9),
        lambda: agg.learn(losses=[0, 0], round=1),
        lambda: agg.learn(losses=[0, math.nan]),
        lambda: agg.open(awake=[True]),
        lambda: agg.abandon(2),
    ):
        with pytest.raises(pcgs.Error):
            bad()
        assert agg.to_bytes() == before


class LongForm(pcgs.Aggregator):
    pass


every_copy = pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))],
    ids=["copy", "deepcopy", "pickle"],
)


@every_copy
def test_copies_have_the_attributes_of_a_subclass(again):
    agg = LongForm(2, "hedge")
    agg.tags = ["x"]
    agg.learn(losses=[0, 1])
    other = again(agg)
    assert (other.tags, other.rounds) == (["x"], 1)
    other.tags.append("y")
    assert agg.tags == ["x"]


@every_copy
@pytest.mark.parametrize("method", ["guard", "fixed-share", "ml-poly"])
@pytest.mark.parametrize("kind", [pcgs.Aggregator, LongForm])
def test_copies_go_on_to_the_bit(kind, method, again, losses):
    agg = kind([f"e{k}" for k in range(5)], method)
    for row in losses[:100]:
        agg.learn(losses=row)
    agg.open()
    other = again(agg)
    assert type(other) is kind
    assert other.names == agg.names
    for row in losses[100:]:
        agg.learn(losses=row)
        other.learn(losses=row)
    assert other.to_bytes() == agg.to_bytes()


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_every_pickle_protocol_works(protocol):
    agg = pcgs.Aggregator(2, "guard")
    agg.learn(losses=[0, 1])
    assert pickle.loads(pickle.dumps(agg, protocol)).to_bytes() == agg.to_bytes()


def test_states_that_are_none_are_refused(tmp_path):
    (tmp_path / "state").write_bytes(b"not a state at all")
    with pytest.raises(pcgs.Error, match="state"):
        pcgs.Aggregator.load(tmp_path / "state")
    with pytest.raises(pcgs.Error):
        pcgs.Aggregator.load(tmp_path / "nothing")
    with pytest.raises(pcgs.Error):
        pcgs.Aggregator.load(tmp_path)
    good = bytearray(pcgs.Aggregator(2).to_bytes())
    for i in range(0, len(good), 7):
        flipped = good.copy()
        flipped[i] ^= 4
        with pytest.raises(pcgs.Error):
            pcgs.Aggregator.from_bytes(bytes(flipped))
    assert pcgs.Aggregator.from_bytes(good).experts == 2
    assert pcgs.Aggregator.from_bytes(memoryview(good)).experts == 2
    with pytest.raises(pcgs.Error, match="the state is 'text'; give the bytes"):
        pcgs.Aggregator.from_bytes("text")
    for cut in range(0, len(good), 11):
        with pytest.raises(pcgs.Error):
            pcgs.Aggregator.from_bytes(bytes(good[:cut]))


def test_an_aggregator_that_was_never_made_says_so():
    unmade = pcgs.Aggregator.__new__(pcgs.Aggregator)
    for use in (
        lambda: unmade.weights(),
        lambda: unmade.learn(losses=[0, 1]),
        lambda: unmade.rounds,
        lambda: unmade.skip(1),
        lambda: unmade.note,
        lambda: setattr(unmade, "note", "a"),
        lambda: repr(unmade),
        lambda: pickle.dumps(unmade),
        lambda: unmade.__setstate__("nonsense"),
        lambda: unmade.__setstate__(("nonsense", None)),
        lambda: unmade.__setstate__((b"nonsense", None)),
        lambda: unmade.__setstate__((b"nonsense", None, {})),
        lambda: unmade.__setstate__((b"nonsense", None, None)),
    ):
        with pytest.raises((pcgs.Error, TypeError)):
            use()


@pytest.mark.parametrize("method", ["guard{learned=0}", "fixed-share"])
def test_nothing_is_certified_before_anything_is_learned(method):
    with pytest.raises(pcgs.Error, match="no round has been learned yet"):
        pcgs.Aggregator(2, method).certificate()
    agg = pcgs.Aggregator(2, method)
    agg.predict([0.0, 1.0])
    with pytest.raises(pcgs.Error, match="no round has been learned yet"):
        agg.certificate()
    agg.learn(0.0)
    assert agg.certificate().bound > 0


@every_copy
def test_certificates_can_be_copied(again):
    agg = pcgs.Aggregator(2, "hedge")
    agg.learn(losses=[0, 1])
    known, other = agg.certificate(), again(agg.certificate())
    names = ("bound", "regret", "holds", "switches", "weighted")
    assert [getattr(other, name) for name in names] == [getattr(known, name) for name in names]


def test_share_methods_certify_their_regret(losses):
    agg = pcgs.Aggregator(5, "fixed-share")
    for row in losses:
        agg.learn(losses=row)
    proof = agg.certificate()
    assert proof.holds and proof.regret <= proof.bound
    assert proof.switches is None and not proof.weighted
    assert pickle.loads(pickle.dumps(agg)).certificate() == proof
    with pytest.raises(pcgs.Error, match="any number of switches"):
        agg.certificate(switches=3)


def test_certificates_can_be_left_out(losses):
    agg = pcgs.Aggregator(5, "hedge", certify=False)
    agg.learn(losses=losses[0])
    with pytest.raises(pcgs.Error, match="certify=False"):
        agg.certificate()


def test_guard_bounds_regret_for_any_number_of_switches(losses):
    agg = pcgs.Aggregator(5, "guard{learned=0}")
    for row in losses:
        agg.learn(losses=row)
    oracle = pcgs.switching_oracle(losses, 20)
    for switches in (0, 1, 7, 20):
        proof = agg.certificate(switches=switches)
        assert agg.total_loss - oracle[switches] <= proof.bound
        assert (proof.switches, proof.regret, proof.holds) == (switches, None, None)
    assert agg.certificate().bound == agg.certificate(switches=20).bound


def test_methods_without_a_proof_say_so():
    agg = pcgs.Aggregator(2, "ml-poly")
    agg.learn(losses=[0, 1])
    with pytest.raises(pcgs.Error, match="ml-poly brings no proof; guard does"):
        agg.certificate()


@pytest.mark.parametrize("bad", [-1, 1.5, True, None, "2", 1 << 63, 1 << 62])
def test_rounds_that_cannot_be_skipped_are_refused(bad):
    agg = pcgs.Aggregator(2, "guard")
    with pytest.raises(pcgs.Error, match="give a"):
        agg.skip(bad)
    agg.skip(0)
    assert agg.open() == 1


def test_a_note_is_kept_with_the_state(tmp_path):
    agg = pcgs.Aggregator(2)
    assert agg.note == b""
    for note, kept in [("März", "März".encode()), (b"\xff\x00\n", b"\xff\x00\n"), ("", b"")]:
        agg.note = note
        assert agg.note == kept and type(agg.note) is bytes
        agg.save(tmp_path / "state")
        for again in (pcgs.Aggregator.load(tmp_path / "state"), copy.deepcopy(agg)):
            assert again.note == kept


@pytest.mark.parametrize("bad", [None, 3, ["a"], "\ud800", b"x" * 65537, bytearray(b"x")])
def test_a_note_that_is_none_changes_nothing(bad):
    agg = pcgs.Aggregator(2)
    agg.note = "kept"
    with pytest.raises(pcgs.Error, match="give"):
        agg.note = bad
    assert agg.note == b"kept"


def test_names_and_numbers_of_experts():
    assert pcgs.Aggregator(3).names is None
    assert pcgs.Aggregator(np.int64(3)).experts == 3
    assert pcgs.Aggregator(("a", "b")).names == ["a", "b"]
    assert pcgs.Aggregator(np.array(["a", "b"])).names == ["a", "b"]


def test_it_describes_itself():
    assert repr(pcgs.Aggregator(2, "hedge")) == "<pcgs.Aggregator: hedge{eta=4}, 2 experts>"


def test_two_threads_never_learn_at_once():
    agg = pcgs.Aggregator(64, "guard")
    losses = np.random.default_rng(5).random((200, 64))
    refused = []

    def learn():
        for row in losses:
            try:
                agg.learn(losses=row)
            except pcgs.Error as error:
                refused.append(str(error))

    threads = [threading.Thread(target=learn) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert agg.rounds + len(refused) == 800
    assert all("one thread at a time" in sentence for sentence in refused)
    assert abs(agg.weights().sum() - 1) < 1e-12
