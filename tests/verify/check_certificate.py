"""A second checker of certificates, slow and obvious, to hold `pcgs certify` against.

Written from docs/certificates.md and the formats that src/results/certificate_file.h and
src/io/trace_file.h describe; it shares nothing with the program but these. Everything is computed with
40 digits, so that what differs from it is the program's rounding or somebody's hand.

    check_certificate.py TRACE CERTIFICATE        prints accept, unclear or reject, and why

"unclear" is a number that is off by more than an ulp and by less than anybody would notice, or something
that is written in another way than the program writes it: both verdicts are right.
"""

import csv
import io
import json
import math
import re
import struct
import sys
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

EPSILON = 2.0**-52
NOTICEABLE = 1e-9  # relative to the numbers that are summed
FIELDS = "mixture_loss learner_loss eta rho mix_loss gap scale forecast_loss".split()
INFINITE = Decimal("Infinity")
INVISIBLE = Decimal("1e-138")  # weights below it may have been played as 0


class Rejected(Exception):
    pass


def need(condition, reason):
    if not condition:
        raise Rejected(reason)


# --- Fingerprints (src/io/fingerprint.h, trace_fingerprint.h, json_checksum.h)


class Fingerprint:
    def __init__(self, start):
        self.hash = start

    def add(self, word):
        if isinstance(word, float):
            word = struct.unpack("<Q", struct.pack("<d", word))[0]
        x = (self.hash ^ word) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        self.hash = x ^ x >> 32

    def text(self):
        return f"{self.hash:016x}"


def fingerprint(experts, rows):
    made = Fingerprint(experts)
    for row in rows:
        made.add(row["round"])
        for x in [row[field] for field in FIELDS] + row["weight"] + row["loss"] + row["q"]:
            made.add(0x7FF8000000000000 if x is None else x)
    return made.text()


def checksum(document):
    made = Fingerprint(0)

    def add_text(text):
        data = text.encode("utf-8", "surrogatepass")
        made.add(len(data))
        for byte in data:
            made.add(byte)

    def add(value):
        kinds = ((type(None), 1), (bool, 2), ((int, float), 3), (str, 4), (list, 5), (dict, 6))
        made.add(next(word for kind, word in kinds if isinstance(value, kind)))
        if isinstance(value, bool):
            made.add(int(value))
        elif isinstance(value, (int, float)):
            made.add(float(value))
        elif isinstance(value, str):
            add_text(value)
        elif isinstance(value, list):
            made.add(len(value))
            for one in value:
                add(one)
        elif isinstance(value, dict):
            made.add(len(value))
            for key, one in value.items():
                add_text(key)
                add(one)

    add({key: value for key, value in document.items() if key != "checksum"})
    return made.text()


# --- Reading


def read_trace(data, doubts):
    """The names of the experts and, for each method in the order of the file, its rows."""
    try:
        text = data.decode("utf-8")
        need("\0" not in text, "a trace holds no zero byte")
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise Rejected(f"the trace is no CSV ({error})") from None
    if not text.endswith("\n") or "\r" in text or [] in lines:
        doubts.append("lines that do not end as the program ends them")
    lines = [line for line in lines if line]
    need(lines, "the trace is empty")
    header = [name.strip() for name in lines[0]]
    if header != lines[0]:
        doubts.append("spaces around names")
    first = ["method", "round", *FIELDS]
    count = (len(header) - len(first)) // 3
    need(count >= 1, "the header is too short")
    names = [name.removeprefix("weight:") for name in header[len(first) :][:count]]
    kinds = [f"{kind}:{name}" for kind in ("weight", "loss", "q") for name in names]
    need(header == first + kinds, "the header is not that of a trace")
    need(len(set(names)) == count and all(names), "experts need names of their own")

    def number(cell):
        if cell == "":
            return None
        if not re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", cell, re.ASCII):
            doubts.append(f"a number is written as {cell!r}")
        try:
            need("_" not in cell, f"{cell!r} is no number")
            value = float(cell)
        except ValueError:
            raise Rejected(f"{cell!r} is no number") from None
        need(math.isfinite(value), f"{cell!r} is not finite")
        return value

    methods = {}
    for line in lines[1:]:
        need(len(line) == len(header), "a row has more or fewer cells than the header")
        cells = [number(cell) for cell in line[1:]]
        need(cells[0] is not None and cells[0] == int(cells[0]), "a round has no number")
        if not re.fullmatch(r"[1-9]\d{0,14}", line[1], re.ASCII):
            doubts.append(f"a round is written as {line[1]!r}")
        row = dict(zip(FIELDS, cells[1:]), round=int(cells[0]) % 2**64)
        rest = cells[1 + len(FIELDS) :]
        row["weight"], row["loss"], row["q"] = (rest[i * count :][:count] for i in range(3))
        steps = [row[field] for field in FIELDS[2:6]] + row["q"]
        need(len({x is None for x in steps}) == 1, "controls are given in part")
        always = [row["mixture_loss"], row["learner_loss"], row["scale"], *row["weight"]]
        need(None not in always, "a cell is empty")
        need(row["scale"] > 0, "a scale is not positive")
        need(line[0] not in methods or line[0] == list(methods)[-1], "the rows of a method are not together")
        methods.setdefault(line[0], []).append(row)
    return names, methods


