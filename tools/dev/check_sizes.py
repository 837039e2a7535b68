"""The budget on size: no file over 500 lines, no function over 60 lines; and a table of totals.

    python tools/dev/check_sizes.py [root]

No function of the five packages is of a cyclomatic complexity over 13, but those in `WRITTEN_OUT`.
That is 1, and 1 for each branch in it: `if`, `for`, `while`, `except`, `assert`, `case`, a
conditional expression, each loop and condition of a comprehension, each further operand of `and`
and `or`.  Branches of functions within it count as its own.

Code lines are all but blank lines, comments and docstrings.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAX_FILE = 500  # lines
MAX_FUNCTION = 60  # lines, from `def` to the last line of its body
MAX_COMPLEXITY = 13
#: Functions that run for each op of a program, or for each call, with their steps written out for
#: speed: `steps_from` would take a tenth longer with functions for them.
WRITTEN_OUT = {
    "anvl_dialect/interpreters/activity_analysis.py": "steps_from",
    "anvl_dialect/interpreters/forward.py": "run",
    "frontend/core/promote.py": "promoted",
}
MAX_WRITTEN_OUT = 15
PACKAGES = ("anvl_dialect", "passes", "frontend", "runtime", "tools")
FOLDERS = (*PACKAGES, "test", "examples", "benchmarks")

_BRANCHES = {
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert, ast.match_case,
    ast.IfExp,
}  # fmt: skip


@dataclass
class Function:
    """A function of a file."""

    name: str
    line: int
    length: int
    complexity: int


@dataclass
class Source:
    """A Python file: its length, its code lines, and its functions."""

    path: Path
    lines: int
    code: int
    functions: list[Function]


def main(argv: list[str]) -> int:
    root = Path(argv[0]) if argv else Path(__file__).resolve().parents[2]
    sources = {folder: list(_sources(root / folder)) for folder in FOLDERS}
    print(_table(sources))
    complaints = [
        complaint
        for folder, found in sources.items()
        for source in found
        for complaint in _complaints(source, source.path.relative_to(root).as_posix(), folder)
    ]
    print("\n".join(complaints) or "sizes: within the budget")
    return 1 if complaints else 0


def _sources(folder: Path) -> Iterator[Source]:
    for path in sorted(folder.rglob("*.py")):
        yield _measure(path)


def _measure(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    reader = _Reader()
    reader.count_branches(ast.parse(text, str(path)))
    lines = text.splitlines()
    code = {i for i, line in enumerate(lines, 1) if line.strip() and line.strip()[0] != "#"}
    return Source(path, len(lines), len(code - reader.docstring_lines), reader.functions)


@dataclass
class _Reader:
    """Reads a tree once: `ast.walk` for each question would take three times as long."""

    functions: list[Function] = field(default_factory=list)
    docstring_lines: set[int] = field(default_factory=set)

    def count_branches(self, node: ast.AST) -> int:
        """The branches in a node; functions and docstrings in it are noted."""
        count = _own_branches(node)
        for name in node._fields:
            child = getattr(node, name, None)
            if isinstance(child, list):
                count += sum(self.count_branches(x) for x in child if isinstance(x, ast.AST))
            elif isinstance(child, ast.AST):
                count += self.count_branches(child)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = len(_lines_of(node))
            self.functions.append(Function(node.name, node.lineno, length, 1 + count))
        elif isinstance(node, ast.Expr) and _is_text(node.value):
            self.docstring_lines.update(_lines_of(node))
        return count


def _own_branches(node: ast.AST) -> int:
    kind = type(node)
    if kind in _BRANCHES:
        return 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    return 0


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _lines_of(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _complaints(source: Source, name: str, folder: str) -> Iterator[str]:
    if source.lines > MAX_FILE:
        yield f"{name}: {source.lines} lines, at most {MAX_FILE}; split it by family"
    for function in source.functions:
        where = f"{name}:{function.line}: `{function.name}`"
        if function.length > MAX_FUNCTION:
            yield f"{where} has {function.length} lines, at most {MAX_FUNCTION}"
        is_written_out = WRITTEN_OUT.get(name) == function.name
        limit = MAX_WRITTEN_OUT if is_written_out else MAX_COMPLEXITY
        if folder in PACKAGES and function.complexity > limit:
            yield (
                f"{where} has complexity {function.complexity}, at most {limit}; "
                "make its steps functions with names of their own"
            )


def _table(sources: dict[str, list[Source]]) -> str:
    rows = [_row(folder, found) for folder, found in sources.items() if found]
    rows.append(_row("all", [source for found in sources.values() for source in found]))
    head = (
        f"{'folder':14}{'files':>7}{'lines':>8}{'code':>8}{'longest file':>14}{'function':>10}"
        f"{'complexity':>12}"
    )
    return "\n".join([head, "-" * len(head), *rows])


def _row(folder: str, sources: list[Source]) -> str:
    lines, code = sum(s.lines for s in sources), sum(s.code for s in sources)
    longest = max((s.lines for s in sources), default=0)
    function = max((f.length for s in sources for f in s.functions), default=0)
    complexity = max((f.complexity for s in sources for f in s.functions), default=0)
    return (
        f"{folder:14}{len(sources):>7}{lines:>8}{code:>8}{longest:>14}{function:>10}"
        f"{complexity:>12}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
