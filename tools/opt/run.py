"""Run a program from a file, for the tests: one line a result, as FileCheck expects.

    python -m anvl.tools.opt.run sin.mlir --function=sin --args='[[0.0, 1.0]]'
    f32[2] 0.0 0.841471

The program is text or bytecode in the anvl or StableHLO dialects, or a portable artifact; `-`
reads stdin.  It goes through the pipeline of `jit`, so it may be a trace.  `--args` is a JSON list
of one value for each argument: nested lists, or a number for all elements.  This is the only tool
that loads the runtime.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.dialect.core.context import context
from anvl.dialect.core.errors import AnvlError, PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.parsing import InvalidOp, parsed
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.hoist_constants import CAPTURED
from anvl.passes.pipelines.jit_pipeline import pipeline, transformations
from anvl.tools.opt.bytecode import checked
from anvl.tools.opt.diagnostics import UNSAID, Diagnostic, collected, position, rendered
from anvl.tools.opt.load import LoadError, load
from anvl.tools.opt.source import InputError, Source, read
from anvl.tools.opt.stack import call_with_big_stack

_ENTRY = "main"  # the dialect that PJRT runs
_DIGITS = 6  # digits on which different CPUs agree in f32


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `python -m anvl.tools.opt.run`; returns its exit code."""
    options = _parser().parse_args(argv)
    try:
        print("".join(call_with_big_stack(lambda: _lines(options))), end="")
    except _Refused as error:
        print(error, end="", file=sys.stderr)
        return 1
    except LoadError as error:
        print(error, end="", file=sys.stderr)
        return 1
    except _EXPECTED as error:
        print(f"{options.file}: error: {' '.join(str(error).split(chr(10)))}", file=sys.stderr)
        return 1
    return 0


# The bounds of numbers and of memory that `--args` may exceed.
_EXPECTED = (AnvlError, OSError, ArithmeticError, MemoryError, RuntimeError, TypeError, ValueError)