def read_certificate(data, doubts):
    def no_key_twice(pairs):
        need(len({key for key, _ in pairs}) == len(pairs), "an object has a key twice")
        return dict(pairs)

    def not_finite(text):
        raise Rejected(f"{text} is no JSON")

    if data.startswith(b"\xef\xbb\xbf"):
        doubts.append("a byte order mark")
        data = data[3:]
    try:
        document = json.loads(data.decode("utf-8"), object_pairs_hook=no_key_twice, parse_constant=not_finite)
    except (ValueError, RecursionError) as error:
        raise Rejected(f"the certificate is no JSON ({error})") from None
    need(isinstance(document, dict), "a certificate is an object")

    def keys(value, wanted, at):
        """`wanted` names each key and its kind, in order; a key that may be missing ends in ?"""
        need(isinstance(value, dict), f"{at} is no object")
        names = [part.split("=") for part in wanted.split()]
        present = [name.rstrip("?") for name, _ in names if name.rstrip("?") in value or name[-1] != "?"]
        need(list(value) == present, f"{at} has other keys")
        for name, kind in names:
            if (name := name.rstrip("?")) in value:
                of_kind(value[name], kind, f"{at}/{name}")

    def of_kind(x, kind, at):
        if kind == "count":
            need(isinstance(x, (int, float)) and not isinstance(x, bool) and 0 <= x == int(x), f"{at} is no count")
            if isinstance(x, float) or x >= 2**53:
                doubts.append(f"{at} is written as {x}")
        elif kind == "number":
            need(isinstance(x, (int, float)) and not isinstance(x, bool), f"{at} is no number")
            need(abs(x) <= sys.float_info.max, f"{at} is not finite")
        else:
            need(isinstance(x, {"text": str, "truth": bool, "list": list, "object": dict}[kind]), f"{at} is no {kind}")

    claim = "loss=number regret=number bound=number holds=truth {} rmse?=number rmse_bound?=number"
    keys(document, "format=text experts=list switches=list loss?=text methods=list uncertified=list "
         "published?=list checksum=text", "the certificate")
    need(document["format"] == "pcgs certificate 2", "another format")
    need(document["checksum"] == checksum(document), "the checksum does not fit")
    for name in document["experts"]:
        of_kind(name, "text", "experts")
    for budget in document["switches"]:
        of_kind(budget, "count", "switches")
    for one in document["methods"]:
        keys(one, "name=text rounds=count experts=count fingerprint=text total_loss=number weighted=truth "
             "best_path=object switching=list forecasts?=object", "a method")
        keys(one["best_path"], "loss=number code=number switches=count regret=number bound=number holds=truth "
             "path=list", "best_path")
        for stretch in one["best_path"]["path"]:
            keys(stretch, "from=count expert=text", "path")
        for entry in one["switching"]:
            keys(entry, "switches=count oracle=number regret=number bound=number plain_bound=number holds=truth",
                 "switching")
        if "forecasts" in one:
            keys(one["forecasts"], "path=object expert=object", "forecasts")
            keys(one["forecasts"]["path"], claim.format("switches=count"), "forecasts/path")
            keys(one["forecasts"]["expert"], claim.format("expert=text"), "forecasts/expert")
    for one in document["uncertified"]:
        keys(one, "name=text rounds=count fingerprint=text", "uncertified")
    for one in document.get("published", []):
        keys(one, "name=text rounds=count path=object raw_path=object expert=object", "published")
        keys(one["path"], claim.format("switches=count"), "published/path")
        keys(one["raw_path"], claim.format("switches=count"), "published/raw_path")
        keys(one["expert"], claim.format("expert=text"), "published/expert")
    need(len(document.get("published", [1])) > 0, "published is empty")
    return document


