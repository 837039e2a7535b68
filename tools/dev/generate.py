"""Write the generated files of the repository, or list those that are out of date.

    python -m anvl.tools.dev.generate            write
    python -m anvl.tools.dev.generate --check    compare, exit 1 if one differs

Each module named in `GENERATORS` has a function `generated()` that maps a path to its text.
"""

import argparse
import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

GENERATORS = (
    "anvl.tools.dev.import_rules",
    "anvl.tools.dev.numpy_names",
    "anvl.tools.dev.op_table",
    "anvl.tools.dev.settings_page",
)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="generate", description="write the generated files")
    parser.add_argument("--check", action="store_true", help="only say which are out of date")
    check = parser.parse_args(argv).check
    stale = stale_files(ROOT, generated())
    for path, text in stale.items():
        print(f"{path}: {'out of date; run `make ops`' if check else 'written'}")
        if not check:
            (ROOT / path).write_text(text)
    print(f"generated files: {len(generated())}, out of date: {len(stale)}")
    return 1 if check and stale else 0


def generated() -> dict[str, str]:
    """All generated files: path from the root -> text."""
    files: dict[str, str] = {}
    for name in GENERATORS:
        files |= importlib.import_module(name).generated()
    return files


def stale_files(root: Path, files: dict[str, str]) -> dict[str, str]:
    """Entries of `files` whose text differs from the file under `root`."""
    return {
        path: text
        for path, text in files.items()
        if not (root / path).exists() or (root / path).read_text() != text
    }


if __name__ == "__main__":
    sys.exit(main())
