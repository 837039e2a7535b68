"""The pages of `docs/`, README and its neighbours, as the site has them.

On a forge their links lead to files of the repository.  On the site, links between pages stay, and
of those to other files the text stays.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

__all__ = ["groups", "guide_pages", "index_page"]

#: The table of contents: titles, and the pages below them.
GROUPS: dict[str, tuple[str, ...]] = {
    "First steps": (
        "README", "docs/how-it-works", "docs/examples", "docs/coming-from-numpy",
        "docs/coming-from-jax", "docs/coming-from-pytorch",
    ),
    "Functions of arrays": (
        "docs/array-api", "docs/promotion", "docs/conventions", "docs/linear-algebra",
        "docs/random", "docs/nn", "docs/optim", "docs/scipy", "docs/names",
    ),
    "Derivatives and control flow": (
        "docs/transformations", "docs/custom-rules", "docs/control-flow", "docs/check-gradients",
        "docs/effects",
    ),
    "Running programs": (
        "docs/captured-state", "docs/recompilation", "docs/buckets", "docs/devices",
        "docs/plugins", "docs/cache", "docs/export", "docs/performance", "docs/profiling",
        "docs/configuration", "docs/errors", "docs/debugging",
    ),
    "Compilers": (
        "docs/architecture", "docs/ops", "docs/op-contract", "docs/your-own-op",
        "docs/hundred-lines", "docs/add-an-op", "docs/add-a-pass", "docs/ffi", "docs/anvl-opt",
        "docs/looking-at-programs", "docs/anvl-reduce", "docs/anvl-lsp", "docs/fuzzing",
    ),
    "The project": (
        "docs/stable-names", "docs/terms", "docs/releasing", "CONTRIBUTING", "SECURITY",
        "CHANGELOG",
    ),
}  # fmt: skip

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^( *)```([^\n]*)$", re.MULTILINE)
_LEXERS = {"py": "python", "python": "python", "sh": "sh", "c": "c", "json": "json", "toml": "toml"}


def guide_pages(root: Path) -> dict[str, str]:
    """Pages by their paths in the site: Markdown."""
    files = [*sorted(root.glob("*.md")), *sorted((root / "docs").glob("*.md"))]
    places = {path.relative_to(root).as_posix(): f"guide/{path.name}" for path in files}
    return {places[name]: _site_text((root / name).read_text(), name, places) for name in places}


def _site_text(text: str, name: str, places: Mapping[str, str]) -> str:
    """A page with the links and the languages of code that the site knows."""
    parts = re.split(r"^( *```.*?^ *```[ ]*$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(
        _FENCE.sub(_fence, part) if i % 2 else _LINK.sub(lambda m: _link(m, name, places), part)
        for i, part in enumerate(parts)
    )


def _fence(opening: re.Match[str]) -> str:
    words = opening[2].split()
    return f"{opening[1]}```{_LEXERS.get(words[0], 'text') if words else ''}"


def _link(found: re.Match[str], name: str, places: Mapping[str, str]) -> str:
    mark, text, target = found.groups()
    path, _, anchor = target.partition("#")
    if "://" in target or not path:
        return found[0]
    full = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    if full in places:
        page = posixpath.basename(places[full])
        return f"{mark}[{text}]({page}{'#' if anchor else ''}{anchor})"
    return text


def groups(root: Path) -> dict[str, tuple[str, ...]]:
    """The table of contents; pages that it does not name yet are behind those of the project."""
    found = [*sorted(root.glob("*.md")), *sorted((root / "docs").glob("*.md"))]
    names = [path.relative_to(root).with_suffix("").as_posix() for path in found]
    placed = {page for pages in GROUPS.values() for page in pages}
    others = tuple(name for name in names if name not in placed)
    return {**GROUPS, "The project": GROUPS["The project"] + others}


def index_page(root: Path, modules: list[str]) -> str:
    """The first page: a table of contents."""
    parts = [
        "# anvl\n\nTrace a Python function, differentiate it as a compiler would, run it anywhere "
        "XLA runs.\n\nThe search at the left works without a server, too."
    ]
    for title, pages in groups(root).items():
        names = [f"guide/{page.rpartition('/')[2]}" for page in pages]
        parts.append(f"## {title}\n\n{_contents(title, names)}")
    parts.append(f"## Reference\n\n{_contents('Reference', [f'reference/{m}' for m in modules])}")
    return "\n\n".join(parts) + "\n"


def _contents(title: str, names: list[str]) -> str:
    listed = "\n".join(names)
    return f"```{{toctree}}\n:caption: {title}\n:maxdepth: 1\n\n{listed}\n```"
