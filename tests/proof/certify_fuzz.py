"""Changes certificates and traces at random, and compares `pcgs certify` with check_certificate.py.

    certify_fuzz.py [--seed N] [--cases N] [--seconds S] [--keep FOLDER]

Every disagreement is a failure: something false that is accepted, something true that is refused, an exit code
other than 0 and 2, a complaint of other than one line. A file that stands for it is kept.
"""

import argparse
import collections
import csv
import json
import math
import pathlib
import random
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from limited_program import Program, Wrong  # noqa: E402

import check_certificate  # noqa: E402
import forge  # noqa: E402
from certificate_files import FIELDS, finish  # noqa: E402

SHARE_FORMS = ["hedge", "fixed-share", "genshare", "past-posteriors", "pcgs-tf", "pcgs-tf:oracle"]
OTHERS = ["ml-poly", "adahedge", "boa", "learn-alpha", "guard{learned=0}", "variable-share"]
NAMES = ["a", 'say "b"', "c, d", "weight:e", "é", "loss:a", "q", "日本", "x y", "{}", "0", "-1", "'", "\\"]


def make_run(rng, program, folder):
    """A small run, as the program writes it: (trace, certificate)."""
    experts, rounds = rng.randint(1, 6), rng.choice([1, 2, 3, rng.randint(4, 60)])
    names = rng.sample(NAMES, experts)
    forecasts = rng.random() < 0.6
    gaps = rng.choice([0, 0.1, 0.5]) if forecasts else 0
    with open(folder / "input.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow((["outcome"] if forecasts else []) + names)
        for _ in range(rounds):
            outcome = rng.gauss(10, 1)
            row = [outcome + rng.gauss(0, 1) for _ in names] if forecasts else [
                rng.choice([0, 1, rng.random()]) for _ in names]
            row = ["" if rng.random() < gaps else repr(x) for x in row]
            table.writerow(([repr(outcome)] if forecasts else []) + row)
    methods = [with_options(rng, name) for name in rng.sample(SHARE_FORMS, rng.randint(1, 2))]
    methods += rng.sample(OTHERS + (["blend"] if forecasts else []), rng.choice([0, 0, 1, 2]))
    rng.shuffle(methods)
    options = ["--switches", ",".join(map(str, sorted(rng.sample(range(8), rng.randint(1, 3)))))]
    if forecasts:
        options += ["--y", "outcome", "--loss", rng.choice(["squared", "squared", "absolute", "pinball"])]
        options += rng.choice([[], [], ["--delay", rng.randint(1, 5)], ["--block", rng.randint(2, 5)]])
    content = program("run", "input.csv", "--method", ",".join(methods), "--trace", "t.csv", "--certificate",
                      "c.json", "--quiet", *options, folder=folder)
    if not content:
        if any(reason in program.complaint for reason in ("no forecast", "no round", "holds numbers")):
            return None
        raise Wrong(f"refuses an honest run: {program.complaint}")
    trace, certificate = (folder / "t.csv").read_bytes(), (folder / "c.json").read_bytes()
    return (trace, certificate) if trace.count(b"\n") > 1 else None


def with_options(rng, name):
    options = {}
    if rng.random() < 0.5:
        options["eta"] = rng.choice([1e-6, 0.01, 0.5, 4, 30, 1000, 10000])
    if rng.random() < 0.3 and name != "hedge":
        options["rho"] = rng.choice([0, 1e-12, 0.01, 0.5])
    if rng.random() < 0.2:
        options["gradient"] = 1
    return name + ("{" + ",".join(f"{key}={value}" for key, value in options.items()) + "}" if options else "")


# --- Changes. Each is given (rng, trace, certificate as bytes) and returns both, or None where it does not apply.


def changed_number(rng, x):
    if isinstance(x, int) and rng.random() < 0.5:
        return rng.choice([x + 1, x - 1, 0, -x, x * 2**32, 2**63, 2**64, float(x), 10**30])
    return rng.choice([
        math.nextafter(x, math.inf), math.nextafter(x, -math.inf), x * (1 + 1e-12), x * (1 + 1e-6), x * (1 - 1e-3),
        x + 1e-6, -x, x * 1e300 if abs(x) < 1e8 else 1e308, x * 1e-300, 0.0, 1.0, -1e-320, 1e300, 1e-300, x / 2])


def changed_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        at = rng.randrange(len(data))
        what = rng.random()
        if what < 0.3:
            data[at] ^= 1 << rng.randrange(8)
        elif what < 0.6:
            data[at] = rng.choice(b'0123456789.-+eE,"\n {}[]:\\\0\xff')
        elif what < 0.75:
            data.insert(at, rng.choice(b'0123456789.-+eE,"\n {}[]\0'))
        elif what < 0.9:
            del data[at]
        else:
            del data[at : at + rng.randrange(1, 40)]
        if not data:
            data += b" "
    return bytes(data)


def certificate_bytes(rng, trace, certificate):
    return trace, changed_bytes(rng, certificate)


def places(value, found=None):
    """Every (container, key) below a JSON value."""
    found = [] if found is None else found
    for key in value if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            places(value[key], found)
    return found


def certificate_value(rng, trace, certificate):
    document = json.loads(certificate)
    numbers = [(where, key) for where, key in places(document)
               if isinstance(where[key], (int, float)) and not isinstance(where[key], bool)]
    others = [(where, key) for where, key in places(document) if not isinstance(where[key], (dict, list, float, int))]
    if rng.random() < 0.7:
        where, key = rng.choice(numbers)
        where[key] = changed_number(rng, where[key])
    else:
        where, key = rng.choice(others)
        same_kind = [w[k] for w, k in others if type(w[k]) is type(where[key])]
        where[key] = not where[key] if isinstance(where[key], bool) else rng.choice(same_kind + ["", "?"])
    return trace, sealed(rng, document)


def sealed(rng, document):
    """With a checksum that fits, mostly."""
    if rng.random() < 0.8 and "checksum" in document:
        try:
            return finish(document)
        except OverflowError:
            pass
    return json.dumps(document, indent=1, ensure_ascii=False).encode()


def certificate_methods(rng, trace, certificate):
    """Methods that change their places, their names or what is said about them."""
    document = json.loads(certificate)
    methods, others = document["methods"], document["uncertified"]
    one = rng.choice(methods)
    how = rng.randrange(7)
    if how == 6:  # sizes that nobody should believe
        one["rounds"] = one["switching"][-1]["switches"] = document["switches"][-1] = 10 ** rng.randrange(3, 16)
    elif how == 0:  # claimed no more
        methods.remove(one)
        others.append({key: one[key] for key in ("name", "rounds", "fingerprint")})
    elif how == 1:
        methods.remove(one)
    elif how == 2 and others:
        other = rng.choice(others)
        one["name"], other["name"] = other["name"], one["name"]
    elif how == 3:  # a path of its own
        rounds, names = one["rounds"], document["experts"]
        starts = [1] + sorted(rng.sample(range(2, rounds + 1), min(rounds - 1, rng.randrange(4))))
        one["best_path"]["path"] = [{"from": start, "expert": rng.choice(names)} for start in starts]
        one["best_path"]["switches"] = len(starts) - 1
    elif how == 4:
        methods.reverse()
        others.reverse()
    else:
        document["switches"] = rng.choice([[], document["switches"] * 2, [0], document["switches"][::-1]])
        if rng.random() < 0.7:
            return trace, remade(rng, trace, document)
    return trace, sealed(rng, document)


def trace_bytes(rng, trace, certificate):
    trace = changed_bytes(rng, trace)
    return trace, remade(rng, trace, json.loads(certificate))


def trace_cell(rng, trace, certificate):
    table = forge.read_table(trace)
    for _ in range(rng.choice([1, 1, 1, 2])):
        row = rng.choice(table[1:])
        at = rng.randrange(1, len(row))
        try:
            number = float(row[at] or 0)
        except ValueError:
            continue
        row[at] = rng.choice([repr(changed_number(rng, number))] * 4 + ["", "nan", "1e999", "x", "-" + row[at]])
    trace = forge.table_text(table)
    return trace, remade(rng, trace, json.loads(certificate))


def trace_rows(rng, trace, certificate):
    table = forge.read_table(trace)
    header, rows = table[0], table[1:]
    a, b = rng.randrange(len(rows)), rng.randrange(len(rows))
    how = rng.randrange(7)
    if how == 0:
        rows[a], rows[b] = rows[b], rows[a]
    elif how == 1:
        del rows[a]
    elif how == 2:
        rows.insert(b, list(rows[a]))
    elif how == 3:
        rows.insert(b, rows.pop(a))
    elif how == 4:
        rows[a][0] = rows[b][0]
    elif how == 5:
        rows[a][1], rows[b][1] = rows[b][1], rows[a][1]
    else:
        del rows[a:]
    trace = forge.table_text([header, *rows])
    return trace, remade(rng, trace, json.loads(certificate))


def trace_story(rng, trace, certificate):
    """Other losses and controls, with all that follows from them, and sometimes a lie in one cell."""
    table = forge.read_table(trace)
    certified = [one["name"] for one in json.loads(certificate)["methods"]]
    name = rng.choice(certified)
    rows = [row for row in table[1:] if row[0] == name]
    experts = (len(table[0]) - 10) // 3
    for _ in range(rng.randint(1, 3)):
        row = rng.choice(rows)
        how = rng.randrange(5)
        if how == 0:
            row[10 + experts + rng.randrange(experts)] = rng.choice(["", "0", "1", repr(rng.random())])
        elif how == 1:
            row[5] = repr(rng.choice([0, 1e-300, 1e-12, 0.3, 0.999]))
        elif how == 2:
            q = [rng.choice([0, 1e-300, rng.random(), 1]) for _ in range(experts)]
            row[10 + 2 * experts :] = [repr(x / sum(q)) for x in q] if sum(q) > 1e-200 else row[10 + 2 * experts :]
        else:
            factor = rng.choice([1 + 1e-15, 1.5, 1e-3, 100, 1e300, 1e-300])
            for other in rows if how == 3 else [row]:
                other[4] = repr(min(float(other[4]) * factor, 1e300))
    if not forge.retell(rows):
        return None
    if rng.random() < 0.5:
        row = rng.choice(rows)
        at = rng.choice([2, 6, 7, *range(10, 10 + experts)])
        row[at] = repr(changed_number(rng, float(row[at])))
    trace = forge.table_text(table)
    return trace, remade(rng, trace, json.loads(certificate), always=True)


def remade(rng, trace, like, always=False):
    """The certificate of a changed trace, as a forger makes it; or the one it had."""
    if always or rng.random() < 0.6:
        made = forge.make(trace, like)
        if made is not None:
            return made
    return json.dumps(like, indent=1, ensure_ascii=False).encode()


def handmade():
    """(name, trace, certificate, whether it holds): what chance would find late."""

    def pair(eta, losses, lies=()):
        """Rounds of Hedge with these losses, "" for who sleeps, and lies: (round, column, text)."""
        count = len(losses[0])
        names = [f"{kind}:{name}" for kind in ("weight", "loss", "q") for name in "abcd"[:count]]
        header = ["method", "round", *FIELDS, *names]
        rows = [["hedge", t + 1, 0, 0, eta, 0, 0, 0, 1, "", *[""] * count, *row, *[repr(1 / count)] * count]
                for t, row in enumerate(losses)]
        forge.retell(rows)
        for t, column, text in lies:
            rows[t][header.index(column)] = text
        trace = forge.table_text([header, *rows])
        like = {"format": "pcgs certificate 2", "switches": [0, 1], "methods": [{"name": "hedge"}]}
        return trace, forge.make(trace, like)

    yield "all lose alike", *pair(1000, [[1, 1], [0, 0], [0, 1]]), True
    yield "awake are hardly seen", *pair(500, [[1, 0, 1], [0.9, "", 0.1]]), True
    paid = [(1, column, "0.1") for column in ("mixture_loss", "learner_loss", "mix_loss")] + [(1, "gap", "0")]
    yield "awake are hardly seen, and played as pleases", *pair(
        500, [[1, 0, 1], [0.9, "", 0.1]], [(1, "weight:a", "0"), (1, "weight:c", "1"), *paid]), False
    yield "a negative weight", *pair(
        500, [[1, 0, 1], [0.3, "", 0.2]], [(1, "weight:a", "-1"), (1, "weight:c", "2"), *paid]), False
    yield "weight moved where losses are equal", *pair(
        4, [[0.3, 0.3], [0.1, 0.2]], [(0, "weight:a", "1"), (0, "weight:b", "0")]), False


CHANGES = [certificate_bytes, certificate_value, certificate_methods, trace_bytes, trace_cell, trace_rows, trace_story]


def judge(program, folder, trace, certificate, honest):
    """(verdict of ours, what is wrong or None)"""
    (folder / "t.csv").write_bytes(trace)
    (folder / "c.json").write_bytes(certificate)
    verdict, reason = check_certificate.check(trace, certificate)
    try:
        accepted = program("certify", "t.csv", "c.json", folder=folder)
    except Wrong as wrong:
        return verdict, str(wrong)
    if (verdict == "accept" or honest) and not accepted:
        return verdict, f"refuses what holds: {program.complaint.strip()}"
    if verdict == "reject" and accepted:
        return verdict, f"accepts what does not hold: {reason}"
    return verdict, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("certify_fuzz_failures"))
    options = parser.parse_args()
    rng, program = random.Random(options.seed), Program()
    until = time.monotonic() + options.seconds
    counts, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def case(kind, trace, certificate, honest=False):
            nonlocal failures
            verdict, wrong = judge(program, folder, trace, certificate, honest)
            counts[kind, verdict] += 1
            if wrong:
                failures += 1
                options.keep.mkdir(parents=True, exist_ok=True)
                name = options.keep / f"{options.seed}-{failures}"
                name.with_suffix(".csv").write_bytes(trace)
                name.with_suffix(".json").write_bytes(certificate)
                print(f"{kind}: {wrong}\n  kept as {name}.csv and .json", flush=True)

        for name, trace, certificate, holds in handmade():
            if (check_certificate.check(trace, certificate)[0] == "reject") == holds:
                raise SystemExit(f"the second checker is wrong about {name}")
            case(name, trace, certificate, honest=holds)
        done = 0
        while done < options.cases and time.monotonic() < until:
            made = make_run(rng, program, folder)
            if made is None:
                continue
            trace, certificate = made
            case("unchanged", trace, certificate, honest=True)
            exact = forge.make(trace, json.loads(certificate))
            case("made by us", trace, exact, honest=True)
            for _ in range(30):
                change = rng.choice(CHANGES)
                changed = change(rng, trace, rng.choice([certificate, exact]))
                if changed is not None:
                    case(change.__name__, *changed)
                    done += 1
    for kind in sorted({kind for kind, _ in counts}):
        print(f"{kind:45}", *(f"{verdict} {counts[kind, verdict]:6}" for verdict in ("accept", "unclear", "reject")))
    print(f"{done} changed cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
