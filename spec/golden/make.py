#!/usr/bin/env python3
"""Writes spec/golden/FAMILY.lua: what PyTorch computes, in float64, from the samples of the op table.

    python3 spec/golden/make.py [FAMILY...]     (PyTorch for the CPU, luajit)

The inputs come from spec/support/dump.lua, so the files hold results only: outputs, the gradient of
sum(w * output) with w from noise(), whether second derivatives exist, and, for the first sample of floats,
what other dtypes give.  expressions.py says what an op means in PyTorch.
"""

import json
import math
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import torch

from expressions import ANY, CLASSES, POSITIONS, expression

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
torch.set_num_threads(1)
warnings.simplefilter("ignore")


# -- Inputs ------------------------------------------------------------------------------------------

DTYPES = {
    "float32": torch.float32, "float64": torch.float64, "float16": torch.float16,
    "bfloat16": torch.bfloat16, "int8": torch.int8, "uint8": torch.uint8, "int16": torch.int16,
    "int32": torch.int32, "int64": torch.int64, "bool": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def noise(n, name):
    """The same numbers as noise() of spec/support/samples.lua."""
    s = 1
    for c in name.encode():
        s = (s * 31 + c) % 2147483647
    s = s or 1
    for _ in range(3):
        s = s * 16807 % 2147483647
    values, seen = [], set()
    for _ in range(n):
        for _ in range(11):
            s = s * 16807 % 2147483647
            v = math.floor((-1 + 2 * (s / 2147483647)) * 2048) / 2048 + 1 / 4096
            v = v - 1 / 2048 if v > 1 else v
            if v not in seen:
                break
        seen.add(v)
        values.append(v)
    return values


def converted(data, dtype):
    """Samples in another dtype; converted() of spec/support/samples.lua does the same."""
    if dtype == "bool":
        return [v > 0 for v in data]
    if dtype == "uint8":
        return [abs(math.floor(2 * v)) for v in data]
    if dtype.startswith("int"):
        return [math.floor(2 * v) for v in data]
    return data


def tensor(t, kind, dtype):
    if t["kind"] in "in":
        data = np.array(t["data"], dtype=np.int64).reshape(t["shape"])
        return torch.from_numpy(np.asarray(data - (1 if kind == "index" else 0)))
    if t["kind"] == "b":
        return torch.from_numpy(np.array(t["data"], dtype=bool).reshape(t["shape"]))
    wide = torch.float64 if "float" in dtype else None
    values = torch.tensor(converted(t["data"], dtype), dtype=wide)
    return values.to(DTYPES[dtype]).reshape(t["shape"])


def from_one(v):
    return v - 1 if isinstance(v, (int, float)) and v > 0 else v


def argument(v, kind, dtype):
    if isinstance(v, dict):
        return tensor(v, kind, dtype)
    if isinstance(v, list) and v and isinstance(v[0], dict):
        return [tensor(e, kind, dtype) for e in v]
    if kind in ("axis", "position"):
        return from_one(v)
    if kind == "axes":
        return [from_one(e) for e in (v if isinstance(v, list) else [v])]
    if kind == "dtype" and isinstance(v, str):
        return DTYPES[v]
    return v


def arguments(row, sample, dtype="float64"):
    """Positional arguments, options, and the floating tensors among them in order."""
    kinds = [kind for _, kind in row["arguments"]]
    if row["name"] in CLASSES:
        kinds = ["index" if name == "target" else kind for name, kind in row["arguments"]]
    by_name = {"dtype": "dtype", **dict(row["arguments"])}
    kinds += [kinds[-1] if kinds else None] * (len(sample["args"]) - len(kinds))
    args = [argument(v, k, dtype) for v, k in zip(sample["args"], kinds)]
    options = {}
    for name in sorted(sample["options"]):
        options[name] = argument(sample["options"][name], by_name.get(name), dtype)
    floats = []
    for v in args + [options[k] for k in options]:
        for t in v if isinstance(v, list) else [v]:
            if isinstance(t, torch.Tensor) and t.is_floating_point():
                floats.append(t)
    return args, options, floats


def run(row, args, options):
    """The outputs as a list of tensors."""
    out = expression(row["name"])(*args, **options)
    outs = list(out) if isinstance(out, (tuple, list)) else [out]
    return [t if t is None or t is ANY or isinstance(t, torch.Tensor) else torch.as_tensor(t) for t in outs]


def places(row):
    return POSITIONS.get(row["name"], [1] if row["dtype"] == "values_index" else [])


# -- Results as text ---------------------------------------------------------------------------------


def number(v):
    if isinstance(v, bool):
        return "1" if v else "0"
    if isinstance(v, int):
        return str(v)
    if math.isnan(v):
        return "nan"
    return format(v, ".13g")


def text(t):
    """`[3,4] float64 0.5 1 ...`, row by row."""
    if t is None or t is ANY:
        return "none" if t is None else ANY
    if t.is_complex():
        raise ValueError("a complex result")
    size = "[" + ",".join(map(str, t.shape)) + "]"
    dtype = NAMES[t.dtype]
    if t.dtype in (torch.float16, torch.bfloat16):
        t = t.float()
    return " ".join([size, dtype] + [number(v) for v in t.detach().reshape(-1).tolist()])


def results(row, outs, ties=False):
    """With ties there is more than one right position: any will do."""
    at = places(row)
    at_ties = at if ties and len(outs) > 1 else []
    one = [t + 1 if isinstance(t, torch.Tensor) and i in at else t for i, t in enumerate(outs)]
    return [ANY if i in at_ties else text(t) for i, t in enumerate(one)]


def loss_of(outs, name):
    """sum(w * output) over the outputs that have a gradient, and w."""
    total, weights = None, []
    for k, t in enumerate(outs):
        if isinstance(t, torch.Tensor) and t.requires_grad:
            w = torch.tensor(noise(t.numel(), f"{name} w{k + 1}"), dtype=torch.float64).reshape(t.shape)
            w.requires_grad_()
            weights.append(w)
            total = (t * w).sum() if total is None else total + (t * w).sum()
    return total, weights


def gradients(row, sample):
    """The gradient by each floating tensor, and whether there is a second derivative."""
    name = row["name"] + " " + sample["key"]
    for count in (None, 1):  # where not all inputs may require a gradient in PyTorch, the first does
        args, options, floats = arguments(row, sample)
        for t in floats[:count]:
            t.requires_grad_()
        try:
            outs = run(row, args, options)
            break
        except RuntimeError:
            if count or len(floats) < 2:
                return None, None
    loss, weights = loss_of(outs, name)
    if loss is None:
        return None, None
    floats = [t for t in floats if t.requires_grad]
    try:
        first = torch.autograd.grad(loss, floats, create_graph=True, allow_unused=True)
    except RuntimeError:
        return None, None
    second = True
    again = [g for g in first if g is not None and g.requires_grad]
    if again:
        try:
            torch.autograd.grad(sum(g.sum() for g in again), floats + weights, allow_unused=True)
        except RuntimeError:
            second = False
    return [text(g) for g in first], second


def dtype_results(row, sample):
    """For each other dtype: the output dtypes (floats) or the outputs (integers), or "error"."""
    found = {}
    for dtype in DTYPES:
        if dtype == "float64":
            continue
        try:
            args, options, _ = arguments(row, sample, dtype)
            outs = run(row, args, options)
            if "float" in dtype:
                found[dtype] = [NAMES[t.dtype] if isinstance(t, torch.Tensor) else ANY for t in outs]
            else:
                found[dtype] = results(row, outs, ties=True)
        except Exception:
            found[dtype] = "error"
    return found


# -- Files -------------------------------------------------------------------------------------------


def quoted(v):
    if isinstance(v, list):
        return "{ " + ", ".join(quoted(e) for e in v) + " }"
    if isinstance(v, bool):
        return "true" if v else "false"
    return '"' + str(v) + '"' if isinstance(v, str) else str(v)


# Whose single precision differs from double precision at infinities: erf is NaN there, sums of products in
# another order.
ODD_IN_FLOAT32 = {"gelu", "gelu_erf", "convolution"}


def special_in_float32(row, sample):
    """What single precision makes of special values, or "error"."""
    if row["name"] in ODD_IN_FLOAT32:
        return [ANY]
    try:
        args, options, _ = arguments(row, sample, "float32")
        return results(row, run(row, args, options), ties=True)
    except Exception:
        return "error"


def has_float(sample):
    """Does it have a tensor that may be of another dtype?"""
    values = sample["args"] + list(sample["options"].values())
    nested = [e for v in values for e in (v if isinstance(v, list) else [v])]
    return any(isinstance(e, dict) and e["kind"] not in "inb" for e in nested)


def sample_lines(row, sample, with_dtypes, problems):
    where = f'{row["name"]}: {sample["key"]}'
    lines = [f'    sum = {sample["checksum"]},']
    try:
        args, options, floats = arguments(row, sample)
        outs = run(row, args, options)
        lines.append(f"    out = {quoted(results(row, outs, ties=sample['special']))},")
    except Exception as e:
        if sample["declared"]:
            problems.append(f"{where}: {e}")
        return lines + ["    error = true,"]
    if row["differentiable"] and floats and not sample["special"]:
        try:
            first, second = gradients(row, sample)
            if first is not None:
                lines.append(f"    grad = {quoted(first)},")
                lines.append(f"    second = {quoted(second)},")
        except Exception as e:
            problems.append(f"{where}: gradient: {e}")
    if sample["special"]:
        lines.append(f"    float32 = {quoted(special_in_float32(row, sample))},")
    if with_dtypes and floats:
        for dtype, result in dtype_results(row, sample).items():
            lines.append(f"    {dtype} = {quoted(result)},")
    return lines


def promotion():
    """What two dtypes become, by whether the operands have dims: dims and dims, dims and none, none and
    dims; and what a dtype becomes with a whole number and with a fraction."""
    out = [HEAD, "return {"]
    for a in DTYPES:
        x, x0 = torch.ones(1, dtype=DTYPES[a]), torch.ones((), dtype=DTYPES[a])
        out.append(f"  {a} = {{")
        for b in DTYPES:
            y, y0 = torch.ones(1, dtype=DTYPES[b]), torch.ones((), dtype=DTYPES[b])
            found = [NAMES[torch.result_type(*pair)] for pair in ((x, y), (x, y0), (x0, y))]
            out.append(f"    {b} = {quoted(found)},")
        found = [NAMES[torch.result_type(v, n)] for v in (x, x0) for n in (2, 0.5)]
        out.append(f"    numbers = {quoted(found)},")
        out.append("  },")
    (ROOT / "spec" / "golden" / "promotion.lua").write_text("\n".join(out + ["}"]) + "\n")


HEAD = (f"-- Made by spec/golden/make.py with PyTorch {torch.__version__.split('+')[0]}: do not edit.\n"
        "-- luacheck: ignore")


def main(only):
    dump = subprocess.run(["luajit", "spec/support/dump.lua"], cwd=ROOT, check=True, capture_output=True)
    problems, families = [], {}
    for row in json.loads(dump.stdout):
        families.setdefault(row["family"], []).append(row)
    for family, rows in families.items():
        if only and family not in only:
            continue
        out = [HEAD, "return {"]
        for row in rows:
            out.append(f'["{row["name"]}"] = {{')
            typed = next((i for i, sample in enumerate(row["samples"]) if has_float(sample)), None)
            for i, sample in enumerate(row["samples"]):
                out.append(f'  ["{sample["key"]}"] = {{')
                out += sample_lines(row, sample, i == typed, problems)
                out.append("  },")
            out.append("},")
        out.append("}")
        (ROOT / "spec" / "golden" / f"{family}.lua").write_text("\n".join(out) + "\n")
    if not only:
        promotion()
    for line in problems:
        print("make.py:", line, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
