"""Expressions that keep dtype and shape, for the functions passed to control flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anvl.testing.random_programs.draw_programs.pool import Pool, Value

__all__ = ["condition", "expression"]

# `{x}` is an expression of the dtype and the shape of the arguments.
_FLOATS = (
    "np.sin({x})", "np.tanh({x})", "{x} * 0.5", "np.multiply({x}, {x})", "np.add({x}, {x})",
    "np.maximum({x}, {x})", "np.abs({x})", "np.subtract({x}, {x})", "-{x}",
    "np.where({x} > {x}, {x}, {x})", "np.minimum({x}, 1.0)", "np.sqrt(np.abs({x}) + 1.0)",
    "np.exp(-np.abs({x}))", "{x} - 0.25", "np.where({x} > 0, {x}, 0.5)",
    "np.arctan2({x}, 2.0)", "np.clip({x}, -1.0, 2.0)", "np.divide({x}, 2.0)",
)  # fmt: skip
_COMPLEX = (
    "np.multiply({x}, {x})", "np.add({x}, {x})", "{x} * 0.5", "np.conj({x})", "-{x}",
    "np.subtract({x}, {x})", "np.sin({x})", "{x} * 0.5j",
)  # fmt: skip
_INTS = (
    "np.add({x}, {x})", "np.multiply({x}, {x})", "np.maximum({x}, {x})", "{x} + 1",
    "np.bitwise_xor({x}, {x})", "np.where({x} > {x}, {x}, {x})", "np.subtract({x}, {x})",
    "np.right_shift({x}, 1)", "np.minimum({x}, 3)",
)  # fmt: skip
_BOOLS = (
    "np.logical_and({x}, {x})", "np.logical_not({x})", "np.logical_or({x}, {x})",
    "np.logical_xor({x}, {x})", "np.where({x}, {x}, {x})",
)  # fmt: skip
_OF_KIND = {"f": _FLOATS, "c": _COMPLEX, "i": _INTS, "u": _INTS, "b": _BOOLS}

# For values with at least one axis; not within `reduce` and similar functions.
_ALONG = ("np.flip({x}, axis=0)", "np.cumsum({x}, axis=0)", "np.roll({x}, 1, axis=0)")
_SORTED = ("np.sort({x}, axis=0)",)


def expression(pool: Pool, of: Value, names: Sequence[str], ndim: int | None = None) -> str:
    """An expression of the dtype of `of` in the names, which have `ndim` axes each."""
    templates = _OF_KIND[of.kind]
    axes = of.ndim if ndim is None else ndim
    if axes and of.kind in "fc":
        templates += _ALONG + (_SORTED if of.kind == "f" else ())
    depth = pool.choice((1, 1, 2, 2, 3))
    return _grown(pool, templates, names, depth)


def _grown(pool: Pool, templates: Sequence[str], names: Sequence[str], depth: int) -> str:
    if depth == 0:
        return str(pool.choice(names))
    template = pool.choice(templates)
    pieces = template.split("{x}")
    text: Callable[[], str] = lambda: _grown(pool, templates, names, depth - 1)  # noqa: E731
    return pieces[0] + "".join(_in_brackets(text(), piece) + piece for piece in pieces[1:])


def _in_brackets(text: str, behind: str) -> str:
    """An expression, in brackets where an operator follows."""
    return f"({text})" if (" " in text and not text.endswith(")")) or behind[:2] == " *" else text


def condition(pool: Pool, x: Value) -> str:
    """A scalar bool made of a value."""
    if x.kind == "b":
        return f"np.{pool.choice(('any', 'all'))}({x})"
    if x.kind == "c":
        return f"np.any(np.real({x}) > 0.0)"
    return f"np.{pool.choice(('any', 'all'))}({x} > {pool.choice((0, 1))})"
