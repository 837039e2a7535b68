"""The budget on size: no file over 500 lines, no function over 60; and a table of totals.

    python tools/dev/check_lines.py [root]

Code lines are those that hold a token of the program: no blank line, comment or docstring.
"""

import ast
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MAX_FILE = 500  # lines
MAX_FUNCTION = 60  # lines, from `def` to the last line of its body
FOLDERS = (
    "anvl_dialect", "passes", "frontend", "runtime", "tools", "test", "examples", "benchmarks",
)  # fmt: skip

_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


@dataclass
class Source:
    """A Python file: its length, its code lines, and its functions as (length, name, line)."""

    path: Path
    lines: int
    code: int
    functions: list[tuple[int, str, int]]


def main(argv: list[str]) -> int:
    root = Path(argv[0]) if argv else Path(__file__).resolve().parents[2]
    sources = {folder: list(_sources(root / folder)) for folder in FOLDERS}
    print(_table(sources))
    complaints = [line for found in sources.values() for line in _complaints(root, found)]
    print("\n".join(complaints) or "lines: within the budget")
    return 1 if complaints else 0


def _sources(folder: Path) -> Iterator[Source]:
    for path in sorted(folder.rglob("*.py")):
        yield _measure(path)


def _measure(path: Path) -> Source:
    tree = ast.parse(path.read_bytes(), str(path))
    functions = [
        ((node.end_lineno or node.lineno) - node.lineno + 1, node.name, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return Source(path, len(path.read_text().splitlines()), _code_lines(path, tree), functions)


def _code_lines(path: Path, tree: ast.Module) -> int:
    with tokenize.open(path) as file:
        tokens = [t for t in tokenize.generate_tokens(file.readline) if t.type not in _LAYOUT]
    code = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    return len(code - _docstring_lines(tree))


def _docstring_lines(tree: ast.Module) -> set[int]:
    """Lines of expressions that are only a string."""
    texts = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
    return {
        line for node in texts for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def _complaints(root: Path, sources: list[Source]) -> Iterator[str]:
    for source in sources:
        name = source.path.relative_to(root).as_posix()
        if source.lines > MAX_FILE:
            yield f"{name}: {source.lines} lines, at most {MAX_FILE}; split it by family"
        for length, function, line in source.functions:
            if length > MAX_FUNCTION:
                yield f"{name}:{line}: `{function}` has {length} lines, at most {MAX_FUNCTION}"


def _table(sources: dict[str, list[Source]]) -> str:
    rows = [_row(folder, found) for folder, found in sources.items() if found]
    rows.append(_row("all", [source for found in sources.values() for source in found]))
    head = f"{'folder':14}{'files':>7}{'lines':>8}{'code':>8}{'longest file':>14}{'function':>10}"
    return "\n".join([head, "-" * len(head), *rows])


def _row(folder: str, sources: list[Source]) -> str:
    lines, code = sum(s.lines for s in sources), sum(s.code for s in sources)
    longest = max((s.lines for s in sources), default=0)
    function = max((f[0] for s in sources for f in s.functions), default=0)
    return f"{folder:14}{len(sources):>7}{lines:>8}{code:>8}{longest:>14}{function:>10}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
