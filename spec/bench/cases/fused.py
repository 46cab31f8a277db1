"""A chain of pointwise ops and a sum: the twin of fused.lua."""
from torch import from_numpy as tensor

import inputs


def expression(n):
    x, y, z = leaves = [tensor(inputs.uniform(i, n)).requires_grad_() for i in (1, 2, 3)]

    def run():
        for leaf in leaves:
            leaf.grad = None
        loss = ((x * y + z).tanh() * x).sum()
        loss.backward()
        return loss

    return run, lambda run: [run(), x.grad, y.grad, z.grad]
