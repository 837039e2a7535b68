"""Make `.typing/anvl`: links that show type checkers the mapped folders as one package.

    python tools/dev/typing_links.py

The editable install maps `frontend/` to `anvl` with an import hook that type checkers cannot see.
"""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = {
    "dialect": "anvl_dialect",
    "examples": "examples",
    "passes": "passes",
    "runtime": "runtime",
    "tools": "tools",
}


def main(root: Path = ROOT) -> None:
    package = root / ".typing" / "anvl"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for name, folder in _links(root).items():
        (package / name).symlink_to(root / folder)


def _links(root: Path) -> dict[str, str]:
    """Every entry of `frontend/`, and the folders that are sub-packages."""
    entries = (path.name for path in (root / "frontend").iterdir())
    return {
        name: f"frontend/{name}" for name in entries if not name.startswith((".", "__pycache__"))
    } | PARTS


if __name__ == "__main__":
    main()
