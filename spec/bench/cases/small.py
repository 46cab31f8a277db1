"""Calls on a few elements: the twin of small.lua."""
import torch
from torch import from_numpy as tensor

import inputs


def add(n):
    a, b = tensor(inputs.uniform(1, n)), tensor(inputs.uniform(2, n))
    return lambda: a + b


def add_grad(n):
    a, b = tensor(inputs.uniform(1, n)), tensor(inputs.uniform(2, n))
    a.requires_grad = True
    return lambda: a + b


def chain(n):
    x, w = tensor(inputs.uniform(1, n)), tensor(inputs.uniform(2, n))
    x.requires_grad = True

    def run():
        y = x
        for _ in range(10):
            y = (y * w).tanh()
        x.grad = None
        y.sum().backward()
        return x.grad

    return run


def select(n):
    x = tensor(inputs.uniform(1, n))
    return lambda: x[1]


def view(n):
    x = tensor(inputs.uniform(1, n))
    return lambda: x.view(n // 2, 2)


def zero(n):
    x = torch.ones(n)
    return lambda: x.zero_()
