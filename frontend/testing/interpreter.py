"""The reference interpreter of StableHLO, in a child process.

It ends the process on ops that it lacks, and on an integer division by zero.  So it runs in a
process of its own, which forks for each group of programs, and again for the remaining ones after
one that ended it; and an allow-list restricts the ops it is given.
"""

from __future__ import annotations

import atexit
import io
import json
import mmap
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import ml_dtypes
import numpy as np

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir, stablehlo
from anvl.dialect.core.types import element_type, numpy_of, tensor

__all__ = [
    "KNOWN",
    "Code",
    "Interpreter",
    "Job",
    "ProcessEnded",
    "code_of",
    "interpreter",
    "names_of",
    "unknown_ops",
]  # fmt: skip


class Code(NamedTuple):
    """A module as bytecode, which takes a fifth of the time of text, and its results' dtypes."""

    bytecode: bytes
    dtypes: list[np.dtype]


#: The code of a module, and several lists of inputs for it.
Job: TypeAlias = tuple[Code, Sequence[Sequence[np.ndarray]]]

#: The ops that it has.
KNOWN = frozenset(
    f"stablehlo.{name}"
    for name in (
        "abs add and atan2 bitcast_convert broadcast_in_dim case cbrt ceil clamp compare complex "
        "concatenate constant convert convolution cosine count_leading_zeros divide dot_general "
        "dynamic_slice dynamic_update_slice exponential exponential_minus_one floor gather if imag "
        "iota is_finite log log_plus_one logistic maximum minimum multiply negate not or pad "
        "popcnt power real reduce reduce_precision reduce_window remainder reshape return reverse "
        "round_nearest_afz round_nearest_even rsqrt scatter select select_and_scatter shift_left "
        "shift_right_arithmetic shift_right_logical sign sine slice sort sqrt subtract tan tanh "
        "transpose triangular_solve while xor map optimization_barrier"
    ).split()
) | {"func.func", "func.return", "func.call"}

_EMPTY_PRODUCT = "stablehlo.dot_general of nothing"  # which ends the process
_SECONDS = 60  # of a processor, for one program
_MOST_KEPT = 500  # programs that the process keeps for further inputs


class ProcessEnded(Exception):
    """The process of a program ended; the message has the signal, or its output."""


def names_of(op: ir.Operation) -> set[str]:
    """Names of the ops in an op; an empty contraction has a distinct name."""
    names: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        names.add(op.name)
        if op.name == "stablehlo.dot_general" and any(0 in x.type.shape for x in op.operands):
            names.add(_EMPTY_PRODUCT)
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    return names - {"builtin.module"}


def unknown_ops(names: set[str]) -> set[str]:
    """Names of the ops that are not on the allow-list."""
    return set(names) - KNOWN


class Interpreter:
    """A child process that runs modules."""

    def __init__(self) -> None:
        self._process: Any = None

    def run(
        self, module: ir.Module, points: Sequence[Sequence[np.ndarray]]
    ) -> list[list[np.ndarray]]:
        """The results of a module on each of several lists of inputs; raises `ProcessEnded`.

        The last function is run; its callees stand before it.
        """
        (found,) = self.run_each([(code_of(module), points)])
        if isinstance(found, ProcessEnded):
            raise found
        return found

    def run_each(self, jobs: Sequence[Job]) -> list[list[list[np.ndarray]] | ProcessEnded]:
        """`run` for several modules in one process, as a fork takes longer than most programs."""
        try:
            self._send_jobs(jobs)
        except (EOFError, BrokenPipeError) as error:
            return [self._give_up(error)] * len(jobs)
        answers: list[list[list[np.ndarray]] | ProcessEnded] = []
        for code, points in jobs:
            try:
                message, found = _receive(self._stream("stdout"))
            except (EOFError, BrokenPipeError) as error:
                return answers + [self._give_up(error)] * (len(jobs) - len(answers))
            given = iter(found)
            results = [] if message else [_put_together(given, code.dtypes) for _ in points]
            answers.append(ProcessEnded(message) if message else results)
        return answers

    def _send_jobs(self, jobs: Sequence[Job]) -> None:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        stream = self._stream("stdin")
        stream.write(struct.pack("<I", len(jobs)))
        for code, points in jobs:
            inputs = [np.asarray(x) for xs in points for x in xs]
            _send(stream, "", [np.frombuffer(code.bytecode, np.uint8), *inputs])

    def _stream(self, name: str) -> BinaryIO:
        if self._process is None:
            raise EOFError
        return getattr(self._process, name)

    def _give_up(self, error: Exception) -> ProcessEnded:
        """Give up a process that ended though its children should have."""
        if self._process is not None:
            self._process.kill()
            self.close()
        ended = ProcessEnded("the interpreter's process ended")
        ended.__cause__ = error
        return ended

    def close(self) -> None:
        """End the child process."""
        if self._process is not None:
            with suppress(BrokenPipeError):  # it is gone, and its pending input with it
                self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
            self._process = None


@cache
def interpreter() -> Interpreter:
    """The interpreter of this process, started on first use; it ends with the process."""
    made = Interpreter()
    atexit.register(made.close)
    return made


# -- results that Python can read ------------------------------------------------------------------


