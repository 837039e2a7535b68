"""The two sides of every comparison, with the same methods, so that a benchmark names neither.

`sides()` gives both, or anvl alone where jax is not installed or not wanted.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import anvl
from anvl.dispatch.executables import clear_executables
from anvl.dispatch.lowering import pipeline, serialize

__all__ = ["Anvl", "Jax", "Side", "Stages", "sides", "total"]

Stages = dict[str, float]

#: Of the memory of a compiled program.
PARTS = ("argument", "output", "temp")


class Anvl:
    """anvl, by its public functions; the stages of `jit` one by one."""

    name = "anvl"

    def __init__(self) -> None:
        self.lib: Any = anvl
        self.numpy = anvl.numpy
        self.random = anvl.random
        self.jit: Callable[..., Any] = anvl.jit
        self.grad: Callable[..., Any] = anvl.grad
        self.vmap: Callable[..., Any] = anvl.vmap
        self.jacrev: Callable[..., Any] = anvl.jacrev
        self.hessian: Callable[..., Any] = anvl.hessian
        self.checkpoint: Callable[..., Any] = anvl.checkpoint
        self.scan: Callable[..., Any] = anvl.scan
        self.fori_loop: Callable[..., Any] = anvl.fori_loop
        self.while_loop: Callable[..., Any] = anvl.while_loop
        self.slope: Callable[..., Any] = anvl.grad

    def array(self, x: np.ndarray) -> Any:
        return anvl.numpy.asarray(x)

    def wait(self, x: Any) -> Any:
        for leaf in anvl.tree.leaves(x):
            leaf.block_until_ready()
        return x

    def forget(self) -> None:
        """Drop what was compiled: equal programs compile once in a process."""
        clear_executables()

    def stages(self, f: Callable[..., Any], args: Sequence[Any]) -> Stages:
        """Seconds from Python to StableHLO, by stage; then to bytes."""
        clock = Clock()
        traced = anvl.jit(f).trace(*args)
        clock.lap("trace")
        module = traced.program.module
        pipeline(traced.program.captured).run(module, after_each=lambda name, _: clock.lap(name))
        clock.lap("end")
        serialize(module)
        clock.lap("serialize")
        clock.laps.pop("end")
        return clock.laps

    def lowered(
        self, f: Callable[..., Any], args: Sequence[Any], donate: Sequence[int] = ()
    ) -> Any:
        return anvl.jit(f, donate=tuple(donate)).lower(*args)

    def bytes_of(self, compiled: Any) -> dict[str, int]:
        """Memory of a compiled program by kind, in bytes, as its compiler counts it.

        Results that take the memory of arguments count once.
        """
        stats: dict[str, int] = compiled.memory_stats()
        sizes = {part: stats[f"{part}_size_in_bytes"] for part in PARTS}
        return sizes | {"alias": -stats["alias_size_in_bytes"]}


class Jax:
    """jax, by its public functions, in its default configuration."""

    name = "jax"

    def __init__(self) -> None:
        import jax
        from jax.extend.mlir.dialects import stablehlo

        self._jax: Any = jax
        self.lib: Any = jax
        self._stablehlo = stablehlo
        self.numpy = jax.numpy
        self.random = jax.random
        self.jit: Callable[..., Any] = jax.jit
        self.grad: Callable[..., Any] = jax.grad
        self.vmap: Callable[..., Any] = jax.vmap
        self.jacrev: Callable[..., Any] = jax.jacrev
        self.hessian: Callable[..., Any] = jax.hessian
        self.checkpoint: Callable[..., Any] = jax.checkpoint
        self.scan: Callable[..., Any] = jax.lax.scan
        self.fori_loop: Callable[..., Any] = jax.lax.fori_loop
        self.while_loop: Callable[..., Any] = jax.lax.while_loop
        self.slope: Callable[..., Any] = jax.jacfwd  # reverse mode takes no loop

    def array(self, x: np.ndarray) -> Any:
        return self._jax.numpy.asarray(x)

    def wait(self, x: Any) -> Any:
        return self._jax.block_until_ready(x)

    def forget(self) -> None:
        """Nothing: a new function is compiled anew."""

    def stages(self, f: Callable[..., Any], args: Sequence[Any]) -> Stages:
        """As for anvl: jax transforms while it traces, so that is one stage."""
        clock = Clock()
        traced = self._jax.jit(f).trace(*args)
        clock.lap("trace and transform")
        lowered = traced.lower()
        clock.lap("lower")
        version = self._stablehlo.get_current_version()
        self._stablehlo.serialize_portable_artifact(lowered.compiler_ir("stablehlo"), version)
        clock.lap("serialize")
        return clock.laps

    def lowered(
        self, f: Callable[..., Any], args: Sequence[Any], donate: Sequence[int] = ()
    ) -> Any:
        return self._jax.jit(f, donate_argnums=tuple(donate)).lower(*args)

    def bytes_of(self, compiled: Any) -> dict[str, int]:
        """As for anvl."""
        stats = compiled.memory_analysis()
        sizes = {part: getattr(stats, f"{part}_size_in_bytes") for part in PARTS}
        return sizes | {"alias": -stats.alias_size_in_bytes}


Side = Anvl | Jax


def total(stages: Stages) -> float:
    """Seconds from Python to StableHLO in memory."""
    return sum(stages.values()) - stages["serialize"]


class Clock:
    """Seconds from one `lap` to the next; laps of one name add up."""

    def __init__(self) -> None:
        self.laps: Stages = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = self.laps.get(name, 0.0) + now - self._last
        self._last = now


def sides(with_jax: bool) -> list[Side]:
    """anvl and, if asked for, jax."""
    return [Anvl(), Jax()] if with_jax else [Anvl()]
