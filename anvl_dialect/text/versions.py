"""The dialect version in saved programs, and replacement of older names on reading.

A program that anvl saves (`anvl-opt -o FILE`, `--emit-bytecode`) has `anvl.version = "0.1"` on its
module: the first version of anvl that reads it.  A module without it counts as current.

    mark(module)               before a module is saved
    renamed(content, path)     the program with current names, as bytecode, if it has older ones
    check_and_unmark(module)   after it is read: in memory every module is current
    is_newer("0.3")            whether this anvl cannot read such a program

See Note [Reading older programs].
"""

import io
import re
from collections.abc import Iterator
from typing import NamedTuple

from anvl.dialect.core.mlir import ir, load_stablehlo
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.text.artifacts import deserialised
from anvl.dialect.text.hazards import InvalidOp

__all__ = ["ATTRIBUTE", "VERSION", "Renamed", "check_and_unmark", "is_newer", "mark", "renamed"]

#: The first anvl that reads programs of this one: raised to the version of the next release when an
#: op or an attribute is added, renamed or removed, or changes its meaning.
VERSION = "0.1"
ATTRIBUTE = "anvl.version"


class Renamed(NamedTuple):
    """A renamed op, or an op with renamed attributes: `{old: new}`."""

    old: str
    new: str
    attributes: dict[str, str] = {}  # noqa: RUF012 - a literal of the table, never changed


#: Renamings by the version that has the new names.
#: `Renamed("func.func", "func.func", {"anvl.a": "anvl.b"})` is a renamed declaration.
RENAMED: dict[str, list[Renamed]] = {}

# Note [Reading older programs]
#
# MLIR refuses unknown ops of a registered dialect while it parses, in text and in bytecode: so old
# names cannot be replaced afterwards.  A program that may have some is first read in a separate
# context without the anvl dialect, which accepts ops of unknown dialects.  There its version is
# read, its names are replaced, and it is written as bytecode, with its locations, for the shared
# context.  A substring search finds the programs that may need this: no current one does.  Old
# forms that today's MLIR can parse are upgraded by `upgrades.py`.


def mark(module: ir.Module) -> None:
    """Mark a module with the dialect version, if it uses the dialect."""
    if _uses_anvl(module.operation):
        module.operation.attributes[ATTRIBUTE] = ir.StringAttr.get(VERSION, module.context)


def _uses_anvl(root: ir.Operation) -> bool:
    found = False

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal found
        found = op.name.startswith("anvl.") or any(
            name.startswith("anvl.") for name in op.attributes.keys()
        )
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    root.walk(visit)
    return found


def check_and_unmark(module: ir.Module) -> None:
    """Raise `InvalidOp` for a module of a newer version; remove its version mark."""
    for op in _modules(module):
        _version_of(op)
        if ATTRIBUTE in op.attributes:
            del op.attributes[ATTRIBUTE]


def _modules(module: ir.Module) -> Iterator[ir.Operation]:
    """The module, and the modules that a text holds side by side."""
    yield module.operation
    for op in module.body.operations:
        if op.operation.name == "builtin.module":
            yield op.operation


def _version_of(module: ir.Operation) -> str:
    """Version of a module, current if unmarked.  Raises `InvalidOp`."""
    if ATTRIBUTE not in module.attributes:
        return VERSION
    said = module.attributes[ATTRIBUTE]
    text = said.value if isinstance(said, ir.StringAttr) else ""
    if not re.fullmatch(r"\d+(\.\d+)*", text):
        problem = f'{ATTRIBUTE} must be a version, as in "{VERSION}", got {said}'
        raise InvalidOp(problem, str(module.location))
    if _numbers(text) > _numbers(VERSION):
        problem = (
            f"the program was written by a newer anvl and needs version {text} or later; this one "
            f"reads programs up to {VERSION}; install a newer anvl"
        )
        raise InvalidOp(problem, str(module.location))
    return text


