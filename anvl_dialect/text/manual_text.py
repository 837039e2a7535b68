"""Shardy's `sdy.manual_computation` in text, as calls that MLIR reads without the dialect.

The op has a region that reads nothing from outside.  MLIR parses no region of an unregistered
dialect; so the text gets the ops of the region in place, with names of their own, between two
custom calls, and keeps its lines.  Once it is parsed they are put into a function, which is the
form of Note [Shardings in StableHLO] in `ops/sharding/with_sharding.py`; `--anvl-lift` reads that.
Source: the Shardy dialect, https://openxla.org/shardy/sdy_dialect, `sdy.manual_computation`.
"""

import re
from collections.abc import Mapping
from itertools import count
from typing import NamedTuple

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.shardings import MeshShape

__all__ = ["MARK", "NotInPlace", "in_place", "outline"]

#: Marks the calls around ops until these are in a function.
MARK = "anvl.manual"
_BODY, _NAMED = "xla.sdy.manual_computation_body", "sym_name"
_SKIPPED = r'"(?:[^"\\\n]|\\.)*"|//[^\n]*'  # strings and comments
_OP = re.compile(
    rf"{_SKIPPED}|(?P<results>%[\w$.\-]+(?::\d+)?\s*=\s*)(?P<op>sdy\.manual_computation)\s*(?=\()"
)
_PART = re.compile(r"\s*(?P<name>in_shardings|out_shardings|manual_axes)\s*=\s*(?=[\[{])")
_BRACKET = re.compile(rf"{_SKIPPED}|->|[(){{}}\[\]<>]")
_VALUE = re.compile(rf"{_SKIPPED}|%(?P<name>[\w$.\-]+)")
_RETURN = re.compile(rf"{_SKIPPED}|(?P<op>sdy\.return)\b[^:\n]*:[^\n]*")
_RETURNED = re.compile(r"sdy\.return\s+(?P<values>[^:\n]*):\s*(?P<types>[^\n]*)")
_SCALAR = re.compile(r"tensor<[a-z]\w*>")
_COMMUNICATES = re.compile(r"channel_handle|sdy\.manual_computation")
_ARGUMENT = re.compile(r"%(?P<name>[\w$.\-]+)\s*:\s*(?P<type>[!\w]+(?:<[^>]*>)?)")


class NotInPlace(ValueError):
    """A manual computation that is not in the form that MLIR prints.  Attribute: `at`."""

    def __init__(self, at: int) -> None:
        super().__init__("it is not in the form that MLIR prints")
        self.at = at


class _Op(NamedTuple):
    """The parts of a manual computation in a text: where each begins and ends."""

    start: int
    results: str
    operands: str
    texts: dict[str, str]
    arguments: list[tuple[str, str]]
    body: tuple[int, int]
    types: tuple[str, str]
    end: int


def in_place(text: str, meshes: Mapping[str, MeshShape]) -> str:
    """Put the ops of manual computations in place of these, in as many lines.

    One within another, as JAX writes for `axis_index`, without arguments and with a scalar result,
    goes into that.  Raises `NotInPlace` for one in another form, or without arguments.
    """
    parts, at = [], 0
    for number, op in enumerate(_ops(text)):
        if not op.operands.strip():
            raise NotInPlace(op.start)
        old = text[op.start : op.body[0]]
        try:
            body, inner = _flat(text[slice(*op.body)])
        except NotInPlace as error:
            raise NotInPlace(op.body[0] + error.at) from None
        name = f"manual{number}"
        before = _call(f"%{name}.in", "GlobalToLocalShape", op.operands, {
            "in_shardings": op.texts["in_shardings"], "manual_axes": op.texts["manual_axes"],
        }, op.types[0], [type_ for _, type_ in op.arguments], meshes)  # fmt: skip
        parts += [text[at : op.start], _padded(before, old)]
        parts.append(_renamed(body, op, name, inner, meshes))
        closing = text[op.body[1] : op.end]
        parts.append("\n" * closing.count("\n"))
        at = op.end
    return "".join([*parts, text[at:]]) if parts else text


def _ops(text: str) -> list[_Op]:
    found, end = [], 0
    for match in _OP.finditer(text):
        if match["op"] is None or match.start() < end:
            continue
        op = _parsed(text, match)
        found.append(op)
        end = op.end
    return found


