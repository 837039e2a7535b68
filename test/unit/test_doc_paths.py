"""The links of the documentation, and the paths that it names: each leads to a file that exists."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
SUFFIXES = (".py", ".md", ".mlir", ".toml", ".txt", ".sh")
# Examples of files that a reader is to write.
EXAMPLES = {
    "passes/merge_transposes.py", "test/lit/passes/merge-transposes/",
    "test/lit/dialect/cycle.mlir", "utils.py",
}  # fmt: skip


@cache
def tracked() -> tuple[str, ...]:
    """The files and folders of the repository; folders end in a slash."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = listed.stdout.split()
    folders = {f"{folder}/" for file in files for folder in Path(file).parents}
    return (*files, *folders)


def exists(path: str) -> bool:
    """Whether a file has this path, or a path that ends so; `*` and capitals such as NAME vary."""
    pattern = re.escape(path).replace(r"\*", "[^/]*").replace("NAME", "[^/]*")
    found = re.compile(rf"(.*/)?{pattern}/?")
    return any(found.fullmatch(file) for file in tracked())


def prose(text: str) -> str:
    """The text without its code blocks, whose lines stay as empty lines."""
    return re.sub(
        r"^ *```.*?^ *```", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S
    )


def anchors(text: str) -> set[str]:
    """The anchors that a page has: one for each heading, as GitHub writes them."""
    headings = re.findall(r"^#+ (.*)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}


def broken_links(page: Path, text: str) -> list[str]:
    found = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(text)):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if "://" in link:
            continue
        if not target.exists() or (anchor and anchor not in anchors(target.read_text())):
            found.append(link)
    return found


def missing_paths(text: str) -> list[str]:
    """The paths in backticks that no file has, but for those that the page itself saves."""
    saved = set(re.findall(r"^ *```.*\bfile=(\S+)", text, re.MULTILINE))
    tops = {file.partition("/")[0] for file in tracked() if "/" in file}
    named = re.findall(r"`([\w.*/-]+)`", prose(text))
    paths = [p for p in named if p.endswith(SUFFIXES) or ("/" in p and p.partition("/")[0] in tops)]
    return [p for p in paths if p not in saved | EXAMPLES and not exists(p)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_and_paths_lead_to_files(page):
    text = page.read_text()
    assert broken_links(page, text) == []
    assert missing_paths(text) == []


def test_what_leads_nowhere_is_seen():
    page = ROOT / "docs" / "terms.md"
    assert broken_links(page, "[a](ops.md) [b](gone.md) [c](ops.md#no-such-heading)") == [
        "gone.md",
        "ops.md#no-such-heading",
    ]
    text = "`passes/inline.py` `passes/gone.py` `core/op.py` `passes/*.py` `anvl.mul` `x/y`"
    assert missing_paths(text) == ["passes/gone.py"]
    assert missing_paths("`mine.py`\n\n```py file=mine.py\nx = 1\n```\n") == []
