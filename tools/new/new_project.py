"""Write a project of ops and passes of one's own: all of its files, or none."""

import importlib.util
import keyword
import os
import re
import shutil
import tempfile
from pathlib import Path

from anvl.tools.io.command_line import UsageError
from anvl.tools.new.skeleton import FILES

__all__ = ["write_project"]

_WORD = r"[a-z][a-z0-9]*(_[a-z0-9]+)*"  # what IRDL accepts


def write_project(folder: Path) -> list[str]:
    """Write a project named like `folder`, which must not exist; return the paths of its files.

    Raises `UsageError` for a name or a place that does not serve; then nothing is written.
    """
    name = folder.name
    _check_name(name)
    if os.path.lexists(folder):
        raise UsageError(f"{folder}: exists already; give another name, or remove it")
    if not folder.parent.is_dir():
        raise UsageError(f"{folder}: there is no folder {folder.parent}; make it first")
    try:
        _write(folder, name)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror or error}") from None
    return sorted(_filled(path, name) for path in FILES)


def _check_name(name: str) -> None:
    if not re.fullmatch(_WORD, name) or keyword.iskeyword(name):
        raise UsageError(
            f"{name}: a project is a dialect and a package of this name, so it must be a word of "
            "lowercase letters, digits and single underscores, as in my_dialect, and not a keyword "
            "of Python"
        )
    if _is_dialect(name):
        raise UsageError(f"{name}: MLIR or anvl has this name already; choose another word")
    if importlib.util.find_spec(name) is not None:
        raise UsageError(
            f"{name}: Python has a module of this name already, which would be imported in its "
            "place; choose another word"
        )


def _is_dialect(name: str) -> bool:
    """Whether a dialect may not have this name: one has it, or an op of anvl (`emit.sum`)."""
    from anvl.dialect import OPS, context

    if name in ("anvl", "builtin", "chlo", "stablehlo", "vhlo"):
        return True
    if f"anvl.{name}" in OPS or f"stablehlo.{name}" in OPS:
        return True
    try:
        _ = context().dialects[name]
    except IndexError:
        return False
    return True


def _write(folder: Path, name: str) -> None:
    """Write all files beside the folder, and then move them to their place at once."""
    made = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=folder.parent))
    try:
        for path, text in FILES.items():
            file = made / _filled(path, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_filled(text, name), encoding="utf-8", newline="\n")
        made.chmod(0o777 & ~_umask())  # a temporary folder is for its owner alone
        made.rename(folder)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _filled(text: str, name: str) -> str:
    return text.replace("@name@", name).replace("@flag@", name.replace("_", "-"))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
