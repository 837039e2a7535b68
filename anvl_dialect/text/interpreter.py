"""The reference interpreter of StableHLO, in a child process.

It ends the process on ops that it lacks, and on an integer division by zero.  So it runs in a
process of its own, which forks before the first program and again after one that ended the child;
and an allow-list restricts the ops it is given.
"""

from __future__ import annotations

import atexit
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir, stablehlo
from anvl.dialect.core.types import element_type, numpy_of, tensor
from anvl.dialect.text.messages import how_it_ended, receive, send

__all__ = [
    "KNOWN", "Code", "Interpreter", "Job", "ProcessEnded", "code_of", "interpreter", "name_of_op",
    "names_of", "unknown_ops",
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
_ARTIFACT = b"StableHLO_v"  # at the start of artifacts, as who produced them


class ProcessEnded(Exception):
    """The process of a program ended; the message has the signal, or its output."""


def names_of(op: ir.Operation) -> set[str]:
    """Names of the ops in an op; an empty contraction has a distinct name."""
    names: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        names.add(name_of_op(op))
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    return names - {"builtin.module"}


def name_of_op(op: ir.Operation) -> str:
    """The name of an op; an empty contraction has a distinct one."""
    if op.name == "stablehlo.dot_general" and any(0 in x.type.shape for x in op.operands):
        return _EMPTY_PRODUCT
    name: str = op.name
    return name


def unknown_ops(names: set[str]) -> set[str]:
    """Names of the ops that are not on the allow-list."""
    return set(names) - KNOWN


class Interpreter:
    """A child process that runs modules."""

    def __init__(self) -> None:
        self._process: Any = None
        self._said: Any = None  # what the process prints on stderr
        self._lock = threading.Lock()  # an answer is of the thread that asked

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

    def run_each(
        self, jobs: Sequence[Job], seconds: float = _SECONDS
    ) -> list[list[list[np.ndarray]] | ProcessEnded]:
        """`run` for several modules, whichever of them end the process."""
        answers: list[list[list[np.ndarray]] | ProcessEnded] = []
        for code, points in jobs:
            try:
                inputs = [x for xs in points for x in xs]
                results, _ = self._answer(code.bytecode, inputs, seconds)
            except ProcessEnded as ended:
                answers.append(ended)
            else:
                found = iter(results)
                answers.append([_put_together(found, code.dtypes) for _ in points])
        return answers

    def run_artifact(
        self, artifact: bytes, dtypes: Sequence[np.dtype], inputs: Sequence[np.ndarray],
        seconds: float = _SECONDS,
    ) -> tuple[list[np.ndarray], float]:  # fmt: skip
        """Results, of these dtypes, of a portable artifact, and the seconds of a processor that
        they took; raises `ProcessEnded`.

        It ends too on an op that is not on the allow-list, and after `seconds`.
        """
        found, taken = self._answer(artifact, inputs, seconds)
        return _put_together(iter(found), dtypes), taken

    def _answer(
        self, code: bytes, inputs: Sequence[np.ndarray], seconds: float
    ) -> tuple[list[np.ndarray], float]:
        with self._lock:
            return self._exchange(code, inputs, seconds)

    def _exchange(
        self, code: bytes, inputs: Sequence[np.ndarray], seconds: float
    ) -> tuple[list[np.ndarray], float]:
        if self._process is None:
            self._said = tempfile.TemporaryFile()
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said,
            )  # fmt: skip
        try:
            send(
                self._process.stdin,
                str(seconds),
                [np.frombuffer(code, np.uint8), *map(np.asarray, inputs)],
            )
            message, (taken, *found) = receive(self._process.stdout)
        except (EOFError, BrokenPipeError) as error:
            raise self._give_up() from error
        if message:
            raise ProcessEnded(message + self._reason())
        return found, float(taken)

    def _reason(self) -> str:
        """The error that LLVM printed before it ended the process, if any."""
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").splitlines()
        self._said.truncate(0)
        self._said.seek(0)  # the children write where this file stands
        errors = [line for line in lines if line.startswith("LLVM ERROR: ")]
        return f" ({errors[-1].removeprefix('LLVM ERROR: ')})" if errors else ""

    def _give_up(self) -> ProcessEnded:
        """Give up a process that ended though only its children should have."""
        self._process.kill()
        self.close()
        return ProcessEnded("the interpreter's process ended")

    def close(self) -> None:
        """End the child process."""
        if self._process is not None:
            with suppress(BrokenPipeError):  # it is gone, and its pending input with it
                self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
            self._said.close()
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
    dtypes = [np.dtype(numpy_of(t.element_type)) for t in _type_of(_main(module)).results]
    return Code(_bytecode(_readable(module)), dtypes)


