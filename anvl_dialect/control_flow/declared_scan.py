"""The attribute `anvl.scan`, and declarations that have it."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from anvl.dialect.control_flow.call import Callee, call, symbol
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value
from anvl.dialect.core.params.base import Bool, Int, Symbol
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.core.types import tensor

__all__ = ["SCAN", "declare_scan", "decoded", "request_of"]

SCAN = "anvl.scan"


def request_of(
    body: Callee, n_carry: int, n_xs: int, length: int, *, reverse: bool = False
) -> ir.Attribute:
    """The attribute of a scan of `body` over carries and scanned arrays, so many of each."""
    return ir.DictAttr.get(
        {
            "body": symbol(body),
            "carry": Int.encode(n_carry),
            "xs": Int.encode(n_xs),
            "length": Int.encode(length),
            "reverse": Bool.encode(reverse),
        }
    )


@lru_cache(1024)
def decoded(request: Any) -> tuple[str, int, int, int, bool]:
    """Body, number of carries and of scanned arrays, length, and whether it is in reverse.

    See Note [Attributes are decoded once] in `attributes.py`.
    """
    n_carry, n_xs, length = (Int.decode(request[name]) for name in ("carry", "xs", "length"))
    reverse = Bool.decode(request["reverse"])
    return Symbol.decode(request["body"]), n_carry, n_xs, length, reverse


def declare_scan(
    name: str,
    step: Callable[..., Sequence[Value]],
    parts: tuple[Sequence[Value], Sequence[Value], Sequence[Value]],
    length: int,
    symbols: SymbolTable,
    places: Sequence[ir.Location] | None = None,
) -> list[Value]:
    """Emit a call of a scan over carries, arrays of `length` rows, and constants.

    `step` takes carries, rows and constants; it returns the next carries and rows to stack.
    """
    carry, xs, rest = parts
    rows = [tensor(x.type.shape[1:], x.type.element_type) for x in xs]
    types = [*(x.type for x in carry), *rows, *(x.type for x in rest)]
    body = Callee.create(name, symbols, step, types, places=places)
    given = [*carry, *xs, *rest]
    stacked = body.types[1][len(carry) :]
    made = body.declare(
        "each",
        [x.type for x in given],
        [
            *(x.type for x in carry),
            *(tensor([length, *y.shape], y.element_type) for y in stacked),
        ],
        {SCAN: request_of(body, len(carry), len(xs), length)},
    )
    return call(made, given)
