"""Matrix products: the twin of matmul.lua."""
from torch import from_numpy as tensor

import inputs


def product(m, k, n):
    a, b = tensor(inputs.uniform(1, m, k)), tensor(inputs.uniform(2, k, n))
    return lambda: a.mm(b)


def batched(count, n):
    a, b = tensor(inputs.uniform(1, count, n, n)), tensor(inputs.uniform(2, count, n, n))
    return lambda: a.bmm(b)


def left_transposed(n):
    a, b = tensor(inputs.uniform(1, n, n)).t(), tensor(inputs.uniform(2, n, n))
    return lambda: a.mm(b)


def right_transposed(n):
    a, b = tensor(inputs.uniform(1, n, n)), tensor(inputs.uniform(2, n, n)).t()
    return lambda: a.mm(b)
