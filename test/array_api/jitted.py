"""`anvl.numpy` with every function and operator jitted: a namespace for the suite of the standard.

    ARRAY_API_TESTS_MODULE="exec('import jitted; xp = jitted.xp')"

Arrays among the arguments become arguments of the program, and all others are part of it.  A
device is the one that the program is pinned to.  Where the shape of a result depends on values, the
program is told the size, which the function itself finds for arrays.
"""

import functools
import inspect
import types

import numpy as np

import anvl
import anvl.numpy as anp
from anvl.numpy import fft, linalg

__all__ = ["xp"]


def jitted(f):
    """f as a function that traces, compiles and runs each call."""

    @functools.wraps(f)
    def call(*args, **kwargs):
        device = kwargs.pop("device", None)
        leaves, treedef = anvl.tree.flatten((args, kwargs), is_leaf=_is_leaf)
        arrays = [leaf for leaf in leaves if isinstance(leaf, anvl.Array)]
        kept = []

        def traced(*tracers):
            given = iter(tracers)
            filled = [next(given) if isinstance(x, anvl.Array) else x for x in leaves]
            args, kwargs = anvl.tree.unflatten(treedef, filled)
            y = f(*args, **kwargs)
            if all(isinstance(leaf, anvl.core.tracer.Tracer) for leaf in anvl.tree.leaves(y)):
                return y
            kept.append(y)  # a dtype, a bool, a shape
            return ()

        y = anvl.jit(traced, device=device)(*arrays)
        return kept[0] if kept else y

    if "device" in inspect.signature(f).parameters:
        call.__signature__ = inspect.signature(f)
    return call


def _is_leaf(x):
    """Whether it is no container of arrays: shapes and indices are leaves, too."""
    if isinstance(x, dict):
        return False
    if not isinstance(x, list | tuple):
        return True
    return not any(isinstance(leaf, anvl.Array) for leaf in anvl.tree.leaves(list(x)))


def _sized(f, size_of):
    """f with the size that its result has for these arguments."""
    traced = jitted(f)

    @functools.wraps(f)
    def call(*args, **kwargs):
        return traced(*args, **kwargs, **size_of(f(*args, **kwargs), *args, **kwargs))

    return call


def _length(y, *_, **__):
    return {"size": anvl.tree.leaves(y)[0].shape[0]}


def _repeated(y, x, repeats, axis=None, **_):
    if isinstance(repeats, int):
        return {}
    return {"total_repeat_length": y.shape[0 if axis is None else axis]}


_SIZED = {
    **dict.fromkeys(("nonzero", "unique_all", "unique_counts", "unique_inverse"), _length),
    "unique_values": _length,
    "repeat": _repeated,
}
_AS_THEY_ARE = {"from_dlpack", "__array_namespace_info__", "finfo", "iinfo", "isdtype"}


def _namespace(name, module):
    made = types.ModuleType(name)
    for key in module.__all__:
        f = getattr(module, key)
        is_function = callable(f) and not isinstance(f, type) and key not in _AS_THEY_ARE
        if is_function:
            f = _sized(f, _SIZED[key]) if key in _SIZED else jitted(f)
        setattr(made, key, f)
    return made


_OPERATORS = """
    abs add and eq floordiv ge getitem gt invert le lshift lt matmul mod mul ne neg or pos pow radd
    rand rfloordiv rlshift rmatmul rmod rmul ror rpow rrshift rshift rsub rtruediv rxor sub truediv
    xor
""".split()


def _jit_operators():
    """Arrays with jitted operators; masks are known when a program is made."""
    for name in _OPERATORS:
        f = getattr(anvl.Array, f"__{name}__")
        setattr(anvl.Array, f"__{name}__", _masked(f) if name == "getitem" else jitted(f))


def _masked(f):
    traced = jitted(f)

    @functools.wraps(f)
    def call(x, index):
        items = index if isinstance(index, tuple) else (index,)
        known = tuple(
            np.asarray(i) if isinstance(i, anvl.Array) and i.dtype == bool else i for i in items
        )
        if any(
            i is False or (isinstance(i, np.ndarray) and i.shape == () and not i) for i in known
        ):
            return f(x, index)
        return traced(x, known if isinstance(index, tuple) else known[0])

    return call


_jit_operators()
xp = _namespace("anvl.numpy, jitted", anp)
xp.linalg, xp.fft = _namespace("linalg", linalg), _namespace("fft", fft)
