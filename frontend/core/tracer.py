"""`Tracer`: the stand-in for an array while a function is traced.

Operators and methods are attached by `frontend/numpy/operators.py`, the same ones as on arrays.
"""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from anvl.core.avals import Aval
from anvl.core.locations import describe
from anvl.dialect.core.errors import TraceError

if TYPE_CHECKING:
    from anvl.core.tracing import Trace
    from anvl.dialect.core.mlir import ir
    from anvl.runtime.array_methods import ArrayMethods
else:
    ArrayMethods = object

__all__ = ["Tracer"]


class Tracer(ArrayMethods):
    """An array of known dtype and shape whose values are not known while tracing.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    ndim, size : int
    aval : Aval
    """

    __slots__ = ("__weakref__", "aval", "location", "owner", "value")

    # NumPy arrays defer to our operators.
    __array_priority__ = 1000

    def __init__(self, value: ir.Value, aval: Aval, trace: Trace, location: ir.Location) -> None:
        self.value: ir.Value = value
        self.aval: Aval = aval
        self.owner: Trace = trace
        self.location: ir.Location = location

    @property
    def shape(self) -> tuple[int, ...]:
        return self.aval.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.aval.dtype

    @property
    def ndim(self) -> int:
        return self.aval.ndim

    @property
    def size(self) -> int:
        return self.aval.size

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        return self.aval.dtype.itemsize

    def copy(self, order: str = "C") -> Tracer:
        """The value itself: none is ever written to."""
        return self

    @property
    def weak_type(self) -> bool:
        return self.aval.weak_type

    @property
    def device(self) -> None:
        """None, which `device=` takes, as a program runs where its arguments are."""
        return None

    def __repr__(self) -> str:
        return f"Tracer({self.aval}, from {describe(self.location)})"

    def check_alive(self) -> None:
        """Refuse a tracer whose trace has ended."""
        if not self.owner.alive:
            raise TraceError(
                f"a traced value {self.aval} from {describe(self.location)} is used after its "
                "trace has ended: the function leaked it, through a global, a closure or an "
                "attribute; return it from the function instead"
            )
        self.check_thread()

    def check_thread(self) -> None:
        """Refuse a tracer of another thread's trace, even if this thread has a trace of its own."""
        if self.owner.thread != get_ident():
            raise TraceError(
                f"a traced value {self.aval} from {describe(self.location)} is used in another "
                "thread than the one that traces it; compute with it there, and give other threads "
                "arrays"
            )

    def _refuse(self, what: str, remedy: str) -> NoReturn:
        self.check_alive()
        raise TraceError(
            f"{what} needs the value of an array, but it is traced: {self.aval} from "
            f"{describe(self.location)}; {remedy}"
        )

    def __bool__(self) -> NoReturn:
        self._refuse(
            "`if`, `while`, `and`, `or`, `not` or bool()",
            "use anvl.numpy.where or logical_and, or mark the argument static",
        )

    def __int__(self) -> NoReturn:
        self._refuse("int()", "use .astype('i32'), or mark the argument static")

    def __float__(self) -> NoReturn:
        self._refuse("float()", "use .astype('f32'), or mark the argument static")

    def __complex__(self) -> NoReturn:
        self._refuse("complex()", "use .astype('c64'), or mark the argument static")

    def __index__(self) -> NoReturn:
        self._refuse(
            "a Python index, size or range()",
            "index anvl.numpy.asarray(x)[i], mark the argument static, or use its .shape",
        )

    def item(self) -> NoReturn:
        """Refused: a tracer has no value."""
        self._refuse(".item()", "return the array and call .item() on the result")

    def tolist(self) -> NoReturn:
        """Refused: a tracer has no value."""
        self._refuse(".tolist()", "return the array and call .tolist() on the result")

    def numpy(self) -> NoReturn:
        """Refused: a tracer has no value."""
        self._refuse(".numpy()", "return the array and call .numpy() on the result")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        remedy = "use the function of the same name in anvl.numpy"
        if self.dtype.kind in "biu":  # it may be an index
            remedy += ", and index anvl.numpy.asarray(x)[i] in place of a NumPy array"
        self._refuse("NumPy (np.asarray, or an np. function)", remedy)

    def __dlpack__(self, **options: Any) -> NoReturn:
        self._refuse(
            "DLPack (from_dlpack of another library)",
            "return it from the function, or call the library in anvl.pure_callback",
        )

    def __dlpack_device__(self) -> NoReturn:
        self.__dlpack__()

    def __array_ufunc__(self, ufunc: Any, method: str, *xs: Any, **kwargs: Any) -> Any:
        """Dispatch `numpy_array + tracer` to anvl's operator; `numpy.sin(tracer)` would need
        values."""
        reflected = _REFLECTED.get(ufunc.__name__)
        if reflected is not None and method == "__call__" and len(xs) == 2 and xs[1] is self:
            return getattr(self, reflected)(xs[0])
        return self._refuse(f"numpy.{ufunc.__name__}", f"use anvl.numpy.{ufunc.__name__}")

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"len() of an array without axes: {self.aval}")
        return self.shape[0]

    def __hash__(self) -> NoReturn:
        raise TypeError(
            f"a traced value {self.aval} cannot be hashed (as a key, in a set, or as a static "
            "argument); use its .shape or .dtype, or id()"
        )

    def __format__(self, spec: str) -> str:
        if spec:
            self._refuse(f"format with {spec!r}", "format the result after the call")
        return repr(self)

    def __reduce__(self) -> NoReturn:
        self._refuse("pickle or copy", "return the array and pickle the result")

    def __copy__(self) -> Tracer:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracer:
        return self


#: NumPy's names of the operators with a NumPy array on the left, and anvl's functions.
_REFLECTED = {
    "add": "__radd__", "subtract": "__rsub__", "multiply": "__rmul__", "divide": "__rtruediv__",
    "floor_divide": "__rfloordiv__", "remainder": "__rmod__", "power": "__rpow__",
    "matmul": "__rmatmul__", "bitwise_and": "__rand__", "bitwise_or": "__ror__",
    "bitwise_xor": "__rxor__", "left_shift": "__rlshift__", "right_shift": "__rrshift__",
    "equal": "__eq__", "not_equal": "__ne__", "less": "__gt__", "less_equal": "__ge__",
    "greater": "__lt__", "greater_equal": "__le__",
}  # fmt: skip
