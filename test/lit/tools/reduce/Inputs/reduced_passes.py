"""Passes and an op, each wrong in its own way."""

import os
from dataclasses import dataclass

from anvl.dialect import F, emit, ir, unary
from anvl.dialect.core.errors import PassError
from anvl.passes import Pass, find

# The derivative has the wrong sign, in both modes.
sine = unary("reduced.sine", lambda x: emit.sin(x), F, lambda g, x, y: emit.neg(emit.cos(x)))


@dataclass(frozen=True)
class WrongSign(Pass, argument="reduced-sign"):
    """Put the operand of each negation in its place."""

    def run(self, module):
        for op in find(module, "anvl.neg"):
            op.result.replace_all_uses_with(op.operands[0])
            op.erase()


@dataclass(frozen=True)
class WrongPermutation(Pass, argument="reduced-permutation"):
    """Transpose not at all, where the shape allows it."""

    def run(self, module):
        for op in find(module, "anvl.transpose"):
            if op.operands[0].type == op.result.type:
                op.attributes["permutation"] = ir.Attribute.parse("array<i64: 0, 1>")


@dataclass(frozen=True)
class Ends(Pass, argument="reduced-ends"):
    """End the process at a division."""

    def run(self, module):
        if find(module, "anvl.div"):
            os.abort()


@dataclass(frozen=True)
class Fails(Pass, argument="reduced-fails"):
    """Refuse a negation, and in another way a division."""

    def run(self, module):
        for op in find(module, "anvl.neg"):
            raise PassError("reduced-fails", f"no negation of {op.result.type}", str(op.location))
        if find(module, "anvl.div"):
            raise PassError("reduced-fails", "no division")


@dataclass(frozen=True)
class Hangs(Pass, argument="reduced-hangs"):
    """Never end at a division."""

    def run(self, module):
        while find(module, "anvl.div"):
            pass
