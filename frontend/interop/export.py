"""`export`: a function as one file, from which it can be run, differentiated and batched."""

from __future__ import annotations

import hashlib
import inspect
import os
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import anvl
from anvl.core.arguments import Arguments, name_of, signature_of
from anvl.core.avals import Aval
from anvl.core.ranges import ranges_of
from anvl.core.trace_state import current
from anvl.core.traced import Traced, trace_call
from anvl.dialect.core.errors import ExportError
from anvl.dialect.core.mlir import ir, stablehlo
from anvl.dialect.core.shardings import MeshShape, Spec, joined
from anvl.dialect.core.types import dtype_name
from anvl.dialect.text.export_file import ARTIFACT, CONSTANTS, PROGRAM, packed, write_atomically
from anvl.dialect.text.file_locations import drop_folders
from anvl.dialect.text.safetensors import encoded
from anvl.dialect.text.versions import mark
from anvl.dispatch.jit import Jit
from anvl.dispatch.jit_options import roll_pass
from anvl.dispatch.lowering import (
    captured_name,
    captured_order,
    captured_types,
    copied,
    lower,
    serialize,
)
from anvl.dispatch.partitioning.over_mesh import mark_shardings
from anvl.dispatch.program_state import state_of
from anvl.interop.file_paths import checked_path
from anvl.interop.number_ranges import meetings_to_json
from anvl.interop.structures import structure_to_json, value_to_json
from anvl.passes.framework.walk import find
from anvl.passes.functions.placements import ARGUMENTS, RESULTS, shardings_of
from anvl.passes.functions.symbol_utils import functions_of
from anvl.runtime import (
    Placement,
    ShardedPlacement,
    Target,
    array_type,
    default_target,
    hiding_frames,
)
from anvl.sharding.specs import mesh_of

__all__ = ["ExportedProgram", "export"]

_WEEKS = stablehlo.StablehloCompatibilityRequirement.WEEK_12


