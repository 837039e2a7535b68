"""The carry of a loop: its structure and avals, and the checks of each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from anvl import tree
from anvl.core.arguments import name_of, wrap_plain_leaves
from anvl.core.avals import Aval
from anvl.core.promote import abstract, fitted
from anvl.core.ranges import meets_narrower
from anvl.core.traced import Traced
from anvl.tree.treedefs import described

__all__ = ["Carry", "Counted"]


class Counted(NamedTuple):
    """A user's carry with the step count, which messages do not mention."""

    i: Any
    value: Any


class Carry:
    """The carry of a loop: its structure, and the avals it has in every step."""

    def __init__(self, role: str, init: Any) -> None:
        self.role = role
        self.is_counted = isinstance(init, Counted)
        # A step maps a bool to another bool, so it is not a plain value here.
        plain = tree.map(lambda x: x if isinstance(x, bool) else wrap_plain_leaves(x), init)
        self.leaves, self.treedef = tree.flatten(plain)
        of = self.treedef.children()[1] if self.is_counted else self.treedef
        self.paths = [*(["the index"] if self.is_counted else []), *tree.leaf_paths(of, "carry")]
        pairs = zip(self.leaves, self.paths, strict=True)
        self.avals: list[Aval] = [abstract(x, f"{role}: {path}") for x, path in pairs]

    def avals_tree(self) -> Any:
        return tree.unflatten(self.treedef, self.avals)

    def operands(self) -> list[Any]:
        """The first carry, converted to the avals of the loop."""
        pairs = zip(self.leaves, self.avals, strict=True)
        return [fitted(x, of.dtype) for x, of in pairs]

    def trace_to_fixed_point(
        self,
        traced: Callable[[tuple[Any, ...]], Traced],
        f: Callable[..., Any],
        pairs: bool = False,
    ) -> Traced:
        """Trace the step until its carry avals are a fixed point: weak ones take result dtypes."""
        while True:
            step = traced((self.avals_tree(),))
            self._check_structure(f, step, pairs)
            found = step.out_avals[: len(self.avals)]
            joined = [
                self._join_avals(f, *row) for row in zip(self.paths, self.avals, found, strict=True)
            ]
            if joined != self.avals:
                self.avals = joined
            elif not self.strengthen(step):
                return step
            step.trace.program.discard(step.trace)

    def strengthen(self, f: Traced) -> bool:
        """Make integers strong that f narrows, since their later values are unknown.

        Returns whether there are any; the functions of the carry must then be traced again.
        """
        narrowed = [i for i, of in enumerate(self.avals) if meets_narrower(f.trace, i)]
        self.avals = [of.strong() if i in narrowed else of for i, of in enumerate(self.avals)]
        return bool(narrowed)

    def _check_structure(self, f: Callable[..., Any], step: Traced, pairs: bool) -> None:
        found = step.out_tree
        if pairs:
            children = found.children()
            if found.node_data() != tree.structure((0, 0)).node_data() or len(children) != 2:
                returned = "one array" if found.node_data() is None else described(found)
                raise TypeError(
                    f"{self.role}: {name_of(f)} returned {returned}; return a pair, the next "
                    "carry and the slice of ys, which may be None"
                )
            found = children[0]
        wanted = tree.structure(self.avals_tree())
        if self.is_counted:
            wanted, found = wanted.children()[1], found.children()[1]
        difference = tree.structure_difference(wanted, found)
        if difference is not None:
            raise TypeError(
                f"{self.role}: {name_of(f)} returns a carry that differs in structure from "
                f"its input: {difference}"
            )

    def _join_avals(self, f: Callable[..., Any], path: str, old: Aval, new: Aval) -> Aval:
        """The aval of a carry, given its aval before and after a step."""
        if old.type == new.type:
            return old if not old.weak_type or new.weak_type else new
        if old.shape == new.shape:
            if old.weak_type and old.level <= new.level:
                return new
            if new.weak_type and new.level <= old.level:
                return old
        raise TypeError(
            f"{self.role}: {path} is {old}, but {name_of(f)} returns {new} for it; cast it "
            "before the loop, or in the step"
        )
