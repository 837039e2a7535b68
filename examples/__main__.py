"""`python -m anvl.examples`: list the examples, run one, or copy one with its data."""

import ast
import runpy
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from anvl.dialect.core.errors import nearest

__all__ = ["main"]

_HERE = Path(__file__).parent
_HELP = """\
usage: python -m anvl.examples                      list the examples
       python -m anvl.examples run NAME [--out FOLDER] [--quick]
       python -m anvl.examples copy NAME [FOLDER]   with its data, into FOLDER or here

`run` hands what follows NAME to the example: it writes its results and a picture to the folder, and
takes a short form with `--quick`.  Examples need the extra: pip install 'anvl-mlir[examples]'.
"""


class _Refused(Exception):
    """A use that the command refuses."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        _do(given)
    except _Refused as error:
        print(f"anvl.examples: error: {error}", file=sys.stderr)
        return 2
    return 0


def _do(given: Sequence[str]) -> None:
    match given:
        case []:
            print(_listed(), end="")
        case ["-h" | "--help"]:
            print(_HELP, end="")
        case ["run", name, *arguments]:
            _run(_path(name), arguments)
        case ["copy", name]:
            _copy(_path(name), Path())
        case ["copy", name, folder]:
            _copy(_path(name), Path(folder))
        case _:
            raise _Refused(f"{' '.join(given)!r} is no use of it; --help lists the uses")


def _names() -> list[str]:
    return sorted(path.stem for path in _HERE.glob("*.py") if not path.stem.startswith("__"))


def _listed() -> str:
    width = max(map(len, _names()))
    lines = [f"{name:{width}}  {_headline(_path(name))}\n" for name in _names()]
    return "".join([*lines, "\nRun one: python -m anvl.examples run NAME; --help says more.\n"])


def _headline(path: Path) -> str:
    document = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return document.partition("\n")[0]


def _path(name: str) -> Path:
    known = _names()
    if name not in known:
        close = nearest(name, known)
        raise _Refused(f"there is no example {name!r}{close}; there are: {', '.join(known)}")
    return _HERE / f"{name}.py"


def _run(path: Path, arguments: Sequence[str]) -> None:
    before = sys.argv
    sys.argv = [str(path), *arguments]
    try:
        runpy.run_path(str(path), run_name="__main__")
    except ModuleNotFoundError as error:
        raise _Refused(
            f"{path.stem} needs {error.name}, which is not installed; "
            "pip install 'anvl-mlir[examples]'"
        ) from None
    finally:
        sys.argv = before


def _copy(path: Path, folder: Path) -> None:
    source = path.read_text(encoding="utf-8")
    files = [path, *path.parent.glob(f"{path.stem}.sh")]
    files += [data for data in sorted((_HERE / "data").iterdir()) if data.name in source]
    targets = [folder / file.relative_to(_HERE) for file in files]
    for target in targets:
        if target.exists():
            raise _Refused(f"copy: {target} is there already; name another folder, or move it")
    for file, target in zip(files, targets, strict=True):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        print(f"wrote {target}")


if __name__ == "__main__":
    sys.exit(main())