# --- The recursion and what is claimed about it


def log(x):
    return x.ln() if x > 0 else -INFINITE


def total(numbers):
    return sum(numbers, Decimal(0))


def near(claimed, true, scale, rounding, what, doubts):
    """Rejects what is noticeably off, `scale` being the size of what is summed; doubts what is off by more
    than a few ulps, which somebody else's rounding may explain or not."""
    apart = abs(Decimal(claimed) - Decimal(true))
    need(apart <= Decimal(max(NOTICEABLE, 8 * rounding)) * abs(Decimal(scale)), what)
    if apart > 4 * Decimal(EPSILON) * abs(Decimal(true)):
        doubts.append(what)


def renormalised(weights, awake):
    """Over the awake; the same for each where none of them has a weight that can be seen."""
    seen = [w if there and w > INVISIBLE else Decimal(0) for w, there in zip(weights, awake)]
    if not any(seen):
        seen = [Decimal(there) for there in awake]
    return [w / total(seen) for w in seen]


class Run:
    """One method's rows, replayed from losses and controls. Rejects rows that contradict them."""

    def __init__(self, rows, count, doubts):
        self.rows, self.count, self.doubts = rows, count, doubts
        self.losses, self.rounds = [], []  # losses completed for sleepers; what each round came to
        weights = [Decimal(1) / count] * count
        history = [weights]
        drift = 0.0  # how far rounding may have moved a weight so far, relatively
        need(len({row["round"] for row in rows}) == len(rows), "a round is there twice")
        for row in rows:
            at = f"round {row['round']}"
            need(row["eta"] is not None, f"{at}: no controls")
            self.check_ranges(row, at)
            awake = [loss is not None for loss in row["loss"]]
            believed = row["mixture_loss"] if row["forecast_loss"] is not None else row["learner_loss"]
            need(all(awake) or 0 <= believed <= 1, f"{at}: the loss of sleepers is out of range")
            losses = [Decimal(believed if loss is None else loss) for loss in row["loss"]]
            eta, rho = Decimal(row["eta"]), Decimal(row["rho"])
            played = [Decimal(w) for w in row["weight"]]
            self.check_played(at, played, awake, history, drift)
            paid = total(w * loss for w, loss in zip(played, losses))
            self.near(row["mixture_loss"], paid, paid, drift + self.count * EPSILON, f"{at}: mixture_loss")

            least = min(losses)
            kept = [w * (-eta * (loss - least)).exp() for w, loss in zip(weights, losses)]
            z = total(kept)
            if z == 0:
                raise Rejected(f"{at}: eta leaves nothing")
            mix = least - z.ln() / eta
            on_time = total(w * loss for w, loss in zip(weights, losses))
            # The logarithm of Z is known up to the drift of the weights; divided by eta it is the mix loss.
            off = float(max(losses)) + (drift + (self.count + 16) * EPSILON) / row["eta"] / NOTICEABLE
            drift += (self.count + 16 + row["eta"]) * EPSILON
            self.near(row["mix_loss"], mix, off, drift, f"{at}: mix_loss")
            self.near(row["gap"], on_time - mix, off, drift, f"{at}: gap")

            q = [Decimal(x) for x in row["q"]]
            weights = [(1 - rho) * v / z + rho * x for v, x in zip(kept, q)]
            weights = [w / total(weights) for w in weights]
            history.append(weights)
            self.losses.append(losses)
            paid = Decimal(row["mixture_loss"])
            combined = paid
            if row["forecast_loss"] is not None:
                combined = min(Decimal(row["forecast_loss"]) / Decimal(row["scale"]), Decimal(10) ** 15)
            self.rounds.append((eta, paid, mix, on_time, combined, eta / Decimal(row["scale"])))
        self.drift = drift
        if drift / min(1, *(row["eta"] for row in rows)) > 1e-6:
            doubts.append("rounding may explain too much")
        self.has_forecasts = all(row["forecast_loss"] is not None for row in rows)
        self.weighted = len({row["eta"] for row in rows}) > 1

    def check_ranges(self, row, at):
        need(row["round"] >= 1 and row["round"] < 2**63, f"{at}: its number is out of range")
        need(row["eta"] > 0, f"{at}: eta is out of range")
        need(0 <= row["rho"] < 1, f"{at}: rho is out of range")
        need(row["forecast_loss"] is None or row["forecast_loss"] >= 0, f"{at}: a forecast loses less than nothing")
        need(all(x is None or 0 <= x <= 1 for x in row["loss"]), f"{at}: a loss is out of range")
        need(any(x is not None for x in row["loss"]), f"{at}: everybody sleeps")
        need(all(x >= 0 for x in row["q"] + row["weight"]), f"{at}: a weight is negative")
        self.near(math.fsum(row["q"]), 1, 1, self.count * EPSILON, f"{at}: q is not on the simplex")

    def check_played(self, at, played, awake, history, drift):
        """The weights after the last round or, where losses came late, an earlier one."""
        need(all(w == 0 for w, there in zip(played, awake) if not there), f"{at}: a sleeper was played")
        closest = INFINITE
        for weights in reversed(history):
            expected = renormalised(weights, awake)
            if any(1e-142 < w < 1e-136 for w in weights):
                self.doubts.append(f"{at}: weights that may have been invisible")
            apart = [abs(p - w) / max(p, w) if w > 0 else p for p, w in zip(played, expected) if p + w > 0]
            closest = min(closest, max(apart, default=Decimal(0)))
            if closest <= Decimal(1e-12):
                break
        self.near(1 + closest, 1, 1, 2 * drift + (self.count + 16) * EPSILON, f"{at}: other weights were played")

    def near(self, claimed, true, scale, rounding, what):
        near(claimed, true, scale, rounding, what, self.doubts)

    def paths(self, most, weigh, code):
        """[min(most, T - 1) + 1] the lowest cost of a path with at most so many switches; costs are
        losses, weighted by eta with `weigh`, and with `code` the code length."""
        experts = range(self.count)
        budgets = range(min(most, len(self.rows) - 1) + 1)
        first = Decimal(self.count).ln() if code else Decimal(0)
        costs = None
        for t, (row, losses) in enumerate(zip(self.rows, self.losses)):
            rate = Decimal(row["eta"]) if weigh else 1
            if costs is None:
                costs = [[first + rate * losses[k] for k in experts] for _ in budgets]
                continue
            stay, switch = self.transitions(t - 1) if code else ([0] * self.count, [0] * self.count)
            costs = [[rate * losses[k] + min([costs[s][k] + stay[k]] + [
                costs[s - 1][j] + switch[k] for j in experts if s > 0 and j != k]) for k in experts]
                for s in budgets]
        return [min(cost) for cost in costs]

    def transitions(self, t):
        """[K], [K] what it costs to stay with an expert after round t, and to switch to it."""
        rho = Decimal(self.rows[t]["rho"])
        q = [Decimal(x) for x in self.rows[t]["q"]]
        return [-log(1 - rho + rho * x) for x in q], [-log(rho * x) for x in q]

    def along(self, path):
        """Loss, weighted loss and code of one path."""
        loss = total(losses[k] for losses, k in zip(self.losses, path))
        weighted = total(step[0] * losses[k] for step, losses, k in zip(self.rounds, self.losses, path))
        code = Decimal(self.count).ln()
        for t, (a, b) in enumerate(zip(path, path[1:])):
            stay, switch = self.transitions(t)
            code += stay[b] if a == b else switch[b]
        return loss, weighted, code

    def best_path(self):
        """Ties: any."""
        experts = range(self.count)
        costs, sources = [Decimal(self.count).ln() + self.rounds[0][0] * x for x in self.losses[0]], []
        for t in range(1, len(self.rows)):
            stay, switch = self.transitions(t - 1)
            ways = [[costs[j] + (stay[k] if j == k else switch[k]) for j in experts] for k in experts]
            sources.append([way.index(min(way)) if min(way) < way[k] else k for k, way in enumerate(ways)])
            costs = [min(way) + self.rounds[t][0] * self.losses[t][k] for k, way in enumerate(ways)]
        path = [costs.index(min(costs))]
        for source in reversed(sources):
            path.append(source[path[-1]])
        return path[::-1]

    def claims(self, path, budgets, squared):
        """What a certificate says about this run, as [(where, value, scale of its terms)]."""
        eta = [step[0] for step in self.rounds]
        per = 1 if self.weighted else eta[0]
        weighted_paid = total(step[0] * step[1] for step in self.rounds)
        gaps = total(e * (paid - mix) for e, paid, mix, *_ in self.rounds)
        worst = total(e * (e / 8 + paid - on_time) for e, paid, _, on_time, *_ in self.rounds)
        size = total(e * (paid + abs(mix) + 1) for e, paid, mix, *_ in self.rounds)
        loss, weighted_loss, code = self.along(path)
        size += code
        yield "total_loss", total(step[1] for step in self.rounds), None
        yield "best_path/loss", loss, None
        yield "best_path/code", code, size
        yield "best_path/regret", (weighted_paid - weighted_loss) / per, size / per
        yield "best_path/bound", (code + gaps) / per, size / per
        most = int(max(budgets, default=0))
        oracle = self.paths(most, True, False)
        penalised = self.paths(most, True, True)
        for i, budget in enumerate(budgets):
            s = min(int(budget), len(oracle) - 1)
            at = f"switching/{i}/"
            yield at + "oracle", oracle[s] / per, size / per
            yield at + "regret", (weighted_paid - oracle[s]) / per, size / per
            yield at + "bound", (penalised[s] - oracle[s] + gaps) / per, size / per
            yield at + "plain_bound", (penalised[s] - oracle[s] + worst) / per, size / per + worst / per
        if self.has_forecasts:
            rate = total(step[5] for step in self.rounds)
            combined = total(step[0] * step[4] for step in self.rounds)
            size = (size + combined) / rate
            gaps = total(e * (f - mix) for e, _, mix, _, f, _ in self.rounds)
            for at, one in (("path", path), ("expert", [self.best_expert()] * len(path))):
                _, weighted_loss, code = self.along(one)
                mean, bound = combined / rate, (code + gaps) / rate
                at = f"forecasts/{at}/"
                yield at + "loss", mean, size
                yield at + "regret", mean - weighted_loss / rate, size
                yield at + "bound", bound, size
                if squared:
                    # |sqrt(x) - sqrt(y)| <= |x - y| / sqrt(x), and below sqrt(|x - y|)
                    def root_size(x):
                        return min(size / x.sqrt(), (size / Decimal(NOTICEABLE)).sqrt()) if x > 0 else (
                            size / Decimal(NOTICEABLE)).sqrt()
                    least = max(Decimal(0), mean - bound)
                    yield at + "rmse", mean.sqrt(), root_size(mean)
                    yield at + "rmse_bound", mean.sqrt() - least.sqrt(), root_size(mean) + root_size(least)

    def staying(self, k):
        return self.along([k] * len(self.rows))[1]

    def best_expert(self):
        """With the lowest loss in hindsight, its code aside."""
        costs = [self.staying(k) for k in range(self.count)]
        return costs.index(min(costs))


# --- Verdicts


def exactly():
    """40 digits, and exponents that exp() does not leave."""
    return localcontext(Context(prec=40, Emin=MIN_EMIN, Emax=MAX_EMAX))


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
    path = []
    for start, end, k in zip(starts, starts[1:] + [rounds + 1], experts):
        path += [k] * int(end - start)
    _, weighted, code = run.along(path)
    need(code < INFINITE, "the path was ruled out")
    lowest = run.paths(rounds, True, True)[-1]
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


def finish(document):
    document["checksum"] = checksum(document)
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass")


if __name__ == "__main__":
    contents = []
    for path in sys.argv[1:3]:
        with open(path, "rb") as file:
            contents.append(file.read())
    verdict, why = check(*contents)
    print(verdict, why)
    sys.exit(2 if verdict == "reject" else 0)
