"""Orders of the derivatives that a module takes of its functions."""

from collections import defaultdict

from anvl.dialect.core.attributes import symbols_in
from anvl.passes.expand.declarations import KINDS, Expansion

__all__ = ["Orders"]


class Orders:
    """The order of the highest derivative that the declarations of a module ask of each function.

    A declaration counts for the function that it names and for all that this one calls: that of
    `vjp` of `jvp` of `@f` is 2.
    """

    def __init__(self, expansion: Expansion) -> None:
        self._users: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for user, callees in expansion.callees.items():
            for callee in callees:
                self._users[callee].append((user, 0))
        for user, marked in expansion.marked.items():
            for attribute, value in marked.items():
                is_derivative = attribute in KINDS and KINDS[attribute].differentiates
                for callee in symbols_in(value):
                    self._users[callee].append((user, int(is_derivative)))
        self._known: dict[str, int] = {}

    def of(self, name: str) -> int:
        """The order of a function; 0 for one that no derivative is taken of."""
        if name not in self._known:
            self._known[name] = 0  # a rule may call its own function
            users = self._users.get(name, ())
            self._known[name] = max([self.of(user) + more for user, more in users], default=0)
        return self._known[name]

    def add(self, name: str, like: str) -> None:
        """Give a new function the order of another one."""
        self._known[name] = self.of(like)
