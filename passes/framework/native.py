"""Native passes of MLIR and StableHLO: their names, and validation of their text.

The bindings cannot list them, so this file lists the names of the common ones, and asks MLIR's own
parser which of them this build has.
"""

import functools
import re

from anvl.dialect.core.errors import nearest
from anvl.dialect.core.mlir import PassManager, ir
from anvl.passes.framework.pass_base import registered_passes

__all__ = ["anchor_of", "check", "exists", "names", "options_of", "unknown_pass", "with_defaults"]

_KNOWN = (
    "canonicalize",
    "chlo-legalize-to-stablehlo",
    "composite-fixed-point-pass",
    "control-flow-sink",
    "cse",
    "generate-runtime-verification",
    "inline",
    "loop-invariant-code-motion",
    "loop-invariant-subset-hoisting",
    "mem2reg",
    "print-ir",
    "print-op-stats",
    "remove-dead-values",
    "sccp",
    "shape-legalize-to-stablehlo",
    "sroa",
    "stablehlo-aggressive-folder",
    "stablehlo-aggressive-simplification",
    "stablehlo-canonicalize-dynamism",
    "stablehlo-check-shape-assertions",
    "stablehlo-compatibility-expander",
    "stablehlo-complex-math-expander",
    "stablehlo-convert-to-signless",
    "stablehlo-legalize-composite-to-call",
    "stablehlo-legalize-deprecated-ops",
    "stablehlo-legalize-qdq-to-quantized-op",
    "stablehlo-legalize-quant-to-math",
    "stablehlo-legalize-quantized-op-to-qdq",
    "stablehlo-legalize-to-linalg",
    "stablehlo-legalize-to-vhlo",
    "stablehlo-refine-arguments",
    "stablehlo-refine-shapes",
    "stablehlo-target-independent-optimization",
    "stablehlo-wrap-in-composite",
    "strip-debuginfo",
    "symbol-dce",
    "symbol-privatize",
    "topological-sort",
    "vhlo-legalize-to-stablehlo",
    "vhlo-to-version",
    "view-op-graph",
)
_NAME = r"[A-Za-z_][\w.\-]*"
_RESTRICTED = r"restricted to '([\w.]+)' on a PassManager"


@functools.cache
def _context() -> ir.Context:
    """A small context to parse pipelines in before any module is there."""
    return ir.Context(load_on_create_dialects=["builtin"])


@functools.cache
def names() -> tuple[str, ...]:
    """The names of the known native passes that this build of MLIR has."""
    return tuple(filter(exists, _KNOWN))


@functools.lru_cache(maxsize=1024)
def exists(name: str) -> bool:
    """Whether MLIR has a pass of this name."""
    if not re.fullmatch(_NAME, name):
        return False
    return "does not refer to a registered pass" not in (_parse_error("any", name) or "")


@functools.lru_cache(maxsize=1024)
def check(anchor: str, text: str) -> None:
    """Raise `ValueError` unless MLIR accepts the pipeline element `text` on `anchor`."""
    error = _parse_error(anchor, text)
    if error is None:
        return
    restricted = re.search(_RESTRICTED, error)
    if restricted is not None:
        wanted = restricted[1]
        raise ValueError(
            f"{text}: this pass runs on {wanted}, not on {anchor}; write {wanted}({text})"
        )
    raise ValueError(f"{text}: {_one_line(error)}")


def anchor_of(text: str) -> str:
    """The op that the pass `text` must run on, or `""` for any op."""
    restricted = re.search(_RESTRICTED, _parse_error("builtin.module", text) or "")
    return restricted[1] if restricted else ""


def with_defaults(anchor: str, text: str) -> str:
    """The text of a pass as MLIR prints it, with the defaults of options, but not empty ones."""
    with _context():
        manager = PassManager(anchor)
        manager.add(text)
    printed = str(manager).removeprefix(f"{anchor}(").removesuffix(")")
    name, brace, options = printed.partition("{")
    kept = [o for o in _split(options.removesuffix("}")) if o and not o.endswith("=")]
    return f"{name}{{{' '.join(kept)}}}" if brace and kept else name


def _split(options: str) -> list[str]:
    """Options, each `name=value`, at the blanks outside of brackets."""
    return re.findall(r"(?:[^\s({]|\([^)]*\)|\{[^}]*\})+", options)


def options_of(name: str) -> dict[str, str]:
    """The options of a pass that have a default, and it: more the bindings do not tell."""
    anchor = anchor_of(name) or "builtin.module"
    _, _, options = with_defaults(anchor, name).partition("{")
    pairs = (option.partition("=") for option in _split(options.removesuffix("}")))
    return {key: value for key, _, value in pairs}


def unknown_pass(name: str) -> ValueError:
    """The error for a name that is neither ours nor MLIR's, with the nearest name that is."""
    known = [*registered_passes(), *names()]
    return ValueError(f"{name}: no such pass{nearest(name, known)}; --list-passes shows all")


def _parse_error(anchor: str, text: str) -> str | None:
    try:
        with _context():
            PassManager(anchor).add(text)
    except ValueError as error:
        return str(error)
    return None


def _one_line(error: str) -> str:
    lines = [line.strip() for line in error.splitlines()]
    return "; ".join(line for line in lines if line and line != "^")
