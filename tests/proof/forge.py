"""Makes traces and certificates that fit each other, as somebody would who means to deceive."""

import csv
import io
from decimal import Decimal

from certificate_files import Rejected, finish, fingerprint, need, read_trace
from share_run import Run, exactly, total


def read_table(trace):
    return list(csv.reader(io.StringIO(trace.decode("utf-8"), newline="")))


def table_text(table):
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(table)
    return text.getvalue().encode("utf-8")


def retell(rows):
    """Computes weights, mixture loss, mix loss and gap of a method's rows again from their losses and
    controls; nothing comes late. False if they cannot be computed with."""
    count = (len(rows[0]) - 10) // 3
    with exactly():
        weights = [Decimal(1) / count] * count
        for row in rows:
            eta, rho = Decimal(float(row[4])), Decimal(float(row[5]))
            awake = [cell != "" for cell in row[10 + count :][:count]]
            there = total(w for w, one in zip(weights, awake) if one)
            if there == 0 or eta <= 0:
                return False
            played = [float(w / there) if one else 0.0 for w, one in zip(weights, awake)]
            losses = [Decimal(float(cell or 0)) for cell in row[10 + count :][:count]]
            mixture = float(total(Decimal(w) * loss for w, loss in zip(played, losses)))
            row[2] = row[3] = repr(mixture)
            if row[9]:  # what the combined forecast lost stays
                row[3] = repr(min(1.0, float(row[9]) / float(row[8])))
            losses = [loss if one else Decimal(mixture) for loss, one in zip(losses, awake)]
            kept = [w * (-eta * loss).exp() for w, loss in zip(weights, losses)]
            z = total(kept)
            if z == 0:
                return False
            mix = -z.ln() / eta
            row[6] = repr(float(mix))
            row[7] = repr(float(total(w * loss for w, loss in zip(weights, losses)) - mix))
            row[10 : 10 + count] = map(repr, played)
            weights = [(1 - rho) * v / z + rho * Decimal(float(x)) for v, x in zip(kept, row[10 + 2 * count :])]
            weights = [w / total(weights) for w in weights]
    return True


def make(trace, like):
    """The certificate of a trace, right to the last digit, with the methods, budgets and published claims
    of the certificate `like`; None where nothing can be computed from the trace."""
    try:
        return certificate_of(trace, like)
    except (Rejected, ArithmeticError, LookupError, TypeError, ValueError):  # nonsense in `like`, too
        return None


def certificate_of(trace, like):
    with exactly():
        names, methods = read_trace(trace, [])
        document = {"format": like["format"], "experts": names, "switches": like["switches"]}
        if "loss" in like:
            document["loss"] = like["loss"]
        squared = like.get("loss") == "squared"
        document["methods"] = []
        for before in like["methods"]:
            rows = methods.get(before["name"])
            need(rows, "a method is gone")
            run = Forgiving(rows, len(names), [])
            path = run.best_path()
            changes = [t for t in range(len(path)) if t == 0 or path[t] != path[t - 1]]
            one = {"name": before["name"], "rounds": len(rows), "experts": len(names),
                   "fingerprint": fingerprint(len(names), rows), "total_loss": 0, "weighted": run.weighted,
                   "best_path": {"loss": 0, "code": 0, "switches": len(changes) - 1, "regret": 0, "bound": 0,
                                 "holds": True,
                                 "path": [{"from": t + 1, "expert": names[path[t]]} for t in changes]},
                   "switching": [{"switches": budget, "oracle": 0, "regret": 0, "bound": 0, "plain_bound": 0,
                                  "holds": True} for budget in like["switches"]]}
            if run.has_forecasts:
                claim = {"loss": 0, "regret": 0, "bound": 0, "holds": True}
                roots = {"rmse": 0, "rmse_bound": 0} if squared else {}
                one["forecasts"] = {"path": claim | {"switches": len(changes) - 1} | roots,
                                    "expert": claim | {"expert": names[run.best_expert()]} | roots}
            for at, value, _ in run.claims(path, like["switches"], squared):
                *outer, last = at.split("/")
                place = one
                for key in outer:
                    place = place[int(key) if key.isdigit() else key]
                place[last] = float(value)
            document["methods"].append(one)
        document["uncertified"] = [
            {"name": name, "rounds": len(rows), "fingerprint": fingerprint(len(names), rows)}
            for name, rows in methods.items() if name not in {one["name"] for one in like["methods"]}]
        if "published" in like:
            document["published"] = like["published"]
        return finish(document)


class Forgiving(Run):
    """Believes whatever can be computed with: a forger does not check."""

    def check_ranges(self, row, at):
        need(row["eta"] > 0 and row["scale"] > 0 and 0 <= row["rho"] < 1, at)
        need(all(x >= 0 for x in row["q"]) and sum(row["q"]) > 0, at)

    def check_played(self, *row):
        try:
            return super().check_played(*row)
        except Rejected:
            return False

    def near(self, *_):
        pass
