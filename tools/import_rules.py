"""Which folder may import which: one table, written as a `ruff.toml` into each folder.

    make ops          writes them, with everything else that is generated

Ruff bans names for a whole configuration, so each folder gets a configuration of its own that
extends the one in `pyproject.toml`.  See Note [Why modules are listed].
"""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# folder -> what it may import beside itself.  A program flows down this table, imports point up.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "anvl_dialect": (),
    "passes": ("anvl.dialect",),
    "frontend": ("anvl.dialect", "anvl.passes", "anvl.runtime"),
    "runtime": ("jaxlib",),
    "tools": ("anvl.dialect", "anvl.passes", "anvl.runtime"),
    "benchmarks": ("anvl", "anvl.dialect", "anvl.passes", "anvl.runtime", "anvl.tools", "jax"),
}

SENTENCE = {
    "anvl_dialect": "The dialect stands on MLIR alone: it imports no other part of anvl.",
    "passes": "A pass knows the dialect alone: nothing of the frontend, the runtime or the tools.",
    "frontend": "The tools stand beside the frontend: nothing imports them.",
    "runtime": "The runtime takes bytes and knows no other part of anvl, only PJRT.",
    "tools": "A tool works on IR: it uses the dialect and the passes, never the frontend.",
}

# The one file of a folder that may reach outside, so that everything else goes through it.
DOOR = {"anvl_dialect": "mlir.py"}

# `anvl-opt` starts fast because these are imported inside the functions that execute.
ONLY_INSIDE_FUNCTIONS = {"tools": ("anvl.runtime",)}

PACKAGES = {  # import name -> folder
    "anvl": "frontend",
    "anvl.dialect": "anvl_dialect",
    "anvl.passes": "passes",
    "anvl.runtime": "runtime",
    "anvl.tools": "tools",
}

HEADER = """\
# Written by tools/import_rules.py (`make ops`): change the table there.
extend = "../pyproject.toml"
"""


def generated() -> dict[str, str]:
    """The files that this module writes: path from the root -> text."""
    return {f"{folder}/ruff.toml": _ruff_toml(folder) for folder in MAY_IMPORT}


def banned(folder: str) -> dict[str, str]:
    """What `folder` may not import, each name with the sentence that says why."""
    allowed = MAY_IMPORT[folder]
    everywhere = {name: why for name, why in _banned_everywhere().items() if name not in allowed}
    ours = [
        module
        for name, home in PACKAGES.items()
        if name not in allowed and home != folder
        for module in (_frontend_modules() if name == "anvl" else [name])
    ]
    return everywhere | {module: SENTENCE[folder] for module in ours}


def _frontend_modules() -> list[str]:
    """`anvl.numpy` and its like.

    Note [Why modules are listed]
    Banning `anvl` would ban `anvl.dialect` with it, so the frontend is banned module by module.
    A bare `import anvl` passes the linter; test/unit/test_house.py refuses it.
    """
    return [f"anvl.{path.stem}" for path in sorted((ROOT / "frontend").iterdir()) if _module(path)]


def _module(path: Path) -> bool:
    if path.is_dir():
        return (path / "__init__.py").exists()
    return path.suffix == ".py" and path.stem != "__init__"


def _banned_everywhere() -> dict[str, str]:
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    return {name: rule["msg"] for name, rule in lint["flake8-tidy-imports"]["banned-api"].items()}


def _ruff_toml(folder: str) -> str:
    lines = [HEADER]
    if door := DOOR.get(folder):
        lines += [f'[lint.extend-per-file-ignores] # the one door\n"{door}" = ["TID251"]\n']
    if inside := ONLY_INSIDE_FUNCTIONS.get(folder):
        names = ", ".join(map(_quoted, inside))
        lines += [
            '[lint]\nextend-select = ["TID253"]\n',
            f"[lint.flake8-tidy-imports]\nbanned-module-level-imports = [{names}]\n",
        ]
    lines += ["[lint.flake8-tidy-imports.banned-api]"]
    lines += [f"{_quoted(name)}.msg = {_quoted(why)}" for name, why in banned(folder).items()]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return f'"{text}"'
