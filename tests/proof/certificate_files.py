"""Traces and certificates as files: src/proof/trace_file.h and src/proof/certificate_file.h, read strictly.

What is written in another way than the program writes it, and means the same, goes to `doubts`.
"""

import csv
import io
import json
import math
import re
import struct
import sys

FIELDS = "mixture_loss learner_loss eta rho mix_loss gap scale forecast_loss".split()


class Rejected(Exception):
    pass


def need(condition, reason):
    if not condition:
        raise Rejected(reason)


# --- Fingerprints (src/proof/trace_file.h, certificate_file.h)


class Fingerprint:
    def __init__(self):
        self.hash = 0xCBF29CE484222325

    def add(self, word):
        if isinstance(word, float):
            word = struct.unpack("<Q", struct.pack("<d", word))[0]
        for byte in word.to_bytes(8, "little"):
            self.hash = (self.hash ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF

    def text(self):
        return f"{self.hash:016x}"


def fingerprint(experts, rows):
    made = Fingerprint()
    made.add(experts)
    for row in rows:
        made.add(row["round"])
        for x in [row[field] for field in FIELDS] + row["weight"] + row["loss"] + row["q"]:
            made.add(0x7FF8000000000000 if x is None else x)
    return made.text()


def checksum(document):
    made = Fingerprint()

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


def finish(document):
    document["checksum"] = checksum(document)
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass")
