"""The calls of Python in a lowered program: what the host does for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anvl.core.avals import Aval, aval_of_type
from anvl.dialect.core.errors import PassError, ShardingError, TraceError, place_in
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Int, Text, Texts
from anvl.dialect.core.types import element_type, kind
from anvl.dialect.ops.calls.host_call import HOST_CALL, PRINT, is_ordered
from anvl.passes.framework.walk import find
from anvl.runtime import Placement, RuntimeFailure

__all__ = ["HostCall", "HostFunction", "check_place", "checked_results", "host_calls"]

_PACKED = ("i4", "ui4")  # MLIR's names of the dtypes whose elements have less than a byte
_KINDS = ("bool", "uint", "int", "float", "complex")


@dataclass(frozen=True)
class HostFunction:
    """A Python function of a program: from arrays to arrays, flat.

    Two are equal, so that a program is compiled once for both, if `key` is.
    """

    name: str
    key: Any
    call: Callable[[Sequence[np.ndarray]], Sequence[Any]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HostFunction) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True)
class HostCall:
    """One call: `function` of members, whose axes, `n_axes` of them, come first in all arrays.

    `packed` is the dtype of an operand or result whose elements have less than a byte, if any.
    """

    function: HostFunction
    place: str
    results: tuple[Aval, ...]
    n_axes: int
    has_token: bool
    packed: str = ""

    def __str__(self) -> str:
        return f"{self.function.name} at {self.place}"

    def __call__(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        token, xs = arrays[: self.has_token], arrays[self.has_token :]
        if not self.n_axes:
            return (*token, *self._of_one(xs))
        made = [np.empty(of.shape, of.dtype) for of in self.results]
        for at in np.ndindex(xs[0].shape[: self.n_axes]):
            found = self._of_one([x[(*at, ...)] for x in xs])
            for y, z in zip(made, found, strict=True):
                y[at] = z
        return (*token, *made)

    def skipped(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        """Do nothing, for a call without results."""
        return arrays[: self.has_token]

    def _of_one(self, xs: Sequence[np.ndarray]) -> list[np.ndarray]:
        wanted = [(of.dtype, of.shape[self.n_axes :]) for of in self.results]
        return checked_results(self.function.name, self.function.call(xs), wanted)


def checked_results(
    name: str, found: Sequence[Any], wanted: Sequence[tuple[Any, tuple[int, ...]]]
) -> list[np.ndarray]:
    """Results of a function, converted to arrays of these dtypes and shapes.

    Raises `TypeError` for another shape, and for a dtype of a higher kind, whose bytes XLA would
    copy, and `OverflowError` for a number that the dtype cannot hold.
    """
    made = []
    for i, (y, (dtype, shape)) in enumerate(zip(found, wanted, strict=True)):
        array = np.asarray(y)
        if array.dtype == np.bool:  # whose bytes may be others than 0 and 1
            array = array.view(np.uint8) != 0
        fits = array.shape == shape and _rank(array.dtype) <= _rank(dtype)
        if not fits:
            which = f"result {i}" if len(wanted) > 1 else "the result"
            raise TypeError(
                f"{name}: {which} is {array.dtype}{list(array.shape)}, and {np.dtype(dtype)}"
                f"{list(shape)} is declared; return that, or declare what it returns"
            )
        with np.errstate(over="ignore", invalid="ignore"):  # said by the error, with the name
            result = np.ascontiguousarray(array.astype(dtype)).reshape(shape)
        _check_range(name, array, result)
        made.append(result)
    return made


def _check_range(name: str, array: np.ndarray, result: np.ndarray) -> None:
    """Refuse numbers that the conversion to a narrower dtype has wrapped, or made infinite."""
    if array.dtype == result.dtype:
        return
    of = kind(element_type(result.dtype))
    if of in ("int", "uint") and array.dtype.kind in "iu":
        changed = array != result
    elif of in ("float", "complex") and array.dtype.kind in "iufc":
        changed = np.isfinite(array) & ~np.isfinite(result.astype(np.complex128))
    else:
        return
    if changed.any():
        raise OverflowError(
            f"{name}: {array[changed].flat[0]} does not fit {result.dtype}, which is declared; "
            f"declare a wider dtype"
        )


def _rank(dtype: Any) -> float:
    """The place of a dtype among the kinds of numbers."""
    try:
        return _KINDS.index(kind(element_type(dtype)))
    except (TypeError, ValueError):
        return math.inf


def host_calls(module: ir.Module, functions: Sequence[HostFunction]) -> tuple[HostCall, ...]:
    """Number the calls of Python of a lowered program, and say what the host does for each.

    Raises `PassError` for a call with an effect that a derivative would repeat.
    """
    ops = [
        op for op in find(module.operation, "stablehlo.custom_call") if HOST_CALL in op.attributes
    ]
    for op in reversed(ops):  # a call that is not used may be the only use of another's token
        if is_ordered(op.attributes[HOST_CALL]) and not _is_used(op.results[0]):
            if any(map(_is_used, op.results)):
                raise _repeated(op)
            op.erase()
    kept = find(module.operation, "stablehlo.custom_call")
    found: list[HostCall] = []
    for op in [op for op in kept if HOST_CALL in op.attributes]:
        config = op.attributes[HOST_CALL]
        found.append(_host_call(op, config, functions))
        with op.context:
            number = ir.IntegerType.get_unsigned(64)
            op.attributes["backend_config"] = ir.DictAttr.get(
                {"index": ir.IntegerAttr.get(number, len(found) - 1)}
            )
            op.attributes["has_side_effect"] = ir.BoolAttr.get(is_ordered(config))
        del op.attributes[HOST_CALL]
    return tuple(found)


def check_place(calls: Sequence[HostCall], place: Placement) -> None:
    """Refuse calls of Python in a program over several devices, or for a plugin without them."""
    if calls and len(place.devices) > 1:
        raise ShardingError(
            f"callback: {calls[0]} cannot be called by a program over {len(place.devices)} "
            "devices, each of which would call it; call it outside of the program, or check a "
            "condition with anvl.check"
        )
    if calls and place.client.python_target is None:
        raise RuntimeFailure(
            f"callback: {calls[0]} cannot be called on {place.devices[0]}, as its plugin calls no "
            'Python; run the program on the CPU (device="cpu"), or check a condition with '
            "anvl.check, which works on every plugin"
        )
    packed = [call for call in calls if call.packed]
    if packed and place.client.platform != "cpu":
        raise RuntimeFailure(
            f"callback: {packed[0]} takes or returns {packed[0].packed}, whose elements jaxlib "
            f"mixes up on {place.devices[0]}; convert to i8 before it, and from i8 after it"
        )


def _is_used(y: ir.Value) -> bool:
    return next(iter(y.uses), None) is not None


def _repeated(op: ir.Operation) -> PassError:
    name, place = Text.decode(op.attributes[HOST_CALL]["name"]), str(op.location)
    problem = (
        f"a derivative computes the results of the callback {name} at {place_in(place)} again, and "
        "would repeat its effect; use anvl.pure_callback, or call it outside of the checkpoint or "
        "loop, and of what a traced vjp or linearize is given"
    )
    return PassError("callback", problem, place)


def _host_call(op: ir.Operation, config: Any, functions: Sequence[HostFunction]) -> HostCall:
    n_axes = Int.decode(config["axes"]) if "axes" in config else 0
    has_token, place = is_ordered(config), place_in(str(op.location))
    results = tuple(aval_of_type(y.type) for y in list(op.results)[has_token:])
    if Text.decode(config["target"]) == PRINT:
        function = printing(Text.decode(config["message"]), Texts.decode(config["names"]))
    else:
        index = Int.decode(config["index"])
        if index >= len(functions):
            raise TraceError(
                f"callback: {Text.decode(config['name'])} at {place} is a function of another "
                "process, which the program does not contain"
            )
        function = functions[index]
    kinds = {str(y.type.element_type) for y in (*op.operands, *op.results)}
    packed = next((k for k in sorted(kinds) if k in _PACKED), "")
    return HostCall(function, place, results, n_axes, has_token, packed)


def printing(message: str, names: tuple[str, ...]) -> HostFunction:
    """Print a message with the values of these names."""

    def write(xs: Sequence[np.ndarray]) -> Sequence[Any]:
        print(message.format(**{k: x[()] for k, x in zip(names, xs, strict=True)}), flush=True)
        return []

    return HostFunction("debug.print", (PRINT, message, names), write)
