"""Ops that move elements, and those that order them: the twin of movement.lua."""
import torch
import torch.nn.functional as F
from torch import from_numpy as tensor

import inputs


def transposed(n):
    x = tensor(inputs.uniform(1, n, n)).t()
    return lambda: x.contiguous()


def add_transposed(n):
    x = tensor(inputs.uniform(1, n, n))
    return lambda: x + x.t()


def cat(n):
    both = [tensor(inputs.uniform(1, n // 2, n)), tensor(inputs.uniform(2, n // 2, n))]
    return lambda: torch.cat(both, 0)


def index_select(n):
    x, rows = tensor(inputs.uniform(1, n, n)), tensor(inputs.positions(2, n, n))
    return lambda: x.index_select(0, rows)


def gather(n):
    x, places = tensor(inputs.uniform(1, n, n)), tensor(inputs.positions(2, n, n, n))
    return lambda: x.gather(1, places)


def masked_select(n):
    x, mask = tensor(inputs.uniform(1, n)), tensor(inputs.mask(2, n))
    return lambda: x.masked_select(mask)


def embedding_backward(words, width, n):
    weight, index = tensor(inputs.uniform(1, words, width)), tensor(inputs.positions(2, words, n))
    g = tensor(inputs.uniform(3, n, width))
    weight.requires_grad = True

    def run():
        weight.grad = None
        F.embedding(index, weight).backward(g)
        return weight.grad

    return run


def sort(n):
    x = tensor(inputs.uniform(1, n))

    def results(run):
        values, where = run()
        return values, x[where]

    return lambda: x.sort(), results


def topk(n, k):
    x = tensor(inputs.uniform(1, n))

    def results(run):
        values, where = run()
        return values, x[where]

    return lambda: x.topk(k), results


def cumsum(n):
    x = tensor(inputs.uniform(1, n))
    return lambda: x.cumsum(0)
