"""The namespaces `np`, `anvl` and `own` for running a program on JAX, or a similar library.

    library = Library("jax.numpy")

The library is imported by name, on request; nothing of anvl imports it.  It computes in 64 bits,
as NumPy does here: the dtype of the program gives the tolerance.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from anvl.testing.random_programs.compare.array_values import kind_of
from anvl.testing.random_programs.compare.reference import NUMPY, Namespace, NoReference, absent
from anvl.testing.random_programs.draw_programs.own_ops import Own
from anvl.testing.random_programs.programs import evaluated

__all__ = ["Library"]

_SPECIAL = (
    "betainc digamma erf erfc erfinv gammainc gammaincc gammaln i0 i0e i1 i1e logsumexp polygamma "
    "zeta"
).split()


class Library:
    """A library with JAX's functions: its namespace, and its arrays.

    Raises:
        ImportError: It is not installed.
    """

    def __init__(self, name: str) -> None:
        root, _, _ = name.partition(".")
        self._jax = importlib.import_module(root)
        self._numpy = importlib.import_module(name)
        self._lax = importlib.import_module(f"{root}.lax")
        self._special = importlib.import_module(f"{root}.scipy.special")
        self._jax.config.update("jax_enable_x64", True)
        self.namespace: Mapping[str, Any] = self._names()

    def evaluated(self, text: str, given: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """Results of an expression; raises `NoReference` if the library has none."""
        try:
            values = {name: self._numpy.asarray(x) for name, x in given.items()}
            return [np.asarray(y) for y in evaluated(text, self.namespace, values)]
        except Exception as error:  # any error means that it gave no value
            raise NoReference(f"the other library: {type(error).__name__}") from error

    def _names(self) -> dict[str, Any]:
        names = Namespace(
            self._numpy,
            **{name: getattr(self._special, name) for name in _SPECIAL},
            **{name: getattr(self._jax.nn, name) for name in ("log_softmax", "sigmoid", "softmax")},
            **{name: self._accumulated(name) for name in _ACCUMULATED},
            **{name: self._of_floats(name) for name in ("convolve", "correlate")},
            astype=NUMPY["np"].astype,
            rsqrt=self._lax.rsqrt,
            top_k=absent("top_k"),
            linalg=Namespace(self._numpy.linalg, lstsq=absent("lstsq")),
            fft=self._numpy.fft,
        )
        anvl = self._transformations()
        own = _Own(names, anvl)
        own.at = lambda x: self._numpy.asarray(x).at
        return {"np": names, "anvl": anvl, "own": own, "prim": Namespace(None)}

    def _of_floats(self, name: str) -> Callable[..., Any]:
        function = getattr(self._numpy, name)

        def of_floats(*xs: Any, **params: Any) -> Any:
            found = function(*xs, **params)
            if kind_of(np.result_type(*(x.dtype for x in xs[:2]))) in "biu":
                raise NoReference(f"JAX's {name} of integers is one of floats")
            return found

        return of_floats

    def _accumulated(self, name: str) -> Callable[..., Any]:
        function = getattr(self._lax, name)

        def cumulative(x: Any, axis: int | None = None, reverse: bool = False) -> Any:
            given = self._numpy.ravel(x) if axis is None else x
            n = given.ndim
            if given.dtype == bool and name not in ("cummax", "cummin"):
                given = given.astype("int64")
            return function(given, axis=0 if axis is None else axis % n, reverse=reverse)

        return cumulative

    def _transformations(self) -> Any:
        lax, jax = self._lax, self._jax
        others = {name: getattr(jax, name) for name in "checkpoint grad jit jvp vjp vmap".split()}
        return Namespace(
            None,
            **others,
            associative_scan=lax.associative_scan,
            cond=lambda pred, one, other, *xs, batch=None: lax.cond(pred, one, other, *xs),
            fori_loop=lax.fori_loop,
            map=lambda f, xs, batch_size=None: lax.map(f, xs),
            scan=lambda f, init, xs, reverse=False, checkpoint=None: lax.scan(
                f, init, xs, reverse=reverse
            ),
            switch=lax.switch,
            while_loop=self._while_loop,
            windows=Namespace(None),
        )

    def _while_loop(
        self, test: Any, body: Any, carry: Any, max_iterations: int | None = None
    ) -> Any:
        if max_iterations is None:
            return self._lax.while_loop(test, body, carry)
        return self._lax.while_loop(
            lambda c: (c[0] < max_iterations) & test(c[1]),
            lambda c: (c[0] + 1, body(c[1])),
            (0, carry),
        )[1]


_ACCUMULATED = "cumlogsumexp cummax cummin cumprod cumsum".split()


class _Own(Own):
    """Ignores custom rules: functions with one give the same values without it."""

    at: Callable[[Any], Any]

    def with_jvp_rule(self, f: Callable[..., Any]) -> Callable[..., Any]:
        return f

    def with_vjp_rule(self, f: Callable[..., Any]) -> Callable[..., Any]:
        return f
