"""One pass over memory: the twin of pointwise.lua."""
import math

import torch
import torch.nn.functional as F
from torch import from_numpy as tensor

import inputs


def _unary(function, scale):
    def case(n):
        x = tensor(inputs.uniform(1, n)) * scale
        return lambda: function(x)

    return case


relu = _unary(torch.relu, 1)
exp = _unary(torch.exp, 3)
tanh = _unary(torch.tanh, 3)
sigmoid = _unary(torch.sigmoid, 5)
gelu = _unary(F.gelu, 3)


def _pair(n):
    return tensor(inputs.uniform(1, n)), tensor(inputs.uniform(2, n))


def add(n):
    a, b = _pair(n)
    return lambda: a + b


def mul(n):
    a, b = _pair(n)
    return lambda: a * b


def _sides(n):
    rows = 10 ** math.floor(math.log10(n) / 2)
    return rows, n // rows


def add_row(n):
    rows, columns = _sides(n)
    a, b = tensor(inputs.uniform(1, rows, columns)), tensor(inputs.uniform(2, columns))
    return lambda: a + b


def add_column(n):
    rows, columns = _sides(n)
    a, b = tensor(inputs.uniform(1, rows, columns)), tensor(inputs.uniform(2, rows, 1))
    return lambda: a + b


def where(n):
    mask, (a, b) = tensor(inputs.mask(3, n)), _pair(n)
    return lambda: torch.where(mask, a, b)


def add_in_place(n):
    a, b = _pair(n)
    return lambda: a.add_(b)
