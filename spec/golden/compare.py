#!/usr/bin/env python3
"""Makes the random calls of spec/support/random_calls.lua with PyTorch and prints where kiln differs.

    python3 spec/golden/compare.py SEED COUNT [NAME]     (PyTorch for the CPU, luajit, libkiln)

A line a difference: what differs (value, shape, dtype; refused: only kiln raises), the call, both results.
What kiln means to do otherwise stands in MEANT.  Calls that PyTorch refuses are counted only: kiln may be
more generous.
"""

import collections
import json
import math
import subprocess
import sys

import torch

from expressions import ANY, CLASSES, EXPRESSIONS, expression
from make import DTYPES, NAMES, ROOT, from_one, places

# Not compared: the parts that losses and layers are made of, which take what those hand them; views by
# their place in memory; positions that PyTorch moves into range; what mathematics leaves open.
MEANT = set("""
    absolute_error squared_error smooth_l1_error huber_error kl_error kl_error_log soft_margin_error
    bernoulli_nll bernoulli_nll_logits bernoulli_nll_weighted class_nll softmax_nll multilabel_margin
    batch_norm_train batch_norm_eval segment_max within as_strided view slice pstrf
""".split())

TOLERANCE = {torch.float64: 1e-9, torch.float32: 2e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}


def tensor(t, kind):
    dtype = DTYPES[t["dtype"]]
    data = [bool(v) for v in t["data"]] if dtype == torch.bool else t["data"]
    wide = torch.float64 if dtype.is_floating_point else dtype
    x = torch.tensor(data, dtype=wide).to(dtype).reshape(t["shape"])
    return x - 1 if kind == "index" and dtype == torch.int64 else x


def argument(v, kind):
    if isinstance(v, dict):
        return tensor(v, kind)
    if isinstance(v, list) and v and isinstance(v[0], dict):
        return [tensor(e, kind) for e in v]
    if kind in ("axis", "position"):
        return from_one(v)
    if kind == "axes":
        return [from_one(e) for e in (v if isinstance(v, list) else [v])]
    if kind == "dtype" and isinstance(v, str):
        return DTYPES[v]
    return v


def run(row, call):
    kinds = [kind for _, kind in row["arguments"]]
    if row["name"] in CLASSES:
        kinds = ["index" if name == "target" else kind for name, kind in row["arguments"]]
    kinds += [kinds[-1] if kinds else None] * len(call["args"])
    args = [argument(v, k) for v, k in zip(call["args"], kinds)]
    named = dict(row["arguments"])
    options = {k: argument(v, named.get(k)) for k, v in call["options"].items()}
    f = expression(row["name"])
    if call["form"] == "inplace":
        x = args[0].clone()
        if hasattr(torch.Tensor, row["name"] + "_") and row["name"] not in EXPRESSIONS:
            f = getattr(torch.Tensor, row["name"] + "_")
            out = f(x, *args[1:])
        else:
            y = f(x, *args[1:])
            if y.shape != x.shape or not torch.can_cast(y.dtype, x.dtype):
                raise RuntimeError("does not fit in place")
            out = x.copy_(y)
    elif call["form"] == "out":
        y = f(*args, **options)
        target = DTYPES[call["out"]["dtype"]]
        if not torch.can_cast(y.dtype, target):
            raise RuntimeError("cannot be cast")
        out = y.to(target)
    else:
        out = f(*args, **options)
    outs = list(out) if isinstance(out, (tuple, list)) else [out]
    outs = [t if t is None or t is ANY or isinstance(t, torch.Tensor) else torch.as_tensor(t) for t in outs]
    at = positions(row, call)
    return [t + 1 if isinstance(t, torch.Tensor) and i in at else t for i, t in enumerate(outs)]


def positions(row, call):
    """The numbers of the outputs that are positions."""
    name, args = row["name"], call["args"]
    if name.startswith("unique"):
        inverse = args[2 if name == "unique" else 1 :][:1]
        return [1] if inverse == [True] else []
    return [1] if "max_pool" in name else places(row)


