"""Arrays of a program from the command line and from files, and in bytes for files."""

import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.dialect.core.errors import nearest
from anvl.tools.io.command_line import UsageError
from anvl.tools.run.entry import Argument, Lowered, Result
from anvl.tools.run.inputs import (
    InvalidInput,
    chosen,
    keys_of,
    literal,
    load_npy,
    load_npz,
    name_in,
    of_npz,
)
from anvl.tools.run.settings import Settings

__all__ = ["encoded", "expected", "gathered"]

_WIDEST = 8  # bytes of the numbers that are drawn, before they are made narrow


def gathered(settings: Settings, program: Lowered) -> list[np.ndarray]:
    """An array for each argument, from all flags that give some."""
    _check_memory(program)
    try:
        return _gathered(settings, program)
    except InvalidInput as error:
        raise InvalidInput(f"{error}{_captured(program)}") from None


def _gathered(settings: Settings, program: Lowered) -> list[np.ndarray]:
    given: dict[int, np.ndarray] = {}
    if settings.args is not None:
        given |= _of_args(settings.args, program)
    for text in settings.input:
        of, path = _split(text, program)
        if of.index in given:
            raise InvalidInput(f"argument {of} is given twice, by --input={text} and another")
        given[of.index] = load_npy(path, of)
    if settings.inputs is not None:
        given = _of_file(settings.inputs, program, given) | given
    return chosen(program.arguments, given, settings.seed, settings.range)


def _check_memory(program: Lowered) -> None:
    from anvl.runtime.memory import gibibytes, machine_memory

    memory = machine_memory()
    sizes = [
        int(np.prod(x.shape, dtype=object)) * max(x.dtype.itemsize, _WIDEST)
        for x in (*program.arguments, *program.results)
    ]
    if memory is not None and sum(sizes) > memory:
        raise InvalidInput(
            f"@{program.function}: arguments and results need {gibibytes(sum(sizes))}, of which "
            f"this process may have {gibibytes(memory)}"
        )


def _of_args(text: str, program: Lowered) -> dict[int, np.ndarray]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--args is not JSON: {error}") from None
    if not isinstance(values, list):
        raise UsageError(f"--args: must be a list with a value for each argument, got {text[:50]}")
    arguments = program.arguments
    if len(values) > len(arguments):
        takes = ", ".join(map(str, arguments)) or "none"
        raise InvalidInput(
            f"--args has {len(values)} values; @{program.function} takes {len(arguments)}: {takes}"
        )
    pairs = zip(values, arguments, strict=False)
    return {of.index: literal(value, of) for value, of in pairs if value is not None}


def _split(text: str, program: Lowered) -> tuple[Argument, str]:
    """The argument and the path of `NAME=FILE`, or of `FILE` for an only argument."""
    name, equals, path = text.partition("=")
    arguments = program.arguments
    if not equals and len(arguments) == 1:
        return arguments[0], text
    if not equals:
        raise UsageError(f"--input={text}: which argument? write --input=NAME={text}")
    key = name.removeprefix("%")
    for of in arguments:
        if key in keys_of(of):
            return of, path
    listed = ", ".join(map(str, arguments)) or "none"
    near = nearest(key, [of.name for of in arguments if of.name])
    raise InvalidInput(f"--input: no argument {key!r}{near}; there are {listed}")


def _of_file(path: str, program: Lowered, given: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
    arrays = load_npz(path)
    known = {name_in(arrays, of) for of in program.arguments}
    unused = [name for name in arrays if name not in known]
    if unused:
        listed = ", ".join(map(str, program.arguments)) or "none"
        raise InvalidInput(
            f"{path}: {', '.join(map(repr, unused))} belongs to no argument; there are {listed}"
        )
    return {
        of.index: of_npz(arrays, of, path)
        for of in program.arguments
        if of.index not in given and name_in(arrays, of) is not None
    }


def _captured(program: Lowered) -> str:
    if not program.captured:
        return ""
    which = ", ".join(map(str, program.captured))
    return (
        f"; the program closes over {len(program.captured)} of them, captured {which}, which its "
        "text does not hold: give these first, or with --inputs the file that "
        "numpy.savez(FILE, **lowered.constants()) writes"
    )


# -- results ---------------------------------------------------------------------------------------


def expected(path: str, program: Lowered) -> list[np.ndarray]:
    """The array of a file for each result, of perhaps another dtype."""
    if path.endswith(".npz"):
        arrays = load_npz(path)
        return [of_npz(arrays, of, path) for of in program.results]
    if len(program.results) != 1:
        problem = f"holds one array, but @{program.function} has {len(program.results)} results"
        raise InvalidInput(f"{path}: {problem}; give an .npz file")
    return [load_npy(path, program.results[0])]


def encoded(path: str, arrays: Sequence[np.ndarray], of: Sequence[Result]) -> bytes:
    """The content of an `.npz` or `.npy` file, as `--inputs` and `--compare` read it."""
    if path.endswith(".npy"):
        if len(arrays) != 1:
            raise InvalidInput(f"-o {path}: takes one result, not {len(arrays)}; write to an .npz")
        return _npy(arrays[0])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:  # always the same bytes, unlike `numpy.savez`
        for array, each in zip(arrays, of, strict=True):
            archive.writestr(zipfile.ZipInfo(f"{_name(each)}.npy"), _npy(array))
    return buffer.getvalue()


def _npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    kept: Any = array
    np.lib.format.write_array(buffer, kept, allow_pickle=False)
    return buffer.getvalue()


def _name(of: Result) -> str:
    """An argument by its name; a result as `numpy.savez` calls it, so that it can be an input."""
    name = of.name if isinstance(of, Argument) else ""
    return name or f"arr_{of.index}"
