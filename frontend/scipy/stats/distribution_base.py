"""What distributions share: location and scale, supports, arguments, formulas from others."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import anvl.numpy as anp
from anvl.core.promote import convert
from anvl.dialect.core.errors import nearest
from anvl.dispatch.eager import public
from anvl.numpy.functions.elementwise import mark_weak
from anvl.runtime import hiding_frames, set_home
from anvl.scipy.special.evaluation import nan_unless, real_operands

__all__ = ["HOME", "Continuous", "Discrete", "Named"]

HOME = "anvl.scipy.stats"  # where people find the distributions

Formula = Callable[..., Any]

_DOCS = {
    "logpdf": "Logarithm of the density at x; -inf outside the support.",
    "pdf": "Density at x; 0 outside the support.",
    "logpmf": "Logarithm of the probability of k; -inf outside the support and between integers.",
    "pmf": "Probability of k; 0 outside the support and between integers.",
    "cdf": "Distribution function: the probability of at most x.",
    "logcdf": "Logarithm of `cdf`.",
    "sf": "Survival function 1 - cdf(x), accurate in the upper tail.",
    "logsf": "Logarithm of `sf`.",
    "ppf": "Quantile: the inverse of `cdf`; NaN for q outside [0, 1].",
    "isf": "Inverse of `sf`; NaN for q outside [0, 1].",
}


_OTHER = {"logcdf": "sf", "logsf": "cdf"}


def _log_by_both(plain: Formula, other: Formula) -> Formula:
    """Logarithm of a probability; from the complement where that is the smaller."""

    def log(*xs: Any) -> Any:
        rest = other(*xs)
        is_small = anp.less(rest, 0.5)
        near_1 = anp.log1p(anp.negative(anp.where(is_small, rest, 0)))
        return anp.where(is_small, near_1, anp.log(anp.where(is_small, 1, plain(*xs))))

    return log


class Named:
    """An object that `anvl.scipy.stats` has by its name: pickled or copied, it stays itself."""

    def __init__(self, name: str) -> None:
        self.name, self.__module__ = name, HOME

    def __reduce__(self) -> str:
        return self.name


class _Distribution(Named):
    """Functions by name, made from formulas of the standard form.

    `formulas` maps the names of functions to formulas `f(y, *shapes)`, which are used within the
    support alone; `support` gives the ends from the shapes; `inner` a point inside for elements
    that are outside, so that their derivatives are finite; `valid` whether shapes are allowed.
    """

    first = "x"
    shapes: tuple[str, ...]

    def __init__(
        self,
        name: str,
        shapes: tuple[str, ...],
        doc: str,
        formulas: dict[str, Formula],
        *,
        support: Formula | None = None,
        inner: Formula | None = None,
        valid: Formula | None = None,
    ) -> None:
        super().__init__(name)
        self.shapes = shapes
        self._formulas = formulas
        self._support: Formula = support or (lambda *shapes: (-anp.inf, anp.inf))
        self._inner: Formula = inner or (lambda *shapes: 0.5)
        self._valid: Formula = valid or (lambda *shapes: True)
        self.__doc__ = f"{doc}\n\nFunctions: {', '.join(f'`{f}`' for f in self.functions())}."
        for function in self.functions():
            setattr(self, function, self._public(function))

    def __repr__(self) -> str:
        return f"<anvl.scipy.stats.{self.name}: {', '.join(self.functions())}>"

    def functions(self) -> list[str]:
        """Names of the functions."""
        raise NotImplementedError

    def defaults(self) -> dict[str, float]:
        """Defaults of the arguments after the shapes."""
        raise NotImplementedError

    def _public(self, function: str) -> Callable[..., Any]:
        """The function as people call it: shapes, then location and scale, by position or name."""
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        at = "q" if function in ("ppf", "isf") else self.first
        names = {at: inspect.Parameter.empty, **dict.fromkeys(self.shapes, inspect.Parameter.empty)}
        parameters = [
            inspect.Parameter(n, kind, default=d) for n, d in {**names, **self.defaults()}.items()
        ]
        signature, title = inspect.Signature(parameters), f"{self.name}.{function}"

        def evaluate(*values: Any) -> Any:
            operands, dtype, weak = real_operands(title, *values)
            found = getattr(self, f"_{function}")(*operands)
            return mark_weak(convert(found, dtype), weak)

        evaluate.__name__ = evaluate.__qualname__ = title
        # All are given: messages call them by their names.
        given = [p.replace(default=inspect.Parameter.empty) for p in parameters]
        evaluate.__signature__ = inspect.Signature(given)  # type: ignore[attr-defined]
        computed = public()(evaluate)

        @hiding_frames
        def called(*args: Any, **kwargs: Any) -> Any:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                unknown = [name for name in kwargs if name not in signature.parameters]
                near = nearest(unknown[0], signature.parameters) if unknown else ""
                raise TypeError(f"{title}: {error}{near}; its arguments are {signature}") from None
            bound.apply_defaults()
            return computed(*bound.args)

        called.__name__ = function
        set_home(called, HOME, title)
        called.__signature__ = signature  # type: ignore[attr-defined]
        called.__doc__ = f"{_DOCS[function]}\n\nDistribution: {self.name}."
        return called

    def _has(self, function: str) -> bool:
        return function in self._formulas

    def _parts(self, y: Any, shapes: tuple[Any, ...]) -> tuple[Any, Any, Any, Any]:
        """Whether y is below, inside and above the support; y, or a point inside it."""
        low, high = self._support(*shapes)
        below, above = anp.less(y, low), anp.greater(y, high)
        inside = anp.logical_and(anp.greater_equal(y, low), anp.less_equal(y, high))
        return below, inside, above, anp.where(inside, y, self._inner(*shapes))

    def _checked(self, found: Any, y: Any, rest: Any, shapes: tuple[Any, ...], also: Any) -> Any:
        """NaN where y is NaN or a parameter is not allowed, with slopes of NaN in each of them."""
        allowed = anp.logical_and(self._valid(*shapes), also)
        allowed = anp.logical_and(allowed, anp.logical_not(anp.isnan(y)))
        return nan_unless(allowed, found, y, *rest)

    def _bounded(
        self, function: str, y: Any, rest: Any, shapes: Any, also: Any, *ends: float
    ) -> Any:
        """A formula inside of the support, constants below and above it."""
        below, _, above, safe = self._parts(y, shapes)
        found = self._formula(function)(safe, *shapes)
        found = anp.where(below, ends[0], anp.where(above, ends[1], found))
        return self._checked(found, y, rest, shapes, also)

    def _formula(self, function: str) -> Formula:
        """A formula, or one that follows from another."""
        if self._has(function):
            return self._formulas[function]
        if function in ("logcdf", "logsf"):
            return _log_by_both(self._formula(function[3:]), self._formula(_OTHER[function]))
        if function in ("cdf", "sf"):
            other = self._formulas["sf" if function == "cdf" else "cdf"]
            return lambda *xs: anp.subtract(1, other(*xs))
        ppf = self._formulas["ppf"]
        return lambda q, *shapes: ppf(anp.subtract(1, q), *shapes)


class Continuous(_Distribution):
    """A distribution with a density: functions of x, the shapes, loc and scale."""

    def functions(self) -> list[str]:
        names = ["logpdf", "pdf"]
        if self._has("cdf") or self._has("sf"):
            names += ["cdf", "logcdf", "sf", "logsf"]
        return [*names, "ppf", "isf"] if self._has("ppf") else names

    def defaults(self) -> dict[str, float]:
        return {"loc": 0, "scale": 1}

    def _standard(self, x: Any, rest: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...], Any, Any]:
        *shapes, loc, scale = rest
        positive = anp.greater(scale, 0)
        safe = anp.where(positive, scale, 1)
        return anp.divide(anp.subtract(x, loc), safe), tuple(shapes), safe, positive

    def _logpdf(self, x: Any, *rest: Any) -> Any:
        y, shapes, scale, positive = self._standard(x, rest)
        _, inside, _, safe = self._parts(y, shapes)
        found = anp.subtract(self._formulas["logpdf"](safe, *shapes), anp.log(scale))
        return self._checked(anp.where(inside, found, -anp.inf), y, rest, shapes, positive)

    def _pdf(self, x: Any, *rest: Any) -> Any:
        """The density; where its logarithm is infinite, at an end of the support, by powers.

        There the slope of the logarithm is infinite, and the slope of the density would be NaN.
        """
        if not self._has("end"):
            return anp.exp(self._logpdf(x, *rest))
        *_, loc, scale = rest
        y, shapes, safe, positive = self._standard(x, rest)
        low, high = self._support(*shapes)
        is_end, inner = anp.logical_or(anp.equal(y, low), anp.equal(y, high)), self._inner(*shapes)
        found = self._formulas["end"](anp.where(is_end, y, inner), *shapes)
        at_end = self._checked(anp.divide(found, safe), y, rest, shapes, positive)
        inside = anp.add(loc, anp.multiply(scale, inner))
        elsewhere = self._logpdf(anp.where(is_end, inside, x), *rest)
        return anp.where(is_end, at_end, anp.exp(elsewhere))

    def _cdf(self, x: Any, *rest: Any) -> Any:
        y, shapes, _, positive = self._standard(x, rest)
        return self._bounded("cdf", y, rest, shapes, positive, 0, 1)

    def _sf(self, x: Any, *rest: Any) -> Any:
        y, shapes, _, positive = self._standard(x, rest)
        return self._bounded("sf", y, rest, shapes, positive, 1, 0)

    def _logcdf(self, x: Any, *rest: Any) -> Any:
        y, shapes, _, positive = self._standard(x, rest)
        return self._bounded("logcdf", y, rest, shapes, positive, -anp.inf, 0)

    def _logsf(self, x: Any, *rest: Any) -> Any:
        y, shapes, _, positive = self._standard(x, rest)
        return self._bounded("logsf", y, rest, shapes, positive, 0, -anp.inf)

    def _ppf(self, q: Any, *rest: Any) -> Any:
        return self._quantile("ppf", q, rest)

    def _isf(self, q: Any, *rest: Any) -> Any:
        return self._quantile("isf", q, rest)

    def _quantile(self, function: str, q: Any, rest: tuple[Any, ...]) -> Any:
        *shapes, loc, scale = rest
        inside = anp.logical_and(anp.greater_equal(q, 0), anp.less_equal(q, 1))
        ends = anp.logical_or(anp.equal(q, 0), anp.equal(q, 1))
        safe = anp.where(anp.logical_and(inside, anp.logical_not(ends)), q, 0.5)
        y = self._formula(function)(safe, *shapes)
        low, high = self._support(*shapes)
        low, high = (low, high) if function == "ppf" else (high, low)
        y = anp.where(anp.equal(q, 0), low, anp.where(anp.equal(q, 1), high, y))
        found = anp.add(loc, anp.multiply(scale, y))
        also = anp.logical_and(inside, anp.greater(scale, 0))
        return self._checked(found, q, rest, tuple(shapes), also)


class Discrete(_Distribution):
    """A distribution on integers: functions of k, the shapes and loc."""

    first = "k"

    def functions(self) -> list[str]:
        names = ["logpmf", "pmf"]
        return [*names, "cdf", "logcdf", "sf", "logsf"] if self._has("cdf") else names

    def defaults(self) -> dict[str, float]:
        return {"loc": 0}

    def _logpmf(self, k: Any, *rest: Any) -> Any:
        *shapes, loc = rest
        y, given = anp.subtract(k, loc), tuple(shapes)
        _, inside, _, safe = self._parts(y, given)
        inside = anp.logical_and(inside, anp.equal(y, anp.floor(y)))
        found = anp.where(inside, self._formulas["logpmf"](safe, *given), -anp.inf)
        return self._checked(found, y, rest, given, True)

    def _pmf(self, k: Any, *rest: Any) -> Any:
        return anp.exp(self._logpmf(k, *rest))

    def _stepped(self, function: str, k: Any, rest: tuple[Any, ...], low: Any, high: Any) -> Any:
        *shapes, loc = rest
        y, given = anp.floor(anp.subtract(k, loc)), tuple(shapes)
        return self._bounded(function, y, rest, given, True, low, high)

    def _cdf(self, k: Any, *rest: Any) -> Any:
        return self._stepped("cdf", k, rest, 0, 1)

    def _sf(self, k: Any, *rest: Any) -> Any:
        return self._stepped("sf", k, rest, 1, 0)

    def _logcdf(self, k: Any, *rest: Any) -> Any:
        return self._stepped("logcdf", k, rest, -anp.inf, 0)

    def _logsf(self, k: Any, *rest: Any) -> Any:
        return self._stepped("logsf", k, rest, 0, -anp.inf)
