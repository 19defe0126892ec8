#!/usr/bin/env python3
"""Writes tests/golden/controller_*: small controller networks and what PyTorch computes with them.

Needs torch and safetensors from PyPI; nothing else of the project does. The weights are float32
numbers from a seeded generator, the outputs are computed in float64. Tokens are not stored:

    token[k][f] = sin(0.7 k + 1.3 f + 0.1 k f), rounded to float32
"""

import json
import math
import pathlib
import struct
import zlib

import torch
import torch.nn.functional as F
from safetensors.torch import save

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden"
CONFIG = {"features": 10, "shared": 0, "side": 0, "width": 24, "layers": 2, "heads": 3,
          "hidden": 44, "inducing": 5, "pool_hidden": 12, "controls": {"eps": 0.01, "eta_min": 0.05, "rho_max": 0.5}}
EXPERTS = (1, 7, 32, 1024)
STORED_LOGITS = 32  # of the first experts; every 100th of the rest


def shapes(config, attention):
    """Name and shape of every tensor; weights are [out, in]."""
    d = config["width"]

    def linear(name, out, into):
        return {f"{name}.weight": (out, into), f"{name}.bias": (out,)}

    def norm(name):
        return {f"{name}.weight": (d,), f"{name}.bias": (d,)}

    result = linear("embed", d, config["features"])
    for i in range(config["layers"]):
        layer = f"layers.{i}"
        if attention != "none":
            result |= norm(f"{layer}.norm1")
            for part in "qkvo":
                result |= linear(f"{layer}.attention.{part}", d, d)
        if attention == "induced":
            result[f"{layer}.attention.inducing"] = (config["inducing"], d)
            for part in ("k2", "v2"):
                result |= linear(f"{layer}.attention.{part}", d, d)
        result |= norm(f"{layer}.norm2")
        result |= linear(f"{layer}.mlp.up", config["hidden"], d)
        result |= linear(f"{layer}.mlp.down", d, config["hidden"])
    result |= norm("norm") | linear("head", 1, d)
    result |= linear("pool.up", config["pool_hidden"], 2 * d)
    result |= linear("pool.down", 2, config["pool_hidden"])
    return result


def random_weights(config, attention):
    generator = torch.Generator().manual_seed(20)
    weights = {}
    for name, shape in shapes(config, attention).items():
        values = torch.randn(shape, generator=generator)
        if len(shape) == 2 and not name.endswith("inducing"):
            values /= math.sqrt(shape[1])
        elif len(shape) == 1:
            values *= 0.2
        if "norm" in name and name.endswith("weight"):
            values += 1
        weights[name] = values
    return weights


def forward(w, config, attention, tokens):
    """The logits [K] and the two pooled outputs."""
    d, heads = config["width"], config["heads"]

    def linear(name, x):
        return F.linear(x, w[f"{name}.weight"], w[f"{name}.bias"])

    def norm(name, x):
        return F.layer_norm(x, (d,), w[f"{name}.weight"], w[f"{name}.bias"], eps=1e-5)

    def attend(q, k, v):
        q, k, v = (x.view(len(x), heads, d // heads).transpose(0, 1) for x in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v).transpose(0, 1).reshape(-1, d)

    def mlp(name, x):
        return linear(f"{name}.down", F.gelu(linear(f"{name}.up", x)))

    x = linear("embed", tokens)
    for i in range(config["layers"]):
        layer = f"layers.{i}"
        if attention != "none":
            h, at = norm(f"{layer}.norm1", x), f"{layer}.attention"
            k, v = linear(f"{at}.k", h), linear(f"{at}.v", h)
            if attention == "induced":
                summary = attend(w[f"{at}.inducing"], k, v)
                k, v = linear(f"{at}.k2", summary), linear(f"{at}.v2", summary)
            x = x + linear(f"{at}.o", attend(linear(f"{at}.q", h), k, v))
        x = x + mlp(f"{layer}.mlp", norm(f"{layer}.norm2", x))
    x = norm("norm", x)
    pooled = torch.cat([x.mean(dim=0), x.amax(dim=0)])
    return linear("head", x)[:, 0], mlp("pool", pooled)


def tokens_of(experts, features):
    rows = [[math.sin(0.7 * k + 1.3 * f + 0.1 * k * f) for f in range(features)]
            for k in range(experts)]
    return torch.tensor(rows, dtype=torch.float32)


def model_bytes(weights, config, attention):
    metadata = {"format": "pcgs-controller", "format_version": "3",
                "config": json.dumps(config | {"attention": attention}),
                "token_schema": "golden", "checksum": "00000000",
                "provenance": json.dumps({"made_by": "scripts/torch_golden.py"})}
    draft = save(weights, metadata)
    metadata["checksum"] = f"{checksum(draft):08x}"
    return save(weights, metadata)


def checksum(file):
    """CRC-32 of all but itself, as src/network/model.h says."""
    end = 8 + int.from_bytes(file[:8], "little")
    header, data = json.loads(file[8:end]), file[end:]
    metadata = header.pop("__metadata__")
    del metadata["checksum"]

    def sized(text):
        return struct.pack("<Q", len(text.encode())) + text.encode()

    parts = [struct.pack("<Q", len(metadata))]
    for key in sorted(metadata):
        parts += [sized(key), sized(metadata[key])]
    for name in sorted(header):
        shape, (begin, stop) = header[name]["shape"], header[name]["data_offsets"]
        parts += [sized(name), struct.pack(f"<{1 + len(shape)}Q", len(shape), *shape), data[begin:stop]]
    return zlib.crc32(b"".join(parts))


def stored(logits):
    return {str(k): float(logits[k]) for k in range(len(logits))
            if k < STORED_LOGITS or k % 100 == 0}


def main():
    for attention in ("none", "full", "induced"):
        weights = random_weights(CONFIG, attention)
        name = f"controller_{attention}"
        (GOLDEN / f"{name}.safetensors").write_bytes(model_bytes(weights, CONFIG, attention))
        double = {key: value.double() for key, value in weights.items()}
        cases = []
        for experts in EXPERTS:
            tokens = tokens_of(experts, CONFIG["features"]).double()
            logits, pooled = forward(double, CONFIG, attention, tokens)
            cases.append({"experts": experts, "logits": stored(logits),
                          "restart": float(pooled[0]), "rate": float(pooled[1])})
        text = json.dumps({"torch": torch.__version__.split("+")[0], "cases": cases}, indent=1)
        (GOLDEN / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
