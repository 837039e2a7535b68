"""State that an op with an effect updates, as values of a program; its block declares it.

Note [Effects as values] in `passes/effects/functionalize.py`; the pass that makes effects values
asks these classes, and names none.
"""

import abc
from collections.abc import Sequence
from typing import ClassVar

from anvl.dialect.core.create import full
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value

__all__ = ["EffectState"]


class EffectState(abc.ABC):
    """The state that one kind of effects of a module updates: a class is the `state` of its ops.

    Attributes
    ----------
    name : str
        How the results of an entry are marked, in `anvl.state`; also the order among states.
    described_as : str
        Attribute of an entry that tells what the state means; empty for none.
    allowed_in_rules : bool
        Whether the rule of a custom derivative, which returns no state, may have such an effect:
        its results are then made to depend on the state (`tied`).
    types : list of ir.Type
        Of the values; set by `__init__`.
    """

    name: ClassVar[str]
    described_as: ClassVar[str] = ""
    allowed_in_rules: ClassVar[bool] = False
    types: list[ir.Type]

    @abc.abstractmethod
    def __init__(self, ops: Sequence[ir.Operation], n_members: int) -> None:
        """Of a module with these ops of this state, and batches nested so deep."""

    def number(self, op: ir.Operation) -> int:
        """The number that `as_values` of an op is told; 0 where nothing asks."""
        return 0

    def initial(self) -> list[Value]:
        """The state in which nothing has happened."""
        return [full(t, 0) for t in self.types]

    def of_members(self, state: Sequence[Value]) -> Sequence[Value]:
        """The state that each member of a batch begins with, given that before it."""
        return state

    @abc.abstractmethod
    def joined(
        self, before: Sequence[Value], members: Sequence[Value], is_implicit: bool
    ) -> Sequence[Value]:
        """The state after a batch: of that before it, and of those of its members, at least one.

        An implicit batch is one that a transformation makes itself.
        """

    def tied(self, results: Sequence[Value], state: Sequence[Value]) -> Sequence[Value]:
        """These results, which now depend on the state."""
        return results

    def description(self) -> ir.Attribute | None:
        """The attribute `described_as`, once all ops have their numbers."""
        return None
