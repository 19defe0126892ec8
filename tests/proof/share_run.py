"""One run of the share recursion, replayed from its losses and controls, and all that a certificate says
about it: docs/certificates.md with 40 digits and plain loops."""

import math
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

from certificate_files import Rejected, need

EPSILON = 2.0**-52
NOTICEABLE = 1e-9  # relative to the numbers that are summed
INFINITE = Decimal("Infinity")
INVISIBLE = Decimal("1e-138")  # weights below it may have been played as 0


def exactly():
    """40 digits, and exponents that exp() does not leave."""
    return localcontext(Context(prec=40, Emin=MIN_EMIN, Emax=MAX_EMAX))


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


def root_size(x, size):
    """How large the terms of sqrt(x) count as, where those of x are of this size: |sqrt(x) - sqrt(y)| is at
    most |x - y| / sqrt(x), and at most sqrt(|x - y|)."""
    most = (size / Decimal(NOTICEABLE)).sqrt()
    return min(size / x.sqrt(), most) if x > 0 else most


def renormalised(weights, awake, least):
    """Over the awake with a weight above `least`; the same for each where there is none."""
    seen = [w if there and w > least else Decimal(0) for w, there in zip(weights, awake)]
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
            was_on_time = self.check_played(at, played, awake, history, drift)
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
            # The loss of sleepers may differ from the mixture's in its last digits, where losses are linearised.
            paid = on_time if was_on_time else Decimal(row["mixture_loss"])
            combined = paid
            if row["forecast_loss"] is not None:
                combined = min(Decimal(row["forecast_loss"]) / Decimal(row["scale"]), Decimal(10) ** 15)
            self.rounds.append((eta, paid, mix, on_time, combined, eta / Decimal(row["scale"])))
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
        """The weights after the last round or, where losses came late, an earlier one; whether it was the last."""
        need(all(w == 0 for w, there in zip(played, awake) if not there), f"{at}: a sleeper was played")
        closest = INFINITE
        for weights in reversed(history):
            if any(1e-142 < w < 1e-136 for w in weights):
                self.doubts.append(f"{at}: weights that may have been invisible")
            for least in (INVISIBLE, 0):  # as doubles have them, and as they are
                expected = renormalised(weights, awake, least)
                apart = [abs(p - w) / max(p, w) if w > 1e-290 else p for p, w in zip(played, expected) if p + w > 0]
                closest = min(closest, max(apart, default=Decimal(0)))
            if closest <= Decimal(1e-12):
                break
        self.near(1 + closest, 1, 1, 2 * drift + (self.count + 16) * EPSILON, f"{at}: other weights were played")
        return weights is history[-1]

    def near(self, claimed, true, scale, rounding, what):
        near(claimed, true, scale, rounding, what, self.doubts)

    def paths(self, most, code):
        """[min(most, T - 1) + 1] the lowest cost of a path with at most so many switches; costs are losses,
        weighted by eta, and with `code` the code length."""
        experts = range(self.count)
        budgets = range(min(most, len(self.rows) - 1) + 1)
        first = Decimal(self.count).ln() if code else Decimal(0)
        costs = None
        for t, (row, losses) in enumerate(zip(self.rows, self.losses)):
            rate = Decimal(row["eta"])
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
        loss, weighted_loss, code = self.along(path)
        size = self.size() + code
        yield "total_loss", total(step[1] for step in self.rounds), None
        yield "best_path/loss", loss, None
        yield "best_path/code", code, size
        yield "best_path/regret", (weighted_paid - weighted_loss) / per, size / per
        yield "best_path/bound", (code + gaps) / per, size / per
        most = int(max(budgets, default=0))
        oracle = self.paths(most, False)
        penalised = self.paths(most, True)
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
                    least = max(Decimal(0), mean - bound)
                    yield at + "rmse", mean.sqrt(), root_size(mean, size)
                    yield at + "rmse_bound", mean.sqrt() - least.sqrt(), root_size(mean, size) + root_size(least, size)

    def size(self):
        """Of the terms that regrets and bounds are summed from, in nats."""
        return total(e * (paid + abs(mix) + 1) for e, paid, mix, *_ in self.rounds)

    def staying(self, k):
        return self.along([k] * len(self.rows))[1]

    def best_expert(self):
        """With the lowest loss in hindsight, its code aside."""
        costs = [self.staying(k) for k in range(self.count)]
        return costs.index(min(costs))
