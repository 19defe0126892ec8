"""What is known when all losses are: the oracle, and what is proved about a run of the share recursion."""

import math

import numpy as np
import pytest

import pcgs


@pytest.mark.parametrize("cost", [-1, math.nan, math.inf, 1e291])
def test_what_is_no_cost_is_refused(losses, cost):
    with pytest.raises(pcgs.Error, match="cost"):
        pcgs.switching_oracle(losses, 3, switch_cost=cost)
    with pytest.raises(pcgs.Error, match="cost"):
        pcgs.run(losses, methods="hedge", switch_cost=cost)


def test_the_path_attains_the_value(losses):
    best = pcgs.switching_oracle(losses, 12, path=True)
    walked = losses[np.arange(300), best.path].sum()
    assert walked == pytest.approx(best.loss) and best.loss == best.values[12]
    assert np.count_nonzero(np.diff(best.path)) == best.switches <= 12


def test_sleepers_are_gone_around():
    nan = math.nan
    losses = np.array([[0.0, 1.0], [nan, 1.0], [0.0, nan]])
    assert pcgs.switching_oracle(losses, 2).tolist() == [math.inf, 2.0, 1.0]
    best = pcgs.switching_oracle(losses, 0, path=True)
    assert best.loss == math.inf and best.path.size == 0
    assert math.isnan(losses[1, 0])  # the caller's array is as it was


def test_losses_are_read_where_they_are(losses):
    losses.flags.writeable = False
    assert pcgs.switching_oracle(losses, 3).shape == (4,)


@pytest.mark.parametrize("path", [False, True])
@pytest.mark.parametrize("loss", [1e300, -1e300, -math.inf, 1.7e308])
def test_losses_whose_sums_overflow_are_refused(loss, path):
    losses = np.zeros((3, 2))
    losses[1, 0] = loss
    with pytest.raises(pcgs.Error, match="losses: row 2, column 1: is .*; give losses from"):
        pcgs.switching_oracle(losses, 1, path=path)
    losses[1, 0] = math.copysign(3e299, loss)
    assert pcgs.switching_oracle(losses, 0).tolist() == [min(0.0, losses[1, 0])]


# ---- Records ------------------------------------------------------------------------------------


def test_a_number_stands_for_every_round_and_no_q_for_a_uniform_one(losses):
    rounds, experts = losses.shape
    short = pcgs.ShareRecord.of(losses, 4, 0.01)
    long = pcgs.ShareRecord.of(
        losses, np.full(rounds, 4), np.full(rounds, 0.01), np.full(losses.shape, 1 / experts)
    )
    assert short.sharp_certificate().bound == pytest.approx(long.sharp_certificate().bound, rel=1e-13)
    assert short.eta.tolist() == [4] * rounds and long.rho.tolist() == [0.01] * rounds
    path = pcgs.switching_oracle(losses, 7, path=True).path
    parts, lemma = short.code_parts(path), short.cross_entropy(path, eps=0.1)
    switches = np.count_nonzero(np.diff(path))
    assert parts.switches == switches > 0 and parts.where_to == pytest.approx(switches * math.log(5))
    assert parts.start == pytest.approx(math.log(5)) and parts.restarts == pytest.approx(-switches * math.log(0.01))
    assert parts.total == parts.start + parts.stays + parts.restarts + parts.where_to
    assert (parts.uniform_stays, parts.uniform_where_to) == pytest.approx((parts.stays, parts.where_to))
    assert lemma.effective == pytest.approx(parts.where_to) and lemma.by_floor == pytest.approx(switches * math.log(50))
    sharp, plain, aligned = (
        getattr(short, f"{kind}_certificate")(path) for kind in ("sharp", "plain", "training_aligned")
    )
    assert sharp.regret <= sharp.bound <= plain.bound <= aligned.bound and sharp.holds and not sharp.weighted
    changing = pcgs.ShareRecord.of(losses, np.linspace(1, 5, rounds), 0.01)
    assert changing.sharp_certificate().weighted
    with pytest.raises(pcgs.Error, match="eta was not the same in every round"):
        changing.training_aligned_certificate(path)


