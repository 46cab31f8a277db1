"""Reductions of a matrix: the twin of reduce.lua."""
import torch.nn.functional as F
from torch import from_numpy as tensor

import inputs


def _case(run, results=None):
    def case(rows, columns):
        x = tensor(inputs.uniform(1, rows, columns))
        return (lambda: run(x), results) if results else (lambda: run(x))

    return case


sum = _case(lambda x: x.sum())
sum_of_rows = _case(lambda x: x.sum(1))
sum_of_columns = _case(lambda x: x.sum(0))
mean = _case(lambda x: x.mean())
var = _case(lambda x: x.var())
logsumexp = _case(lambda x: x.logsumexp(1))
softmax = _case(lambda x: x.softmax(1))
log_softmax = _case(lambda x: x.log_softmax(1))


def _from_1(run):
    values, positions = run()
    return values, positions + 1


max = _case(lambda x: x.max(1), _from_1)


def layer_norm(rows, columns):
    x, w, b = (tensor(inputs.uniform(1, rows, columns)), tensor(inputs.uniform(2, columns)),
               tensor(inputs.uniform(3, columns)))
    return lambda: F.layer_norm(x, (columns,), w, b)
