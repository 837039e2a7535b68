"""`jit`: trace a function once for each kind of arguments, compile it, and run that."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from anvl import config, tree
from anvl.arguments import Arguments, Parameters, StaticArguments, input_names, name_of
from anvl.avals import Aval, aval
from anvl.dialect.context import context
from anvl.dialect.mlir import ir
from anvl.importing import load_module
from anvl.locations import here
from anvl.promote import (
    NUMBER_LEVELS,
    abstract,
    as_tracer,
    common_dtype,
    number_value,
)
from anvl.ranges import check_fits
from anvl.runtime import (
    MISSING,
    Array,
    ArrayType,
    hide_frames,
    hiding_frames,
    make_dispatch,
    make_flat_dispatch,
    make_function,
    put,
)
from anvl.state import current
from anvl.traced import Traced, trace_call
from anvl.tracer import Tracer
from anvl.tracing import Trace

if TYPE_CHECKING:
    from anvl.executables import Program
    from anvl.stages import Lowered

__all__ = ["Jit", "arrays_of", "evaluate", "jit"]

# What compiles is loaded with the first program: to import it is a twentieth of importing anvl.
_loaded: Callable[[str], Any] = functools.cache(load_module)

_MAX_PROGRAMS = 1024  # for each function; then the oldest is dropped


class Jit:
    """A function that compiles itself; made by `jit`."""

    def __init__(self, f: Callable[..., Any], static: Any = None) -> None:
        if not callable(f):
            raise TypeError(f"jit: takes a function, got {f!r} of type {type(f).__name__}")
        functools.update_wrapper(self, f, updated=())
        self._f = f
        self._static = static if isinstance(static, StaticArguments) else StaticArguments(f, static)
        # Generated code for each number of arrays as the only arguments: anvl.runtime.dispatch.
        self._calls: dict[int, Any] = {}
        # For each structure of arguments and static values, its programs.
        self._tables: dict[Any, _Table] = {}
        # Generated code, by the number of arrays, without anything else, whose programs it is to
        # know.
        self._dispatches: dict[int, list[Any]] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if kwargs:
                return self._slow(args, kwargs)
            call = self._calls.get(len(args))
            if call is None:
                call = self._make_call(len(args))
            return call(*args)
        except Exception as error:
            hide_frames(error)
            raise

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<jit of {name_of(self._f)}>"

    def __reduce__(self) -> Any:
        raise TypeError(
            f"jit: {name_of(self._f)} cannot be pickled once jitted; pickle the function itself"
        )

    @hiding_frames
    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Every stage of the program for these arguments, as text; nothing is run.

        Arguments may be arrays, numbers or abstract values (`anvl.aval("f32", (2, 3))`).

        >>> import anvl
        >>> print(anvl.jit(lambda x: x + 1).lower(anvl.aval("f32")).mlir("stablehlo"))
        module {
          func.func @main(%x: tensor<f32>) -> tensor<f32> {
            %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
            %0 = stablehlo.add %x, %cst : tensor<f32>
            return %0 : tensor<f32>
          }
        }
        """
        return _loaded("anvl.stages").Lowered(self.trace(*args, **kwargs))

    @hiding_frames
    def trace(self, *args: Any, **kwargs: Any) -> Traced:
        """The program of anvl ops for these arguments, before any pass."""
        return trace_call(self._f, self._static, self._static.split(args, kwargs))

    def cache_size(self) -> int:
        """How many programs have been compiled for this function and are kept."""
        return sum(len(table.programs) for table in self._tables.values())

    def clear_cache(self) -> None:
        """Drop the compiled programs: the next call traces again."""
        self._tables.clear()
        for dispatches in self._dispatches.values():
            for dispatch in dispatches:
                dispatch.clear()

    def method(self, slow: Callable[[Any, Any], Any]) -> Any:
        """The generated code for two arrays, as a method of arrays: `x + y`, `x + 1.0`.

        `slow` gets the other calls.
        """

        def with_number(x: Any, y: Any) -> Any:
            if type(y) in NUMBER_LEVELS and current.trace is None:
                return call(x, scalar_array(y, _taken(type(y), (x.dtype,))))
            return slow(x, y)

        call = self._dispatch(2, with_number).call
        return call

    def reflected_method(self, slow: Callable[[Any, Any], Any]) -> Any:
        """As `method`, for `y + x` with an array x: `1.0 + x`."""
        call = self._dispatch(2, lambda y, x: slow(x, y)).call

        def reflected(x: Any, y: Any) -> Any:
            try:
                if type(y) in NUMBER_LEVELS and current.trace is None:
                    return call(scalar_array(y, _taken(type(y), (x.dtype,))), x)
                return slow(x, y)
            except Exception as error:
                hide_frames(error)
                raise

        return reflected

    def function(self, in_trace: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """The function that people call; while a trace is active, `in_trace` if given.

        For a plain function of n positional arguments it is generated code itself, which spares
        the call of a method (0.35 us, a tenth of a call).
        """
        n_args = self._static.n_plain
        if n_args is None:
            return self
        dispatch = make_function(n_args, functools.partial(self._spread, in_trace or self))
        self._attach(n_args, dispatch)
        call = functools.update_wrapper(dispatch.call, self._f, updated=())
        for name in ("lower", "trace", "cache_size", "clear_cache"):
            setattr(call, name, getattr(self, name))
        return call

    def _spread(
        self,
        in_trace: Callable[..., Any],
        args: tuple[Any, ...],
        rest: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """The slow path of `function`: arguments as Python passed them."""
        trace = current.trace
        if args and args[-1] is MISSING:
            args = args[: next(i for i, x in enumerate(args) if x is MISSING)]
        try:
            if not (rest or kwargs or trace):
                arrays = self._converted(args)
                if arrays is not None:
                    return (self._calls.get(len(args)) or self._make_call(len(args)))(*arrays)
            return (self if trace is None else in_trace)(*args, *rest, **kwargs)
        except Exception as error:
            hide_frames(error)
            raise

    def _converted(self, args: tuple[Any, ...]) -> list[Array] | None:
        try:
            return _converted(args, isinstance(self._static, Parameters))
        except OverflowError:  # which the slow path says with the name of the argument
            return None

    # -- the slow path ---------------------------------------------------------------------------

    def _make_call(self, n_args: int) -> Any:
        def slow(*args: Any) -> Any:
            return self._slow(args, {})

        call = self._calls[n_args] = self._dispatch(n_args, slow).call
        return call

    def _dispatch(self, n_args: int, slow: Callable[..., Any]) -> Any:
        dispatch = make_dispatch(n_args, None, slow)
        if all(i >= n_args for i in self._static.positions):
            self._attach(n_args, dispatch)
        return dispatch

    def _attach(self, n_args: int, dispatch: Any) -> None:
        """Have generated code for n arrays know the programs for n arrays."""
        self._dispatches.setdefault(n_args, []).append(dispatch)
        if self._tables:
            known = self._tables.get((_structure_of_arrays(n_args), (), config.version()))
            if known is not None:
                known.add(dispatch)

    def _slow(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if current.trace is not None:
            return self._call_in_trace(current.trace, self._static.split(args, kwargs))
        arguments = self._static.split(args, kwargs)
        table = self._table(arguments.treedef, arguments.static)
        return table.call(arguments, self._f)

    def _table(self, treedef: Any, static: Any) -> _Table:
        key = treedef, static, config.version()
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = _Table(self)
            n_args = treedef.num_leaves
            if not static and treedef == _structure_of_arrays(n_args):
                for dispatch in self._dispatches.get(n_args, ()):
                    table.add(dispatch)
        return table

    def _call_in_trace(self, trace: Trace, arguments: Arguments) -> Any:
        """Trace into a function of the surrounding program, once, and call that."""
        return call_in_trace(self, self._f, self._static, trace, arguments)


@functools.lru_cache(256)
def _structure_of_arrays(count: int) -> Any:
    """The structure of a call's arguments, where they are that many arrays."""
    return tree.structure((tuple(range(count)), {}))


class _Table:
    """The programs of one structure of arguments: by their types."""

    def __init__(self, owner: Jit) -> None:
        self._owner = owner
        self.programs: dict[tuple[ArrayType, ...], Program] = {}
        # Generated code that knows the programs too.
        self._leaves_dispatch = make_flat_dispatch(self._refuse)
        self._dispatches: list[Any] = [self._leaves_dispatch]

    def add(self, dispatch: Any) -> None:
        """Have generated code know the programs of this table."""
        self._dispatches.append(dispatch)
        for key, program in self.programs.items():
            dispatch.install(key, program.entry())

    def _refuse(self, leaves: Sequence[Any]) -> Any:
        return _MISS

    def call(self, arguments: Arguments, f: Callable[..., Any]) -> Any:
        arrays = arrays_of(arguments, f, isinstance(self._owner._static, Parameters))
        found = self._leaves_dispatch.call(arrays)
        if found is not _MISS:
            return found
        key = tuple([x.aval for x in arrays])
        program = self.programs.get(key)
        if program is None:
            program = self._compile(key, arguments, f)
        else:  # the generated code forgot it when the defaults changed
            self._install(key, program)
        return program.run(arrays)

    def _compile(
        self, key: tuple[ArrayType, ...], arguments: Arguments, f: Callable[..., Any]
    ) -> Program:
        avals = [aval(k.dtype, k.shape, k.weak_type) for k in key]
        traced = trace_call(f, self._owner._static, arguments._replace(leaves=avals))
        program = _loaded("anvl.executables").compiled(traced, key)
        if len(self.programs) >= _MAX_PROGRAMS:
            self._drop(next(iter(self.programs)))
        self.programs[key] = program
        self._install(key, program)
        return program

    def _install(self, key: tuple[ArrayType, ...], program: Program) -> None:
        for dispatch in self._dispatches:
            dispatch.install(key, program.entry())

    def _drop(self, key: tuple[ArrayType, ...]) -> None:
        del self.programs[key]
        for dispatch in self._dispatches:
            dispatch.forget(key)


_MISS = object()


def arrays_of(arguments: Arguments, f: Callable[..., Any], is_ours: bool = False) -> list[Array]:
    """The leaves of the arguments of f as arrays on a device; `is_ours`, where f is."""
    return [
        x if type(x) is Array else _as_array(x, arguments, i, f, is_ours)
        for i, x in enumerate(arguments.leaves)
    ]


def _as_array(x: Any, arguments: Arguments, i: int, f: Callable[..., Any], is_ours: bool) -> Array:
    try:
        if type(x) not in NUMBER_LEVELS:
            return put(_checked(x))
        # A number that a person's function takes is of the default dtype, whatever it meets there;
        # one that ours takes is for the arrays beside it.
        return scalar_array(x, _beside(x, arguments.leaves) if is_ours else None)
    except (TypeError, OverflowError) as error:
        path = input_names(f, arguments)[i]
        raise type(error)(f"{name_of(f)}: argument {path}: {error}") from None


def _converted(args: tuple[Any, ...], is_ours: bool) -> list[Array] | None:
    """NumPy arrays and numbers among the arguments as arrays; None if there are none, or others."""
    arrays, n_converted = [], 0
    for x in args:
        of = type(x)
        if of is Array:
            arrays.append(x)
            continue
        if of is np.ndarray and x.dtype.kind in "fiucb":
            arrays.append(put(x))
        elif of is float or of is bool:
            arrays.append(scalar_array(x, _beside(x, args) if is_ours else None))
        else:
            return None
        n_converted += 1
    return arrays if n_converted else None


def _beside(number: complex, others: Sequence[Any]) -> np.dtype[Any] | None:
    """The dtype that a number takes from arrays beside it, as a literal does in a trace.

    None where they have none of its kind: then it has the default dtype.
    """
    dtypes = {x.dtype for x in others if isinstance(x, Array | np.ndarray | np.generic)}
    return _taken(type(number), tuple(dtypes))


@functools.lru_cache(4096)
def _taken(of: type, dtypes: tuple[np.dtype[Any], ...]) -> np.dtype[Any] | None:
    if of is bool or not dtypes:
        return None
    try:
        common, _ = common_dtype(*[aval(d) for d in dtypes])
    except TypeError:  # they do not meet; whoever makes them meet says so
        return None
    if of is complex and common == np.float64:
        return np.dtype(np.complex128)
    return common if aval(common).level >= NUMBER_LEVELS[of] else None


def scalar_array(x: complex, dtype: np.dtype[Any] | None = None) -> Array:
    """A Python number on the device, weak; the latest are kept: transferring costs 3 us.

    It has the default dtype of its kind, or `dtype`; `OverflowError` if that does not hold it.
    """
    # Equal keys must be equal bit for bit: 0.0 and -0.0 are not, alone or in a complex number.
    key = type(x), x if x and type(x) is not complex else repr(x), config.version(), dtype
    known = _scalars.get(key)
    if known is not None:
        return known
    if len(_scalars) >= _MAX_SCALARS:
        _scalars.clear()
    if dtype is None:
        value = number_value(x, abstract(x))
    else:
        check_fits(x, dtype)
        value = np.asarray(x).astype(dtype)
    made = _scalars[key] = put(value, weak_type=True)
    return made


_MAX_SCALARS = 1024
_scalars: dict[Any, Array] = {}


def _checked(x: Any) -> Any:
    """Refuse what is no array, with our message; a subclass of a number is that number."""
    of = abstract(x)
    return number_value(x, of) if of.weak_type and not isinstance(x, Array) else x


def call_in_trace(
    owner: Any, f: Callable[..., Any], static: StaticArguments, trace: Trace, arguments: Arguments
) -> Any:
    """Trace f into a function of its own, once for each signature, and call it."""
    avals = [x if isinstance(x, Aval) else abstract(x, name_of(f)) for x in arguments.leaves]
    key = id(owner), arguments.treedef, arguments.static, tuple(avals), config.version()
    nested = trace.program.functions.get(key)
    if nested is None:
        nested = trace_call(f, static, arguments._replace(leaves=avals), trace.program)
        # With outer tracers in it, it is not the same function the next time.
        if not nested.trace.closed_over:
            trace.program.functions[key] = nested
            nested.owner = owner  # keeps its id its own
    operands = [*arguments.leaves, *(outer for outer, _ in nested.trace.closed_over.values())]
    results = call_function(trace, nested.trace.name, operands, nested.out_avals)
    return tree.unflatten(nested.out_tree, results)


def call_function(
    trace: Trace, name: str, operands: Sequence[Any], out_avals: Sequence[Aval]
) -> list[Tracer]:
    """Emit `func.call @name` into the current trace."""
    location = here()
    values = [trace.tracer_of(as_tracer(x)).value for x in operands]
    call = ir.Operation.create(
        "func.call",
        [a.type for a in out_avals],
        values,
        {"callee": ir.FlatSymbolRefAttr.get(name, context())},
        loc=location,
    )
    return [Tracer(y, a, trace, location) for y, a in zip(call.results, out_avals, strict=True)]


def evaluate(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Trace f anew, compile and run it: for transformed functions outside of any trace.

    What f closes over may have changed since the last call, so nothing is kept by f; the compiled
    program is kept by its text.
    """
    return Jit(f)._slow(args, kwargs)


@hiding_frames
def jit(
    f: Callable[..., Any] | None = None, *, static: Any = None, debug_nans: bool = False
) -> Any:
    """Compile a function when it is first called with arguments of some dtypes and shapes.

    The function is run once, with tracers in place of the arrays in its arguments (which may be in
    tuples, lists, dicts and registered classes); the ops it does are compiled, and later calls with
    arguments of the same structure, dtypes and shapes run the compiled program.

    Arguments: `static` names arguments, or gives their positions, that are values of the program
    rather than arrays; the function is traced anew for each value.  They must be hashable.
    With `debug_nans`, each result is looked at, and where one has a NaN or an infinity the first op
    that made it, of the function or of a derivative in it, is named: its line, how many elements,
    and its operands.  What an argument brings along, or a constant such as `np.inf`, no op has
    made; nor is an infinity looked for that no result shows.  It costs a copy of each result to the
    host, and in the bad case two more compilations; inside of another jit it does nothing.
    Returns a callable with `lower`, `trace`, `cache_size` and `clear_cache`.
    Raises `TypeError` for arguments that are no arrays; `TraceError` where the function needs the
    value of a traced array; `NonFiniteError`, a `FloatingPointError`, with `debug_nans`.

    >>> import anvl, anvl.numpy as np
    >>> @anvl.jit
    ... def f(x):
    ...     return x * x + 1
    >>> print(f(np.asarray([1.0, 2.0])))
    [2. 5.]
    """
    if f is None:
        return functools.partial(jit, static=static, debug_nans=debug_nans)
    if debug_nans:
        return _loaded("anvl.debug_nans").checked(f, static)
    return Jit(f, static).function()
