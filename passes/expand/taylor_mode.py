"""Declarations of Taylor coefficients, `anvl.jet`, which anvl-forward expands."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.attributes import JET
from anvl.dialect.core.create import full, full_like
from anvl.dialect.core.errors import MissingRule, PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int, Ints
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.ad_diagnostics import Finding, Search
from anvl.dialect.interpreters.common import named_after
from anvl.dialect.interpreters.taylor import taylor_block
from anvl.passes.expand.checks import check_floats, is_float
from anvl.passes.expand.declarations import (
    KINDS,
    Kind,
    finish,
)
from anvl.passes.functions.symbol_utils import terminator_of

__all__: list[str] = []

_NAME = "anvl-forward"


class _Params(NamedTuple):
    """Which derivatives are given, as pairs of an argument and an order; the order of results."""

    given: Sequence[tuple[int, int]]
    order: int


class _Jet(Kind):
    argument = _NAME
    attribute = JET
    form = "{callee = @f, wrt = array<i64: ...>, orders = array<i64: ...>, order = n : i64}"
    noun = "Taylor series"

    def read(self, attribute: Any) -> _Params:
        wrt, orders = Ints.decode(attribute["wrt"]), Ints.decode(attribute["orders"])
        if len(wrt) != len(orders):
            raise TypeError
        return _Params(list(zip(wrt, orders, strict=True)), Int.decode(attribute["order"]))

    def check(
        self,
        name: str,
        params: _Params,
        inputs: list[ir.Type],
        outputs: list[ir.Type],
        place: str,
    ) -> tuple[list[ir.Type], list[ir.Type]]:
        orders = [k for _, k in params.given]
        if params.order < 1 or any(not 1 <= k <= params.order for k in orders):
            problem = (
                f"the order is {params.order} and orders are {orders}; the order must be at least "
                "1, and the orders from 1 to it"
            )
            raise PassError(_NAME, f"@{name}: {problem}", place)
        wrt = list(dict.fromkeys(i for i, _ in params.given))
        check_floats(_NAME, name, "wrt", wrt, inputs, place)
        if len(set(params.given)) != len(params.given):
            problem = f"wrt and orders {[*params.given]} give a derivative twice"
            raise PassError(_NAME, f"@{name}: {problem}", place)
        moving = [inputs[i] for i, _ in params.given]
        found = [t for t in outputs if is_float(t) for _ in range(params.order)]
        return [*inputs, *moving], [*outputs, *found]

    def write(
        self,
        function: ir.Operation,
        params: _Params,
        symbols: SymbolTable,
        search: Search | None = None,
    ) -> None:
        """Append the series, and return the derivatives along the curve behind the results."""
        block = function.regions[0].blocks[0]
        terminator = terminator_of(block)
        results = list(terminator.operands)
        arguments = list(block.arguments)
        orders = range(1, params.order + 1)
        with function.location, ir.InsertionPoint(terminator):
            given: dict[Value, list[Value | None]] = {}
            for i, k in params.given:
                x = arguments[i]
                place = named_after(x.location, "x", "derivative")
                coefficient = _scaled(block.add_argument(x.type, place), 1 / math.factorial(k))
                given.setdefault(x, [None] * params.order)[k - 1] = coefficient
            floats = [y for y in results if is_float(y.type)]
            try:
                found = taylor_block(block, given, floats, params.order, symbols)
            except MissingRule as error:
                if search is None:
                    raise
                place_text = error.location.removeprefix("loc(").removesuffix(")")
                search.add(error.findings or [Finding("", place_text, str(error), ())])
                found = [[None] * params.order for _ in floats]
            filled = [
                full(y.type, 0) if c is None else _scaled(c, math.factorial(k))
                for y, series in zip(floats, found, strict=True)
                for k, c in zip(orders, series, strict=True)
            ]
        finish(function, [*terminator.operands, *filled])


def _scaled(x: Value, number: float) -> Value:
    return x if number == 1 else emit.mul(x, full_like(x, number))


KINDS[JET] = _Jet()
