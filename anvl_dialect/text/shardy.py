"""The dialect `sdy` (Shardy), which describes array placement, in programs.

JAX writes it into its programs even for a single device.  MLIR parses no attribute and no op of an
unregistered dialect.  So shardings of arguments, and constraints, are written in the form for
artifacts (Note [Shardings in StableHLO] in `ops/sharding/with_sharding.py`), which `--anvl-lift`
reads; what has no such form, and the rest, does not affect values and is removed from the text.
Everything else keeps its line, for messages.  Bytecode is read by `artifacts.py`.
Source: the Shardy dialect, https://openxla.org/shardy/sdy_dialect.
"""

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress

from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.shardings import MeshShape, mesh_from_sdy, sharding_from_sdy
from anvl.dialect.text.manual_text import NotInPlace, in_place

__all__ = ["NotPlacement", "placement_remark", "without_shardy"]

_SKIPPED = r'"(?:[^"\\\n]|\\.)*"|//[^\n]*'  # strings and comments are skipped
_SAID = rf"""{_SKIPPED}
       | (?P<argument>(?<![\w$.\#!@%])sdy\.sharding\s*=\s*)(?=\#sdy\.sharding<)
       | (?P<attribute>\#sdy(?=[.<])[\w$.]*)
       | (?P<mesh>(?<![\w$.\#!@%])sdy\.mesh\s+@[\w$.\-]+\s*=\s*(?=<))
       | (?P<kept>(?<![\w$.\#!@%])sdy\.(?:sharding_constraint|reshard))
         (?P<of>\s+%[\w$.\-\#]+\s*)(?=<)
       | (?P<other>(?<![\w$.\#!@%])sdy\.[a-z_]+(?=[ \t]*[(\[<%]))
    """
_BRACKET = rf"{_SKIPPED}|->|[(){{}}\[\]<>]"
_MESH = re.compile(r"sdy\.mesh\s+@(?P<name>[\w$.-]+)\s*=\s*(?P<axes><\[[^\]\n]*\][^>\n]*>)")
_TYPE = re.compile(r"\s*:\s*(?P<type>[!\w]+)")
_VALUE = "#sdy.sharding"
_AFTER = r"\s*(?=\{)|\s*loc(?=\()"  # may follow an op
_KINDS = {"#sdy.op_sharding_rule": "sharding rule", "sdy.sharding_rule": "sharding rule"}
#: For text.
_ADVICE = (
    "write it as a manual computation that takes arguments, in the form that MLIR prints, as "
    "jax.shard_map does"
)


class NotPlacement(ValueError):
    """An op of Shardy that does more than place arrays.  Attribute: `at`, its position in text."""

    def __init__(self, name: str, at: int = 0, advice: str = _ADVICE) -> None:
        super().__init__(
            f"{name} divides the computation among devices, in a form that anvl does not read; "
            f"{advice}"
        )
        self.at = at


def without_shardy(text: str) -> tuple[str, Mapping[str, int]]:
    """Remove Shardy from a text, keeping its lines; also return counts of removals by kind.

    Shardings of arguments and constraints, by meshes of the text, are written as Shardy's strings.
    Other attributes of `sdy` become `unit`, its meshes are deleted, and another constraint becomes
    its operand.  Raises `NotPlacement` for any other op.
    """
    if "sdy." not in text and "#sdy" not in text:
        return text, {}
    meshes = _meshes_of(text)
    try:
        text = in_place(text, meshes)
    except NotInPlace as error:
        raise NotPlacement("sdy.manual_computation", error.at) from None
    parts, at, dropped = [], 0, Counter[str]()
    for found in re.finditer(_SAID, text, re.VERBOSE):
        if found.lastgroup is None or found.start() < at:
            continue
        if found["other"]:
            raise NotPlacement(found["other"], found.start())
        start = found.end() + len(_VALUE) if found["argument"] else found.end()
        end = _closed(text, start)
        if end is None:  # MLIR reports it
            break
        kind, new, end = _kept(text, found, end, meshes) or _replaced(text, found, end)
        dropped[kind] += 1
        old = text[found.start() : end]
        parts += [text[at : found.start()], _padded(new, old)]
        at = end
    del dropped[""]
    if not dropped.keys() - {"mesh"} and meshes:
        dropped.clear()  # each sharding has its mesh with it
    return "".join([*parts, text[at:]]), dropped


