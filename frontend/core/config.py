"""`anvl.config`, the object of all settings; the default device; default dtypes of numbers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, overload

import numpy as np

from anvl.dialect.core.types import dtype_name, element_type, kind, numpy_dtype
from anvl.runtime import (
    Device,
    as_device,
    clear_caches,
    default_placement,
    hiding_frames,
    set_variant,
)
from anvl.runtime.settings import (
    Kind,
    Setting,
    one_of,
    programs_version,
    switch,
    watch_programs,
)
from anvl.sharding.meshes import MeshSettings

__all__ = [
    "STALE_POLICIES", "Config", "as_dtype", "config", "counting_dtype", "default_device",
    "default_dtype", "defaults", "precision_of", "set_default_device", "set_defaults",
    "version",
]  # fmt: skip

Dtype = np.dtype[Any]


def _checked(of_kind: str, dtype: object) -> Dtype:
    found = numpy_dtype(dtype)
    if kind(element_type(found)) != of_kind:
        raise TypeError(f"{dtype_name(found)} is not a dtype of kind {of_kind}")
    return found


def _of_kind(name: str) -> Kind[Dtype]:
    return Kind(f"a dtype of kind {name}", partial(_checked, name), show=dtype_name)


#: The precisions of StableHLO, and the names that JAX has for them.
_PRECISIONS = {
    "default": "DEFAULT", "fastest": "DEFAULT", "bfloat16": "DEFAULT",
    "high": "HIGH", "tensorfloat32": "HIGH", "bfloat16_3x": "HIGH",
    "highest": "HIGHEST", "float32": "HIGHEST",
}  # fmt: skip


def _precision(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError
    return _PRECISIONS[name.lower()]


def _checked_precision(name: object) -> str:
    try:
        return _precision(name)
    except KeyError:
        raise ValueError from None


#: What a jitted function may do where a value that it closes over has changed.
STALE_POLICIES = one_of("retrace", "warn", "error", "off")


class Config(MeshSettings):
    """All settings of anvl; `anvl.config` is the one object of this class.

    `docs/configuration.md` lists them.  `anvl.config.x = value` sets a setting for the process,
    `with anvl.config(x=value):` for the current thread or task, and `del anvl.config.x` returns to
    its environment variable, `ANVL_X`, or its default.
    """

    default_int: Setting[Dtype] = Setting(
        _of_kind("int"),
        np.dtype("int32"),
        "Dtype of Python integers that meet no array.",
        changes_programs=True,
    )
    default_float: Setting[Dtype] = Setting(
        _of_kind("float"),
        np.dtype("float32"),
        "Dtype of Python floats that meet no array.",
        changes_programs=True,
    )
    default_complex: Setting[Dtype] = Setting(
        _of_kind("complex"),
        np.dtype("complex64"),
        "Dtype of Python complex numbers that meet no array.",
        changes_programs=True,
    )
    check_key_reuse: Setting[bool] = Setting(
        switch,
        False,
        "A random key that is drawn with twice is a `KeyReuseError`, which names both lines.",
        changes_programs=True,
    )
    matmul_precision: Setting[str] = Setting(
        Kind("'DEFAULT', 'HIGH' or 'HIGHEST'", _checked_precision),
        "DEFAULT",
        "Precision of matrix products and convolutions that are given none.",
        changes_programs=True,
    )
    explain_cache_misses: Setting[bool] = Setting(
        switch,
        False,
        "The logger `anvl.jit` says why each program of a jitted function is compiled, and where.",
    )
    allow_item_assignment: Setting[bool] = Setting(
        switch,
        False,
        "Whether `x[index] = y` gives the array x new elements, for code of others; else an error.",
    )
    disable_jit: Setting[bool] = Setting(
        switch,
        False,
        "Whether jitted functions are called as they are, so that Python sees values in them.",
        changes_programs=True,
    )
    on_stale_closure: Setting[str] = Setting(
        STALE_POLICIES,
        "retrace",
        "What a jitted function does where a value that it closes over has changed.",
    )

    def update(self, name: str, value: Any) -> None:
        """Set a setting for the process by its name, also by one of JAX's.

        Parameters
        ----------
        name : str
            A setting, or one of JAX: `"jax_enable_x64"`, by which dtypes of numbers that meet no
            array are of 64 bits, or of 32 bits again, while an array of `float64` stays one either
            way; `"jax_default_matmul_precision"`, `"jax_disable_jit"`, `"jax_log_compiles"`,
            `"jax_debug_key_reuse"`, `"jax_default_device"`, `"jax_platform_name"`,
            `"jax_enable_compilation_cache"`, `"jax_compilation_cache_dir"`,
            `"jax_num_cpu_devices"`, `"jax_cpu_enable_async_dispatch"`.
        value
            Its new value; a bool for `"jax_enable_x64"`.

        Raises
        ------
        AttributeError
            There is no such setting.
        TypeError, ValueError
            A value that the setting does not take.

        Examples
        --------
        >>> import anvl
        >>> anvl.config.update("explain_cache_misses", True)
        >>> print(anvl.config.explain_cache_misses)
        True
        >>> del anvl.config.explain_cache_misses
        """
        if name != "jax_enable_x64":
            ours = _OF_JAX.get(name, name)
            if ours != name and value is None:
                delattr(self, ours)
            else:
                setattr(self, ours, value)
            return
        if not isinstance(value, bool):
            raise TypeError(f"config.update: {name} is {value!r}; give True or False")
        bits = 64 if value else 32
        set_defaults(float=f"f{bits}", int=f"i{bits}", complex=f"c{2 * bits}")

    def __reduce__(self) -> str:  # pickled or copied, it stays the one object
        return "config"


#: Our settings for those of JAX.
_OF_JAX = {
    "jax_compilation_cache_dir": "cache_dir",
    "jax_cpu_enable_async_dispatch": "cpu_async_dispatch", "jax_debug_key_reuse": "check_key_reuse",
    "jax_default_device": "default_device", "jax_default_matmul_precision": "matmul_precision",
    "jax_disable_jit": "disable_jit", "jax_enable_compilation_cache": "cache",
    "jax_explain_cache_misses": "explain_cache_misses", "jax_log_compiles": "explain_cache_misses",
    "jax_num_cpu_devices": "num_cpu_devices", "jax_platform_name": "default_device",
    "jax_platforms": "default_device",
}  # fmt: skip

#: Settings as attributes.
config: Config = Config()

watch_programs(set_variant, clear_caches)


def precision_of(precision: Any) -> Any:
    """The precision that StableHLO has for one by any name; `"DEFAULT"` is that of the setting.

    Parameters
    ----------
    precision : str or None
        `"DEFAULT"`, `"HIGH"`, `"HIGHEST"`, in either case, or one of JAX's names.  What is no such
        name is returned as it is, for the op to refuse.

    Examples
    --------
    >>> from anvl.core.config import config, precision_of
    >>> precision_of("float32"), precision_of("DEFAULT")
    ('HIGHEST', 'DEFAULT')
    >>> with config(matmul_precision="high"):
    ...     precision_of(None)
    'HIGH'
    """
    if precision == "DEFAULT" or precision is None:
        return config.matmul_precision
    try:
        found = _precision(precision)
    except (KeyError, TypeError):
        return precision
    return config.matmul_precision if found == "DEFAULT" else found


#: A part of every cache key: a program is traced under the settings of its time.  Equal settings
#: have equal versions, so that programs are found again.
version: Callable[[], int] = programs_version

_BOOL = np.dtype(bool)
_DEFAULTS: dict[type, Setting[Dtype]] = {
    int: Config.default_int,
    float: Config.default_float,
    complex: Config.default_complex,
}


def default_dtype(of: type) -> Dtype:
    """Dtype of a Python number of type `of` (bool, int, float, complex) that meets no array."""
    setting = _DEFAULTS.get(of)
    return _BOOL if setting is None else setting.__get__(config, Config)


def counting_dtype(largest: int) -> np.dtype[Any]:
    """Dtype of counts and positions up to `largest`: the default integer, or i64.

    >>> counting_dtype(2**31 - 1), counting_dtype(2**31)
    (dtype('int32'), dtype('int64'))
    """
    usual = default_dtype(int)
    return usual if largest <= np.iinfo(usual).max else np.dtype(np.int64)


def as_dtype(dtype: Any) -> np.dtype[Any]:
    """Resolve a `dtype=` argument; Python types stand for their defaults.

    Raises `TypeError` for "i4" and "i8": bits in anvl, bytes in NumPy.

    >>> as_dtype("f64"), as_dtype(np.int8), as_dtype(float)
    (dtype('float64'), dtype('int8'), dtype('float32'))
    """
    if isinstance(dtype, type) and dtype in (bool, int, float, complex):
        return default_dtype(dtype)
    if isinstance(dtype, str) and dtype in ("i4", "i8"):
        of_bytes = np.dtype(dtype).name
        raise TypeError(
            f"dtype: {dtype!r} is int{dtype[1]} to anvl and {of_bytes} to NumPy; write "
            f"'int{dtype[1]}' or '{of_bytes}'"
        )
    return numpy_dtype(dtype)


def _settings_of(dtypes: dict[str, object]) -> dict[str, Dtype]:
    """The settings that `set_defaults` and `defaults` set, with checked values."""
    by_kind = {of.__name__: setting for of, setting in _DEFAULTS.items()}
    for of_kind in dtypes:
        if of_kind not in by_kind:
            raise ValueError(
                f"set_defaults: {of_kind!r} has no default dtype; set int, float or complex"
            )
    return {by_kind[k].name: by_kind[k].checked("set_defaults", d) for k, d in dtypes.items()}


def set_defaults(**dtypes: object) -> None:
    """Set the default dtypes of Python numbers: `set_defaults(float="f64", int="i64")`.

    Applies to the process; within a `with` block of `defaults`, the block takes precedence.

    Parameters
    ----------
    **dtypes
        A dtype for each of the kinds `int`, `float` and `complex`.

    Raises
    ------
    TypeError
        A dtype of another kind.
    ValueError
        A kind other than int, float or complex.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> anvl.set_defaults(float="f64")
    >>> print(np.zeros(1).dtype)
    float64
    >>> anvl.set_defaults(float="f32")
    """
    for name, dtype in _settings_of(dtypes).items():
        setattr(config, name, dtype)


def defaults(**dtypes: object) -> AbstractContextManager[None]:
    """Set default dtypes within a `with` block, for the current thread or task alone.

    Nested blocks add to each other.

    Parameters
    ----------
    **dtypes
        As in `set_defaults`, with its errors.

    Returns
    -------
    A context manager.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> with anvl.defaults(float="f64"):
    ...     print(np.zeros(1).dtype)
    float64
    """
    return config(**_settings_of(dtypes))


@hiding_frames
def set_default_device(device: Device | str | None) -> None:
    """Set the device of arrays that nothing places: NumPy arrays, numbers, `np.zeros(3)`.

    Applies to the process; within a `with` block of `default_device`, the block takes precedence.

    Parameters
    ----------
    device : Device, str or None
        As for `default_device`.  None: that of `ANVL_DEFAULT_DEVICE`, or `cpu:0` without it.

    Raises
    ------
    TypeError, ValueError, PluginError
        As `default_device`.

    Examples
    --------
    >>> import anvl
    >>> anvl.set_default_device("cpu:0")
    >>> anvl.default_device()
    <CpuDevice(id=0)>
    >>> anvl.set_default_device(None)
    """
    if device is None:
        del config.default_device
    else:
        config.default_device = as_device(device, "set_default_device")


@overload
def default_device() -> Device: ...


@overload
def default_device(device: Device | str) -> AbstractContextManager[None]: ...


@hiding_frames
def default_device(device: Device | str | None = None) -> Device | AbstractContextManager[None]:
    """Set the default device within a `with` block, for the current thread or task alone.

    Arrays that nothing else places are made there: NumPy arrays and numbers that meet no array, and
    functions without arrays, such as `np.zeros(3)`.  Without an argument: the default device.

    Parameters
    ----------
    device : Device or str, optional
        One of `anvl.devices(plugin)`, or its text: the name of a plugin, which is started at its
        first use, and a number, as in `"cpu:1"`; without a number it is the first.

    Returns
    -------
    The default device, or a context manager that sets it.

    Raises
    ------
    TypeError
        `device` is neither a device nor text.
    ValueError
        There is no device of this number, or the text names none.
    PluginError
        No plugin has this name, or it cannot be loaded or started.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> with anvl.default_device("cpu:0"):
    ...     print(np.zeros(1).device, anvl.default_device())
    <CpuDevice(id=0)> <CpuDevice(id=0)>
    """
    if device is None:
        return default_placement().devices[0]
    return config(default_device=as_device(device, "default_device"))
