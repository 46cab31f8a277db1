"""Random numbers: the twin of random.lua."""
import torch

import inputs


def _moments(run):
    x = run().double()
    return x.mean() + 1, x.std()


def rand(n):
    return lambda: torch.rand(n), _moments


def randn(n):
    return lambda: torch.randn(n), _moments


def bernoulli(n):
    p = torch.from_numpy(inputs.share(1, n))
    return lambda: torch.bernoulli(p), _moments


def randperm(n):
    return lambda: torch.randperm(n), lambda run: [run().sort().values + 1]
