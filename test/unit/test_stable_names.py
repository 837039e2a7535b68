"""The names that people may import: docs/stable-names.md, held against the code."""

import ast
import importlib
import re
import textwrap
from pathlib import Path

import pytest

from anvl.passes.framework.pass_base import registered_passes
from anvl.tools.opt.print_collectives import PrintCollectives
from anvl.tools.opt.verify_gradient import VerifyGradient

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "stable-names.md").read_text()
INIT = {
    "anvl.dialect": "anvl_dialect/__init__.py",
    "anvl.passes": "passes/__init__.py",
    "anvl.testing": "frontend/testing/__init__.py",
    "anvl.testing.lit": "frontend/testing/lit.py",
}
PUBLIC = {
    "anvl", "anvl.numpy", "anvl.numpy.linalg", "anvl.numpy.fft", "anvl.random", "anvl.tree",
    "anvl.flatten_util", "anvl.image", "anvl.lax", "anvl.lax.linalg",
    "anvl.ops", "anvl.optim", "anvl.safetensors",
    "anvl.scipy", "anvl.scipy.integrate", "anvl.scipy.linalg", "anvl.scipy.optimize",
    "anvl.scipy.cluster", "anvl.scipy.fft", "anvl.scipy.interpolate", "anvl.scipy.ndimage",
    "anvl.scipy.signal", "anvl.scipy.sparse", "anvl.scipy.spatial",
    "anvl.scipy.spatial.transform",
    "anvl.scipy.special", "anvl.scipy.stats", "anvl.tree_util", "anvl.nn", "anvl.nn.initializers",
    "anvl.windows", "anvl.prim", "anvl.ffi", "anvl.sharding",
    "anvl.testing.random_programs", *INIT,
}  # fmt: skip


def listed(module: str) -> list[str]:
    section = re.search(rf"^## `{re.escape(module)}`$(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)
    assert section, module
    return re.findall(r"^\| `(\w+)` \| \S", section[1], re.MULTILINE)


@pytest.mark.parametrize("module", INIT)
def test_the_page_lists_what_the_module_gives(module):
    found = importlib.import_module(module)
    exported = re.findall(r"import \w+ as (\w+)$", (ROOT / INIT[module]).read_text(), re.MULTILINE)
    wanted = set(getattr(found, "__all__", exported))
    assert set(listed(module)) == wanted
    assert all(hasattr(found, name) for name in wanted)


def imported_in(text: str) -> set[str]:
    """The modules of anvl that the code blocks of a page import."""
    found: set[str] = set()
    for block in re.findall(r"```(?:py|python)[^\n]*\n(.*?)```", text, re.DOTALL):
        for node in ast.walk(ast.parse(textwrap.dedent(block))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("anvl"):
                found.add(node.module)
            elif isinstance(node, ast.Import):
                found |= {a.name for a in node.names if a.name.split(".")[0] == "anvl"}
    return found


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda p: p.stem)
def test_the_documentation_imports_stable_names_only(page):
    assert imported_in(page.read_text()) <= PUBLIC


def test_an_internal_import_in_a_page_is_seen():
    assert imported_in("```python\nfrom anvl.core.avals import aval\n```") == {"anvl.core.avals"}


def test_the_page_of_the_tool_has_a_row_for_each_pass():
    """docs/anvl-opt.md: passes of the library, and those that only the tool has."""
    section = (
        (ROOT / "docs" / "anvl-opt.md").read_text().split("\n## Passes\n")[1].split("\n## ")[0]
    )
    listed_there = re.findall(r"^\| `--(anvl-[\w-]+)` \| \S", section, re.MULTILINE)
    of_library = [
        name
        for name, pass_class in registered_passes().items()
        if pass_class.__module__.startswith("anvl.passes.")
    ]
    assert listed_there == sorted(set(listed_there), key=listed_there.index)
    assert set(listed_there) == {*of_library, VerifyGradient.argument, PrintCollectives.argument}


@pytest.mark.parametrize("module", ["anvl", "anvl.testing"])
def test_what_type_checkers_are_told_is_there(module):
    """The modules that import a name at its first use, and list it once more for checkers."""
    found = importlib.import_module(module)
    checked = [node for node in ast.parse(Path(found.__file__).read_text()).body if is_typing(node)]
    told = {a.asname for node in ast.walk(checked[0]) for a in getattr(node, "names", ())} - {None}
    assert told | set(getattr(found, "_MODULES", ())) == set(found.__all__)
    assert all(hasattr(found, name) for name in told)


def is_typing(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@pytest.mark.parametrize("module", sorted(PUBLIC))
def test_only_what_is_public_is_visible(module):
    """What `dir()` and the completion of editors list."""
    found = importlib.import_module(module)
    visible = {name for name in dir(found) if not name.startswith("_")}
    if module == "anvl.prim":  # every op is one
        visible -= {name for name in visible if callable(getattr(found, name))}
        visible -= {name for name in visible if type(getattr(found, name)).__module__ == module}
    assert visible <= set(getattr(found, "__all__", visible)), module
    hidden = {"np", "annotations", "Any", "builtins", "functools", "Tracer", "dataclasses"}
    assert not visible & hidden