def _main(module: ir.Module) -> ir.Operation:
    """The last function, which is the one that runs."""
    *_, last = module.body.operations
    return last.operation


def _type_of(function: ir.Operation) -> ir.FunctionType:
    return ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)


def _readable(module: ir.Module) -> ir.Module:
    """The module with complex results as pairs, and f32 for bf16; itself, if it has neither."""
    kinds = [str(t.element_type) for t in _type_of(_main(module)).results]
    if all(kind != "bf16" and not kind.startswith("complex") for kind in kinds):
        return module
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
        return written


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


def _put_together(given: Iterator[np.ndarray], dtypes: Sequence[np.dtype]) -> list[np.ndarray]:
    found = []
    for dtype in dtypes:
        y = next(given)
        if dtype.kind == "c":
            whole = np.empty(y.shape, dtype)
            whole.real, whole.imag = y, next(given)
            y = whole
        found.append(y.astype(dtype))
    return found


# -- the child -------------------------------------------------------------------------------------


def _serve() -> None:
    """Fork a child that answers; after one that ended without an answer, say how, and fork again.

    Only children read, and no more than what they answer, so that none takes the programs of the
    next with it.
    """
    if not hasattr(os, "fork"):
        _answer_all()
        return
    while True:
        child = os.fork()
        if child == 0:
            _answer_all()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            return
        send(sys.stdout.buffer, how_it_ended(status), [np.zeros(())])


def _answer_all() -> None:
    source = open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
    while True:
        try:
            seconds, (code, *arrays) = receive(source)
        except EOFError:
            return
        _end_after(float(seconds))
        start = time.process_time()
        try:
            message, found = "", _evaluated(_module_of(code.tobytes()), arrays)
        except (ValueError, RuntimeError, TypeError, ir.MLIRError) as error:
            message, found = f"{type(error).__name__}: {error}", []
        _end_after(0)  # no partial answers
        send(sys.stdout.buffer, message, [np.array(time.process_time() - start), *found])


@lru_cache(_MOST_KEPT)
def _module_of(code: bytes) -> ir.Module:
    """The module of bytecode, or of an artifact, read once for all its inputs."""
    if _ARTIFACT not in code[:32]:
        return ir.Module.parse(code, context())
    module = stablehlo.deserialize_portable_artifact(context(), code)
    if unknown := unknown_ops(names_of(module.operation)):
        raise ValueError(f"not known to the interpreter: {', '.join(sorted(unknown))}")
    return _readable(module)


def _end_after(seconds: float) -> None:
    """End the process after so many seconds of a processor, where the system has a timer; 0: no."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _evaluated(module: ir.Module, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    with context(), ir.Location.unknown():
        given = [
            ir.DenseElementsAttr.get(np.array(x), type=tensor(x.shape, element_type(x.dtype)))
            for x in arrays
        ]
        n = len(_type_of(_main(module)).inputs)
        points = [given[i : i + n] for i in range(0, len(given), n)] if n else [[]]
        return [np.array(y) for point in points for y in stablehlo.eval_module(module, point)]


if __name__ == "__main__":
    context().enable_multithreading(False)
    _serve()
