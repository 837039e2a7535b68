"""What the text of a program says in the dialect `sdy` (Shardy), of where arrays lie: left out.

JAX writes it into its programs also where there is one device.  Nothing of it says what is
computed.  MLIR parses no attribute and no op of a dialect that it does not know, so they are taken
out of the text; whatever else stays where it was, for the lines in messages.
Source: the Shardy dialect, https://openxla.org/shardy/sdy_dialect.
"""

import re

from anvl.dialect.mlir import ir

__all__ = ["drop_placement", "without_shardy"]

_SKIPPED = r'"(?:[^"\\\n]|\\.)*"|//[^\n]*'  # strings and comments: nothing in them is meant
_SAID = re.compile(
    rf"""{_SKIPPED}
       | (?P<attribute>\#sdy(?=[.<])[\w$.]*)
       | (?P<mesh>(?<![\w$.\#!@%])sdy\.mesh\s+@[\w$.\-]+\s*=\s*(?=<))
       | (?P<kept>(?<![\w$.\#!@%])sdy\.sharding_constraint)(?P<of>\s+%[\w$.\-\#]+\s*)(?=<)
    """,
    re.VERBOSE,
)
_BRACKET = re.compile(rf"{_SKIPPED}|->|[(){{}}\[\]<>]")
_AFTER = re.compile(r"\s*(?=\{)|\s*loc(?=\()")  # what may come after an op


def without_shardy(text: str) -> str:
    """The text, of as many lines: attributes of `sdy` are `unit`, and its meshes are not there.

    A constraint of where an array lies is the array.
    """
    if "sdy." not in text and "#sdy" not in text:
        return text
    parts, at = [], 0
    for found in _SAID.finditer(text):
        if found.lastgroup is None or found.start() < at:
            continue
        end = _closed(text, found.end())
        if end is None:  # MLIR says so
            break
        if found["attribute"]:
            new = "unit"
        elif found["mesh"]:
            new = ""
            while after := _AFTER.match(text, end):
                end = _closed(text, after.end()) or len(text)
        else:
            new = "stablehlo.convert" + found["of"]
        old = text[found.start() : end]
        parts += [text[at : found.start()], _padded(new, old)]
        at = end
    return "".join([*parts, text[at:]])


def _closed(text: str, start: int) -> int | None:
    """Where the brackets that open here have closed; here, where none opens; None if never."""
    depth = 0
    if text[start : start + 1] not in ("<", "{", "("):
        return start
    for token in _BRACKET.finditer(text, start):
        if token[0] in ("(", "{", "[", "<"):
            depth += 1
        elif token[0] in (")", "}", "]", ">"):
            depth -= 1
        if depth == 0:
            return token.end()
    return None


def _padded(new: str, old: str) -> str:
    """Text in place of another that is as long, with lines that end where they did."""
    missing = old.count("\n") - new.count("\n")
    width = len(old.rpartition("\n")[2]) if missing else len(old) - len(new)
    return new + "\n" * missing + " " * width


def drop_placement(module: ir.Operation) -> None:
    """Remove the attributes of ops that `sdy` has a name of."""

    def visit(op: ir.Operation) -> ir.WalkResult:
        for name in [name for name in op.attributes if name.startswith("sdy.")]:
            del op.attributes[name]
        return ir.WalkResult.ADVANCE

    module.walk(visit)
