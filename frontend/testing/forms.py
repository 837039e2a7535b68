"""Simplified forms of an op for known operands: `fold` and `simplify`.

`fold` must give the value of the op, `simplify` the same bits, except for the sign of a NaN.
Simplifications are tried with the operands that such rules match: constants, results of other
ops with simpler forms, one value twice.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from anvl.dialect.core.create import full, number_of
from anvl.dialect.core.families import Elementwise
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import kind, numpy_of
from anvl.dialect.interpreters.constant_folding import maker_of
from anvl.testing.checks import Check, without_bodies
from anvl.testing.draw import Call
from anvl.testing.findings import Findings
from anvl.testing.program import type_of

__all__ = ["FoldCheck", "SimplifyCheck"]

_UNSAID = " and it equals an operand or a constant, but no rule declares that"
_NUMBERS = (0, 1, -1, 2, -2)
# Floats that distinguish forms that agree for all others.
_SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0)


def _is_folded(dtype: Any) -> bool:
    """Whether numbers of a dtype are folded: integers by passes, Python's floats by the frontend.

    Floats only of the default dtypes, in which ops with a rule `fold` are exact.
    """
    return np.dtype(dtype).kind in "iub" or dtype in (np.float32, np.float64)


class FoldCheck(Check):
    """`fold` of numbers, element by element, against the op."""

    calls_rule_in_python = True

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        return op_class.has_rule("fold") and all(_is_folded(x.dtype) for x in call.operands)

    def emit(self, *xs: ir.Value) -> list[ir.Value]:
        ys = self.build(*xs)
        return ys if _is_folded(numpy_of(ys[0].type.element_type)) else []

    def judge(self, findings: Findings, found: Any, around: dict[int, Any]) -> None:
        params = without_bodies(self.op_class, self.call)
        for y in found:
            xs = [np.broadcast_to(x, y.shape).ravel() for x in self.call.operands]
            with np.errstate(all="ignore"):
                folded = [self.op_class.fold(*row, **params) for row in zip(*xs, strict=True)]
            given = np.array(folded, y.dtype).reshape(y.shape)
            findings.compare("fold", self.name, given, y, 0)


class SimplifyCheck(Check):
    """Each simplified form of the op for such operands, against the op itself."""

    calls_rule_in_python = True

    @classmethod
    def applies(cls, op_class: Any, call: Call) -> bool:
        if not op_class.has_rule("simplify") or op_class.multiple_results or op_class.bodies:
            return False
        # Elementwise, so small ones suffice.
        least = len(_SPECIAL) if issubclass(op_class, Elementwise) else 1
        return all(x.size >= least for x in call.operands)

    def inputs(self) -> list[np.ndarray]:
        """The operands, with distinguishing numbers among them; and all constants.

        The unsimplified op takes these as inputs, since XLA simplifies literals itself.
        """
        xs = [_with_special(x) for x in self.call.operands]
        return [*xs, *(np.full(x.shape, n, x.dtype) for x in xs for n in _numbers(type_of(x)))]

    def emit(self, *inputs: ir.Value) -> list[ir.Value]:
        count, results = len(self.call.operands), []
        self.forms: list[str] = []
        for form, operands, params, plain in self._variants(inputs[:count], inputs[count:]):
            makers = [maker_of(x) for x in operands]
            simpler = self.op_class.simplify(operands, makers, **params)
            if simpler is not None:
                given = simpler() if callable(simpler) else simpler
                results += [given, self.op_class.build(*plain, **params)]
                self.forms.append(form)
            elif plain is not operands and count == 2:
                (x,) = set(plain) & set(inputs[:count])
                results += [x, self.op_class.build(*plain, **params)]
                self.forms.append(form + _UNSAID)
            elif plain is not operands and count == 1 and self.op_class.moves_elements:
                y = self.op_class.build(*plain, **params)
                results += [full(y.type, number_of(makers[0])), y]
                self.forms.append(form + _UNSAID)
        return results

    def _variants(
        self, xs: Sequence[ir.Value], numbers: Sequence[ir.Value]
    ) -> Iterator[tuple[str, Sequence[ir.Value], dict[str, Any], Sequence[ir.Value]]]:
        """Variants with some operands or parameters known: a description, operands, parameters, and
        the same operands as inputs."""
        params, of_inputs = self.call.params, iter(numbers)
        yield "as it is", xs, params, xs
        for x in dict.fromkeys(xs):
            same = [x if y.type == x.type else y for y in xs]
            yield "of one value", same, params, same
        for i, x in enumerate(xs):

            def replaced(made: ir.Value, i: int = i) -> list[ir.Value]:
                return [*xs[:i], made, *xs[i + 1 :]]

            for n in _numbers(x.type):
                yield (
                    f"operand {i} is {n}",
                    replaced(full(x.type, n)),
                    params,
                    replaced(next(of_inputs)),
                )
            for form, made in _results_of_ops(x):
                of_it = replaced(made)
                yield f"operand {i} is {form}", of_it, params, of_it
        if len(xs) == 1 and params:
            ys = [self.op_class.build(*xs, **params)]
            yield from (("of itself", ys, again, ys) for again in self._params_of_own_result(*ys))

    def _params_of_own_result(self, y: ir.Value) -> list[dict[str, Any]]:
        """Parameters that accept the result of the op: its own, for other shapes the first's."""
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
            if form.endswith(_UNSAID):
                if given.dtype.kind != "c" and _bits(given) == _bits(wanted):
                    findings.problems.append(f"simplify: {self.name}, {form}")
            elif _bits(given) != _bits(wanted):
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


def _numbers(type_: Any) -> list[Any]:
    """Constants to try as operands of a type."""
    of_kind = kind(type_.element_type)
    if of_kind == "bool":
        return [False, True]
    if of_kind in ("float", "complex"):
        return [*map(float, _NUMBERS), -0.0]
    return [n for n in _NUMBERS if n >= 0 or of_kind == "int"]


def _results_of_ops(x: ir.Value) -> Iterator[tuple[str, ir.Value]]:
    """Values of the type of x, made by ops with simpler forms, or of values of other types."""
    for maker in OPS.values():
        if not maker.params and not maker.multiple_results:
            made = _result_of(maker, x)
            if made is not None:
                yield f"a {maker.short_name}", made


def _result_of(maker: Any, x: ir.Value) -> ir.Value | None:
    """The result, of the type of x, of a small op without parameters; None if there is none.

    Its operands differ if they can: so a form that takes one for another shows.
    """
    choices = product(_related(x), repeat=maker.n_operands or 0)
    for operands in sorted(choices, key=lambda ys: -len(set(ys))):
        types = [y.type for y in operands]
        if not maker.has_rule("simplify") and x.type in types:
            continue
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
        return [x, OPS["anvl.real"].build(x), OPS["anvl.imag"].build(x)]
    name = str(numpy_of(x.type.element_type))
    if of_kind == "float" and name in ("float32", "float64"):
        return [x, OPS["anvl.complex"].build(x, x)]
    return [x]
