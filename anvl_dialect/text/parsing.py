"""Parsing of modules, with checks for text that crashes MLIR and for wrongly verified ops.

MLIR's parsers trust their input: text that nests too deep overflows the stack.
"""

import re

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import is_array
from anvl.dialect.text.artifacts import deserialised
from anvl.dialect.text.hazards import InvalidOp, check_text
from anvl.dialect.text.manual_text import MARK, outline
from anvl.dialect.text.shardy_bytecode import NOTHING_KNOWN
from anvl.dialect.text.shardy_ops import rewrite_placement
from anvl.dialect.text.versions import ATTRIBUTE, check_and_unmark, renamed

__all__ = ["InvalidOp", "parsed", "too_deep"]

# Note [Verifying borrowed ops]
#
# StableHLO's own ops, some of which the dialect borrows, are verified by StableHLO in C++, at the
# end of parsing.  For three of them it accepts what its specification forbids: updates or sources
# of another dtype than the array; and it accepts scatters without index components, whose updates
# XLA loses.  Our type rules refuse those, so they are applied after parsing, to ops on anvl's
# arrays.

# As strings: `re` compiles them on first use, not at import.
_OPENERS = r"[({\[<]"
_MINUS_RUN = r"-(?:\s*+-)++"  # in an affine map each minus is one more level
_TOKEN = r""" "(?:[^"\\\n]|\\.)*"   # a string: brackets in it do not nest
       | //[^\n]*              # a comment
       | -> | >= | <=          # no brackets
       | [(){}\[\]<>]
    """
_AS_ROUND = bytes.maketrans(b"{[<}]>", b"((()))")
_NO_MARKS = bytes(set(range(256)) - set(b'(){}[]<>"\n'))
_ALIAS = r"^[ \t]*([#!][\w$.\-]+)[ \t]*=(.*)$"
# Such as `%0 = anvl.sin %x`, but no attribute, `anvl.vjp = {`.
_CUSTOM_FORM = r"^[ \t]*(?:%[^\n=\"/]*=[ \t]*)?(anvl\.\w+)\b(?![ \t]*=)"
_REFERENCE = r"[#!][A-Za-z_$][\w$.\-]*"


def parsed(
    content: str | bytes, name: str, context: ir.Context, path: str | None = None
) -> ir.Module:
    """Parse and verify a module: text, bytecode or a portable artifact of StableHLO.

    `path` is the file of the text, if the text is a whole file.  Raises `ir.MLIRError` for input
    that MLIR refuses, or `ValueError` for artifacts, and `InvalidOp` for input that only anvl's
    rules refuse, or for an op that is not in generic form.  Malformed bytes may crash the process:
    see `bytecode.py`.
    """
    if isinstance(content, str):
        check_text(name, content)
    try:
        module = _read(content, context, path)
    except ir.MLIRError:
        if isinstance(content, str):
            _check_forms(content, path)
        raise
    if (ATTRIBUTE if isinstance(content, str) else ATTRIBUTE.encode()) in content:  # type: ignore[operator]
        check_and_unmark(module)
    if isinstance(content, bytes) or re.search(r"anvl\.(case|while)\b", content):
        from anvl.dialect.text.upgrades import upgrade  # it needs the ops, which need this file

        upgrade(module)
    if isinstance(content, bytes) or any(name in content for name in _borrowed()):
        _check_borrowed(module)
    if isinstance(content, str):
        _settle_shardy(module, content)
    return module


def _settle_shardy(module: ir.Module, text: str) -> None:
    if MARK in text:
        outline(module)
    if "sdy." in text:
        rewrite_placement(module, NOTHING_KNOWN)


def _read(content: str | bytes, context: ir.Context, path: str | None) -> ir.Module:
    of_today = renamed(content, path)
    if of_today is not None:
        return ir.Module.parse(of_today, context)
    if path is not None:
        return ir.Module.parseFile(path, context)  # locations get the file's name
    if isinstance(content, bytes):
        return deserialised(content, context)
    return ir.Module.parse(content, context)


