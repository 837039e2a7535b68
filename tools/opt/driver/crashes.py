"""The diagnostic of a run that crashed: the pass, the signal, Python's stack, a reproducer.

The run is repeated in a second child, silently: it writes the reproducer before each pass, which
would take too long in a run that succeeds.
"""

import os
import re
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from anvl.tools.io import source
from anvl.tools.io.crash_guard import Crash, guarded
from anvl.tools.io.diagnostics import Diagnostic, position, rendered
from anvl.tools.opt import flags
from anvl.tools.opt.flags import Settings

__all__ = ["report_crash"]

#: Constants of more elements are left out of a reproducer that no flag has asked for.
_LARGEST_CONSTANT = 1000
_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (.*)$', re.MULTILINE)
_REPRODUCER = "mlir-pass-pipeline-crash-reproducer"
_ELIDE = "mlir-elide-elementsattrs-if-larger"


def report_crash(settings: Settings, crash: Crash, prepare: Callable[[Settings], bool]) -> int:
    """Print the diagnostic of a crash, and leave a reproducer; returns the exit code, 1.

    `prepare` is what the tool does before it processes the input.
    """
    notes = (
        list(_repeated(settings, crash, prepare)) if crash.is_fault else [(_by_another(crash), "")]
    )
    name = "<stdin>" if settings.input == "-" else settings.input
    place = position(crash.location, name)
    message = f"{crash.step or 'anvl-opt'} {crash.how}"
    diagnostic = Diagnostic(
        "error",
        message,
        *place,
        notes=tuple(
            Diagnostic("note", text, *(position(at, name) if at else place), quotes=False)
            for text, at in notes
        ),
    )
    print(rendered(diagnostic, _lines(settings)), end="", file=sys.stderr)
    return 1


def _by_another(crash: Crash) -> str:
    return f"another process has sent {crash.name}" + (
        ", as the system does where memory runs out" if crash.name == "SIGKILL" else ""
    )


def _repeated(
    settings: Settings, crash: Crash, prepare: Callable[[Settings], bool]
) -> Iterator[tuple[str, str]]:
    """Notes of the op, of where Python was, and of the reproducer; each with its location."""
    path, wanted = _reproducer_path(settings, crash)
    with tempfile.TemporaryFile() as stack:
        _set_up(settings, path, wanted=wanted)
        again = guarded(lambda: _run_again(settings, crash, prepare), stack=stack)
        stack.seek(0)
        frames = _FRAME.findall(stack.read().decode(errors="replace"))
    if not isinstance(again, Crash) or again.step != crash.step:
        yield "it did not crash again in a second run", ""
    elif again.op:
        yield f"the last op that it took up: {again.op}", again.op_location
    place = _own_place(frames)
    if place:
        yield f"Python was at {place}", ""
    if Path(path).exists() and Path(path).stat().st_size:
        loads = "".join(f"--load={file} " for file in settings["load"])
        yield f"{path} is a reproducer: anvl-opt {loads}{path} --run-reproducer", ""
    elif not wanted:
        Path(path).unlink(missing_ok=True)


def _reproducer_path(settings: Settings, crash: Crash) -> tuple[str, bool]:
    """The file for the reproducer, and whether a flag names it."""
    if settings[_REPRODUCER]:
        return settings[_REPRODUCER], True
    name = re.sub(r"[^\w-]", "", crash.step.partition(":")[0].replace(" ", "-"))
    descriptor, path = tempfile.mkstemp(prefix=f"anvl-opt-{name}-", suffix=".mlir")
    os.close(descriptor)
    return path, False


def _set_up(settings: Settings, path: str, *, wanted: bool) -> None:
    """Have the flags say what the second run is to write."""
    settings.values |= {_REPRODUCER: path, "o": os.devnull}
    settings.values |= dict.fromkeys(flags.VALIDATIONS)
    if not wanted:
        settings.values["mlir-pass-pipeline-local-reproducer"] = True
        if settings[_ELIDE] is None:
            settings.values[_ELIDE] = _LARGEST_CONSTANT


def _run_again(settings: Settings, crash: Crash, prepare: Callable[[Settings], bool]) -> int:
    from anvl.tools.io.stack import call_with_big_stack
    from anvl.tools.opt.driver.processing import process

    def run() -> int:
        return process(settings, crash.step) if prepare(settings) else 1

    return call_with_big_stack(run)


def _own_place(frames: list[tuple[str, str, str]]) -> str:
    """The innermost frame of a file that is not anvl's, MLIR's or Python's."""
    known = [Path(folder) for folder in _folders()]
    library = Path(sysconfig.get_path("stdlib"))
    for file, line, function in frames:
        around = Path(file).parents
        is_python = library in around and library / "site-packages" not in around
        if not (file.startswith("<") or is_python or any(folder in around for folder in known)):
            return f"{Path(file).name}:{line}, in {function}"
    return ""


def _folders() -> Iterator[str]:
    """The packages whose frames say nothing about a pass of a person's own."""
    for name in ("anvl", "anvl.tools", "anvl.passes", "anvl.dialect", "torch_mlir", "numpy"):
        spec = find_spec(name)
        yield from (spec.submodule_search_locations or ()) if spec is not None else ()


def _lines(settings: Settings) -> dict[str, list[str]]:
    try:
        read = source.read(settings.input)
    except source.InputError:
        return {}
    return {read.name: read.lines}