def code_of(module: ir.Module) -> Code:
    """The module with complex results as pairs, and f32 for bf16; and the original dtypes."""
    *_, last = module.body.operations
    types = ir.FunctionType(ir.TypeAttr(last.operation.attributes["function_type"]).value).results
    dtypes = [np.dtype(numpy_of(t.element_type)) for t in types]
    if all(d.kind != "c" and d != ml_dtypes.bfloat16 for d in dtypes):
        return Code(_bytecode(module), dtypes)
    with context(), ir.Location.unknown():
        written = ir.Module.create()
        point = ir.InsertionPoint(written.body)
        *_, main = [op.operation.clone(ip=point) for op in module.body.operations]
        block = main.regions[0].blocks[0]
        *_, end = block.operations
        with ir.InsertionPoint(end):
            values = [part for y in end.operation.operands for part in _parts(y)]
            ir.Operation.create("func.return", [], values)
        end.operation.erase()
        kind = ir.FunctionType.get([a.type for a in block.arguments], [v.type for v in values])
        main.attributes["function_type"] = ir.TypeAttr.get(kind)
        if "res_attrs" in main.attributes:
            del main.attributes["res_attrs"]
        return Code(_bytecode(written), dtypes)


def _bytecode(module: ir.Module) -> bytes:
    stream = io.BytesIO()
    module.operation.write_bytecode(stream)
    return stream.getvalue()


def _parts(y: ir.Value) -> list[ir.Value]:
    of = ir.RankedTensorType(y.type)
    element = str(of.element_type)
    if element.startswith("complex"):
        inner = ir.ComplexType(of.element_type).element_type
        to = ir.RankedTensorType.get(of.shape, inner)
        return [ir.Operation.create(f"stablehlo.{p}", [to], [y]).result for p in ("real", "imag")]
    if element == "bf16":
        to = ir.RankedTensorType.get(of.shape, ir.F32Type.get())
        return [ir.Operation.create("stablehlo.convert", [to], [y]).result]
    return [y]


def _put_together(given: Iterator[np.ndarray], dtypes: list[np.dtype]) -> list[np.ndarray]:
    found = []
    for dtype in dtypes:
        y = next(given)
        if dtype.kind == "c":
            whole = np.empty(y.shape, dtype)
            whole.real, whole.imag = y, next(given)
            y = whole
        found.append(y.astype(dtype))
    return found


# -- messages --------------------------------------------------------------------------------------


def _send(stream: BinaryIO, text: str, arrays: Sequence[np.ndarray]) -> None:
    contiguous = [np.asarray(x, order="C") for x in arrays]
    body = b"".join(x.tobytes() for x in contiguous)
    kinds = [[str(x.dtype), list(x.shape)] for x in contiguous]
    head = json.dumps({"text": text, "arrays": kinds, "bytes": len(body)}).encode()
    stream.write(struct.pack("<I", len(head)) + head + body)
    stream.flush()


def _receive(stream: BinaryIO) -> tuple[str, list[np.ndarray]]:
    size = stream.read(4)
    if len(size) < 4:
        raise EOFError
    head = json.loads(stream.read(struct.unpack("<I", size)[0]))
    body, arrays, at = stream.read(head["bytes"]), [], 0
    for dtype, shape in head["arrays"]:
        of = np.dtype(dtype)
        count = int(np.prod(shape))
        arrays.append(np.frombuffer(body, of, count, at).reshape(shape))
        at += count * of.itemsize
    return head["text"], arrays


# -- the child -------------------------------------------------------------------------------------


def _serve() -> None:
    """Run each group of programs in a forked child; report how it ended without results."""
    done = mmap.mmap(-1, 4)  # shared with the child, which counts its answers in it
    while size := sys.stdin.buffer.read(4):
        received = [_receive(sys.stdin.buffer) for _ in range(struct.unpack("<I", size)[0])]
        jobs = [(_module_of(code.tobytes()), arrays) for _, (code, *arrays) in received]
        if not hasattr(os, "fork"):
            _answer(jobs, done)
            continue
        while jobs:
            done[:] = struct.pack("<I", 0)
            child = os.fork()
            if child == 0:
                _answer(jobs, done)
                os._exit(0)
            _, status = os.waitpid(child, 0)
            count = struct.unpack("<I", done[:])[0]
            if count < len(jobs):
                _send(sys.stdout.buffer, _how_it_ended(status), [])
            jobs = jobs[count + 1 :]


def _how_it_ended(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"status {os.WEXITSTATUS(status)}"


@lru_cache(_MOST_KEPT)
def _module_of(bytecode: bytes) -> ir.Module | ir.MLIRError:
    """Read a module once for all its inputs, before the fork; return an error for its answer."""
    try:
        return ir.Module.parse(bytecode, context())
    except ir.MLIRError as error:
        return error


def _answer(
    jobs: Sequence[tuple[ir.Module | ir.MLIRError, list[np.ndarray]]], done: mmap.mmap
) -> None:
    target = sys.stdout.buffer
    for i, (module, arrays) in enumerate(jobs, 1):
        _end_after(_SECONDS)
        try:
            message, found = "", _evaluated(module, arrays)
        except (ValueError, RuntimeError, TypeError, ir.MLIRError) as error:
            message, found = f"{type(error).__name__}: {error}", []
        _end_after(0)  # no partial answers
        _send(target, message, found)
        done[:] = struct.pack("<I", i)


def _end_after(seconds: float) -> None:
    """End the process after so many seconds of a processor, where the system has a timer; 0: no."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _evaluated(module: ir.Module | ir.MLIRError, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    if isinstance(module, ir.MLIRError):
        raise module
    with context(), ir.Location.unknown():
        given = [
            ir.DenseElementsAttr.get(np.array(x), type=tensor(x.shape, element_type(x.dtype)))
            for x in arrays
        ]
        *_, main = module.body.operations
        n = len(main.operation.regions[0].blocks[0].arguments)
        points = [given[i : i + n] for i in range(0, len(given), n)] if n else [[]]
        return [np.array(y) for point in points for y in stablehlo.eval_module(module, point)]


if __name__ == "__main__":
    context().enable_multithreading(False)
    _serve()