def _meshes_of(text: str) -> dict[str, MeshShape]:
    """The meshes that a text defines, without those whose axes have no names."""
    found = {}
    for mesh in _MESH.finditer(text):
        with suppress(ShardingError):
            found[mesh["name"]] = mesh_from_sdy(mesh["axes"])
    return found


def _kept(
    text: str, found: re.Match[str], end: int, meshes: Mapping[str, MeshShape]
) -> tuple[str, str, int] | None:
    """Replace a sharding that has a form as a string, as `_replaced` does; else None."""
    try:
        if found["argument"]:
            mesh, spec = sharding_from_sdy(text[found.end() : end], meshes)
            return "", _as_string(f"{_VALUE}<{_inline(mesh)}, {spec.to_sdy()}>"), end
        if found["kept"]:
            mesh, spec = sharding_from_sdy(_VALUE + text[found.end() : end], meshes)
            return _as_call(text, found, end, f"<{_inline(mesh)}, {spec.to_sdy()}>")
    except ShardingError:
        pass
    return None


def _as_call(
    text: str, found: re.Match[str], end: int, sharding: str
) -> tuple[str, str, int] | None:
    """A constraint as a call of a routine; None where its type is not found."""
    type_ = _TYPE.match(text, end)
    stop = None if type_ is None else _closed(text, type_.end())
    if type_ is None or stop is None:
        return None
    of = text[type_.start("type") : stop]
    said = _as_string(f"#sdy.sharding_per_value<[{sharding}]>")
    call = f"stablehlo.custom_call @Sharding({found['of'].strip()}) {{{said}}} : ({of}) -> {of}"
    return "", call, stop


def _inline(mesh: MeshShape) -> str:
    return mesh.to_sdy().removeprefix("#sdy.")


def _as_string(sharding: str) -> str:
    quoted = sharding.replace('"', r"\22")
    return f'mhlo.frontend_attributes = {{xla.sdy.sharding = "{quoted}"}}'


def _replaced(text: str, found: re.Match[str], end: int) -> tuple[str, str, int]:
    """Kind of a match, its replacement, and its end."""
    if found["argument"]:
        return "sharding", found["argument"] + "unit", end
    if found["attribute"]:
        return _KINDS.get(found["attribute"], "sharding"), "unit", end
    if found["kept"]:
        return "constraint", "stablehlo.convert" + found["of"], end
    while after := re.compile(_AFTER).match(text, end):
        end = _closed(text, after.end()) or len(text)
    return "mesh", "", end


def placement_remark(dropped: Mapping[str, int]) -> str:
    """Describe removals, such as `1 mesh, 2 shardings`; empty if there are none."""
    plurals = {"mesh": "meshes"}
    counted = [
        f"{n} {kind if n == 1 else plurals.get(kind, kind + 's')}" for kind, n in dropped.items()
    ]
    if not counted:
        return ""
    return f"array placement (Shardy) is ignored: {', '.join(counted)}"


def _closed(text: str, start: int) -> int | None:
    """End of the brackets that open here; `start` if none opens; None if they never close."""
    depth = 0
    if text[start : start + 1] not in ("<", "{", "("):
        return start
    for token in re.compile(_BRACKET).finditer(text, start):
        if token[0] in ("(", "{", "[", "<"):
            depth += 1
        elif token[0] in (")", "}", "]", ">"):
            depth -= 1
        if depth == 0:
            return token.end()
    return None


def _padded(new: str, old: str) -> str:
    """Pad a replacement to the length of the old text, keeping its line breaks."""
    missing = old.count("\n") - new.count("\n")
    width = len(old.rpartition("\n")[2]) if missing else len(old) - len(new)
    return new + "\n" * missing + " " * width
