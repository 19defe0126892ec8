"""Damages every kind of file that pcgs reads, at random, and looks at what the program does.

    mutate.py [--seed N] [--cases N] [--seconds S] [--kinds NAME,...] [--keep FOLDER]

N cases of each kind. The program may accept a damaged file or refuse it in one line; it may not crash, take
more than 20 s or 4 GiB, or leave anything behind where it refuses. A model or a state that it accepts gives
finite numbers, and a model that it accepts is the one that was written. A file that stands for a failure is
kept.
"""

import argparse
import collections
import gzip
import json
import math
import pathlib
import random
import re
import shutil
import struct
import sys
import tempfile
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from limited_program import Program, Wrong  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
NASTY = (b"0 -0 1 -1 1e308 -1e308 1e999 1e-320 nan inf 2147483648 4294967296 9223372036854775807 "
         b"18446744073709551615 99999999999999999999 0.1e 1.5 null true \"\" [] {}").split()


# --- Damage


def damaged(rng, data):
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        data = rng.choice([flip, flip, replace, insert, delete, truncate, splice, number, number, doubled, nested,
                           length, text])(rng, data) or b"\n"
    return data


def flip(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def replace(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + rng.randbytes(rng.randint(1, 8)) + data[at + rng.randint(1, 8) :]


def insert(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + rng.choice([b"\0", b"\xff\xfe", b"\n", b",", b'"', b"\xc3", b" ", b"-"]) + data[at:]


def delete(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice([1, 1, 8, 100]) :]


def truncate(rng, data):
    return data[: rng.randrange(len(data))]


def splice(rng, data):
    a, b, size = rng.randrange(len(data)), rng.randrange(len(data)), rng.choice([1, 8, 50, 400])
    return data[:a] + data[b : b + size] + data[a + rng.choice([0, size]) :]


def number(rng, data):
    found = list(re.finditer(rb"-?\d+(\.\d+)?([eE][+-]?\d+)?", data[: 1 << 16]))
    if not found:
        return flip(rng, data)
    place = rng.choice(found)
    return data[: place.start()] + rng.choice(NASTY) + data[place.end() :]


def doubled(rng, data):
    """A key, or a line, twice."""
    found = list(re.finditer(rb'"[a-z_]+": ?[^,{}\[\]]+,', data[: 1 << 16]))
    if found:
        place = rng.choice(found)
        return data[: place.end()] + place.group() + data[place.end() :]
    lines = data.splitlines(keepends=True)
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"".join(lines)


def nested(rng, data):
    """Brackets around a value."""
    found = list(re.finditer(rb"(?<=:)[^,{}\[\]]+", data[: 1 << 16]))
    if not found:
        return insert(rng, data)
    place, depth = rng.choice(found), rng.choice([1, 40, 100000])
    opening, closing = rng.choice([(b"[", b"]"), (b'{"a":', b"}")])
    return data[: place.start()] + opening * depth + place.group() + closing * depth + data[place.end() :]


def length(rng, data):
    """A size in a binary file."""
    at = rng.randrange(max(1, len(data) - 8))
    size = rng.choice([0, 1, 0x7F, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, (1 << 64) - 1])
    return data[:at] + struct.pack("<Q", size) + data[at + 8 :]


def text(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + rng.choice([b"\xff" * 5, "é".encode("latin-1"), b"\0" * 40, b"A" * 100000, b"\r"]) + data[at:]


# --- Seals, for damage that a checksum would hide


def state_sealed(rng, data):
    """The size and the checksums of include/pcgs/state.h put right, inner states first."""
    if len(data) < 36:
        return data
    data = bytearray(data)
    data[24:32] = struct.pack("<Q", len(data) - 36)
    for found in reversed(list(re.finditer(b"PCGSSTAT", data))):
        at = found.start()
        end = at + 32 + int.from_bytes(data[at + 24 : at + 32], "little")
        if end + 4 <= len(data):
            data[end : end + 4] = struct.pack("<I", zlib.crc32(data[at:end]))
    return bytes(data)


def model_parts(data):
    """Texts and tensors of a model (src/network/model.h): {name: text}, {name: (shape, bytes)}."""
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    texts = header.pop("__metadata__")
    body = data[8 + size :]
    return texts, {name: (one["dtype"], one["shape"], body[slice(*one["data_offsets"])])
                   for name, one in header.items()}


def model_sealed(rng, data):
    """A checksum that fits, where the damage left anything to make it from."""
    try:
        texts, tensors = model_parts(data)
        old = texts.pop("checksum")
        crc = 0

        def add(part):
            nonlocal crc
            crc = zlib.crc32(part, crc)

        def sized(part):
            add(struct.pack("<Q", len(part)) + part)

        add(struct.pack("<Q", len(texts)))
        for name in sorted(texts):
            sized(name.encode())
            sized(texts[name].encode())
        for name in sorted(tensors):
            _, shape, body = tensors[name]
            sized(name.encode())
            add(struct.pack(f"<Q{len(shape)}Q", len(shape), *shape))
            add(body)
        return data.replace(old.encode(), f"{crc:08x}".encode(), 1)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, struct.error):
        return data


def damaged_model(rng, data):
    """In its header, half of the time, with a size before it that fits."""
    if rng.random() < 0.5:
        return damaged(rng, data)
    end = 8 + struct.unpack("<Q", data[:8])[0]
    header = damaged(rng, data[8:end])
    return struct.pack("<Q", len(header)) + header + data[end:]


def damaged_gzip(rng, data):
    """What is compressed, half of the time."""
    if rng.random() < 0.5:
        return damaged(rng, data)
    return gzip.compress(damaged(rng, gzip.decompress(data)), mtime=0)


# --- Kinds of files


class Kind:
    """A file that is damaged, and the command that reads it."""

    def __init__(self, victim, *command, outputs=(), damage=damaged, seal=None, check=None):
        self.victim, self.command, self.outputs = victim, command, outputs
        self.damage, self.seal, self.check = damage, seal, check


def report(victim):
    return Kind(victim, "report", victim, "--out", "page.html", outputs=["page.html"])


def finite(case):
    for name in case.outputs:
        if found := re.search(rb"(?i)(?<![\w.])-?(nan|inf(inity)?)\b", (case.folder / name).read_bytes()):
            raise Wrong(f"accepts it and writes {found.group().decode()} to {name}")


def finite_and_the_same(case):
    finite(case)
    if case.sealed:
        return  # somebody who makes the checksum fit may write another model
    before = model_parts((ROOT / "models/regret.safetensors").read_bytes())
    if model_parts(case.data) != before:
        raise Wrong("accepts another model than was written")


KINDS = {
    "certificate": Kind("c.json", "certify", "t.csv", "c.json"),
    "trace": Kind("t.csv", "certify", "t.csv", "c.json"),
    "trace-report": report("t.csv"),
    "results-run": report("run.json"),
    "results-forecasts": report("forecasts.json"),
    "results-by": report("by.json"),
    "results-forecast": report("forecast.json"),
    "results-suite": report("suite.json"),
    "results-electricity": report("electricity.json"),
    "model": Kind("m.safetensors", "run", "small.npy", "--method", "pcgs-tf{model=m.safetensors}", "--trace",
                  "out.csv", outputs=["out.csv"], damage=damaged_model, seal=model_sealed, check=finite_and_the_same),
    "state-run": Kind("run.state", "run", "more.csv", "--y", "y", "--resume", "run.state", "--trace", "out.csv",
                      outputs=["out.csv"], seal=state_sealed, check=finite),
    "state-by": Kind("by.state", "run", "by.csv", "--y", "y", "--by", "s", "--resume", "by.state", "--out", "out",
                     outputs=["out/forecasts.csv"], seal=state_sealed, check=finite),
    "state-forecast": Kind("forecast.state", "forecast", "more.csv", "--column", "y", "--resume", "forecast.state",
                           "--out", "out.csv", outputs=["out.csv"], seal=state_sealed, check=finite),
    "pool": Kind("pool.json", "forecast", "more.csv", "--column", "y", "--pool", "pool.json", "--out", "out.csv",
                 outputs=["out.csv"]),
    "csv": Kind("more.csv", "run", "more.csv", "--y", "y", "--method", "fixed-share,ml-poly", "--out", "out",
                outputs=["out/forecasts.csv"]),
    "npy": Kind("small.npy", "run", "small.npy", "--method", "fixed-share", "--trace", "out.csv", outputs=["out.csv"]),
    "oracle": Kind("small.npy", "oracle", "small.npy", "--path", "out.csv", outputs=["out.csv"]),
    "gzip": Kind("more.csv.gz", "run", "more.csv.gz", "--y", "y", "--method", "fixed-share", "--out", "out",
                 outputs=["out/forecasts.csv"], damage=damaged_gzip),
}


def make_files(program, folder):
    """One small file of each kind, as the program writes it."""
    rng = random.Random(0)

    def table(name, header, rows):
        (folder / name).write_text("\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n")

    def made(*arguments):
        if not program(*arguments, folder=folder):
            raise Wrong(f"refuses what is not damaged: {program.complaint}")
        return program.output

    def forecasts(days):
        for day in days:
            y = 10 + math.sin(day) + rng.gauss(0, 0.3)
            b = "" if day == 9 else y + rng.gauss(0.5, 0.5)
            yield [f"2026-02-{day:02}", y, y + rng.gauss(0, 1), b, rng.gauss(9, 1)]

    table("y.csv", ["day", "y", "a", "b", "c"], forecasts(range(1, 13)))
    table("more.csv", ["day", "y", "a", "b", "c"], forecasts(range(13, 25)))
    table("by.csv", ["s", "y", "a", "b"], [[s, 1 + t, t + rng.random(), 1.3 + t] for t in range(6) for s in "uv"])
    losses = [[rng.random() for _ in range(4)] for _ in range(12)]
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (12, 4), }".ljust(117) + b"\n"
    (folder / "small.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                                       + b"".join(struct.pack("<4d", *row) for row in losses))
    (folder / "more.csv.gz").write_bytes(gzip.compress((folder / "more.csv").read_bytes(), mtime=0))
    (folder / "pool.json").write_text(json.dumps({"experts": [
        {"kind": "lag", "lag": 1}, {"kind": "mean", "window": 3}, {"kind": "ewma", "rate": 0.3},
        {"kind": "regression", "lags": [1, 2], "forgetting": 0.99}, {"kind": "holt-winters", "season": 2}]}))
    shutil.copy(ROOT / "models/regret.safetensors", folder / "m.safetensors")
    made("run", "y.csv", "--y", "y", "--method", "fixed-share,pcgs-tf,blend", "--trace", "t.csv", "--certificate",
         "c.json", "--quiet")
    (folder / "run.json").write_bytes(
        made("run", "small.npy", "--method", "guard,hedge", "--json", "--quiet"))
    (folder / "forecasts.json").write_bytes(
        made("run", "y.csv", "--y", "y", "--json", "--quiet", "--save", "run.state"))
    (folder / "by.json").write_bytes(
        made("run", "by.csv", "--y", "y", "--by", "s", "--json", "--quiet", "--save", "by.state"))
    (folder / "forecast.json").write_bytes(
        made("forecast", "y.csv", "--column", "y", "--json", "--quiet", "--save", "forecast.state"))
    (folder / "suite.json").write_bytes(
        made("suite", "--families", "switch", "--rounds", 20, "--experts", 3, "--sequences", 2, "--switches", 2,
             "--method", "hedge,ml-poly", "--json", "--quiet"))
    table("series.csv", ["y"], [[10 + math.sin(t / 3) + rng.gauss(0, 0.1)] for t in range(300)])
    (folder / "electricity.json").write_bytes(
        made("electricity", "series.csv", "--column", "y", "--window", 0, "--method", "hedge", "--json", "--quiet"))


class Case:
    def __init__(self, kind, folder, data, sealed):
        self.folder, self.data, self.sealed, self.outputs = folder, data, sealed, kind.outputs


def attempt(program, kind, folder, data, sealed):
    """Whether the program accepts the damaged file; raises Wrong."""
    whole = (folder / kind.victim).read_bytes()
    before = set(folder.iterdir())
    try:
        (folder / kind.victim).write_bytes(data)
        accepted = program(*kind.command, "--quiet" if kind.command[0] != "certify" else "--json", folder=folder)
        left = [path.name for path in set(folder.iterdir()) - before]
        if not accepted and left:
            raise Wrong(f"refuses it and leaves {', '.join(left)} behind")
        if accepted and kind.check:
            kind.check(Case(kind, folder, data, sealed))
        return accepted
    finally:
        (folder / kind.victim).write_bytes(whole)
        for path in set(folder.iterdir()) - before:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=20, help="of each kind")
    parser.add_argument("--seconds", type=float, default=math.inf, help="for all kinds together")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("mutate_failures"))
    options = parser.parse_args()
    program = Program()
    names = options.kinds.split(",")
    until = time.monotonic() + options.seconds
    rngs = {name: random.Random(f"{options.seed} {name}") for name in names}
    counts, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        make_files(program, folder)
        for name in names:
            if not attempt(program, KINDS[name], folder, (folder / KINDS[name].victim).read_bytes(), False):
                raise Wrong(f"{name}: refuses what is not damaged: {program.complaint}")
        for _ in range(options.cases):
            for name in names:  # in turn, so that each has its share of the time
                if time.monotonic() > until:
                    break
                kind, rng = KINDS[name], rngs[name]
                whole = (folder / kind.victim).read_bytes()
                data = kind.damage(rng, whole)
                sealed = kind.seal is not None and rng.random() < 0.6
                if sealed:
                    data = kind.seal(rng, data)
                if data == whole:
                    continue
                try:
                    counts[name, attempt(program, kind, folder, data, sealed)] += 1
                except Wrong as wrong:
                    counts[name, "failed"] += 1
                    failures += 1
                    options.keep.mkdir(parents=True, exist_ok=True)
                    kept = options.keep / f"{name}-{options.seed}-{failures}"
                    kept.write_bytes(data)
                    print(f"{name}: {wrong}\n  kept as {kept}", flush=True)
    for name in names:
        print(f"{name:20} accepted {counts[name, True]:6}  refused {counts[name, False]:6}  failed "
              f"{counts[name, 'failed']}")
    print(f"{sum(counts.values())} damaged files, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
