"""Derivatives and batches that the declarations of a module ask of each function."""

from collections import defaultdict
from typing import Any, NamedTuple

from anvl.dialect.core.attributes import IMPLICIT, VJP, VMAP, signature_of, symbols_in
from anvl.dialect.core.mlir import ir
from anvl.passes.expand.declarations import KINDS, Expansion
from anvl.passes.functions.symbol_utils import callee_of, calls_of

__all__ = ["NOTHING", "Asked", "Orders"]


class Asked(NamedTuple):
    """Derivatives and batches that are asked of a function.

    Attributes
    ----------
    order : int
        Of the highest derivative.
    members : int
        Of all batches around it.  The directions of a Jacobian are none: the function itself is
        computed for one point.
    """

    order: int
    members: int


NOTHING = Asked(order=0, members=1)


class Orders:
    """The highest derivatives and the largest batches that are asked of each function.

    A declaration counts for the function that it names and for all that this one calls: that of
    `vjp` of `jvp` of `@f` is of order 2.
    """

    def __init__(self, expansion: Expansion) -> None:
        self._functions, self._marked = expansion.functions, expansion.marked
        self._users: defaultdict[str, list[tuple[str, Asked]]] = defaultdict(list)
        for user, callees in expansion.callees.items():
            for callee in callees:
                self._users[callee].append((user, NOTHING))
        for user, marked in expansion.marked.items():
            for attribute, value in marked.items():
                asked = _asked(attribute, value)
                for callee in symbols_in(value):
                    self._users[callee].append((user, asked))
        self._known: dict[str, Asked] = {}

    def of(self, name: str) -> Asked:
        """Derivatives and batches that are asked of a function, by all that refer to it."""
        if name not in self._known:
            self._known[name] = NOTHING  # a rule may call its own function
            found = [(self.of(user), more) for user, more in self._users.get(name, ())]
            self._known[name] = Asked(
                max([one.order + more.order for one, more in found], default=0),
                max([one.members * more.members for one, more in found], default=1),
            )
        return self._known[name]

    def is_value_read(self, name: str) -> bool:
        """Whether the results of a function are read, and not only its gradient."""
        declared = [user for user, _ in self._users.get(name, ())]
        if not declared or not all(VJP in self._marked.get(user, ()) for user in declared):
            return True
        count = len(signature_of(self._functions[name])[1])  # the value stands before the gradient
        calls = [
            call
            for function in self._functions.values()
            for call in calls_of(function)
            if callee_of(call) in declared
        ]
        values = [y for call in calls for y in list(call.results)[:count]]
        return not calls or any(next(iter(y.uses), None) is not None for y in values)

    def add(self, name: str, like: str) -> None:
        """Let of a new function be asked what is of another one."""
        self._known[name] = self.of(like)


def _asked(attribute: str, value: Any) -> Asked:
    """Derivatives and batches that a declaration with an attribute asks."""
    if attribute not in KINDS:
        return NOTHING
    return Asked(int(KINDS[attribute].differentiates), _members(attribute, value))


def _members(attribute: str, value: Any) -> int:
    """The size of a batch; 1 if it is none, or if what it says is not understood."""
    if attribute != VMAP or not isinstance(value, ir.DictAttr):
        return 1
    if IMPLICIT in value or "size" not in value or not isinstance(value["size"], ir.IntegerAttr):
        return 1
    return max(value["size"].value, 1)