class _Refused(Exception):
    """The program is refused; the message is the text of a diagnostic."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="anvl.tools.opt.run", allow_abbrev=False)
    parser.add_argument("file", nargs="?", default="-", help="the program, or - for stdin")
    parser.add_argument("--function", default=_ENTRY, help="which function to run")
    parser.add_argument("--load", action="append", default=[], help="a file that defines ops")
    parser.add_argument("--args", default="[]", help="a JSON list of the arguments")
    return parser


def _lines(options: argparse.Namespace) -> list[str]:
    load(options.load)
    args = _json(options.args)
    program = _read(options.file, options.load)
    with collected(context(), program.name) as said:
        try:
            module = parsed(program.content, program.name, context(), program.path)
            low = lowered(module, options.function)
        except (AnvlError, InvalidOp, ir.MLIRError) as error:
            raise _refused(error, said, program) from error
    return [f"{line}\n" for line in run(low, options.function, args)]


def _json(text: str) -> list[Any]:
    try:
        args = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"--args is not JSON: {error}") from None
    if not isinstance(args, list):
        raise ValueError(f"--args: must be a list with a value for each argument, got {text[:50]}")
    return args


def _read(path: str, load: Sequence[str]) -> Source:
    """Read text, or bytecode that a child process could read."""
    try:
        program = checked(read(path), load=load)
    except InputError as error:
        raise _Refused(rendered(error.diagnostic, {})) from None
    if program.remark:
        print(
            rendered(Diagnostic("remark", program.remark, program.name), {}),
            end="",
            file=sys.stderr,
        )
    return program


def _refused(error: Exception, said: list[Diagnostic], program: Source) -> _Refused:
    """The diagnostic of an error: its location, and the source line."""
    where = getattr(error, "location", "")
    if isinstance(error, ir.MLIRError) and said:
        found = said[0]
    else:
        text = UNSAID if isinstance(error, ir.MLIRError) else str(error)
        message = " ".join(text.split("\n"))
        found = Diagnostic("error", message, *position(where, program.name))
    return _Refused(rendered(found, {program.name: program.lines}))


def run(program: "Lowered", function: str, args: Sequence[Any]) -> list[str]:
    """Results of `function` of a lowered program, each as a line of text."""
    import anvl.runtime as rt

    executable = rt.compile_lowered(program.text)
    _check_count(function, program, args, executable.arg_types)
    arrays = [
        array_of(value, t.dtype, t.shape)
        for value, t in zip(args, executable.arg_types, strict=True)
    ]
    results = executable.execute([rt.put(x) for x in arrays])
    return [_line(t, np.asarray(x)) for t, x in zip(executable.out_types, results, strict=True)]


def _check_count(function: str, program: "Lowered", args: Sequence[Any], types: Any) -> None:
    if len(args) == len(types):
        return
    message = (
        f"{function}: takes {len(types)} values ({', '.join(map(repr, types))}), got {len(args)}"
    )
    if program.captured:
        which = ", ".join(map(str, program.captured))
        message += (
            f"; the program closes over {len(program.captured)} of them, captured {which}, which "
            "its text does not hold: give these first"
        )
    raise ValueError(message)


class Lowered(NamedTuple):
    """StableHLO text, and the captured array that each of its first arguments is, by index."""

    text: str
    captured: tuple[int, ...]


def lowered(module: ir.Module, function: str, platform: str = "cpu") -> Lowered:
    """Lower a module with `function` as `main`, by the pipeline of `jit`, in place."""
    entry = _found(module, function)
    if not entry.regions[0].blocks:  # perhaps only declared: a public function must have a body
        Pipeline(transformations()).run(module, verify_each=True)
        entry = _found(module, function)
    if not entry.regions[0].blocks:
        problem = f"@{function} has no body; give it one, or run another function"
        raise PassError("anvl.tools.opt.run", problem, str(entry.location))
    _make_entry(module, function)
    passes = Pipeline(["symbol-dce", *pipeline(platform=platform).elements])
    passes.run(module, verify_each=True)
    return Lowered(module.operation.get_asm(), _captured(module))


def _captured(module: ir.Module) -> tuple[int, ...]:
    entry = next(op for op in _functions(module) if _name(op) == _ENTRY)
    if "arg_attrs" not in entry.attributes:
        return ()
    says = [attributes for attributes in entry.attributes["arg_attrs"] if CAPTURED in attributes]
    return tuple(attributes[CAPTURED].value for attributes in says)


def _found(module: ir.Module, function: str) -> ir.Operation:
    names = {_name(op): op for op in _functions(module)}
    if function not in names:
        known = ", ".join(names) or "none"
        raise ValueError(f"{function}: no such function; there are {known}")
    return names[function]


def _make_entry(module: ir.Module, function: str) -> None:
    """Rename `function` to `main`, and make every other function private."""
    functions = _functions(module)
    names = {_name(op): op for op in functions}
    with module.context, ir.Location.unknown():
        if function != _ENTRY and _ENTRY in names:
            unused = _ENTRY + "_" * max(map(len, names))  # longer than any
            _rename(module, names[_ENTRY], unused)
        _rename(module, names[function], _ENTRY)
        for op in functions:
            if _name(op) != _ENTRY:
                op.attributes["sym_visibility"] = ir.StringAttr.get("private")
            elif "sym_visibility" in op.attributes:
                del op.attributes["sym_visibility"]


def _functions(module: ir.Module) -> list[ir.Operation]:
    return [op.operation for op in module.body.operations if op.operation.name == "func.func"]


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value


def _rename(module: ir.Module, op: ir.Operation, name: str) -> None:
    ir.SymbolTable.replace_all_symbol_uses(_name(op), name, module.operation)
    ir.SymbolTable.set_symbol_name(op, name)


def array_of(value: Any, dtype: Any, shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """Convert a JSON value to an array; a number stands for all elements."""
    read = np.asarray(value)
    if read.dtype.kind == "U":  # JSON has no complex numbers: "1+2j"
        read = read.astype(complex)
    made = read.astype(dtype)
    return np.broadcast_to(made, shape).copy() if made.ndim == 0 else made


def _line(array_type: Any, value: np.ndarray[Any, Any]) -> str:
    return " ".join([repr(array_type), *map(_shown, value.ravel())])


def _shown(x: Any) -> str:
    """Format a number with six digits, the same text for the same number."""
    if x.dtype == bool:
        return "true" if x else "false"
    if x.dtype.kind in "iu" or "int" in x.dtype.name:
        return str(int(x))
    if x.dtype.kind == "c":
        imaginary = _shown_float(float(x.imag))
        return f"{_shown_float(float(x.real))}{'' if imaginary[0] in '-n' else '+'}{imaginary}j"
    return _shown_float(float(x))


def _shown_float(x: float) -> str:
    text = f"{x:.{_DIGITS}g}"
    is_integer_text = math.isfinite(x) and "." not in text and "e" not in text
    return f"{text}.0" if is_integer_text else text


if __name__ == "__main__":
    sys.exit(main())