class ExportedProgram:
    """A function that `anvl.export` traced: the content of its file.

    Attributes
    ----------
    manifest : dict
        What `manifest.json` of the file says: arguments, results, versions, platform.
    artifact : bytes
        The program as a portable StableHLO artifact; it takes the arrays of `constants` that
        `manifest["artifact_constants"]` names, then the arguments.  Its results at the positions in
        `manifest["artifact_state"]` say whether a check failed.
    constants : dict of numpy.ndarray
        The arrays that the function closed over, each once.
    custom_calls : list of str
        The targets of custom calls in the artifact: it runs where these are known.
    stablehlo_version : str
        The oldest version of StableHLO that reads the artifact; every later one does, for at least
        five years.
    """

    def __init__(
        self, manifest: dict[str, Any], program: str, artifact: bytes, constants: dict[str, Any]
    ) -> None:
        self.manifest = manifest
        self.artifact = artifact
        self.constants: dict[str, np.ndarray[Any, Any]] = constants
        self.custom_calls: list[str] = manifest["custom_calls"]
        self.stablehlo_version: str = manifest["stablehlo"]
        self._program = program

    def mlir(self) -> str:
        """The program in anvl's ops, as it was traced: text that `anvl-opt` reads."""
        return self._program

    def to_bytes(self) -> bytes:
        """The content of the file, the same for the same function."""
        members = {
            PROGRAM: self._program.encode(),
            ARTIFACT: self.artifact,
            CONSTANTS: encoded(self.constants),
        }
        return packed(self.manifest, members)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all, in place of one that is there.

        Parameters
        ----------
        path : str or path
            The file, by convention `model.anvl`; its folder must exist.

        Raises
        ------
        TypeError, ValueError
            The path is not a name of a file, such as None or empty text.
        OSError
            It cannot be written.
        """
        name = checked_path(path, "save")
        folder = os.path.dirname(os.path.realpath(name))
        if os.path.isdir(name) or name.endswith(os.sep):
            says = f"save: {name!r} is a folder; name a file in it, such as model.anvl"
            raise IsADirectoryError(says)
        if not os.path.isdir(folder):
            says = f"save: there is no folder {folder!r} for {name!r}; make it first"
            raise FileNotFoundError(says)
        try:
            write_atomically(name, self.to_bytes())
        except OSError as error:
            # The file that could not be written is a temporary one beside it.
            raise OSError(error.errno, f"save: {error.strerror}", name) from None

    def __repr__(self) -> str:
        of = self.manifest["function"]
        inputs, outputs = (", ".join(map(_shown, of[which])) for which in ("inputs", "outputs"))
        return f"<ExportedProgram {of['name']}({inputs}) -> ({outputs})>"


def _shown(of: dict[str, Any]) -> str:
    name = f"{of['name']}: " if "name" in of else ""
    weak = "?" if of["weak"] else ""
    return f"{name}{of['dtype']}{weak}[{','.join(map(str, of['shape']))}]"


@hiding_frames
def export(
    f: Callable[..., Any],
    *args: Any,
    static: Any = None,
    stablehlo_version: str | None = None,
    platform: str | None = None,
    **kwargs: Any,
) -> ExportedProgram:
    """Trace f for arguments of these types, as a program that can be saved to one file.

    The file is for `anvl.load`, which gives a function to call, differentiate and batch, on any
    platform; it also has a portable StableHLO artifact, for other programs.  What is in it:
    `docs/export.md`.

    Parameters
    ----------
    f : callable
        A function as for `jit`, or a jitted one, whose static arguments stay static.
    *args, **kwargs
        Arrays, numbers, abstract values (`anvl.aval("f32", (2, 3))`), and pytrees of them.
    static : str, int or sequence of these, optional
        Names or positions of arguments that become part of the program: numbers, text, tuples.
    stablehlo_version : str, optional
        The oldest version of StableHLO that must read the artifact, such as `"1.15.0"`; by default
        that of 12 weeks before this anvl's.
    platform : str, optional
        The platform that the artifact is for, by PJRT's name; by default the present one.  For
        `"cpu"` linear algebra calls LAPACK; for others it is written out in StableHLO.

    Returns
    -------
    ExportedProgram
        Its method `save(path)` writes the file.

    Raises
    ------
    ExportError
        A static value or a container has no form in a file, or an op is newer than
        `stablehlo_version`.
    ValueError
        `stablehlo_version` is no version that this anvl writes.

    Examples
    --------
    >>> import anvl, anvl.numpy as np, pathlib, tempfile
    >>> exported = anvl.export(lambda x: np.sum(np.sin(x)), anvl.aval("f32", (3,)))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "sines.anvl"
    >>> exported.save(path)
    >>> print(anvl.grad(anvl.load(path))(np.zeros(3, "f32")))
    [1. 1. 1.]
    """
    if not callable(f):
        raise TypeError(f"export: takes a function, got {f!r} of type {type(f).__name__}")
    if current.trace is not None:
        raise ExportError("export: called while a function is traced; call it outside of jit")
    version = _checked_version(stablehlo_version)
    target = default_target() if platform is None else Target(platform, "")
    return _exported(_jit_of(f, static), args, kwargs, version, target)


def _exported(
    owner: Jit, args: tuple[Any, ...], kwargs: dict[str, Any], version: str, target: Target
) -> ExportedProgram:
    call = _canonical(owner._f, args, kwargs)
    arguments = owner._static.split(call.args, call.kwargs)
    function = _function(owner, call, arguments)
    places = owner._options.places_to_lower(owner._f, arguments)
    traced = trace_call(owner._f, owner._static, arguments, mesh=mesh_of(places))
    _mark(owner, arguments, traced, places)
    function |= _types(traced)
    for called in traced.program.callbacks:
        raise ExportError(
            f"export: {name_of(owner._f)} calls the Python function {called.name}, which no file "
            "can hold; export what it computes before and after the call"
        )
    module, captured = traced.program.module, traced.program.captured
    drop_folders(module.operation)
    program = copied(module)
    lower(module, captured, target, roll=roll_pass(owner._options.roll))
    state = state_of(module)
    arrays, names = _unique(captured, sorted(captured_types(program.operation)))
    manifest = {
        "anvl": anvl.__version__,
        "stablehlo": version,
        "platform": target.platform,
        "custom_calls": _custom_calls(module),
        "dialects": _dialects(program),
        "function": function,
        "captured": {str(i): name for i, name in names.items()},
        "artifact_constants": [names[i] for i in captured_order(module)],
        "artifact_state": [] if state is None else list(state.report.positions),
    }
    return ExportedProgram(manifest, _text(program), serialize(module, version), arrays)


def _mark(
    owner: Jit, arguments: Arguments, traced: Traced, places: Sequence[Placement | None]
) -> None:
    """Write how arguments and results lie over the mesh, if the program has one, into it."""
    place = traced.program.placement
    if isinstance(place, ShardedPlacement):
        there = [place if each is None else each for each in places]
        key = [
            array_type(of.shape, of.dtype, each)
            for of, each in zip(traced.in_avals, there, strict=True)
        ]
        options = owner._options.of_program(owner._f, arguments)
        mark_shardings(traced.program, key, place, options, traced.out_avals, traced.out_tree)


def _checked_version(version: str | None) -> str:
    if version is None:
        return str(stablehlo.get_version_from_compatibility_requirement(_WEEKS))
    oldest, newest = stablehlo.get_minimum_version(), stablehlo.get_current_version()
    numbers = [tuple(map(int, v.split("."))) for v in (oldest, newest)]
    is_version = isinstance(version, str) and re.fullmatch(r"\d{1,9}\.\d{1,9}\.\d{1,9}", version)
    if not is_version or not numbers[0] <= tuple(map(int, version.split("."))) <= numbers[1]:
        raise ValueError(
            f"export: stablehlo_version={version!r} is no version from {oldest} to {newest}, which "
            "this anvl writes"
        )
    return version


def _jit_of(f: Any, static: Any) -> Jit:
    """The `Jit` of a jitted function, or a new one."""
    owner = getattr(getattr(f, "trace", None), "__self__", None)
    if not isinstance(owner, Jit):
        return Jit(f, static)
    if static is not None:
        raise ValueError(
            f"export: {name_of(f)} is jitted, and says itself which arguments are static; leave "
            "out static="
        )
    return owner


# -- the call ------------------------------------------------------------------------------------


class _Call(NamedTuple):
    """A call as far as possible by position, and the parameters of these arguments."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    names: list[str]
    positional_only: list[bool]


