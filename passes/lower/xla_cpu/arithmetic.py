"""Arrays of numbers whose arithmetic emits ops of StableHLO, for formulas in passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import element_type, tensor
from anvl.passes.lower.hlo_builder import Hlo, hide

__all__ = ["Number", "choose", "form", "polynomial"]

_hlo = Hlo("")


@dataclass(frozen=True)
class Number:
    """An array of floats, or of their bits, that arithmetic emits ops for."""

    value: ir.Value

    @cached_property
    def type(self) -> ir.Type:
        return self.value.type

    def __add__(self, y: Number | float) -> Number:
        return self._with("add", y)

    def __sub__(self, y: Number | float) -> Number:
        return self._with("subtract", y)

    def __mul__(self, y: Number | float) -> Number:
        return self._with("multiply", y)

    def __truediv__(self, y: Number | float) -> Number:
        return self._with("divide", y)

    def __or__(self, y: Number | int) -> Number:
        return self._with("or", y)

    def __and__(self, y: Number | int) -> Number:
        return self._with("and", y)

    def __lshift__(self, y: int) -> Number:
        return self._with("shift_left", y)

    def __rshift__(self, y: int) -> Number:
        return self._with("shift_right_logical", y)

    def __lt__(self, y: Number | float) -> ir.Value:
        return self._compare(y, "LT")

    def __le__(self, y: Number | float) -> ir.Value:
        return self._compare(y, "LE")

    def __gt__(self, y: Number | float) -> ir.Value:
        return self._compare(y, "GT")

    def equals(self, y: Number | float) -> ir.Value:
        return self._compare(y, "EQ")

    def of(self, name: str) -> Number:
        """The op of one operand with this name."""
        return Number(_hlo(name, self.value, type=self.type))

    def __abs__(self) -> Number:
        return self.of("abs")

    def to(self, element: str) -> Number:
        """The same numbers of another type."""
        type_ = tensor(self.type.shape, element_type(element))
        return Number(_hlo("convert", self.value, type=type_))

    def signed_as(self, x: Number) -> Number:
        """This, if it is not negative, with the sign of x."""
        sign = x.bits() & -(1 << (x.type.element_type.width - 1))
        return (self.bits() | sign).floats(self.type)

    def hidden(self) -> Number:
        return Number(hide(self.value))

    def like(self, y: Number | float) -> Number:
        """A number as an array of this type."""
        return y if isinstance(y, Number) else Number(_hlo.constant(self.type, y))

    def bits(self) -> Number:
        """The bits of floats, as integers."""
        bits = element_type(f"i{self.type.element_type.width}")
        return Number(_hlo("bitcast_convert", self.value, type=tensor(self.type.shape, bits)))

    def floats(self, type_: ir.Type) -> Number:
        """The floats of `type_` with these bits."""
        return Number(_hlo("bitcast_convert", self.value, type=type_))

    def _with(self, name: str, y: Number | float) -> Number:
        return Number(_hlo(name, self.value, self.like(y).value, type=self.type))

    def _compare(self, y: Number | float, direction: str) -> ir.Value:
        return _hlo.compare(self.value, self.like(y).value, direction)


def choose(flag: ir.Value, x: Number, y: Number | float) -> Number:
    """x where `flag` is set, else y."""
    return Number(_hlo("select", flag, x.value, x.like(y).value, type=x.type))


def form(function: Callable[..., Number]) -> Callable[..., ir.Value]:
    """Make a function of numbers one of values."""
    return lambda *xs: function(*map(Number, xs)).value


def polynomial(x: Number, terms: tuple[float, ...]) -> Number:
    """The sum of terms[k] x^k."""
    found = x.like(terms[-1])
    for term in terms[-2::-1]:
        found = found * x + term
    return found
