"""What an op becomes where something is known of its operands: `fold` and `simplify`.

`fold` must give the number that the op gives, `simplify` the same to the bit, but for the sign of a
NaN.  Simpler forms are asked for with operands that such rules look at: constants, what another op
with simpler forms makes, one value twice.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from anvl.dialect.folding import maker_of
from anvl.dialect.mlir import ir
from anvl.dialect.op import OPS
from anvl.dialect.ops.create import full
from anvl.dialect.types import kind, numpy_of
from anvl.testing.checks import Check, without_bodies
from anvl.testing.draw import Call
from anvl.testing.findings import Findings

__all__ = ["Folded", "Simpler"]

_WHOLE = ("int", "uint", "bool")
_NUMBERS = (0, 1, -1, 2)
# Floats that tell apart forms that are the same for all others.
_SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0)


def _is_whole(x: Any) -> bool:
    return np.dtype(x.dtype).kind in "iub"


class Folded(Check):
    """What `fold` gives for numbers, element by element, against the op."""

    asks_python = True

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        return op_class.has_rule("fold") and all(map(_is_whole, call.operands))

    def emit(self, *xs: ir.Value) -> list[ir.Value]:
        ys = self.build(*xs)
        return ys if kind(ys[0].type.element_type) in _WHOLE else []

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        params = without_bodies(self.op_class, self.call)
        for y in found:
            xs = [np.broadcast_to(x, y.shape).ravel() for x in self.call.operands]
            with np.errstate(all="ignore"):
                folded = [self.op_class.fold(*row, **params) for row in zip(*xs, strict=True)]
            given = np.array(folded, y.dtype).reshape(y.shape)
            findings.compare("fold", self.name, given, y, 0)


class Simpler(Check):
    """Each simpler form that the op has for such operands, against the op itself."""

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        if not op_class.has_rule("simplify") or op_class.multiple_results or op_class.bodies:
            return False
        return all(x.size for x in call.operands)

    def inputs(self) -> list[np.ndarray]:
        """The operands, with numbers among them that tell forms apart."""
        return [_with_special(x) for x in self.call.operands]

    def emit(self, *xs: ir.Value) -> list[ir.Value]:
        results = []
        self.forms: list[str] = []
        for form, operands, params in self._variants(xs):
            makers = [maker_of(x) for x in operands]
            simpler = self.op_class.simplify(operands, makers, **params)
            if simpler is not None:
                given = simpler() if callable(simpler) else simpler
                results += [given, self.op_class.build(*operands, **params)]
                self.forms.append(form)
        return results

    def _variants(
        self, xs: Sequence[ir.Value]
    ) -> Iterator[tuple[str, Sequence[ir.Value], dict[str, Any]]]:
        """Operands, and parameters, with something known of them; and in words what."""
        params = self.call.params
        yield "as it is", xs, params
        for x in dict.fromkeys(xs):
            yield "of one value", [x if y.type == x.type else y for y in xs], params
        for i, x in enumerate(xs):
            for form, made in _made(x, self.op_class):
                yield f"operand {i} is {form}", [*xs[:i], made, *xs[i + 1 :]], params
        if len(xs) == 1 and params:
            y = self.op_class.build(*xs, **params)
            yield from (("of itself", [y], again) for again in self._again(y))

    def _again(self, y: ir.Value) -> list[dict[str, Any]]:
        """Parameters that take the result of the op: its own, and for other shapes the first's."""
        back = {"shape": tuple(self.call.operands[0].shape)}
        rank = y.type.rank
        axes = tuple(range(rank))
        other = {"permutation": axes[::-1], "broadcast_dimensions": axes}
        wider = {"shape": (2, *y.type.shape), "broadcast_dimensions": tuple(range(1, rank + 1))}
        tried = []
        for changed in ({}, back, other, wider):
            known = {k: v for k, v in changed.items() if k in self.call.params}
            params = self.call.params | known
            try:
                self.op_class.result_type(y.type, **params)
            except TypeError:
                continue
            tried.append(params)
        return tried

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        for form, given, wanted in zip(self.forms, found[::2], found[1::2], strict=True):
            if _bits(given) != _bits(wanted):
                findings.problems.append(
                    f"simplify: {self.name}, {form}: {given} is not {wanted} to the bit"
                )


def _with_special(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind not in "fc" and x.dtype.name != "bfloat16":
        return x
    flat = x.ravel().copy()
    special = np.array(_SPECIAL[: flat.size], x.dtype)
    flat[: len(special)] = special
    if x.dtype.kind == "c":
        flat[: len(special)].imag = special[::-1].real
    return flat.reshape(x.shape)


def _bits(x: np.ndarray) -> tuple[Any, ...]:
    """The type and the bits of an array, NaN without a sign."""
    parts = [x.real, x.imag] if x.dtype.kind == "c" else [x]
    bits = []
    for part in parts:
        if part.dtype.kind not in "iub":
            part = np.where(part != part, np.abs(part), part).astype(part.dtype)
        bits.append(np.ascontiguousarray(part).tobytes())
    return x.shape, x.dtype.name, *bits


def _made(x: ir.Value, op_class: Any) -> Iterator[tuple[str, ir.Value]]:
    """Values of the type of x that are constants, or that ops with simpler forms make."""
    of_kind = kind(x.type.element_type)
    numbers: list[Any] = [n for n in _NUMBERS if n >= 0 or of_kind not in ("uint", "bool")]
    if of_kind == "bool":
        numbers = [False, True]
    if of_kind in ("float", "complex"):
        numbers = [*map(float, numbers), -0.0]
    for n in numbers:
        yield str(n), full(x.type, n)
    for maker in OPS.values():
        if maker.has_rule("simplify") and not maker.params and not maker.multiple_results:
            made = _result_of(maker, x)
            if made is not None:
                yield f"a {maker.short_name}", made


def _result_of(maker: Any, x: ir.Value) -> ir.Value | None:
    """The result, of the type of x, of a small op without parameters; None if it gives no such."""
    candidates = _related(x)
    for operands in product(candidates, repeat=maker.n_operands or 0):
        types = [y.type for y in operands]
        try:
            found = maker.result_type(*types)
        except TypeError:
            continue
        if found == x.type:
            return maker.build(*operands)
    return None


def _related(x: ir.Value) -> list[ir.Value]:
    """x, and values of its shape of other kinds."""
    of_kind = kind(x.type.element_type)
    if of_kind == "complex":
        return [x, OPS["anvl.real"].build(x)]
    name = str(numpy_of(x.type.element_type))
    if of_kind == "float" and name in ("float32", "float64"):
        return [x, OPS["anvl.complex"].build(x, x)]
    return [x]
