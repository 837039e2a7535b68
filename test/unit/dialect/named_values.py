"""A function as text whose values tests call by the names that they have in it."""

import re

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir

__all__ = ["Text"]


class Text:
    """A parsed function: its ops without the terminator, and its values by name."""

    def __init__(self, text: str) -> None:
        with context():
            self.module = ir.Module.parse(text)
        block = self.module.body.operations[0].regions[0].blocks[0]
        *self.ops, self.terminator = list(block.operations)
        self.block = block
        every = [*block.arguments, *(y for op in self.ops for y in op.results)]
        written = re.findall(r"%(\w+): ", text.split("\n")[1])
        for line in re.findall(r"^  (%.*?) =", text, re.MULTILINE):
            written += line.replace("%", "").split(", ")
        self.values = dict(zip(written, every, strict=True))
        self.names = {x: name for name, x in self.values.items()}

    def __call__(self, names: str) -> list[ir.Value]:
        return [self.values[name] for name in names.split()]

    def named(self, values) -> set[str]:
        return {self.names[x] for x in values}

    def defined(self, ops) -> list[str]:
        """The names of the first results of ops, in order."""
        return [self.names[op.results[0]] for op in ops]