def _parsed(text: str, match: re.Match[str]) -> _Op:
    at = _closed(text, match.end(), match)
    operands, texts = text[match.end() + 1 : at - 1], {}
    while part := _PART.match(text, at):
        at = _closed(text, part.end(), match)
        texts[part["name"]] = text[part.end() : at]
    opened = re.compile(r"\s*(?=\()").match(text, at)
    if opened is None or len(texts) != 3:
        raise NotInPlace(match.start("op"))
    at = _closed(text, opened.end(), match)
    arguments = [(m["name"], m["type"]) for m in _ARGUMENT.finditer(text[opened.end() : at])]
    opened = re.compile(r"\s*(?=\{)").match(text, at)
    if opened is None:
        raise NotInPlace(match.start("op"))
    at = _closed(text, opened.end(), match)
    body = opened.end() + 1, at - 1
    tail = re.compile(r"\s*(?:\{[^}\n]*\}\s*)?:\s*(?=\()").match(text, at)
    if tail is None:
        raise NotInPlace(match.start("op"))
    at = _closed(text, tail.end(), match)
    ins = text[tail.end() : at]
    arrow = re.compile(r"\s*->\s*(?P<outs>\([^\n]*?\)|[!\w]+<[^>\n]*>)").match(text, at)
    if arrow is None:
        raise NotInPlace(match.start("op"))
    place = re.compile(r"\s*loc(?=\()").match(text, arrow.end())
    end = arrow.end() if place is None else _closed(text, place.end(), match)
    types = ins, arrow["outs"]
    return _Op(match.start(), match["results"], operands, texts, arguments, body, types, end)


def _closed(text: str, start: int, match: re.Match[str]) -> int:
    depth = 0
    for token in _BRACKET.finditer(text, start):
        depth += (token[0] in "([{<") - (token[0] in ")]}>") if len(token[0]) == 1 else 0
        if depth == 0:
            return token.end()
    raise NotInPlace(match.start("op"))


def _flat(body: str) -> tuple[str, dict[str, str]]:
    """A region with the ops of the computations within it, and the values that these return.

    These name the position of a device: each device of the other axes computes the same.
    """
    parts, at, values = [], 0, {}
    for number, op in enumerate(_ops(body)):
        inner = body[slice(*op.body)]
        end = next((m for m in _RETURN.finditer(inner) if m["op"]), None)
        returned = None if end is None else _RETURNED.match(end[0])
        value = None if returned is None else _VALUE.fullmatch(returned["values"].strip())
        is_scalar = _SCALAR.fullmatch(op.types[1]) and not _COMMUNICATES.search(inner)
        if op.operands.strip() or end is None or value is None or not is_scalar:
            raise NotInPlace(op.start)
        prefix = f"at{number}"
        values[op.results.partition("=")[0].strip()[1:]] = f"{prefix}.{value['name']}"
        inner = inner[: end.start()] + inner[end.end() :]
        parts += [body[at : op.start], _padded("", body[op.start : op.body[0]])]
        parts += [_prefixed(inner, prefix), _padded("", body[op.body[1] : op.end])]
        at = op.end
    return "".join([*parts, body[at:]]), values


def _prefixed(text: str, prefix: str) -> str:
    """A text with `prefix` before the name of each value."""

    def value(match: re.Match[str]) -> str:
        return match[0] if match["name"] is None else f"%{prefix}.{match['name']}"

    return _VALUE.sub(value, text)


def _renamed(
    body: str, op: _Op, name: str, inner: Mapping[str, str], meshes: Mapping[str, MeshShape]
) -> str:
    """The ops of a region with names of their own, and the call at its end.

    `inner` are other names of values.
    """
    single = len(op.arguments) == 1
    known = {of: f"%{name}.{other}" for of, other in inner.items()}
    known |= {
        of: f"%{name}.in" if single else f"%{name}.in#{i}" for i, (of, _) in enumerate(op.arguments)
    }

    def value(match: re.Match[str]) -> str:
        if match["name"] is None:
            return match[0]
        return known.get(match["name"], f"%{name}.{match['name']}")

    def returned(match: re.Match[str]) -> str:
        if match["op"] is None:
            return match[0]
        parts = _RETURNED.match(match[0])
        if parts is None:
            raise NotInPlace(op.body[0])
        types = re.sub(r"\s*loc\(.*$", "", parts["types"].strip())
        return _call(
            op.results.partition("=")[0].partition(":")[0].strip(),
            "LocalToGlobalShape", parts["values"].strip(),
            {"out_shardings": op.texts["out_shardings"], "manual_axes": op.texts["manual_axes"]},
            f"({types})", op.types[1], meshes,
        )  # fmt: skip

    return _RETURN.sub(returned, _VALUE.sub(value, body))


