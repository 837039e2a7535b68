"""Import rules between folders: one table, written as a `ruff.toml` into each folder.

    make ops          writes them, with everything else that is generated

Ruff bans names for a whole configuration, so each folder gets a configuration of its own that
extends the one in `pyproject.toml`.  See Note [Why modules are listed].
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# folder -> packages it may import besides itself.  A program flows down this table, imports point
# up.
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

# The rooms of a folder, the lowest first: each may import itself and those before it.  A room is a
# folder; a module beside the rooms stands where it is listed.
LAYERS: dict[str, tuple[str, ...]] = {
    "anvl_dialect": (
        "core", "interpreters", "sparsity", "ops", "flatten_util", "control_flow", "text", "view",
    ),
    "passes": (
        "framework", "functions", "residuals", "expand", "effects", "rolling", "merging", "lower",
        "lifting", "sharding", "pipelines",
    ),
    "frontend": (
        "docstrings", "tree", "tree_util", "sharding", "core", "call_spellings", "captured",
        "recompilation", "dispatch", "prim", "numpy", "transforms", "precision", "control_flow",
        "effects", "jacobians", "interop", "windows", "random", "nn", "ops", "image",
        "safetensors", "distributed", "checkpointing", "optim", "scipy", "lax", "ffi", "debug",
        "profiler", "installation", "testing",
    ),
    "tools": (
        "io", "cache", "doctor", "new", "run", "plan", "opt", "diff", "viz", "reduce", "checks",
        "lsp", "reference", "dev",
    ),
}  # fmt: skip

# Pages that describe the layout, for the messages.
HOUSE = 'docs/architecture.md, "The house"'

# The one file of a folder that may import outside, so that everything else goes through it.
DOOR = {"anvl_dialect/core": "mlir.py", "passes": "__init__.py"}

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
# Written by tools/dev/import_rules.py (`make ops`): change the table there.
extend = "{up}pyproject.toml"
"""


def generated() -> dict[str, str]:
    """Generated files: path from the root -> text."""
    return {f"{folder}/ruff.toml": _ruff_toml(folder) for folder in _folders()}


def _folders() -> Iterator[str]:
    for folder in MAY_IMPORT:
        yield folder
        for room in LAYERS.get(folder, ()):
            if (ROOT / folder / room).is_dir():
                yield f"{folder}/{room}"


def banned(folder: str) -> dict[str, str]:
    """Names that a folder, or a room of one, may not import, each with the reason."""
    top, _, room = folder.partition("/")
    allowed = MAY_IMPORT[top]
    everywhere = {name: why for name, why in _banned_everywhere().items() if name not in allowed}
    ours = [
        module
        for name, home in PACKAGES.items()
        if name not in allowed and home != top
        for module in (_frontend_modules() if name == "anvl" else [name])
    ]
    return everywhere | {module: SENTENCE[top] for module in ours} | _above(top, room)


def _above(top: str, room: str) -> dict[str, str]:
    """The rooms above one, and for passes the other passes."""
    if top not in LAYERS:
        return {}
    package = next(name for name, home in PACKAGES.items() if home == top)
    rooms = LAYERS[top]
    if room:
        order = " <- ".join(rooms)
        why = f"Imports point down: {order}. Move what both need to the lower one ({HOUSE})."
        found = {f"{package}.{other}": why for other in rooms[rooms.index(room) + 1 :]}
    else:
        found = {}
    if top == "passes":
        why = f"A pass is asked for by pipelines; what two passes share is in a room ({HOUSE})."
        if room != "pipelines":
            found |= {f"{package}.{path.stem}": why for path in _modules_of(top)}
            found.setdefault(f"{package}.pipelines", why)
    return found


def _modules_of(folder: str) -> list[Path]:
    return sorted(p for p in (ROOT / folder).glob("*.py") if p.stem != "__init__")


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
    top, _, room = folder.partition("/")
    lines = [HEADER.format(up="../../" if room else "../")]
    if door := DOOR.get(folder):
        lines += [f'[lint.extend-per-file-ignores] # the one door\n"{door}" = ["TID251"]\n']
    if inside := ONLY_INSIDE_FUNCTIONS.get(top):
        names = ", ".join(map(_quoted, inside))
        lines += [
            '[lint]\nextend-select = ["TID253"]\n',
            f"[lint.flake8-tidy-imports]\nbanned-module-level-imports = [{names}]\n",
        ]
    lines += ["[lint.flake8-tidy-imports.banned-api]"]
    lines += [f"{_quoted(name)}.msg = {_toml(why)}" for name, why in banned(folder).items()]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return f'"{text}"'


def _toml(text: str) -> str:
    return _quoted(text.replace('"', '\\"'))
