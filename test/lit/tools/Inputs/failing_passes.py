"""Passes that do wrong what a pass can do wrong, each in one way."""

import ctypes
import os
import sys
from dataclasses import dataclass

from anvl.dialect import ir
from anvl.dialect.core.mlir import rewrite
from anvl.passes import Pass, find, option


@dataclass(frozen=True)
class EraseUsed(Pass, argument="my-erase-used"):
    """Erase each sine, though its result is used."""

    def run(self, module):
        for op in find(module, "anvl.sin"):
            op.erase()


@dataclass(frozen=True)
class EraseByPattern(Pass, argument="my-erase-by-pattern"):
    """Erase each sine in a pattern, though its result is used."""

    def run(self, module):
        _rewrite(module, lambda op, rewriter: rewriter.erase_op(op))


@dataclass(frozen=True)
class WrongType(Pass, argument="my-wrong-type"):
    """Replace each sine by a cosine of another type."""

    def run(self, module):
        def replace(op, rewriter):
            wrong = ir.Type.parse("tensor<7xf64>")
            args = {"ip": rewriter.ip, "loc": op.location}
            rewriter.replace_op(
                op, ir.Operation.create("anvl.cos", [wrong], list(op.operands), **args)
            )

        _rewrite(module, replace)


@dataclass(frozen=True)
class DeadHandle(Pass, argument="my-dead-handle"):
    """Touch the result of an op that is erased."""

    def run(self, module):
        sine = find(module, "anvl.sin")[0]
        result = sine.result
        result.replace_all_uses_with(sine.operands[0])
        sine.erase()
        for _ in range(1000):
            str(result.type), str(result.owner), list(result.uses)


@dataclass(frozen=True)
class CrashInPattern(Pass, argument="my-crash-in-pattern"):
    """Crash in a pattern on multiplications."""

    def run(self, module):
        _rewrite(module, lambda op, rewriter: ctypes.string_at(0), root="anvl.mul")


@dataclass(frozen=True)
class End(Pass, argument="my-end"):
    """End the process."""

    how: str = option("abort", help="abort, exit, sys or kill")

    def run(self, module):
        ways = {
            "abort": os.abort,
            "exit": lambda: os._exit(0),
            "sys": lambda: sys.exit(0),
            "kill": lambda: os.kill(os.getpid(), 9),
        }
        ways[self.how]()


def _rewrite(module, function, root="anvl.sin"):
    patterns = rewrite.RewritePatternSet()
    patterns.add(root, function)
    rewrite.walk_and_apply_patterns(module, patterns.freeze())
