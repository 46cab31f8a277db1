"""Inputs and parameters by formula, and the record of a case: what nn.py and nn_training.py are written in.

spec/nn_golden_spec.lua makes the same numbers.  Of each tensor two weighted sums are kept.
"""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def ramp(n, step, start):
    return torch.arange(n, dtype=torch.float64) * step + start


def make_input(spec, k):
    """k counts the inputs from 0."""
    kind, shape = ("float", spec) if not isinstance(spec[0], str) else (spec[0], spec[1])
    n = math.prod(shape)
    if kind == "float":
        return torch.sin(ramp(n, 1.7, 0.3 * k)).view(shape).requires_grad_()
    if kind == "prob":
        return (0.5 + 0.4 * torch.sin(ramp(n, 1.7, 0.3 * k))).view(shape).requires_grad_()
    if kind == "int":  # 0-based here, from 1 in Lua
        return ((torch.arange(n) * 7 + 3 * k) % spec[2]).view(shape)
    if kind == "sign":
        return torch.where((torch.arange(n) * 5 + k) % 3 < 1, 1.0, -1.0).view(shape)
    if kind == "simplex":
        x = 0.5 + 0.4 * torch.sin(ramp(n, 1.7, 0.3 * k)).view(shape)
        return x / x.sum(-1, keepdim=True)
    if kind == "onehot":
        rows = n // shape[-1]
        return F.one_hot((torch.arange(rows) * 7 + 3 * k) % shape[-1], shape[-1]).to(torch.float64).view(shape)
    raise ValueError(kind)


def fill_parameters(module):
    with torch.no_grad():
        for k, (_, p) in enumerate(module.named_parameters()):
            p.copy_((0.5 * torch.sin(ramp(p.numel(), 0.9, 0.7 * k + 1))).view(p.shape))
        for k, (name, b) in enumerate(module.named_buffers()):
            if b.is_floating_point() and "running" in name:
                b.copy_((1 + 0.5 * torch.sin(ramp(b.numel(), 0.9, 0.7 * k))).view(b.shape))


def print_of(x):
    x = x.detach().to(torch.float64).reshape(-1)
    i = torch.arange(x.numel(), dtype=torch.float64)
    return float((x * torch.cos(1.1 * i + 0.5)).sum()), float((x * torch.sin(0.37 * i + 1)).sum())


def lua_print(x):
    a, b = print_of(x)
    shape = ", ".join(str(s) for s in x.shape)
    return "{ { %s }, %.15g, %.15g }" % (shape, a, b)


def lua_spec(spec):
    kind, shape = ("float", spec) if not isinstance(spec[0], str) else (spec[0], spec[1])
    most = ", most = %d" % spec[2] if kind == "int" else ""
    return '{ "%s", { %s }%s }' % (kind, ", ".join(str(s) for s in shape), most)


def flatten(out):
    if isinstance(out, torch.Tensor):
        return [out]
    result = []
    for o in out:
        if o is not None:
            result += flatten(o)
    return result


cases = []


def case(lua, fn, *inputs, mode="train", index_outputs=(), tolerance=None):
    """lua: the same in Lua; fn: module or function; index_outputs: outputs that are positions."""
    module = fn if isinstance(fn, nn.Module) else None
    if module is not None:
        module.to(torch.float64)
        fill_parameters(module)
        module.train(mode == "train")
    xs = [make_input(s, k) for k, s in enumerate(inputs)]
    outs = flatten(fn(*xs))
    shown = []
    total = 0
    for i, o in enumerate(outs):
        if i in index_outputs:
            shown.append(lua_print(o + 1))
            continue
        shown.append(lua_print(o))
        if o.requires_grad:
            w = torch.cos(ramp(o.numel(), 1.3, 0.2 + i)).view(o.shape)
            total = total + (o * w).sum()
    grads = []
    if isinstance(total, torch.Tensor):
        total.backward()
        for x in xs:
            grads.append(lua_print(x.grad) if x.grad is not None else "false")
        if module is not None:
            for _, p in module.named_parameters():
                grads.append(lua_print(p.grad) if p.grad is not None else "false")
    buffers = []
    if module is not None:
        buffers = [lua_print(b) for _, b in module.named_buffers() if b.is_floating_point()]
    extra = " tolerance = %g," % tolerance if tolerance else ""
    cases.append("  { lua = %s, mode = %r,%s inputs = { %s },\n    outputs = { %s },\n    grads = { %s }, buffers = { %s } },"
                 % ("[==[" + lua + "]==]", mode, extra, ", ".join(lua_spec(s) for s in inputs), ", ".join(shown),
                    ", ".join(grads), ", ".join(buffers)))


def ints(shape, most):
    return ("int", shape, most)


def prob(*shape):
    return ("prob", shape)


def sign(*shape):
    return ("sign", shape)
