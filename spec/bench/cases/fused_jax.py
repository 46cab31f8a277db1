"""A chain of pointwise ops and a sum, compiled by JAX: the twin of fused.lua."""
import jax
import jax.numpy as jnp

import inputs


def expression(n):
    x, y, z = (jnp.asarray(inputs.uniform(i, n)) for i in (1, 2, 3))
    f = jax.jit(jax.value_and_grad(lambda x, y, z: (jnp.tanh(x * y + z) * x).sum(), (0, 1, 2)))

    def results(run):
        loss, gradients = run()
        return [loss, *gradients]

    return lambda: f(x, y, z), results
