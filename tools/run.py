"""Run a program from a file, for the tests: one line a result, as FileCheck likes it.

    python -m anvl.tools.run sin.mlir --function=sin --args='[[0.0, 1.0]]'
    f32[2] 0.0 0.841471

The program is text or bytecode in the anvl or StableHLO dialects, or a portable artifact; `-`
reads stdin.  `--args` is a JSON list of one value for each argument: nested lists, or a number
for all elements.  This is the only tool that loads the runtime.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anvl.dialect.context import context
from anvl.dialect.errors import AnvlError
from anvl.dialect.mlir import ir
from anvl.passes.pipeline import Pipeline
from anvl.tools.load import LoadError, load

_ENTRY = "main"  # what PJRT runs
_ARTIFACT = b"ML\xefR\rStableHLO_v"
_DIGITS = 6  # what CPUs of different make agree on in f32


def main(argv: Sequence[str] | None = None) -> int:
    """The command `python -m anvl.tools.run`; returns its exit code."""
    options = _parser().parse_args(argv)
    try:
        load(options.load)
        for line in run(_read(options.file), options.function, json.loads(options.args)):
            print(line)
    except LoadError as error:
        print(error, end="", file=sys.stderr)
        return 1
    except (AnvlError, OSError, RuntimeError, TypeError, ValueError, ir.MLIRError) as error:
        print(f"{options.file}: error: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="anvl.tools.run", allow_abbrev=False)
    parser.add_argument("file", nargs="?", default="-", help="the program, or - for stdin")
    parser.add_argument("--function", default=_ENTRY, help="which function to run")
    parser.add_argument("--load", action="append", default=[], help="a file that defines ops")
    parser.add_argument("--args", default="[]", help="a JSON list of the arguments")
    return parser


def _read(path: str) -> bytes:
    return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()


def run(program: bytes, function: str, args: Sequence[Any]) -> list[str]:
    """The results of `function` of `program`, each as a line of text."""
    import anvl.runtime as rt

    executable = rt.compile(
        program if program.startswith(_ARTIFACT) else lowered(program, function)
    )
    if len(args) != len(executable.arg_types):
        types = ", ".join(map(repr, executable.arg_types))
        raise ValueError(
            f"{function}: takes {len(executable.arg_types)} values ({types}), got {len(args)}"
        )
    arrays = [
        array_of(value, t.dtype, t.shape)
        for value, t in zip(args, executable.arg_types, strict=True)
    ]
    results = executable.execute([rt.put(x) for x in arrays])
    return [_line(t, np.asarray(x)) for t, x in zip(executable.out_types, results, strict=True)]


def lowered(program: bytes, function: str, passes: Sequence[str] = ()) -> str:
    """StableHLO text whose `main` is `function` of `program`, lowered after these passes."""
    module = ir.Module.parse(program, context())
    _make_entry(module, function)
    pipeline = Pipeline(["symbol-dce", *passes, "anvl-lower-to-stablehlo"])
    pipeline.run(module, verify_each=True)
    return module.operation.get_asm()


def _make_entry(module: ir.Module, function: str) -> None:
    """Rename `function` to `main`, and make every other function private."""
    functions = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
    names = {_name(op): op for op in functions}
    if function not in names:
        raise ValueError(f"{function}: no such function; there are {', '.join(names)}")
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


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value


def _rename(module: ir.Module, op: ir.Operation, name: str) -> None:
    ir.SymbolTable.replace_all_symbol_uses(_name(op), name, module.operation)
    ir.SymbolTable.set_symbol_name(op, name)


def array_of(value: Any, dtype: Any, shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """A value as JSON has it, as an array; a number stands for all elements."""
    read = np.asarray(value)
    if read.dtype.kind == "U":  # JSON has no complex numbers: "1+2j"
        read = read.astype(complex)
    made = read.astype(dtype)
    return np.broadcast_to(made, shape).copy() if made.ndim == 0 else made


def _line(array_type: Any, value: np.ndarray[Any, Any]) -> str:
    return " ".join([repr(array_type), *map(_shown, value.ravel())])


def _shown(x: Any) -> str:
    """Six digits, and always the same text for the same number."""
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
