"""A step of Adam: the twin of optim.lua."""
import torch

import inputs


def _adam(n, tensors, **options):
    parameters = []
    for _ in range(tensors):
        p = torch.from_numpy(inputs.uniform(1, n // tensors)).requires_grad_()
        p.grad = torch.from_numpy(inputs.uniform(2, n // tensors))
        parameters.append(p)
    optimizer = torch.optim.Adam(parameters, lr=1e-3, **options)

    def results(run):
        run()
        return parameters[0], parameters[-1]

    return optimizer.step, results


def adam(n, tensors):
    return _adam(n, tensors)


def adam_fused(n, tensors):
    return _adam(n, tensors, fused=True)