def _check_forms(text: str, path: str | None) -> None:
    """Name the first op of ours that is not in generic form; MLIR fails there without a word."""
    for match in re.finditer(_CUSTOM_FORM, text, re.MULTILINE):
        name = match[1]
        if name in OPS:
            line = text.count("\n", 0, match.start(1)) + 1
            column = match.start(1) - text.rfind("\n", 0, match.start(1))
            raise InvalidOp(
                f'{name}: has no form of its own; write the generic one, "{name}"(...) with the '
                "types of its operands and results, as anvl-opt prints it",
                f'loc("{path or "-"}":{line}:{column})',
            )


def _borrowed() -> list[str]:
    # Not cached: this file may be imported before ops are defined.
    return [name for name in OPS if name.startswith("stablehlo.")]


def _check_borrowed(module: ir.Module) -> None:
    found: list[InvalidOp] = []
    borrowed = _borrowed()

    def check(op: ir.Operation) -> ir.WalkResult:
        try:
            if op.name in borrowed:
                _check_one(op)
        except InvalidOp as error:  # the walk would wrap a raised error
            found.append(error)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    module.operation.walk(check)
    if found:
        raise found[0]


def _check_one(op: ir.Operation) -> None:
    op_class, types = OPS[op.name], [x.type for x in op.operands]
    if not all(map(is_array, (*types, *(y.type for y in op.results)))):
        return
    try:
        params = op_class.read(op)
        op_class.result_type(*types, **{k: params[k] for k in params if k not in op_class.bodies})
    except TypeError as error:
        raise InvalidOp(str(error), str(op.location)) from None


def too_deep(text: str, most: int) -> int | None:
    """Position at which a text nests deeper than `most` levels, or None."""
    tests = (_minuses_too_deep, _brackets_too_deep, _aliases_too_deep)
    return next((at for test in tests if (at := test(text, most)) is not None), None)


def _minuses_too_deep(text: str, most: int) -> int | None:
    if text.count("-") <= most:
        return None
    runs = re.finditer(_MINUS_RUN, text)
    return next((run.start() for run in runs if run[0].count("-") > most), None)


def _brackets_too_deep(text: str, most: int) -> int | None:
    """Position at which brackets nest too deep."""
    if sum(map(text.count, "({[<")) <= most or _most_levels(text, most) <= most:
        return None
    depth = 0
    for token in re.finditer(_TOKEN, text, re.VERBOSE):
        if token[0] in ("(", "{", "[", "<"):
            depth += 1
        elif token[0] in (")", "}", "]", ">"):
            depth = max(depth - 1, 0)
        if depth > most:
            return token.start()
    return None


_MOST_ROUNDS = 100


def _most_levels(text: str, most: int) -> int:
    """A bound on the depth of brackets, if it is `most` or less.

    Taking out all pairs `()` at once takes out a level, but for brackets that nothing closes.  In
    a tenth of the time of reading the tokens: 20 ms for 20,000 ops.
    """
    if "\\" in text or "//" in text:  # an escape, a comment
        return len(text)
    for sign in ("->", ">=", "<="):
        text = text.replace(sign, "  ")
    marks = text.encode("utf-8", "surrogatepass").translate(_AS_ROUND, _NO_MARKS)
    brackets = re.sub(rb'"[^"\n]*"|["\n]', b"", marks)
    for level in range(min(most, _MOST_ROUNDS)):  # of a deeper text the tokens take less time
        if level + brackets.count(b"(") <= most:
            return level + brackets.count(b"(")
        brackets = brackets.replace(b"()", b"")
    return most + brackets.count(b"(")


def _aliases_too_deep(text: str, most: int) -> int | None:
    """Position of an alias nested too deep through preceding aliases: `!b = tuple<!a>`."""
    if "=" not in text or sum(map(text.count, "#!")) <= most:
        return None
    depths: dict[str, int] = {}
    for alias in re.finditer(_ALIAS, text, re.MULTILINE):
        below = (depths.get(name, 0) for name in re.findall(_REFERENCE, alias[2]))
        depths[alias[1]] = 1 + max(below, default=0)
        if depths[alias[1]] > most:
            return alias.start(1)
    return None