def _canonical(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
    signature = signature_of(f)
    parameters: list[inspect.Parameter] = []
    if signature is not None:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            pass  # tracing raises it, from the function itself
        else:
            args, kwargs = bound.args, bound.kwargs
            kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            parameters = [p for p in signature.parameters.values() if p.kind in kinds][: len(args)]
    names = [p.name for p in parameters]
    only = [p.kind is p.POSITIONAL_ONLY for p in parameters]
    if len(names) < len(args):  # of `*args`: those before can be given by position alone
        names += [f"arg{i}" for i in range(len(names), len(args))]
        only = [True] * len(args)
    return _Call(args, dict(kwargs), names, only)


def _function(owner: Jit, call: _Call, arguments: Arguments) -> dict[str, Any]:
    """Name, parameters and structure of the arguments, as JSON."""
    name = name_of(owner._f)
    static = {key: wrapped.value for key, wrapped in arguments.static}
    parameters: list[dict[str, Any]] = []
    for i, parameter in enumerate(call.names):
        kind = "positional" if call.positional_only[i] else "any"
        parameters.append({"name": parameter, "kind": kind, **_fixed(static, i, parameter)})
    parameters += [
        {"name": key, "kind": "keyword", **_fixed(static, key, key)} for key in sorted(call.kwargs)
    ]
    return {
        "name": name,
        "parameters": parameters,
        "arguments": structure_to_json(arguments.treedef, f"the arguments of {name}"),
    }


def _fixed(static: dict[int | str, Any], key: int | str, name: str) -> dict[str, Any]:
    if key not in static:
        return {}
    return {"static": value_to_json(static[key], f"the static argument {name}")}


def _types(traced: Traced) -> dict[str, Any]:
    """Types of arguments and results, and the structure of the results, as JSON."""
    main = functions_of(traced.program.module.operation)["main"]
    ins, outs = (shardings_of("export", main, which) for which in (ARGUMENTS, RESULTS))
    return {
        "inputs": [
            {"name": path, **_type(of), **_sharding(ins.get(i))}
            for i, (path, of) in enumerate(zip(traced.names, traced.in_avals, strict=True))
        ],
        "ranges": meetings_to_json(ranges_of(traced.program).meetings),
        "results": structure_to_json(traced.out_tree, "the results"),
        "outputs": [_type(y) | _sharding(outs.get(i)) for i, y in enumerate(traced.out_avals)],
    }


def _sharding(of: tuple[MeshShape, Spec] | None) -> dict[str, Any]:
    return {} if of is None else {"sharding": joined(*of)}


def _type(of: Aval) -> dict[str, Any]:
    return {"dtype": dtype_name(of.dtype), "shape": list(of.shape), "weak": of.weak_type}


# -- the program ---------------------------------------------------------------------------------


def _text(module: ir.Module) -> str:
    """The module in generic form, which changes least between versions of MLIR and StableHLO."""
    mark(module)
    return module.operation.get_asm(
        print_generic_op_form=True, enable_debug_info=True, assume_verified=True
    )


def _unique(
    captured: Sequence[Any], indices: Sequence[int]
) -> tuple[dict[str, np.ndarray[Any, Any]], dict[int, str]]:
    """The captured arrays by name, equal ones once; and the name of each by its index."""
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    names: dict[int, str] = {}
    known: dict[Any, str] = {}
    for i in indices:
        array = np.ascontiguousarray(np.asarray(captured[i])).reshape(np.shape(captured[i]))
        digest = hashlib.sha256(array.reshape(-1).view(np.uint8).data).digest()
        key = array.dtype, array.shape, digest
        names[i] = known.setdefault(key, captured_name(i))
        arrays[names[i]] = array
    return arrays, names


def _custom_calls(module: ir.Module) -> list[str]:
    calls = find(module.operation, "stablehlo.custom_call")
    return sorted({ir.StringAttr(op.attributes["call_target_name"]).value for op in calls})


def _dialects(module: ir.Module) -> list[str]:
    """The dialects of the ops of a module: a reader needs them all."""
    found: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.add(op.name.partition(".")[0])
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return sorted(found)