def is_newer(version: str) -> bool:
    """Whether a version of the dialect is newer than this one; `ValueError` if it is none."""
    return _numbers(version) > _numbers(VERSION)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def renamed(content: str | bytes, path: str | None = None) -> bytes | None:
    """Replace older names; return the program as bytecode, or None if it has none.

    Raises `InvalidOp` for a program of a newer version.
    """
    if not _may_be_newer(content) and not _may_be_older(content):
        return None
    context = ir.Context()
    context.allow_unregistered_dialects = True
    load_stablehlo(context)
    said = context.attach_diagnostic_handler(lambda _: True)
    try:
        module = _read(content, path, context)
    except (ValueError, ir.MLIRError):  # the next reader reports it
        return None
    finally:
        said.detach()
    replaced = [_rename_all(op) for op in _modules(module)]
    if not any(replaced):
        return None
    written = io.BytesIO()
    module.operation.write_bytecode(written)
    return written.getvalue()


def _read(content: str | bytes, path: str | None, context: ir.Context) -> ir.Module:
    if isinstance(content, bytes):
        return deserialised(content, context)
    if path is not None:
        return ir.Module.parseFile(path, context)
    return ir.Module.parse(content, context)


def _may_be_newer(content: str | bytes) -> bool:
    """Whether a newer version occurs somewhere; in bytecode each string is zero-terminated."""
    if isinstance(content, str):
        versions = re.findall(r'anvl\.version"?\s*=\s*"([\d.]+)"', content)
    elif ATTRIBUTE.encode() in content:
        versions = [v.decode() for v in re.findall(rb"(?<![\d.])(\d+(?:\.\d+)+)\0", content)]
    else:
        return False
    ours = _numbers(VERSION)
    return any(_numbers(v) > ours for v in versions if re.fullmatch(r"\d+(\.\d+)*", v))


def _may_be_older(content: str | bytes) -> bool:
    """Whether a replaced name occurs somewhere; bytecode has it without the dialect."""
    for rule in (rule for rules in RENAMED.values() for rule in rules):
        for name in (rule.old,) if rule.old != rule.new else rule.attributes:
            if isinstance(content, str):
                found = name in content
            else:
                found = name.removeprefix("anvl.").encode() + b"\0" in content
            if found:
                return True
    return False


def _rename_all(module: ir.Operation) -> bool:
    """Replace older names in a module; return whether there were any."""
    said = ATTRIBUTE in module.attributes
    version = _numbers(_version_of(module))
    changed = False
    for since, rules in sorted(RENAMED.items(), key=lambda item: _numbers(item[0])):
        if said and _numbers(since) <= version:
            continue
        for rule in rules:
            # An unmarked module is current: only names that no op has now are old.
            if not said and rule.old != rule.new and rule.old in OPS:
                continue
            changed |= _rename(module, rule)
    return changed


def _rename(module: ir.Operation, rule: Renamed) -> bool:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == rule.old and (
            rule.old != rule.new or any(name in op.attributes for name in rule.attributes)
        ):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.walk(visit)  # post-order: an inner op is replaced before it moves
    for op in found:
        _replace(op, rule)
    return bool(found)


def _replace(op: ir.Operation, rule: Renamed) -> None:
    attributes = {
        rule.attributes.get(name, name): op.attributes[name] for name in op.attributes.keys()
    }
    if rule.old == rule.new:  # in place: a function keeps its inherent attributes
        for name in rule.attributes:
            if name in op.attributes:
                del op.attributes[name]
        for name, attribute in attributes.items():
            op.attributes[name] = attribute
        return
    new = ir.Operation.create(
        rule.new, [y.type for y in op.results], list(op.operands), attributes,
        list(op.successors), len(op.regions), op.location, ir.InsertionPoint(op),
    )  # fmt: skip
    for region, emptied in zip(new.regions, op.regions, strict=True):
        while emptied.blocks:
            emptied.blocks[0].append_to(region)
    for y, z in zip(op.results, new.results, strict=True):
        y.replace_all_uses_with(z)
    op.erase()
