"""Steps of training in JAX, compiled: the MLP of training.lua with Adam."""
import jax
import jax.numpy as jnp

import inputs

SHAPES = (("0.weight", (256, 784)), ("0.bias", (256,)), ("2.weight", (256, 256)), ("2.bias", (256,)),
          ("4.weight", (10, 256)), ("4.bias", (10,)))


def mlp(batch):
    x, target = jnp.asarray(inputs.uniform(1, batch, 784)), jnp.asarray(inputs.positions(2, 10, batch))
    parameters = [jnp.asarray(inputs.parameter(i, name, shape)) for i, (name, shape) in enumerate(SHAPES)]
    zeros = [jnp.zeros_like(p) for p in parameters]

    def loss_of(p):
        h = jax.nn.relu(x @ p[0].T + p[1])
        h = jax.nn.relu(h @ p[2].T + p[3])
        logits = jax.nn.log_softmax(h @ p[4].T + p[5])
        return -jnp.take_along_axis(logits, target[:, None], 1).mean()

    def step(p, m, v, t):
        loss, g = jax.value_and_grad(loss_of)(p)
        t = t + 1
        m = [0.9 * a + 0.1 * b for a, b in zip(m, g)]
        v = [0.999 * a + 0.001 * b * b for a, b in zip(v, g)]
        p = [a - 1e-3 * (b / (1 - 0.9**t)) / (jnp.sqrt(c / (1 - 0.999**t)) + 1e-8)
             for a, b, c in zip(p, m, v)]
        return loss, p, m, v, t

    step = jax.jit(step, donate_argnums=(0, 1, 2, 3))
    state = [parameters, zeros, [jnp.zeros_like(p) for p in parameters], jnp.float32(0)]

    def run():
        loss, *state[:] = step(*state)
        return loss

    return run, lambda run: [run() for _ in range(3)]
