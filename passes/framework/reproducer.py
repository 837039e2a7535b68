"""Reproducers: a module and the pipeline that fails on it, in one file, in MLIR's own form.

    Pipeline(...).run(module, reproducer="fails.mlir")     # leaves the file unless the run succeeds
    anvl-opt fails.mlir --run-reproducer                   # or `mlir-opt`, if its passes are MLIR's

`mlir-opt` ignores constants that are elided until a pass reads their values: they parse as
`dense_resource<__elided__>`.
"""

import re
from pathlib import Path

from anvl.dialect.core.mlir import ir

__all__ = ["Reproducer", "pipeline_on", "read_reproducer", "reproducer_text", "write_reproducer"]

_BLOCK = """
{{-#
  external_resources: {{
    mlir_reproducer: {{
      pipeline: "{pipeline}",
      disable_threading: true,
      verify_each: {verify_each}
    }}
  }}
#-}}
"""
_STORED = re.compile(
    r'\bmlir_reproducer\s*:\s*\{[^"{}]*?\bpipeline\s*:\s*"((?:[^"\\]|\\.)*)"([^}]*)'
)
_COMMENT = re.compile(r"^[ \t]*//.*$", re.MULTILINE)
_VERIFIES = re.compile(r"\bverify_each\s*:\s*(true|false)")
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|.)")
_ESCAPED = {"n": "\n", "t": "\t"}


class Reproducer:
    """A stored pipeline: its text, and whether the module is verified after each pass."""

    def __init__(self, pipeline: str, *, verify_each: bool) -> None:
        self.pipeline = pipeline
        self.verify_each = verify_each


def reproducer_text(
    module: ir.Operation, pipeline: str, *, verify_each: bool, elide: int | None = None
) -> str:
    """The text of `module` with `pipeline` in it; constants of more than `elide` elements are
    elided."""
    text = module.get_asm(large_elements_limit=elide).rstrip("\n")
    escaped = pipeline.replace("\\", "\\5C").replace('"', "\\22").replace("\n", "\\0A")
    return text + "\n" + _BLOCK.format(pipeline=escaped, verify_each=str(verify_each).lower())


def write_reproducer(path: str | Path, text: str) -> None:
    """Write a reproducer, whole or not at all: the next step may end the process."""
    target = Path(path)
    temporary = target.with_name(f".{target.name}.tmp")
    temporary.write_text(text)
    temporary.replace(target)


def read_reproducer(text: str) -> Reproducer | None:
    """The pipeline that is stored in a program's text; None if there is none."""
    found = _STORED.search(_COMMENT.sub("", text))
    if found is None:
        return None
    verifies = _VERIFIES.search(found[2])
    return Reproducer(
        _ESCAPE.sub(_unescaped, found[1]), verify_each=verifies is None or verifies[1] == "true"
    )


def _unescaped(match: re.Match[str]) -> str:
    digits = match[1]
    return chr(int(digits, 16)) if len(digits) == 2 else _ESCAPED.get(digits, digits)


def pipeline_on(op: ir.Operation, pass_: object) -> tuple[ir.Operation, str]:
    """The module around `op`, and the pipeline that runs `pass_` on ops like `op` in it."""
    text = str(pass_)
    while op.parent is not None:
        text = f"{op.name}({text})"
        op = op.parent.operation
    return op, f"{op.name}({text})"
