"""`jit`: trace a function once for each signature, compile it, and run the compiled program."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import MethodType
from typing import TYPE_CHECKING, Any

from anvl import tree
from anvl.core import config
from anvl.core.argument_arrays import arrays_of, converted, number_dtype, scalar_array
from anvl.core.arguments import Arguments, Parameters, StaticArguments, name_of
from anvl.core.avals import Aval, aval
from anvl.core.call_forms import CallForm
from anvl.core.importing import load_module
from anvl.core.locations import here
from anvl.core.promote import (
    NUMBER_LEVELS,
    abstract,
    as_tracer,
)
from anvl.core.ranges import pass_on_meetings
from anvl.core.recency import Recency
from anvl.core.trace_state import current
from anvl.core.traced import Traced, trace_call
from anvl.core.tracer import Tracer
from anvl.core.tracing import Trace
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.runtime import (
    MISSING,
    Array,
    ArrayType,
    hide_frames,
    hiding_frames,
    make_dispatch,
    make_flat_dispatch,
    make_function,
)

if TYPE_CHECKING:
    from anvl.dispatch.executables import Program
    from anvl.dispatch.stages import Lowered

__all__ = ["Jit", "evaluate", "jit"]

# The compiler is imported with the first program: it takes a twentieth of importing anvl.
_loaded: Callable[[str], Any] = functools.cache(load_module)

_MAX_PROGRAMS = 1024  # for each function; beyond it the least recently used is dropped


class Jit:
    """A jitted function; made by `jit`."""

    def __init__(self, f: Callable[..., Any], static: Any = None) -> None:
        if not callable(f):
            raise TypeError(f"jit: takes a function, got {f!r} of type {type(f).__name__}")
        functools.update_wrapper(self, f, updated=())
        self._f = f
        self._static = static if isinstance(static, StaticArguments) else StaticArguments(f, static)
        # Generated code by the number of arguments, for arrays alone: anvl.runtime.dispatch.
        self._calls: dict[int, Any] = {}
        # Programs by the structure of the arguments and the static values.
        self._tables: dict[Any, _Table] = {}
        # Dispatchers by the number of arrays, for calls with arrays alone, to be told of programs.
        self._dispatches: dict[int, list[Any]] = {}
        self._recency = Recency(_MAX_PROGRAMS)
        self._call_form: CallForm | None = None

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
        """Trace and lower for these arguments, without compiling or running.

        Parameters
        ----------
        *args, **kwargs
            Arrays, numbers or abstract values (`anvl.aval("f32", (2, 3))`).

        Returns
        -------
        Lowered
            The program as text at every stage.

        Examples
        --------
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
        return _loaded("anvl.dispatch.stages").Lowered(self.trace(*args, **kwargs))

    @hiding_frames
    def trace(self, *args: Any, **kwargs: Any) -> Traced:
        """Trace for these arguments, and return the program of anvl ops before any pass."""
        return trace_call(self._f, self._static, self._static.split(args, kwargs))

    def cache_size(self) -> int:
        """The number of compiled programs kept for this function."""
        return sum(len(table.programs) for table in self._tables.values())

    def clear_cache(self) -> None:
        """Drop the compiled programs: the next call traces again."""
        self._tables.clear()
        self._recency.clear()
        for dispatches in self._dispatches.values():
            for dispatch in dispatches:
                dispatch.clear()

    def method(self, slow: Callable[[Any, Any], Any]) -> Any:
        """Generated code for two arrays, as a method of arrays: `x + y`, `x + 1.0`.

        `slow` handles all other calls.
        """

        def with_number(x: Any, y: Any) -> Any:
            if type(y) in NUMBER_LEVELS and current.trace is None:
                return call(x, scalar_array(y, number_dtype(type(y), (x.dtype,))))
            return slow(x, y)

        call = self._dispatch(2, with_number).call
        return call

    def reflected_method(self, slow: Callable[[Any, Any], Any]) -> Any:
        """`method` with the operands swapped: `y + x`, `1.0 + x`, for an array x."""
        call = self._dispatch(2, lambda y, x: slow(x, y)).call

        def reflected(x: Any, y: Any) -> Any:
            try:
                if type(y) in NUMBER_LEVELS and current.trace is None:
                    return call(scalar_array(y, number_dtype(type(y), (x.dtype,))), x)
                return slow(x, y)
            except Exception as error:
                hide_frames(error)
                raise

        return reflected

    def function(self, in_trace: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """The function for users; while a trace is active, it calls `in_trace` if given.

        For a function of n plain positional arguments it is the generated code itself, which saves
        a method call (0.35 us, a tenth of a call).
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
        """The slow path of `function`, with arguments as Python passed them."""
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
            return converted(args, isinstance(self._static, Parameters))
        except OverflowError:  # the slow path raises it with the name of the argument
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
        """Register generated code for n arrays with the programs for n arrays."""
        self._dispatches.setdefault(n_args, []).append(dispatch)
        if self._tables:
            known = self._tables.get((_structure_of_arrays(n_args), (), config.version()))
            if known is not None:
                known.add(dispatch)

    def _slow(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        arguments = self._static.split(*self._form().of(args, kwargs))
        if current.trace is not None:
            return self._call_in_trace(current.trace, arguments)
        table = self._table(arguments.treedef, arguments.static)
        return table.call(arguments, self._f)

    def _form(self) -> CallForm:
        form = self._call_form
        if form is None:
            static = self._static
            ours = isinstance(static, Parameters)
            form = self._call_form = CallForm(self._f, static.names, ours)
        return form

    def _table(self, treedef: Any, static: Any) -> _Table:
        key = treedef, static, config.version()
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = _Table(self, key)
            n_args = treedef.num_leaves
            if not static and treedef == _structure_of_arrays(n_args):
                for dispatch in self._dispatches.get(n_args, ()):
                    table.add(dispatch)
        return table

    def _keep(
        self, table: _Table, key: tuple[ArrayType, ...], program: Program
    ) -> tuple[Program, int]:
        """Keep a new program, and drop programs beyond the limit."""
        recency = self._recency
        was_watched = recency.is_watched
        table.programs[key] = kept = program, recency.add((table, key))
        if recency.is_watched and not was_watched:
            for other in list(self._tables.values()):
                other.install_all()
        table.install(key)
        for place, old in recency.dropped():
            place.drop(old)
        return kept

    def _call_in_trace(self, trace: Trace, arguments: Arguments) -> Any:
        """Trace into a function of the surrounding program, once, and call that."""
        return call_in_trace(self, self._f, self._static, trace, arguments)


@functools.lru_cache(256)
def _structure_of_arrays(count: int) -> Any:
    """Argument structure of a call with `count` arrays."""
    return tree.structure((tuple(range(count)), {}))


class _Table:
    """The programs of one argument structure and of static values, by argument types.

    Each has its number in the recency order of its function.
    """

    def __init__(self, owner: Jit, key: Any) -> None:
        self._owner, self._key = owner, key
        self.programs: dict[tuple[ArrayType, ...], tuple[Program, int]] = {}
        # Dispatchers that are told of the programs.
        self._leaves_dispatch = make_flat_dispatch(self._refuse)
        self._dispatches: list[Any] = [self._leaves_dispatch]

    def add(self, dispatch: Any) -> None:
        """Register a dispatcher with the programs of this table."""
        self._dispatches.append(dispatch)
        self.install_all()

    def _refuse(self, leaves: Sequence[Any]) -> Any:
        return _MISS

    def call(self, arguments: Arguments, f: Callable[..., Any]) -> Any:
        arrays = arrays_of(arguments, f, isinstance(self._owner._static, Parameters))
        found = self._leaves_dispatch.call(arrays)
        if found is not _MISS:
            return found
        key = tuple([x.aval for x in arrays])
        kept = self.programs.get(key)
        if kept is None:
            kept = self._compile(key, arguments, f)
        else:  # the dispatcher dropped it when the defaults changed
            self.install(key)
        program, number = kept
        self._owner._recency.use(number)
        return program.run(arrays)

    def _compile(
        self, key: tuple[ArrayType, ...], arguments: Arguments, f: Callable[..., Any]
    ) -> tuple[Program, int]:
        avals = [aval(k.dtype, k.shape, k.weak_type) for k in key]
        try:
            traced = trace_call(f, self._owner._static, arguments._replace(leaves=avals))
            program = _loaded("anvl.dispatch.executables").compiled(traced, key)
        except BaseException:
            self._drop_if_empty()
            raise
        self._owner._tables[self._key] = self
        return self._owner._keep(self, key, program)

    def install(self, key: tuple[ArrayType, ...]) -> None:
        """Tell the dispatchers of a program."""
        kept = self.programs.get(key)
        if kept is None:  # another thread has dropped it meanwhile
            return
        (program, number), recency = kept, self._owner._recency
        entry = program.entry()
        if recency.is_watched:
            entry = entry._replace(run=recency.watched(number, entry.run))
        for dispatch in self._dispatches:
            dispatch.install(key, entry)

    def install_all(self) -> None:
        """Tell the dispatchers of all programs."""
        for key in list(self.programs):
            self.install(key)

    def drop(self, key: tuple[ArrayType, ...]) -> None:
        """Forget a program."""
        self.programs.pop(key, None)
        for dispatch in self._dispatches:
            dispatch.forget(key)
        self._drop_if_empty()

    def _drop_if_empty(self) -> None:
        """Drop a table without programs: there may be any number of static values."""
        if not self.programs and self._owner._tables.get(self._key) is self:
            del self._owner._tables[self._key]


_MISS = object()


def call_in_trace(
    owner: Any, f: Callable[..., Any], static: StaticArguments, trace: Trace, arguments: Arguments
) -> Any:
    """Trace f into a function of its own, once for each signature, and call it."""
    avals = [x if isinstance(x, Aval) else abstract(x, name_of(f)) for x in arguments.leaves]
    key = (
        id(owner), arguments.treedef, arguments.static, tuple(avals), config.version(),
        trace.program.rules_deep,
    )  # fmt: skip
    nested = trace.program.functions.get(key)
    if nested is None:
        nested = trace_call(f, static, arguments._replace(leaves=avals), trace.program)
        # A function that captures outer tracers is another one the next time.
        if not nested.trace.closed_over:
            trace.program.functions[key] = nested
            nested.owner = owner  # keeps its id unique
    operands = [*arguments.leaves, *(outer for outer, _ in nested.trace.closed_over.values())]
    results = call_function(trace, nested.trace.name, operands, nested.out_avals)
    return tree.unflatten(nested.out_tree, results)


def call_function(
    trace: Trace, name: str, operands: Sequence[Any], out_avals: Sequence[Aval]
) -> list[Tracer]:
    """Emit `func.call @name` into the current trace."""
    location = here()
    values = [trace.tracer_of(as_tracer(x)).value for x in operands]
    pass_on_meetings(trace, name, values)
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

    Values that f captures may have changed since the last call, so nothing is cached for f; the
    compiled program is cached by its content.
    """
    return Jit(f)._slow(args, kwargs)


@hiding_frames
def jit(
    f: Callable[..., Any] | None = None, *, static: Any = None, debug_nans: bool = False
) -> Any:
    """Compile a function when it is first called with arguments of some dtypes and shapes.

    The function runs once, with tracers in place of the arrays in its arguments; the recorded ops
    are compiled, and later calls with arguments of the same structure, dtypes and shapes run the
    compiled program.

    Parameters
    ----------
    f : callable
        A function of arrays, numbers and pytrees of them (tuples, lists, dicts, registered
        classes).
    static : str, int or sequence of these, optional
        Names or positions of arguments that are hashable values of the program rather than arrays;
        the function is traced anew for each value.
    debug_nans : bool
        Check each result, and for a NaN or an infinity name the first op that produced it, in the
        function or in a derivative: its line, the number of elements, and its operands.  Non-finite
        arguments and constants such as `np.inf` are not reported, nor infinities that reach no
        result.  It costs a copy of each result to the host, and in the bad case two more
        compilations; within another jit it has no effect.

    Returns
    -------
    A callable with the methods `lower`, `trace`, `cache_size` and `clear_cache`.

    Raises
    ------
    TypeError
        From a call: an argument is not an array.
    TraceError
        From a call: the function needs the value of a traced array.
    NonFiniteError
        From a call with `debug_nans`; a `FloatingPointError`.

    Examples
    --------
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
        return _loaded("anvl.dispatch.debug_nans").checked(f, static)
    return Jit(f, static).function()