def difference(mine, theirs, loose):
    """What is wrong with a result of kiln's, as (kind, text), or None."""
    if theirs is ANY or (theirs is None and mine is None):
        return None
    if theirs is None or mine is None or not isinstance(mine, dict):
        return "value", f"{mine} and {theirs}"
    if mine["shape"] != list(theirs.shape):
        return "shape", f'{mine["shape"]} and {list(theirs.shape)}'
    if mine["dtype"] != NAMES.get(theirs.dtype):
        return "dtype", f'{mine["dtype"]} and {theirs.dtype}'
    got, want = mine["data"], theirs.double().reshape(-1).tolist()
    tolerance = max(TOLERANCE.get(theirs.dtype, 0), loose if theirs.dtype.is_floating_point else 0)
    finite = [abs(v) for v in want if math.isfinite(v)]
    least = max(finite, default=0) / 100
    for i, (a, b) in enumerate(zip(got, want)):
        if a == b or (a != a and b != b):
            continue
        if not abs(a - b) <= tolerance * max(abs(b), least):
            return "value", f"element {i + 1}: {a} and {b}"
    return None


def shown(call):
    def one(v):
        if isinstance(v, dict):
            data = v["data"]
            some = " ".join(f"{e:.4g}" for e in data[:8]) + (" ..." if len(data) > 8 else "")
            return f'{v["dtype"]}{v["shape"]}({some})'
        return "[" + ", ".join(map(one, v)) + "]" if isinstance(v, list) else str(v)

    options = "".join(f", {k}={one(v)}" for k, v in call["options"].items())
    mark = {"call": "", "inplace": "_", "out": " out " + one(call["out"])}[call["form"]]
    return f'{call["name"]}{mark}({", ".join(map(one, call["args"]))}{options})'


def main(seed, count, *name):
    def lua(*args):
        return subprocess.run(["luajit", *args], cwd=ROOT, check=True, capture_output=True, text=True).stdout

    rows = {row["name"]: row for row in json.loads(lua("spec/support/dump.lua"))}
    found, totals = collections.Counter(), collections.Counter()
    for line in lua("spec/support/random_calls.lua", seed, count, *name).splitlines():
        call = json.loads(line)
        row = rows[call["name"]]
        if row["name"] in MEANT:
            continue
        totals["calls"] += 1
        try:
            theirs = run(row, call)
        except Exception as e:
            totals["both refuse" if "error" in call else "only PyTorch refuses"] += 1
            if "-v" in sys.argv and "error" not in call:
                print("GENEROUS", shown(call), str(e).split("\n")[0][:150])
            continue
        if "error" in call:
            wrong = "refused", call["error"]
        else:
            low = [TOLERANCE[DTYPES[v["dtype"]]] for v in call["args"] if isinstance(v, dict)
                   and DTYPES[v["dtype"]] in TOLERANCE]
            # Where elements are equal there is more than one right position.
            ties = isinstance(call["args"][0], dict) and len(set(call["args"][0]["data"])) < len(call["args"][0]["data"])
            if ties and len(theirs) > 1 and row["name"] in ("kthvalue", "median", "nanmedian", "mode", "topk", "max", "min"):
                theirs[1] = ANY
            pairs = zip(call["results"], theirs)
            wrong = next(filter(None, (difference(a, b, max(low, default=0)) for a, b in pairs)), None)
            if len(call["results"]) != len(theirs) and not wrong:
                wrong = "shape", f'{len(call["results"])} results and {len(theirs)}'
        totals[wrong[0] if wrong else "same"] += 1
        if wrong:
            found[call["name"], wrong[0]] += 1
            if found[call["name"], wrong[0]] <= 3:
                print(f"{wrong[0]}: {shown(call)}: {wrong[1]}")
    print(dict(totals))


if __name__ == "__main__":
    main(*[a for a in sys.argv[1:] if a != "-v"])
