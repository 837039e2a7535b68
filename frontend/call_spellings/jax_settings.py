"""Settings within a `with` block under the names of JAX."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from anvl.core.config import config, defaults
from anvl.runtime import hiding_frames

__all__ = ["default_matmul_precision", "disable_jit", "enable_x64", "log_compiles"]


@hiding_frames
def enable_x64(new_val: bool = True) -> AbstractContextManager[None]:
    """Let numbers that meet no array be of 64 bits within a `with` block; an array stays as it is.

    Parameters
    ----------
    new_val : bool
        False: of 32 bits.

    Returns
    -------
    A context manager.

    Raises
    ------
    TypeError
        Another value.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> with anvl.enable_x64(True):
    ...     print(np.zeros(1).dtype, np.arange(2).dtype)
    float64 int64
    """
    bits = 64 if _flag("enable_x64", new_val) else 32
    return defaults(float=f"f{bits}", int=f"i{bits}", complex=f"c{2 * bits}")


@hiding_frames
def default_matmul_precision(new_val: str | None) -> AbstractContextManager[None]:
    """Set the precision of products that are given none within a `with` block.

    Parameters
    ----------
    new_val : str or None
        "default", also None, "high", "highest", or another name that JAX has for one.

    Returns
    -------
    A context manager.

    Raises
    ------
    ValueError
        Another name.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> x = np.ones((2, 2))
    >>> with anvl.default_matmul_precision("highest"):
    ...     "HIGHEST" in anvl.jit(lambda x: x @ x).lower(x).mlir()
    True
    """
    return config(matmul_precision="DEFAULT" if new_val is None else new_val)


@hiding_frames
def log_compiles(new_val: bool = True) -> AbstractContextManager[None]:
    """Log why each program is compiled within a `with` block: the setting `explain_cache_misses`.

    Parameters
    ----------
    new_val : bool

    Returns
    -------
    A context manager.

    Raises
    ------
    TypeError
        Another value.

    Examples
    --------
    >>> import anvl
    >>> with anvl.log_compiles():
    ...     anvl.config.explain_cache_misses
    True
    """
    return config(explain_cache_misses=_flag("log_compiles", new_val))


@hiding_frames
def disable_jit(disable: bool = True) -> AbstractContextManager[None]:
    """Call jitted functions as they are within a `with` block, so that Python sees values in them.

    `print`, a debugger and `if` then work in them; each op runs on its own.  Derivatives, batches
    and bodies of loops are traced all the same.

    Parameters
    ----------
    disable : bool

    Returns
    -------
    A context manager.

    Raises
    ------
    TypeError
        Another value.

    Examples
    --------
    >>> import anvl
    >>> f = anvl.jit(lambda x: "positive" if x > 0 else "negative")
    >>> with anvl.disable_jit():
    ...     f(1.0)
    'positive'
    """
    return config(disable_jit=_flag("disable_jit", disable))


def _flag(function: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{function}: {value!r} is no bool; give True or False")
    return value
