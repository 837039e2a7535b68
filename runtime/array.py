"""`Array`: the array class for users, a buffer on a device and its interned type.

The frontend attaches operators and indexing to the class: all that needs a program.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from anvl.runtime.buffers import copied_buffer, copied_shards, is_single, send
from anvl.runtime.client import Device, Placement, check_process
from anvl.runtime.errors import RuntimeFailure, readable
from anvl.runtime.execution import inline_runs
from anvl.runtime.execution.donation import deleted_buffer, fate_of
from anvl.runtime.execution.out_of_memory import failure
from anvl.runtime.lazy import compat
from anvl.runtime.plugins.default_device import default_placement
from anvl.runtime.plugins.registry import device_text
from anvl.runtime.sharding.buffer_checks import lend, settle
from anvl.runtime.sharding.placements import ShardedPlacement
from anvl.runtime.sharding.shards import Shard, gathered, shard_buffers, shard_type
from anvl.runtime.types import ArrayType, NotCalled, array_type

if TYPE_CHECKING:
    from anvl.runtime.array_methods import ArrayMethods
else:
    ArrayMethods = object

_T = TypeVar("_T")


class Array(ArrayMethods, metaclass=NotCalled):
    """An immutable array on a device, or over several.

    Made by `anvl.runtime.put` and by running programs.  `np.asarray(x)` and `x.numpy()` give a
    read-only view of a CPU array without copying it; `np.array(x)` gives a copy to write to.

    Examples
    --------
    >>> import numpy as np
    >>> import anvl.runtime as rt
    >>> x = rt.put(np.arange(3, dtype="float32"))
    >>> x
    Array([0., 1., 2.], dtype=float32)
    >>> x.shape, x.dtype, x.device
    ((3,), dtype('float32'), <CpuDevice(id=0)>)
    """

    __slots__ = ("__weakref__", "aval", "buffer")

    aval: ArrayType
    buffer: Any

    # numpy leaves `np_array + x` to this class.
    __array_priority__: float = 1000.0

    # -- type ------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.aval.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype of the elements."""
        return self.aval.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.aval.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.aval.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element, as numpy stores it."""
        return self.aval.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, as numpy stores them."""
        return self.aval.nbytes

    @property
    def weak_type(self) -> bool:
        """Whether the dtype yields to the dtype of other arrays, as for Python numbers."""
        return self.aval.weak_type

    @property
    def device(self) -> Device:
        """The device that holds the array; a ValueError if there are several."""
        devices = self.aval.placement.devices
        if len(devices) != 1:
            raise ValueError(
                f"device: array {self.aval} is on {len(devices)} devices; x.addressable_shards "
                "has the part that each of them holds"
            )
        return devices[0]

    @property
    def addressable_shards(self) -> list[Shard]:
        """The part of the array that each device of this process holds, without copying it.

        Examples
        --------
        >>> import numpy as np
        >>> import anvl.runtime as rt
        >>> [shard.data.tolist() for shard in rt.put(np.arange(2)).addressable_shards]
        [[0, 1]]
        """
        self.check_alive("addressable_shards")
        of, place = self.aval, self.aval.placement
        if not isinstance(place, ShardedPlacement):
            return [Shard(self.device, tuple(slice(0, n) for n in of.shape), 0, self)]
        if place.spans_processes:  # whoever reads a shard waits for nobody else
            self.block_until_ready()
        buffers = shard_buffers(self.buffer, of)
        lend(self.buffer, buffers)
        return [
            Shard(
                place.devices[i],
                place.index(i, of.shape),
                place.held[:i].count(place.held[i]),
                make_array(shard_type(of, i), buffer),
            )
            for i, buffer in zip(place.addressable, buffers, strict=True)
        ]

    # -- values on the host ----------------------------------------------------------------

    def numpy(self) -> np.ndarray[Any, Any]:
        """The values as a read-only numpy array, without a copy where possible.

        Waits until the array is computed.  The view stays valid after `delete()`.

        Raises
        ------
        RuntimeFailure
            The array was deleted or donated, or the program that computes it failed.

        Examples
        --------
        >>> import numpy as np
        >>> import anvl.runtime as rt
        >>> rt.put(np.ones(2)).numpy()
        array([1., 1.])
        """
        return self._host("numpy")[0]

    def _host(self, function: str) -> tuple[np.ndarray[Any, Any], bool]:
        self.check_alive(function)
        try:
            return self._waited_for(function, lambda: self._read(function))
        except compat.Failure as error:
            self.check_alive(function)
            raise failure(function, error) from error

    def _waited_for(self, function: str, work: Callable[[], _T]) -> _T:
        """Do work that waits for the array, and may so wait for other processes."""
        is_elsewhere = self.aval.placement.spans_processes and not self.is_deleted()
        if is_elsewhere and not self.buffer.is_ready():
            from anvl.runtime.distributed.waiting import watched  # sockets, JSON: for jobs alone

            return watched(function, work)
        return work()

    def _read(self, function: str) -> tuple[np.ndarray[Any, Any], bool]:
        if is_single(self.aval.placement):
            if inline_runs.last is not None:
                inline_runs.wait(self.buffer)
            return compat.buffer_to_numpy(self.buffer)
        return gathered(self.buffer, self.aval, function), True

    def check_alive(self, function: str) -> None:
        """Raise `RuntimeFailure`, naming `function`, if the array was deleted or donated."""
        check_process(function)
        if self.is_deleted():
            raise RuntimeFailure(
                f"{function}: array {self.aval} {fate_of(self)}; keep a copy with x.copy()"
            )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        value, copied = self._host("__array__")
        if dtype is not None and np.dtype(dtype) != value.dtype:
            if copy is False:
                raise ValueError(
                    f"__array__: {self.dtype} to {np.dtype(dtype)} needs a copy, "
                    f"copy=False given; use copy=None"
                )
            return value.astype(dtype)
        if copy is False and copied:
            raise ValueError(
                f"__array__: {self.aval} cannot be read without a copy, "
                f"copy=False given; use copy=None"
            )
        return value.copy() if copy else value

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        self.check_alive("__dlpack__")
        here = self.__dlpack_device__()
        if dl_device is not None and tuple(map(int, dl_device)) != here:
            raise BufferError(
                f"__dlpack__: array is on {self.device}, dl_device={dl_device} "
                f"given; copy it with np.asarray first"
            )
        source = self.copy() if copy else self
        source.block_until_ready()
        try:
            return compat.buffer_to_dlpack(source.buffer, stream, max_version)
        except compat.Failure as error:
            raise BufferError(f"__dlpack__: {self.aval}: {readable(error)}") from error

    def __dlpack_device__(self) -> tuple[int, int]:
        if len(self.aval.placement.devices) != 1:
            raise BufferError(
                f"__dlpack__: array {self.aval} is on {len(self.aval.placement.devices)} devices; "
                "export the data of its addressable_shards, or a copy: x.numpy()"
            )
        kind = 1 if self.device.platform == "cpu" else 2
        return kind, 0 if kind == 1 else self.device.id

    def item(self, *index: Any) -> Any:
        """The only element as a Python number; with an index, as in NumPy, one of several.

        Raises `ValueError` for several elements without an index, `IndexError` out of range.

        Examples
        --------
        >>> import numpy as np
        >>> import anvl.runtime as rt
        >>> rt.put(np.float32(2.5)).item()
        2.5
        """
        if index:
            return _plain(self.numpy()).item(*index)
        if self.size != 1:
            raise ValueError(f"item: array must have one element, got {self.aval}; index it first")
        return _plain(self.numpy()).item()

    def tobytes(self, order: str = "C") -> bytes:
        """The bytes of the elements, as NumPy stores them, in an order of axes that it knows.

        Examples
        --------
        >>> import numpy as np
        >>> import anvl.runtime as rt
        >>> rt.put(np.uint8([1, 2])).tobytes()
        b'\\x01\\x02'
        """
        return self.numpy().tobytes(order)  # type: ignore[arg-type]

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers.

        Examples
        --------
        >>> import numpy as np
        >>> import anvl.runtime as rt
        >>> rt.put(np.eye(2, dtype=bool)).tolist()
        [[True, False], [False, True]]
        """
        return _plain(self.numpy()).tolist()

    # -- conversions to Python -------------------------------------------------------------

    def __len__(self) -> int:
        if not self.aval.shape:
            raise TypeError(f"len: array has no axes, {self.aval}; use x.size")
        return self.aval.shape[0]

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                f"bool: truth value of {self.aval} is ambiguous; use x.all() or x.any()"
            )
        return bool(self.item())

    def __int__(self) -> int:
        return int(self._number("int"))

    def __float__(self) -> float:
        return float(self._number("float"))

    def __complex__(self) -> complex:
        return complex(self._number("complex"))

    def __index__(self) -> int:
        if self.aval.shape or self.dtype.name not in _INTEGERS:
            raise TypeError(
                f"index: only an integer array without axes can be an index, got {self.aval}"
            )
        return operator.index(self.item())

    def _number(self, function: str) -> Any:
        if self.size != 1:
            raise TypeError(
                f"{function}: array must have one element, got {self.aval}; index it first"
            )
        value = self.item()
        if isinstance(value, complex) and function != "complex":
            raise TypeError(f"{function}: array is complex, {self.aval}; use .real or .imag")
        return value

    # -- text ------------------------------------------------------------------------------

    def __repr__(self) -> str:
        # The device only where it is not the default one: there it says something.
        placement, first = self.aval.placement, default_placement()
        where = "" if placement is first else f", {_place_text(placement)}"
        facts = f"dtype={self.dtype.name}{', weak_type=True' if self.weak_type else ''}{where}"
        if self.is_deleted():
            return f"Array(deleted, shape={self.shape}, {facts})"
        if not placement.is_addressable:
            return f"Array(shape={self.shape}, {facts})"
        shape = f", shape={self.shape}" if self.size == 0 else ""
        values = np.array2string(self.numpy(), separator=", ", prefix="Array(")
        return f"Array({values}{shape}, {facts})"

    def __str__(self) -> str:
        has_values = self.aval.placement.is_addressable and not self.is_deleted()
        return str(self.numpy()) if has_values else repr(self)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        if self.ndim:
            raise TypeError(
                f"format: {spec!r} needs an array without axes, got {self.aval}; index it first"
            )
        return format(self.item(), spec)

    # -- life ------------------------------------------------------------------------------

    def block_until_ready(self) -> Array:
        """Wait until the array is computed, and return it.

        Raises
        ------
        RuntimeFailure
            The array was deleted or donated, or the program that computes it failed.

        Examples
        --------
        >>> import numpy as np
        >>> import anvl.runtime as rt
        >>> rt.put(np.ones(2)).block_until_ready()
        Array([1., 1.], dtype=float64)
        """
        check_process("block_until_ready")
        # Few lines: just after a program has run, each takes several times as long.
        try:
            if self.aval.placement.spans_processes:
                self._waited_for("block_until_ready", self.buffer.block_until_ready)
            elif inline_runs.last is None:
                self.buffer.block_until_ready()
            else:
                inline_runs.wait(self.buffer)
        except compat.Failure as error:
            self.check_alive("block_until_ready")
            raise failure("block_until_ready", error) from error
        return self

    def is_deleted(self) -> bool:
        """Whether the array was deleted, or donated to a program.

        Examples
        --------
        >>> import numpy as np
        >>> import anvl.runtime as rt
        >>> rt.put(np.ones(2)).is_deleted()
        False
        """
        settle(self.buffer)
        return bool(self.buffer.is_deleted())

    def delete(self) -> None:
        """Give the memory back now; any later use of the array raises `RuntimeFailure`.

        Examples
        --------
        >>> import numpy as np
        >>> import anvl.runtime as rt
        >>> x = rt.put(np.ones(2)); x.delete(); x
        Array(deleted, shape=(2,), dtype=float64)
        """
        check_process("delete")
        buffer, self.buffer = self.buffer, deleted_buffer(self.aval.placement)
        if hasattr(buffer, "is_shared"):
            buffer.delete()

    def copy(self, order: str = "C") -> Array:
        """Copy the values into memory of their own, on the same devices.

        Parameters
        ----------
        order : {"C", "K", "A"}
            For code that is written for NumPy: arrays have no order in memory.

        Raises
        ------
        TypeError
            Another order.

        Examples
        --------
        >>> import numpy as np
        >>> import anvl.runtime as rt
        >>> x = rt.put(np.ones(2)); y = x.copy(); x.delete(); y
        Array([1., 1.], dtype=float64)
        """
        if order not in ("C", "K", "A"):
            raise TypeError(
                f"copy: order is {order!r}, and can be 'C', 'K' or 'A' only; arrays have no order "
                "in memory: leave it out, or transpose them"
            )
        self.check_alive("copy")
        if is_single(self.aval.placement):
            return make_array(self.aval, copied_buffer(self.buffer, self.aval))
        return make_array(self.aval, copied_shards(self.buffer, self.aval, self.aval))

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Array:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        # The name, since numpy cannot unpickle small dtypes before ml_dtypes is imported.
        value = self.numpy()
        plain = value.view(f"u{value.itemsize}") if value.dtype.kind == "V" else value
        # Not `ascontiguousarray`, which gives an array without axes one.
        return _restored, (np.asarray(plain, order="C"), self.dtype.name, self.weak_type)

    def __hash__(self) -> NoReturn:
        raise TypeError(
            "hash: arrays are compared by element and cannot be hashed; "
            "use id(x), x.item() or x.numpy().tobytes() as a key"
        )


#: An array whose two attributes are to be set.
blank: Callable[[], Array] = type.__call__.__get__(Array)

_INTEGERS = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (2, 4, 8, 16, 32, 64))


def _plain(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Convert small dtypes to the standard dtype that holds their values exactly."""
    if value.dtype.isbuiltin == 1:
        return value
    return value.astype(np.int32 if value.dtype.name in _INTEGERS else np.float32)


def _place_text(placement: Placement) -> str:
    if is_single(placement):
        return f"device={device_text(placement)!r}"
    return f"sharding={placement!r}"


def _restored(value: np.ndarray[Any, Any], dtype: str, weak_type: bool) -> Array:
    check_process("unpickle")
    aval = array_type(value.shape, dtype, weak_type=weak_type)
    return make_array(aval, send(value.view(aval.dtype), aval, compat.COPY))


def make_array(aval: ArrayType, buffer: Any) -> Array:
    """Wrap a buffer whose type is known to be `aval`."""
    made = blank()
    made.aval = aval
    made.buffer = buffer
    return made
