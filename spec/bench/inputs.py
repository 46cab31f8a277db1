"""The numbers that the cases compute with: the formula of inputs.lua, with NumPy."""
import math

import numpy as np

PRIME, HALF = 8388593, 2**22


def _hash(n, seed):
    i = np.arange(n, dtype=np.int64)
    a = (i * 7368787 + seed * 1299709) % PRIME
    b = (a * a + i) % PRIME
    return (b * 3141592 + a) % PRIME


_made = {}


def _numbers(n, seed):
    if (n, seed) not in _made:
        if len(_made) >= 4:
            _made.clear()
        _made[n, seed] = (_hash(n, seed) / HALF - 1).astype(np.float32)
    return _made[n, seed]


def uniform(seed, *shape):
    """float32 in [-1, 1)."""
    return _numbers(math.prod(shape), seed).reshape(shape).copy()


def share(seed, *shape):
    """float32 in [0, 1)."""
    return (uniform(seed, *shape) + np.float32(1)) / np.float32(2)


def mask(seed, *shape):
    """bool, half of them true."""
    return uniform(seed, *shape) < 0


def positions(seed, most, *shape):
    """int64 positions 0..most - 1."""
    return (_hash(math.prod(shape), seed) % most).reshape(shape)


def parameter(index, name, shape):
    """The numbers of the index-th parameter (from 0) of a module."""
    value = uniform(101 + index, *shape)
    if len(shape) > 1:
        return value / np.float32(math.sqrt(math.prod(shape[1:])))
    value = value / np.float32(10)
    return value + np.float32(1) if name.endswith("weight") else value
