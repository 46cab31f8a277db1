#!/usr/bin/env python3
"""Writes spec/golden/printing.lua: what PyTorch prints of tensors of many kinds.

    python3 spec/golden/printing.py         (PyTorch for the CPU)

Words that differ by design are put in kiln's spelling: dtypes, booleans, sizes.
"""

import math
import pathlib
import random
import re

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
rng = random.Random(4)

DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool"]
SHAPES = [[], [1], [5], [12], [2, 3], [3, 1], [4, 9], [2, 2, 3], [1, 2, 1, 3], [2, 30], [0], [2, 0]]
LARGE = [[1001], [2000, 3], [40, 30], [11, 10, 12], [2, 600]]
OPTIONS = [{"precision": 2}, {"precision": 0}, {"precision": 8}, {"linewidth": 40}, {"threshold": 5, "edgeitems": 2},
           {"threshold": 5, "edgeitems": 1, "linewidth": 30}, {"edgeitems": 4, "threshold": 10}]


def value(kind):
    """A number of a kind: what decides between fixed and scientific, whole and fractional."""
    v = {
        "unit": lambda: rng.uniform(-1, 1),
        "small": lambda: rng.uniform(-1, 1) * 10 ** rng.uniform(-6, -2),
        "wide": lambda: rng.uniform(-1, 1) * 10 ** rng.uniform(-4, 6),
        "whole": lambda: float(rng.randint(-50, 50)),
        "huge": lambda: float(rng.randint(-5, 5)) * 1e9,
        "special": lambda: rng.choice([0.0, -0.0, 1.5, -2.0, math.inf, -math.inf, math.nan]),
        "wholes and specials": lambda: rng.choice([0.0, 3.0, -12.0, math.inf, -math.inf, math.nan]),
        "halves": lambda: rng.randint(-64, 64) / 32,  # exact ties of rounding
        "zero": lambda: 0.0,
        "nothing finite but zeros": lambda: rng.choice([0.0, -0.0, math.inf, -math.inf, math.nan]),
    }[kind]()
    return v


KINDS = ["unit", "small", "wide", "whole", "huge", "special", "wholes and specials", "halves", "zero"]


def lua(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, int):
        return str(v)
    if math.isnan(v):
        return "nan"
    if math.isinf(v):
        return "inf" if v > 0 else "-inf"
    return "-0.0" if v == 0 and math.copysign(1, v) < 0 else format(v, ".17g")


def data(dtype, kind, n):
    if dtype == "bool":
        return [rng.random() < 0.5 for _ in range(n)]
    if dtype == "uint8":
        return [rng.randint(0, 255) for _ in range(n)]
    if dtype.startswith("int"):
        top = {"unit": 9, "wide": 120}.get(kind, 3)
        return [rng.randint(-top, top) for _ in range(n)]
    return [value(kind) for _ in range(n)]


def spelt(text):
    text = text.replace("torch.", "kiln.")
    text = re.sub(r"size=\(([^)]*)\)", lambda m: "size=[" + m[1].rstrip(",") + "]", text)
    return text.replace("True", "true").replace("False", "false")


def case(dtype, kind, shape, options, out):
    n = math.prod(shape)
    large = n > 200
    # What is large repeats a short list, so that the file stays small.
    numbers = data(dtype, kind, 37 if large else n)
    full = [numbers[i % len(numbers)] for i in range(n)] if n else []
    x = torch.tensor(full, dtype=torch.float64 if "float" in dtype else None)
    x = x.to(getattr(torch, dtype)).reshape(shape)
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    text = spelt(repr(x))
    torch.set_printoptions(profile="default")
    settings = ", ".join(f"{k} = {lua(v)}" for k, v in options.items())
    out.append(f'  {{ dtype = "{dtype}", shape = {{ {", ".join(map(str, shape))} }}, options = {{ {settings} }},')
    out.append(f'    data = "{" ".join(map(lua, numbers))}",')
    out.append(f"    text = [=[\n{text}]=] }},")


def main():
    head = (f"-- Made by spec/golden/printing.py with PyTorch {torch.__version__.split('+')[0]}: do not edit.\n"
            "-- luacheck: ignore")
    out = [head, "return {"]
    for dtype in DTYPES:
        kinds = KINDS if dtype in ("float32", "float64") else KINDS[:4]
        for kind in kinds:
            for shape in rng.sample(SHAPES, 3) + rng.sample(LARGE, 1 if dtype != "bool" else 0):
                case(dtype, kind, shape, {}, out)
    for options in OPTIONS:
        for kind in ("unit", "wide", "whole"):
            case("float64", kind, rng.choice([[12], [4, 9], [2, 2, 3], [3, 20]]), options, out)
        case("int64", "wide", [3, 20], options, out)
    for mode in (True, False):
        for kind in ("unit", "whole", "zero", "nothing finite but zeros", "small"):
            case("float32", kind, [3, 4], {"sci_mode": mode}, out)
    case("float32", "nothing finite but zeros", [2, 30], {}, out)
    case("float64", "nothing finite but zeros", [40], {"linewidth": 30}, out)
    (ROOT / "spec" / "golden" / "printing.lua").write_text("\n".join(out + ["}"]) + "\n")


main()
