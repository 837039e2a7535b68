"""Write `epidemic.jaxexport`: a model in JAX, with an adaptive solver, as `jax.export` saves it.

    python examples/data/epidemic_jax.py      (with jax; the file beside it was made by jax 0.10.2)

The model has no data in it.  Its solver has a `while_loop`, through which JAX has no reverse mode.
"""

from pathlib import Path

import jax
import jax.numpy as jnp
from jax import export, lax

jax.config.update("jax_enable_x64", True)


def slope(y, rates, population):
    """Kermack and McKendrick (1927): susceptible, infected and recovered people."""
    s, i, _ = y
    infections, recoveries = rates["infection"] * s * i / population, rates["recovery"] * i
    return jnp.stack([-infections, infections - recoveries, recoveries])


def heun(y, h, f):
    """A step of order 2, and the distance to that of order 1."""
    k1 = f(y)
    k2 = f(y + h * k1)
    return y + h * (k1 + k2) / 2, jnp.max(jnp.abs(h * (k2 - k1) / 2))


def infected(rates, first, days, population):
    """Infected people on each of some ascending days, given those on the first one."""

    def until(carry, end):
        def attempt(state):
            t, y, h = state
            length = jnp.minimum(h, end - t)
            new, error = heun(y, length, lambda y: slope(y, rates, population))
            ok = error <= 1e-3 * population / 763
            factor = 0.9 * jnp.sqrt(1e-3 * population / 763 / jnp.maximum(error, 1e-9))
            h = length * lax.stop_gradient(jnp.clip(factor, 0.2, 5.0))
            return jnp.where(ok, t + length, t), jnp.where(ok, new, y), h

        t, y, h = lax.while_loop(lambda state: state[0] < end, attempt, carry)
        return (t, y, h), y[1]

    start = jnp.stack([population - first, first, jnp.zeros_like(first)])
    return lax.scan(until, (days[0], start, jnp.asarray(0.1)), days)[1]


if __name__ == "__main__":
    number = jax.ShapeDtypeStruct((), "float64")
    days = jax.ShapeDtypeStruct((14,), "float64")
    rates = {"infection": number, "recovery": number}
    exported = export.export(jax.jit(infected), platforms=["cpu", "cuda", "tpu"])(
        rates, number, days, number
    )
    path = Path(__file__).with_name("epidemic.jaxexport")
    path.write_bytes(exported.serialize())
    print(f"wrote {path.name}: {path.stat().st_size} bytes")