def _call(
    result: str,
    target: str,
    operands: str,
    texts: dict[str, str],
    takes: str,
    gives: str | list[str],
    meshes: Mapping[str, MeshShape],
) -> str:
    results = len(gives) if isinstance(gives, list) else _count(gives)
    types = f"({', '.join(gives)})" if isinstance(gives, list) else gives
    said = ", ".join(f'xla.sdy.{key} = "{_quoted(key, t, meshes)}"' for key, t in texts.items())
    several = f":{results}" if results > 1 else ""
    return (
        f"{result}{several} = stablehlo.custom_call @xla.sdy.{target}({operands}) "
        f"{{{MARK}, has_side_effect = true, mhlo.frontend_attributes = {{{said}}}}} : "
        f"{takes} -> {types}"
    )


def _count(types: str) -> int:
    """The number of types in the text of results."""
    if not types.startswith("("):
        return 1
    depth, commas = 0, 0
    for c in types[1:-1].replace("->", "  "):
        depth += (c in "<([{") - (c in ">)]}")
        commas += c == "," and not depth
    return commas + 1


def _quoted(key: str, text: str, meshes: Mapping[str, MeshShape]) -> str:
    if key == "manual_axes":
        return f"#sdy<manual_axes{text}>".replace('"', r"\22")
    named = re.sub(
        r"@([\w$.\-]+)",
        lambda m: meshes[m[1]].to_sdy().removeprefix("#sdy.") if m[1] in meshes else m[0],
        text,
    )
    return re.sub(r"\s*\n\s*", " ", f"#sdy.sharding_per_value<{named}>").replace('"', r"\22")


def _padded(new: str, old: str) -> str:
    return new + "\n" * old.count("\n")


def outline(module: ir.Module) -> None:
    """Put the ops between the calls that `in_place` wrote into functions."""
    calls: list[ir.Operation] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        if op.name == "stablehlo.custom_call" and MARK in op.attributes:
            calls.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(collect)
    symbols = [
        op.attributes["sym_name"] for op in module.body.operations if _NAMED in op.attributes
    ]
    names = {ir.StringAttr(name).value for name in symbols}
    for before, after in zip(calls[::2], calls[1::2], strict=True):
        name = next(name for n in count() if (name := f"{_BODY}_{n}") not in names)
        names.add(name)
        _outlined(module, before, after, name)


def _outlined(module: ir.Module, before: ir.Operation, after: ir.Operation, name: str) -> None:
    ops = [op.operation for op in before.block.operations]
    inside = ops[ops.index(before) + 1 : ops.index(after)]
    takes, gives = [y.type for y in before.results], [x.type for x in after.operands]
    with module.context, before.location:
        made = ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": ir.StringAttr.get(name),
                "sym_visibility": ir.StringAttr.get("private"),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get(takes, gives)),
            },
            regions=1,
            ip=ir.InsertionPoint.at_block_begin(module.body),
        )
        block = made.regions[0].blocks.append(*takes, arg_locs=[before.location] * len(takes))
        for x, argument in zip(before.results, block.arguments, strict=True):
            x.replace_all_uses_with(argument)
        for op in inside:
            block.append(op)
        ir.Operation.create("func.return", [], list(after.operands), ip=ir.InsertionPoint(block))
        callee = {"callee": ir.FlatSymbolRefAttr.get(name)}
        call = ir.Operation.create(
            "func.call", gives, list(before.results), callee, ip=ir.InsertionPoint(after)
        )
    for i, y in enumerate(call.results):
        after.operands[i] = y
    for op in (before, after):
        del op.attributes[MARK]