@pytest.mark.parametrize("method", ["fixed-share", "pcgs-tf:oracle", "pcgs-tf"])
def test_a_played_method_has_the_certificate_of_the_loop(losses, method):
    record = pcgs.ShareRecord.play(losses, method)
    agg = pcgs.Aggregator(5, method)
    for row in losses:
        agg.learn(losses=row)
    loop, here = agg.certificate(), record.sharp_certificate()
    assert here.bound == pytest.approx(loop.bound, rel=1e-9)
    assert here.regret == pytest.approx(loop.regret, rel=1e-9)
    assert here.weighted == loop.weighted == (method == "pcgs-tf")


def test_the_rate_of_the_papers_method_can_be_set(losses):
    for spec, eta in [("pcgs-tf:oracle", 4), ("pcgs-tf:oracle{eta=1.5}", 1.5)]:
        record = pcgs.ShareRecord.play(losses, spec)
        assert record.eta.tolist() == [eta] * 300
        assert record.training_aligned_certificate().holds


def test_certify_says_what_the_program_says(losses, tmp_path, program_json):
    np.save(tmp_path / "losses.npy", losses)
    files = tmp_path / "t.csv", tmp_path / "c.json"
    methods = "pcgs-tf:oracle,pcgs-tf,boa"
    program_json("run", tmp_path / "losses.npy", "--method", methods, "--trace", files[0], "--certificate", files[1])
    proved = pcgs.certify(*files)
    assert proved == program_json("certify", *files)
    ours, learned = proved["made_of"]
    assert (ours["name"], learned["name"]) == ("pcgs-tf:oracle", "pcgs-tf")
    record = pcgs.ShareRecord.play(losses, "pcgs-tf:oracle")
    parts = record.code_parts()
    for name in ["start", "stays", "restarts", "where_to", "uniform_stays", "uniform_where_to"]:
        assert ours[name] == pytest.approx(getattr(parts, name), rel=1e-9)
    assert ours["training_aligned_bound"] == pytest.approx(record.training_aligned_certificate().bound)
    assert ours["cross_entropy"] == pytest.approx(record.cross_entropy(eps=0.01).all_rounds)
    assert "training_aligned_bound" not in learned

    trace = files[0].read_text()
    last = trace.rstrip("\n").rfind(",")
    files[0].write_text(trace[:last] + ",0.5\n")
    with pytest.raises(pcgs.Error, match="t.csv"):
        pcgs.certify(*files)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda r: pcgs.ShareRecord.of([[0, 2]], 1), "round 1 has the loss 2"),
        (lambda r: pcgs.ShareRecord.of([[0, 1]], 0), "eta 0"),
        (lambda r: pcgs.ShareRecord.of([[0, 1]], [1, 2]), "eta: here are 2 numbers for 1 rounds"),
        (lambda r: pcgs.ShareRecord.of([[0, 1]], 1, 1.0), "rho 1"),
        (lambda r: pcgs.ShareRecord.of([[0, 1]], 1, 0.5, [[0.5, 0.4]]), "summing to 1"),
        (lambda r: pcgs.ShareRecord.of([[0, 1]], 1, 0.5, [[1.0]]), "q: it has 1 rows and 1 columns"),
        (lambda r: pcgs.ShareRecord.of(np.zeros((2, 0)), 1), "no experts"),
        (lambda r: pcgs.ShareRecord.play([[0, 1]], "boa"), "boa is not of the share form"),
        (lambda r: pcgs.ShareRecord.play(np.zeros((0, 2)), "hedge"), "no rounds"),
        (lambda r: r.code_parts([0, 2]), "path: 2 is no expert; give numbers from 0 to 1"),
        (lambda r: r.code_parts([0, 0.5]), "path: 0.5 is no expert"),
        (lambda r: r.code_parts([0]), "a path of 1 rounds for a record of 2"),
        (lambda r: r.cross_entropy(eps=0), "eps is 0"),
        (lambda r: r.training_aligned_certificate(rho_max=0.6), r"rho_max is 0.6; give a number in \(0, 1/2\]"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(make, message):
    record = pcgs.ShareRecord.of([[0, 1], [0, 1]], 1, 0.25)
    with pytest.raises(pcgs.Error, match=message):
        make(record)


def test_nobody_else_makes_one():
    for make in (pcgs.ShareRecord, lambda: pcgs.ShareRecord.__new__(pcgs.ShareRecord)):
        with pytest.raises(TypeError, match="are made by pcgs"):
            make()
    with pytest.raises(TypeError):
        object.__new__(pcgs.ShareRecord)
