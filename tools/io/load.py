"""`--load=my_ops.py`: run a user's file, which defines ops or passes, before any input is read.

A folder with an `__init__.py` is imported as a package.

Its errors end in a diagnostic at their line, with Python's traceback if they were raised by the
user's code, and without it if anvl refused a definition: then the message is sufficient.
"""

import contextlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from anvl.dialect.core.op_registry import DEFINED
from anvl.passes.framework.pass_base import registered_passes
from anvl.tools.io.diagnostics import Diagnostic, rendered

__all__ = ["LoadError", "load", "loaded", "place_of"]

_PACKAGE = "__init__.py"
_loaded: dict[Path, ModuleType] = {}


class LoadError(Exception):
    """A file could not be loaded; the message is all there is to print."""


def load(paths: Sequence[str]) -> None:
    """Run each file once; raises `LoadError`."""
    for path in paths:
        _load(path)


def loaded() -> tuple[str, ...]:
    """The files that were loaded, for a child process that must load them too."""
    return tuple(map(str, _loaded))


def _load(given: str) -> None:
    path = _file_of(Path(given).resolve())
    if path in _loaded:
        return
    if not path.is_file():
        what = "is not a file, nor a package" if path.exists() else "there is no such file"
        raise LoadError(
            _rendered_error(given, 0, 0, f"{what}; give a Python file that defines ops or passes")
        )
    known = sys.modules.get(_name_of(path))
    if known is not None and _is(known, path):  # another file has imported it
        _loaded[path] = known
        return
    n_ops, passes = len(DEFINED), registered_passes()
    try:
        _loaded[path] = _run(path)
    except SyntaxError as error:
        raise LoadError(_syntax(given, path, error)) from None
    except (Exception, SystemExit) as error:
        raise LoadError(_failure(given, path, error)) from None
    defined = DEFINED[n_ops:]
    twice = sorted({name for name in defined if defined.count(name) > 1})
    if twice:
        raise LoadError(
            _rendered_error(given, 0, 0, f"{', '.join(twice)}: defined twice; rename one")
        )
    if not defined and registered_passes() == passes:
        raise LoadError(
            _rendered_error(
                given, 0, 0,
                "defines no op and no pass: no subclass of AnvlOp or of Pass has a name of its own",
            )
        )  # fmt: skip


def _run(path: Path) -> ModuleType:
    """Run a file as a module; its neighbours can be imported, also by each other."""
    name = _name_of(path)
    is_package = path.name == _PACKAGE
    folder = str(path.parent.parent if is_package else path.parent)
    if folder not in sys.path:
        sys.path.append(folder)
    found = None if name in sys.modules else importlib.util.find_spec(name)
    if found is None or found.origin is None or Path(found.origin).resolve() != path:
        name = f"anvl_loaded_{name}"  # the name belongs to something else
    inside = [str(path.parent)] if is_package else None
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=inside)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is not a Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with contextlib.redirect_stdout(sys.stderr):  # stdout is for IR
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _file_of(path: Path) -> Path:
    """The file that is run: of a package its `__init__.py`."""
    return path / _PACKAGE if (path / _PACKAGE).is_file() else path


def _name_of(path: Path) -> str:
    """The name of the module of a file."""
    return path.parent.name if path.name == _PACKAGE else path.stem


def _is_inside(file: str, path: Path) -> bool:
    """Whether `file` is the loaded file, or one of the loaded package."""
    return file == str(path) or (path.name == _PACKAGE and path.parent in Path(file).parents)


def _is(module: ModuleType, path: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).resolve() == path


# What goes wrong


def place_of(error: BaseException) -> str:
    """`my_ops.py:17, in adjoint`: the last line of a loaded file that an error passed; or `""`."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if any(_is_inside(frame.filename, path) for path in _loaded)
    ]
    if not frames:
        return ""
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}, in {frames[-1].name}"


def _failure(given: str, path: Path, error: BaseException) -> str:
    frames = list(_frames(error.__traceback__))
    theirs = [i for i, (_, f) in enumerate(frames) if _is_inside(f.filename, path)]
    if not theirs:
        return _rendered_error(given, 0, 0, _message_of(error))
    last = frames[theirs[-1]][1]
    if last.filename != str(path):  # another file of the package
        given, path = str(Path(given) / Path(last.filename).name), Path(last.filename)
    text = _rendered_error(given, last.lineno or 0, (last.colno or 0) + 1, _message_of(error), path)
    if _is_library_module(frames[-1][0]) or isinstance(error, SystemExit):
        return text
    shown = traceback.format_list([f for _, f in frames[theirs[0] :]])
    shown += traceback.format_exception_only(error)
    return f"{text}Traceback (most recent call last):\n{''.join(shown)}"


def _frames(tb: TracebackType | None) -> Iterator[tuple[str, Any]]:
    """Module name and place of each frame."""
    summaries = traceback.extract_tb(tb)
    for summary in summaries:
        assert tb is not None
        yield tb.tb_frame.f_globals.get("__name__", ""), summary
        tb = tb.tb_next


def _is_library_module(module: str) -> bool:
    return module.partition(".")[0] == "anvl"


def _message_of(error: BaseException) -> str:
    from anvl.dialect.core.errors import AnvlError

    text = " ".join(str(error).split("\n"))
    if isinstance(error, SystemExit):
        return "calls sys.exit; do so under `if __name__ == '__main__':` alone"
    frames = list(_frames(error.__traceback__))
    if isinstance(error, AnvlError | TypeError | ValueError) and _is_library_module(frames[-1][0]):
        return text
    return f"{type(error).__name__}: {text}"


def _syntax(given: str, path: Path, error: SyntaxError) -> str:
    file = Path(error.filename or path).resolve()  # a zero byte is found before there is a name
    shown = given if file == path else str(error.filename)
    return _rendered_error(shown, error.lineno or 0, error.offset or 0, f"{error.msg}", file)


def _rendered_error(
    given: str, line: int, column: int, message: str, path: Path | None = None
) -> str:
    lines = {}
    if path is not None and path.is_file():  # which need not be text
        lines = {given: path.read_text("utf-8", errors="replace").splitlines()}
    return rendered(Diagnostic("error", f"--load: {message}", given, line, column), lines)
