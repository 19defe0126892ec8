"""A second checker of certificates, slow and obvious, to hold `pcgs certify` against.

Written from docs/certificates.md and the formats that src/proof/certificate_file.h and
src/proof/trace_file.h describe; it shares nothing with the program but these. Everything is computed with
40 digits, so that what differs from it is the program's rounding or somebody's hand.

    check_certificate.py TRACE CERTIFICATE        prints accept, unclear or reject, and why

"unclear" is a number that is off by more than an ulp and by less than anybody would notice, or something
that is written in another way than the program writes it: both verdicts are right.
"""

import math
import sys
from decimal import Decimal

from certificate_files import Rejected, fingerprint, need, read_certificate, read_trace
from share_run import EPSILON, INFINITE, NOTICEABLE, Run, exactly, near, total


def whole_path(stretches, names, rounds):
    """The expert of each round."""
    starts = [stretch["from"] for stretch in stretches]
    path = []
    for stretch, start, end in zip(stretches, starts, starts[1:] + [rounds + 1]):
        path += [names.index(stretch["expert"])] * int(end - start)
    return path


def check_method(one, run, names, budgets, loss):
    rounds = len(run.rows)
    need(one["rounds"] == rounds, "rounds are missing")
    need(one["experts"] == len(names), "another number of experts")
    need(one["fingerprint"] == fingerprint(len(names), run.rows), "the fingerprint does not fit")
    need(one["weighted"] == run.weighted, "weighted is wrong")
    best = one["best_path"]
    starts = [stretch["from"] for stretch in best["path"]]
    need(starts and starts[0] == 1 and starts[-1] <= rounds, "the path does not cover the rounds")
    need(all(a < b for a, b in zip(starts, starts[1:])), "the path goes back")
    need(all(stretch["expert"] in names for stretch in best["path"]), "the path names nobody")
    experts = [names.index(stretch["expert"]) for stretch in best["path"]]
    need(all(a != b for a, b in zip(experts, experts[1:])), "the path switches to the same expert")
    need(best["switches"] == len(starts) - 1, "best_path/switches is wrong")
    path = whole_path(best["path"], names, rounds)
    _, weighted, code = run.along(path)
    need(code < INFINITE, "the path was ruled out")
    lowest = run.paths(rounds, True)[-1]
    run.near(weighted + code, lowest, lowest, 0, "the path is not the best")
    need([entry["switches"] for entry in one["switching"]] == budgets, "other budgets")
    need(("forecasts" in one) == run.has_forecasts, "forecasts are claimed or missing")
    need(not run.has_forecasts or loss is not None, "the loss of forecasts is missing")
    holds = [best] + one["switching"]
    if run.has_forecasts:
        claims = one["forecasts"]
        holds += claims.values()
        need(claims["path"]["switches"] == best["switches"], "forecasts/path/switches is wrong")
        need(claims["expert"]["expert"] in names, "forecasts/expert names nobody")
        costs = [run.staying(k) for k in range(run.count)]
        run.near(costs[names.index(claims["expert"]["expert"])], min(costs), min(costs), 0,
                 "forecasts/expert is not the best")
        for claim in claims.values():
            check_roots(claim, loss)
    need(all(claim["holds"] for claim in holds), "something does not hold")
    for at, value, scale in run.claims(path, budgets, loss == "squared"):
        claimed = one
        for key in at.split("/"):
            claimed = claimed[int(key) if key.isdigit() else key]
        run.near(claimed, value, value if scale is None else scale, 0, at)


def check_uncertified(rows, doubts):
    """Nothing is known but that weights were played over the awake, and what they lost."""
    need(len({row["round"] for row in rows}) == len(rows), "a round is there twice")
    for row in rows:
        need(row["eta"] is None, "a method of the share form is uncertified")
        sleepers = row["mixture_loss"] if row["forecast_loss"] is not None else row["learner_loss"]
        losses = [sleepers if loss is None else loss for loss in row["loss"]]
        need(all(w >= 0 for w in row["weight"]) and all(0 <= loss <= 1 for loss in losses), "out of range")
        need(all(w == 0 for w, loss in zip(row["weight"], row["loss"]) if loss is None), "a sleeper was played")
        paid = total(Decimal(w) * Decimal(loss) for w, loss in zip(row["weight"], losses))
        near(math.fsum(row["weight"]), 1, 1, len(losses) * EPSILON, "weights are not on the simplex", doubts)
        near(row["mixture_loss"], paid, paid, len(losses) * EPSILON, "mixture_loss", doubts)


def check_published(one, document, doubts):
    """No trace proves these; they must not contradict themselves."""
    need(any(one["name"] == other["name"] and one["rounds"] == other["rounds"]
             for other in document["uncertified"]), "published by nobody")
    need(one["expert"]["expert"] in document["experts"], "published/expert names nobody")
    for claim in (one["path"], one["raw_path"], one["expert"]):
        check_roots(claim, document.get("loss"))
        loss, bound = Decimal(claim["loss"]), Decimal(claim["bound"])
        slack = Decimal(NOTICEABLE) * (abs(loss) + abs(bound))
        need(claim["holds"] and Decimal(claim["regret"]) <= bound + slack, "a published claim does not hold")
        if "rmse" in claim:
            need(loss >= 0, "a squared loss is negative")
            roots = [loss.sqrt(), max(Decimal(0), loss - bound).sqrt()]
            near(claim["rmse"], roots[0], roots[0], 0, "published rmse", doubts)
            size = roots[0] + roots[1] + abs(bound) / max(roots[1], Decimal(NOTICEABLE) * roots[0], Decimal("1e-400"))
            near(claim["rmse_bound"], roots[0] - roots[1], size, 0, "published rmse_bound", doubts)


def check_roots(claim, loss):
    need(("rmse" in claim) == ("rmse_bound" in claim) == (loss == "squared"), "rmse is there or is missing")


def check_files(trace, certificate, doubts):
    document = read_certificate(certificate, doubts)
    names, methods = read_trace(trace, doubts)
    need(document["experts"] == names, "other experts")
    need(len(document["methods"]) > 0, "nothing is proved")
    need(document.get("loss", "log") in ("squared", "absolute", "pinball", "log"), "no such loss")
    told = [one["name"] for one in document["methods"]], [one["name"] for one in document["uncertified"]]
    need(len(told[0] + told[1]) == len(methods), "a method is missing or told twice")
    need(all([name for name in methods if name in names_of] == names_of for names_of in told), "other methods")
    for one in document["methods"]:
        run = Run(methods[one["name"]], len(names), doubts)
        check_method(one, run, names, document["switches"], document.get("loss"))
    for one in document["uncertified"]:
        rows = methods[one["name"]]
        check_uncertified(rows, doubts)
        need(one["rounds"] == len(rows), "uncertified rounds are missing")
        need(one["fingerprint"] == fingerprint(len(names), rows), "the fingerprint does not fit")
    for one in document.get("published", []):
        check_published(one, document, doubts)


def check(trace, certificate):
    """("accept" or "unclear" or "reject", why) for the bytes of two files."""
    doubts = []
    with exactly():
        try:
            check_files(trace, certificate, doubts)
        except Rejected as reason:
            return "reject", str(reason)
    return ("unclear", doubts[0]) if doubts else ("accept", "")


if __name__ == "__main__":
    contents = []
    for path in sys.argv[1:3]:
        with open(path, "rb") as file:
            contents.append(file.read())
    verdict, why = check(*contents)
    print(verdict, why)
    sys.exit(2 if verdict == "reject" else 0)
