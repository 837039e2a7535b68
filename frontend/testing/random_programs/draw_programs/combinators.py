"""Steps of control flow, of custom rules, and of transformations within a program."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from anvl.testing.random_programs.draw_programs.pool import NoFit, Pool, Value
from anvl.testing.random_programs.draw_programs.program_bodies import condition, expression

__all__ = ["COMBINATORS"]


def _row(x: Value) -> Value:
    """A member of x along its first axis."""
    return x._replace(shape=x.shape[1:])


def _with_rows(pool: Pool, kinds: str = "biufc") -> Value:
    return pool.value(kinds, 1, fits=lambda v: v.size <= 24)


def _rows_beside(pool: Pool, x: Value) -> Value:
    """A value of the type of a member of x."""
    return pool.value(fits=lambda v: v.dtype == x.dtype and v.shape == x.shape[1:])


def _cond(pool: Pool) -> str:
    x = pool.value()
    y = pool.like(x)
    test = condition(pool, pool.value())
    one, other = (expression(pool, x, ("x", "y")) for _ in range(2))
    how = pool.choice(("", "", ", batch='loop'", ", batch='select'"))
    return f"anvl.cond({test}, lambda x, y: {one}, lambda x, y: {other}, {x}, {y}{how})"


def _switch(pool: Pool) -> str:
    x = pool.value()
    branches = ", ".join(f"lambda x: {expression(pool, x, ('x',))}" for _ in range(3))
    index = pool.value("i")
    return f"anvl.switch(np.sum({index} > 0), [{branches}], {x})"


def _scan(pool: Pool) -> str:
    x = _with_rows(pool)
    init = _rows_beside(pool, x)
    carry, y = (expression(pool, init, ("c", "x")) for _ in range(2))
    options = f", reverse={pool.flag()}"
    if pool.draw.random() < 0.2:
        options += pool.choice((", checkpoint=2", ", checkpoint='sqrt'"))
    return f"anvl.scan(lambda c, x: ({carry}, {y}), {init}, {x}{options})"


def _fori(pool: Pool) -> str:
    x = pool.value("biufc", 0, 2)
    body = expression(pool, x, ("x", str(pool.like(x))))
    count = pool.choice(("0", "1", "3", "4"))
    if pool.draw.random() < 0.3:
        count = f"np.minimum(np.sum({pool.value('b')}), 3)"
    return f"anvl.fori_loop(0, {count}, lambda i, x: {body}, {x})"


def _while(pool: Pool) -> str:
    """A while loop with a counter in some dtype, up or down."""
    x = pool.value("fc", 0, 2)
    body = expression(pool, x, ("x", str(pool.like(x))))
    n, dtype = pool.choice((0, 1, 3)), pool.choice(("int32", "uint8", "int8", "uint32", "int64"))
    count = f'np.asarray({n}, "{dtype}")'
    test, step = pool.choice((("c[0] > 0", "c[0] - 1"), ("c[0] < 4", "c[0] + 1")))
    options = pool.choice(("", "", ", max_iterations=5"))
    return (
        f"anvl.while_loop(lambda c: {test}, lambda c: ({step}, (lambda x: {body})(c[1])), "
        f"({count}, {x}){options})"
    )


def _map(pool: Pool) -> str:
    x = _with_rows(pool)
    body = expression(pool, _row(x), ("x",))
    return f"anvl.map(lambda x: {body}, {x}, batch_size={pool.choice((None, None, 2))})"


_ASSOCIATIVE = {
    "f": ("np.add(a, b)", "np.maximum(a, b)", "np.minimum(a, b)", "np.multiply(a, b)"),
    "c": ("np.add(a, b)", "np.multiply(a, b)"),
    "i": ("np.add(a, b)", "np.maximum(a, b)", "np.multiply(a, b)", "np.bitwise_xor(a, b)"),
    "b": ("np.logical_and(a, b)", "np.logical_or(a, b)"),
}
_ASSOCIATIVE["u"] = _ASSOCIATIVE["i"]


def _associative_scan(pool: Pool) -> str:
    x = pool.value("biufc", 1)
    body = pool.choice(_ASSOCIATIVE[x.kind])
    return f"anvl.associative_scan(lambda a, b: {body}, {x}, reverse={pool.flag()})"


def _reduce(pool: Pool) -> str:
    x = pool.value("if", 1)
    body, init = pool.choice(
        (("np.add(a, b)", "0"), ("np.multiply(a, b)", "1"))
        + ((("np.maximum(a, b)", "-inf"), ("np.logaddexp(a, b)", "-inf")) if x.kind == "f" else ())
    )
    return f"anvl.reduce(lambda a, b: {body}, {x}, {init}, axis={pool.axis_or_all(x)})"


def _wrapped(wrapper: str, kinds: str, pool: Pool) -> str:
    """A function of two values under `jit`, `checkpoint` or a custom rule."""
    x = pool.value(kinds)
    body = expression(pool, x, ("x", "y"))
    return f"{wrapper}(lambda x, y: {body})({x}, {pool.like(x)})"


def _vmap(pool: Pool) -> str:
    x = _with_rows(pool)
    body = expression(pool, _row(x), ("x", "y"))
    try:
        y, axes = _rows_beside(pool, x), ", in_axes=(0, None)"
    except NoFit:
        y, axes = pool.like(x), ""
    return f"anvl.vmap(lambda x, y: {body}{axes})({x}, {y})"


def _grad(pool: Pool) -> str:
    x = pool.value("f", 0, 2)
    body = expression(pool, x, ("x", str(pool.like(x))))
    return f"anvl.grad(lambda x: np.sum({body}))({x})"


def _jvp(pool: Pool) -> str:
    x = pool.value("fc", 0, 2)
    body = expression(pool, x, ("x",))
    return f"anvl.jvp(lambda x: {body}, ({x},), ({pool.like(x)},))"


def _vjp(pool: Pool) -> str:
    x = pool.value("fc", 0, 2)
    body = expression(pool, x, ("x",))
    return f"anvl.vjp(lambda x: {body}, {x})[1]({pool.like(x)})"


def _nested(pool: Pool) -> str:
    """Nested control flow: a loop in a choice, a choice in a loop, or a gradient of a loop."""
    x = pool.value("f", 1, 2)
    test = condition(pool, x._replace(name="x"))
    one, other = (expression(pool, x, ("x",)) for _ in range(2))
    if pool.flag():
        loop = f"anvl.fori_loop(0, 2, lambda i, x: {one}, x)"
        return f"anvl.cond({condition(pool, x)}, lambda x: {loop}, lambda x: {other}, {x})"
    choice = f"anvl.cond({test}, lambda x: {one}, lambda x: {other}, x)"
    return f"anvl.fori_loop(0, 3, lambda i, x: {choice}, {x})"


COMBINATORS: dict[str, Callable[[Pool], str]] = {
    "anvl.cond": _cond,
    "anvl.switch": _switch,
    "anvl.scan": _scan,
    "anvl.fori_loop": _fori,
    "anvl.while_loop": _while,
    "anvl.map": _map,
    "anvl.associative_scan": _associative_scan,
    "anvl.reduce": _reduce,
    "anvl.jit": partial(_wrapped, "anvl.jit", "biufc"),
    "anvl.checkpoint": partial(_wrapped, "anvl.checkpoint", "fc"),
    "own.custom_jvp": partial(_wrapped, "own.with_jvp_rule", "fc"),
    "own.custom_vjp": partial(_wrapped, "own.with_vjp_rule", "fc"),
    "anvl.vmap": _vmap,
    "anvl.grad": _grad,
    "anvl.jvp": _jvp,
    "anvl.vjp": _vjp,
    "nested": _nested,
}
