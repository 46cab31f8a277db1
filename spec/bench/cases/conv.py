"""Convolutions, pooling, batch normalisation: the twin of conv.lua."""
import math

import torch
import torch.nn.functional as F
from torch import from_numpy as tensor

import inputs


def _layer(batch, channels, to, side, kernel, stride):
    x = tensor(inputs.uniform(1, batch, channels, side, side))
    w = tensor(inputs.uniform(2, to, channels, kernel, kernel)) / math.sqrt(channels * kernel * kernel)
    return x, w, lambda: F.conv2d(x, w, None, stride=stride, padding=kernel // 2)


def forward(*sizes):
    return _layer(*sizes)[2]


def _both(leaves, forward):
    for x in leaves:
        x.requires_grad = True
    g = None

    def run():
        nonlocal g
        y = forward()
        if g is None:
            g = tensor(inputs.uniform(9, *y.shape))
        for x in leaves:
            x.grad = None
        y.backward(g)
        return y

    return run, lambda run: [run()] + [x.grad for x in leaves]


def both(*sizes):
    x, w, run = _layer(*sizes)
    return _both([x, w], run)


def max_pool(batch, channels, side):
    x = tensor(inputs.uniform(1, batch, channels, side, side))
    return _both([x], lambda: F.max_pool2d(x, 3, stride=2, padding=1))


def batch_norm(batch, channels, side):
    x = tensor(inputs.uniform(1, batch, channels, side, side))
    w, b = tensor(inputs.uniform(2, channels)), tensor(inputs.uniform(3, channels))
    mean, var = torch.zeros(channels), torch.ones(channels)
    return _both([x, w, b], lambda: F.batch_norm(x, mean, var, w, b, training=True))
