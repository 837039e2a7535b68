"""`anvl.testing`: hold what is your own against numbers, as the tests of anvl do.

`check_op` is for ops, `check_grads` for functions; `anvl.testing.lit` is for a `lit.cfg.py`, which
needs none of the others: names are loaded when they are first used.
"""

from typing import TYPE_CHECKING, Any

from anvl.core.importing import load_module as _load_module

if TYPE_CHECKING:
    from anvl.testing.draw import Call as Call
    from anvl.testing.draw import Draw as Draw
    from anvl.testing.grads import check_grads as check_grads
    from anvl.testing.rule_check import check_op as check_op

#: Module of each public name.
_HOMES = {
    "Call": "anvl.testing.draw",
    "Draw": "anvl.testing.draw",
    "check_grads": "anvl.testing.grads",
    "check_op": "anvl.testing.rule_check",
}

__all__ = ["Call", "Draw", "check_grads", "check_op"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'anvl.testing' has no attribute {name!r}")
    found = getattr(_load_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
