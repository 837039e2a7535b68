"""`from_stablehlo`: a StableHLO program as a function of anvl."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anvl.core.avals import Aval, aval
from anvl.core.promote import abstract, as_tracer, fitted
from anvl.core.trace_state import current, passes_lock
from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import AnvlError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import dtype_name, kind, numpy_of
from anvl.dialect.interpreters.activity_analysis import place_of
from anvl.dialect.text.artifacts import MAGIC
from anvl.dialect.text.bytecode import Malformed, tried
from anvl.dialect.text.parsing import InvalidOp, parsed, too_deep
from anvl.dialect.text.shardy import NotPlacement, placement_remark, without_shardy
from anvl.dispatch.jit import call_function, jit
from anvl.interop.lift_program import insert_functions, lifted
from anvl.runtime import hiding_frames

__all__ = ["from_stablehlo"]

_CALLED = "call_target_name"
_CALLER = 5  # frames from the warning to the caller of `from_stablehlo`
_SHOWN = 8  # bytes shown of invalid bytecode
_DEEPEST = 200  # levels: programs have about ten, and the stack of a thread holds thousands


@hiding_frames
def from_stablehlo(program: str | bytes, function: str = "main") -> Callable[..., Any]:
    """Import a program in StableHLO, CHLO or anvl's own ops as a transformable function.

    Its ops become anvl's, its loops and choices too (`anvl-opt --anvl-lift`), so that even reverse
    mode through a `while` works.  Shardings (Shardy) are dropped, with a warning.  Bytes are first
    read by another process, which takes half a second, as malformed ones may end their reader.
    Raises `ValueError`, with MLIR's own message, for an invalid module or a missing function.
    Source: StableHLO specification.

    Parameters
    ----------
    program : str or bytes
        A module of MLIR: text, such as `jax.jit(f).lower(x).as_text()` or `lowered.mlir()`,
        bytecode, or an artifact, such as `jax.export.export(jax.jit(f))(x).mlir_module_serialized`.
    function : str
        The name of the function to import.

    Returns
    -------
    A jitted function of arrays of the program's dtypes and shapes (others raise `TypeError`), to
    which Python numbers are converted.  It returns an array, or a tuple of several.

    >>> import anvl
    >>> square = anvl.from_stablehlo('''
    ... func.func @main(%x: tensor<f32>) -> tensor<f32> {
    ...   %0 = stablehlo.multiply %x, %x : tensor<f32>
    ...   return %0 : tensor<f32>
    ... }
    ... ''')
    >>> print(square(3.0), anvl.grad(square)(3.0))
    9.0 6.0
    """
    module = _read(program)
    with passes_lock:
        try:
            functions = lifted(module)
        except ValueError as error:
            raise ValueError(f"from_stablehlo: {error}") from None
    if function not in functions:
        known = ", ".join(functions) or "none"
        raise ValueError(f"from_stablehlo: there is no function {function!r}; there are: {known}")
    _check_callbacks(module.operation)
    of = functions[function].attributes["function_type"].value
    inputs, outputs = ([_aval_of(t, function) for t in side] for side in (of.inputs, of.results))

    def imported(*args: Any) -> Any:
        trace = current.trace
        assert trace is not None
        operands = _operands(function, inputs, args)
        # The function keeps the module alive, so its key stays unique.
        key = "from_stablehlo", id(module), function
        name = trace.program.functions.get(key)
        if name is None:
            name = trace.program.functions[key] = insert_functions(module, function, trace.program)
        found = call_function(trace, name, operands, outputs)
        return found[0] if len(found) == 1 else tuple(found)

    imported.__name__ = function
    imported.__doc__ = f"@{function}: {_listed(inputs)} -> {_listed(outputs)}."
    return jit(imported)


def _read(program: str | bytes) -> ir.Module:
    if not isinstance(program, str | bytes):
        raise TypeError(
            "from_stablehlo: takes the text of a module, or bytes of bytecode or of an artifact, "
            f"got {type(program).__name__}"
        )
    try:
        content, dropped = _of_bytes(program) if isinstance(program, bytes) else _of_text(program)
        module = parsed(content, "program", context())
    except NotPlacement as error:
        assert isinstance(program, str)
        said = f"line {program.count(chr(10), 0, error.at) + 1}: {error}"
    except ir.MLIRError as error:
        found = error.error_diagnostics
        said = f"{found[0].location}: {found[0].message}" if found else str(error)
    except (InvalidOp, AnvlError, Malformed) as error:
        said = str(error)
    else:
        _warn(dropped)
        return module
    raise ValueError(f"from_stablehlo: the program is not a StableHLO module: {said}")


def _of_text(text: str) -> tuple[str, Mapping[str, int]]:
    _check_characters(text)
    at = too_deep(text, _DEEPEST)
    if at is not None:
        line = text.count("\n", 0, at) + 1
        raise ValueError(f"from_stablehlo: line {line} nests deeper than {_DEEPEST} levels")
    return without_shardy(text)


def _of_bytes(data: bytes) -> tuple[bytes, Mapping[str, int]]:
    if not data.startswith(MAGIC):
        raise Malformed(f"bytecode begins with {MAGIC!r}, these bytes with {data[:_SHOWN]!r}")
    return tried(data, ("anvl.dialect.text.bytecode", str(_DEEPEST)))


def _warn(dropped: Mapping[str, int]) -> None:
    """Warn about the user's annotations that were dropped; rules of routines are JAX's own."""
    asked = {kind: n for kind, n in dropped.items() if kind != "sharding rule"}
    if asked:
        message = f"from_stablehlo: {placement_remark(asked)}; the program runs on one device"
        warnings.warn(message, stacklevel=_CALLER)


def _check_characters(text: str) -> None:
    """Refuse text that is not UTF-8, or has a null character, which ends MLIR's text."""
    found = re.search("[\0\ud800-\udfff]", text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(
            f"from_stablehlo: line {line} has the character {found[0]!r}, which no text of MLIR has"
        )


def _check_callbacks(module: ir.Operation) -> None:
    """Refuse JAX's callbacks: pointers of the process that made them, which XLA does not check."""
    found: list[str] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        name = attribute_of(op, _CALLED)
        if isinstance(name, ir.StringAttr) and re.search("python.*_callback$", name.value):
            found.append(f"{place_of(op)} calls {name.value!r}")
        return ir.WalkResult.ADVANCE

    module.walk(visit)
    if found:
        raise ValueError(
            f"from_stablehlo: {found[0]}: a Python function of the process that wrote the program; "
            "write it without callbacks"
        )


def _aval_of(type_: Any, function: str) -> Aval:
    is_array = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
    try:
        if is_array and kind(type_.element_type):
            return aval(numpy_of(type_.element_type), tuple(type_.shape))
    except (TypeError, KeyError):
        pass
    raise ValueError(
        f"from_stablehlo: @{function} takes or returns {type_}; anvl has arrays of known shapes"
    )


def _operands(function: str, inputs: Sequence[Aval], args: Sequence[Any]) -> list[Any]:
    if len(args) != len(inputs):
        raise TypeError(
            f"{function}: takes {len(inputs)} arrays, {_listed(inputs)}, but got {len(args)}"
        )
    operands = []
    for i, (x, of) in enumerate(zip(args, inputs, strict=True)):
        found = abstract(x, f"{function}: argument {i}")
        if found.weak_type and found.shape == of.shape and found.level <= of.level:
            operands.append(fitted(x, of.dtype))
        elif (found.dtype, found.shape) == (of.dtype, of.shape):
            operands.append(as_tracer(x))
        else:
            raise TypeError(
                f"{function}: argument {i} is {found}, but the program takes {of}; cast or reshape "
                f"it, for example with anvl.numpy.asarray(x, {dtype_name(of.dtype)!r})"
            )
    return operands


def _listed(avals: Sequence[Aval]) -> str:
    return f"({', '.join(map(repr, avals))})"
