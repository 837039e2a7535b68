"""`jit`: trace a function once for each signature, compile it, and run the compiled program."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from types import MethodType
from typing import TYPE_CHECKING, Any, Literal, Unpack

from anvl import tree
from anvl.core import config
from anvl.core.argument_arrays import arrays_of
from anvl.core.arguments import Arguments, Parameters, StaticArguments, input_names, name_of
from anvl.core.call_forms import CallForm
from anvl.core.importing import load_module
from anvl.core.promote import as_tracer
from anvl.core.recency import Recency
from anvl.core.spellings import ArgumentSpellings, united
from anvl.core.trace_state import current
from anvl.core.traced import Traced, trace_call
from anvl.core.tracing import Trace
from anvl.dispatch.call_slots import CallSlots, Link, signature_of
from anvl.dispatch.jit_options import MAX_PROGRAMS, PLAIN, JitOptions, checked_policy, jit_options
from anvl.dispatch.nested_calls import call_in_trace
from anvl.dispatch.program_table import Kept, ProgramTable, structure_of_arrays
from anvl.recompilation.key_differences import Key
from anvl.recompilation.misses import Attempt, CacheInfo, MissLog
from anvl.runtime import (
    Array,
    ArrayType,
    Device,
    hide_frames,
    hiding_frames,
    make_dispatch,
)
from anvl.runtime import (
    clear_caches as clear_dispatchers,
)
from anvl.runtime.locks import WeakRegistry
from anvl.sharding.specs import mesh_of

if TYPE_CHECKING:
    from anvl.captured.staleness import Captured, Staleness
    from anvl.dispatch.executables import Program
    from anvl.dispatch.padding.padded_program import ReadCheck
    from anvl.dispatch.stages import Lowered

__all__ = ["Jit", "clear_caches", "evaluate", "jit"]

# The compiler is imported with the first program: it takes a twentieth of importing anvl.
_loaded: Callable[[str], Any] = functools.cache(load_module)


class Jit:
    """A jitted function; made by `jit`."""

    def __init__(
        self,
        f: Callable[..., Any],
        static: Any = None,
        options: JitOptions = PLAIN,
        on_stale_closure: str | None = "off",
        is_once: bool = False,
    ) -> None:
        if not callable(f):
            raise TypeError(f"jit: takes a function, got {f!r} of type {type(f).__name__}")
        functools.update_wrapper(self, f, updated=())
        self._f = f
        self._static = static if isinstance(static, StaticArguments) else StaticArguments(f, static)
        self._options = options
        # Generated code by the number of arguments, for functions that take any number.
        self._calls: dict[int, Any] = {}
        # The generated function, for those with parameters of their own.
        self._call: Callable[..., Any] | None = None
        self._slots: CallSlots | None = None
        # Programs by the structure of the arguments and the static values.
        self._tables: dict[Any, ProgramTable] = {}
        # Dispatchers by the number of arrays, for calls with arrays alone, to be told of programs.
        self._dispatches: dict[int, list[Any]] = {}
        self._recency = Recency(options.cache_size)
        self._call_form: CallForm | None = None
        self._policy = on_stale_closure
        self._staleness: Staleness | None = None
        self._reads: ReadCheck | None = None
        self.misses = MissLog(f, isinstance(self._static, Parameters), is_once)
        _all.add(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            call = self._call
            if call is None:
                call = self._call = self._any_call()
            return call(*args, **kwargs)
        except Exception as error:
            hide_frames(error)
            raise

    def _any_call(self) -> Callable[..., Any]:
        """The generated function, or one that takes any number of arguments."""
        if not self.form().signature.is_open:
            function = self.function()
            if function is not self:
                return function
        return self._call_by_number

    def _call_by_number(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            return self._slow(args, kwargs)
        call = self._calls.get(len(args))
        if call is None:
            call = self._make_call(len(args))
        return call(*args)

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
        arguments = self._static.split(args, kwargs)
        options = self._options.of_program(self._f, arguments)
        places = self._options.places_to_lower(self._f, arguments)
        if options.padding is None:
            traced = trace_call(self._f, self._static, arguments, mesh=mesh_of(places))
        else:
            traced, options = _loaded("anvl.dispatch.padding.padded_program").traced_for_bucket(
                self._f, self._static, arguments, options
            )
        return _loaded("anvl.dispatch.stages").Lowered(traced, options, places)

    @hiding_frames
    def trace(self, *args: Any, **kwargs: Any) -> Traced:
        """Trace for these arguments, and return the program of anvl ops before any pass."""
        arguments = self._static.split(args, kwargs)
        mesh = mesh_of(self._options.places_to_lower(self._f, arguments))
        return trace_call(self._f, self._static, arguments, mesh=mesh)

    def cache_size(self) -> int:
        """The number of compiled programs kept for this function."""
        return sum(map(len, list(self._tables.values())))

    def cache_info(self) -> CacheInfo:
        """The compiled programs, and the calls that compiled them: where, and why each.

        Examples
        --------
        >>> import anvl
        >>> f = anvl.jit(lambda x: x + 1)
        >>> y = f(1.0), f(2)
        >>> f.cache_info().programs, str(f.cache_info().misses[1].differences[0])
        (2, 'x was f32?[] and is i32?[]')
        """
        return self.misses.info(self.cache_size(), self._options.cache_size)

    def keys(self) -> list[Key]:
        """The keys of all programs."""
        return [key for table in list(self._tables.values()) for key in table.keys()]

    def clear_cache(self) -> None:
        """Drop the compiled programs: the next call traces again."""
        self.misses.clear()
        self._tables.clear()
        self._reads = None
        self._recency.clear()
        self._staleness = None
        if self._slots is not None:
            self._slots.clear()
        for dispatch in itertools.chain(*self._dispatches.values()):
            dispatch.clear()

    def function(self, in_trace: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """The function for users; while a trace is active, it calls `in_trace` if given.

        It is generated code with the parameters of the function, so that Python itself puts
        keywords in their places; that saves a method call, too (0.35 us, a tenth of a call).
        """
        if self._slots is None:
            signature = signature_of(self._static, self.form())
            if signature is None:
                return self
            self._slots = CallSlots(signature, self)
        call = functools.update_wrapper(self._slots.function(in_trace), self._f, updated=())
        call.__qualname__ = getattr(self._f, "__qualname__", name_of(self._f))
        for name in ("lower", "trace", "cache_size", "cache_info", "clear_cache"):
            setattr(call, name, getattr(self, name))
        return call

    def staleness(self) -> Staleness | None:
        """The record of the values that the function closes over; None without a policy."""
        if self._staleness is None and self._policy != "off":
            self._staleness = _loaded("anvl.captured.staleness").Staleness(self._f, self._policy)
        return self._staleness

    # -- the slow path ---------------------------------------------------------------------------

    def _make_call(self, n_args: int) -> Any:
        def slow(*args: Any) -> Any:
            return self._slow(args, {})

        call = self._calls[n_args] = self.dispatcher(n_args, slow).call
        return call

    def dispatcher(self, n_args: int, slow: Callable[..., Any]) -> Any:
        """Generated code for n arrays, which calls `slow` for any other arguments."""
        names = functools.partial(_names_of, self._f, n_args)
        dispatch = make_dispatch(n_args, slow, argument_names=names)
        if all(i >= n_args for i in self._static.positions):
            self.attach(n_args, dispatch)
        return dispatch

    def attach(self, n_args: int, dispatch: Any) -> None:
        """Register generated code for n arrays with the programs for n arrays."""
        self._dispatches.setdefault(n_args, []).append(dispatch)
        if self._tables:
            known = self._tables.get((structure_of_arrays(n_args), (), config.version()))
            if known is not None:
                known.add(dispatch)

    def _slow(self, args: tuple[Any, ...], kwargs: dict[str, Any], link: Link | None = None) -> Any:
        """Any call; the next one like it is found through the `link`, if given."""
        if config.config.disable_jit and not isinstance(self._static, Parameters):
            return self._f(*args, **kwargs)
        canonical = self.form().of(args, kwargs)
        arguments = self._static.split(*canonical)
        if current.trace is not None:
            return self._call_in_trace(current.trace, arguments)
        table = self._table(arguments.treedef, arguments.static)
        if link is not None:
            link.to(canonical, table)
        return table.call(arguments)

    def arrays_of(self, arguments: Arguments) -> list[Array]:
        """The arguments as arrays, where the program will run."""
        options, f = self._options, self._f
        counts_from = self._static.counts_from
        if options is PLAIN:
            return arrays_of(arguments, f, counts_from)
        return arrays_of(
            arguments,
            f,
            counts_from,
            options.places(f, arguments, arguments.leaves),
            options.donated_leaves(f, arguments),
        )

    def trace_and_compile(
        self,
        arguments: Arguments,
        key: tuple[ArrayType, ...],
        decides_place: bool,
        attempt: Attempt,
    ) -> tuple[Program, Captured | None]:
        """The program for arguments of these types, and what it closes over.

        See `executables.compiled`.
        """
        staleness = self.staleness()
        options = self._options.of_program(self._f, arguments)
        trace = functools.partial(
            trace_call,
            self._f,
            self._static,
            has_buckets=options.padding is not None,
            mesh=mesh_of(k.placement for k in key),
        )
        if staleness is None:
            traced, captured = trace(arguments), None
        else:
            traced, captured = staleness.watched(arguments, trace)
        attempt.traced()
        compare = None
        if options.padding is not None:
            of = _loaded("anvl.dispatch.padding.padded_program").ReadCheck
            reads = self._reads = self._reads or of(name_of(self._f))
            compare = reads.of_call(trace, arguments, key, traced, options)
            options = options._replace(reference=compare.reference)
        compiled = _loaded("anvl.dispatch.executables").compiled
        program = compiled(traced, key, options, decides_place, compare and compare.is_known)
        if program.is_shared:
            attempt.shared()
        return program, captured

    def form(self) -> CallForm:
        """The canonical form of calls."""
        form = self._call_form
        if form is None:
            static = self._static
            ours = isinstance(static, Parameters)
            form = self._call_form = CallForm(self._f, static.names, ours)
        return form

    def _table(self, treedef: Any, static: Any) -> ProgramTable:
        key = treedef, static, config.version()
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = ProgramTable(self, key)
            n_args = treedef.num_leaves
            if not static and treedef == structure_of_arrays(n_args):
                for dispatch in self._dispatches.get(n_args, ()):
                    table.add(dispatch)
        return table

    def keep(
        self,
        table: ProgramTable,
        key: tuple[ArrayType, ...],
        program: Program,
        captured: Captured | None,
    ) -> Kept:
        """Keep a new program, and drop programs beyond the limit."""
        recency = self._recency
        was_watched = recency.is_watched
        table.programs[key] = kept = Kept(program, recency.add((table, key)), captured)
        if recency.is_watched and not was_watched:
            for other in list(self._tables.values()):
                other.install_all()
        table.install(key)
        for place, old in recency.dropped():
            place.drop(old)
        return kept

    def forget(self, table: ProgramTable) -> None:
        """Forget the calls that are found by a table, which has no program left."""
        if self._slots is not None:
            self._slots.forget(table)

    def _call_in_trace(self, trace: Trace, arguments: Arguments) -> Any:
        """Trace into a function of the surrounding program, once, and call that."""
        shardings, call = self._options.shardings, functools.partial(self._called, trace)
        if shardings is None:
            return call(arguments)
        of = _loaded("anvl.dispatch.partitioning.constraints")
        return of.call_with_shardings(shardings, self._f, arguments, call)

    def _called(self, trace: Trace, arguments: Arguments) -> Any:
        if self._options.inline:
            args, kwargs = self._static.join(arguments)
            return tree.map(as_tracer, self._f(*args, **kwargs))
        return call_in_trace(self, self._f, self._static, trace, arguments)


def evaluate(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Trace f anew, compile and run it: for transformed functions outside of any trace.

    Values that f captures may have changed since the last call, so nothing is cached for f; the
    compiled program is cached by its content.
    """
    return Jit(f, is_once=True)._slow(args, kwargs)


def _names_of(f: Callable[..., Any], n_args: int) -> list[str]:
    """Names of the first arguments of f, for messages."""
    return input_names(f, Arguments([], structure_of_arrays(n_args), ()))


# Every live jitted function, for `clear_caches`.
_all: WeakRegistry[Jit] = WeakRegistry()


def clear_caches() -> None:
    """Drop the compiled programs of all functions: their next calls trace and compile again.

    Programs that are running, or that `lower().compile()` returned, are not affected.

    Examples
    --------
    >>> import anvl
    >>> f = anvl.jit(lambda x: x + 1)
    >>> f(1.0), f.cache_size()
    (Array(2., dtype=float32, weak_type=True), 1)
    >>> anvl.clear_caches()
    >>> f.cache_size()
    0
    """
    for jitted in _all.living():
        jitted.clear_cache()
    clear_dispatchers()
    _loaded("anvl.core.arguments").clear_names()
    _loaded("anvl.dispatch.executables").clear_executables()


@hiding_frames
def jit(
    f: Callable[..., Any] | None = None,
    *,
    static: Any = None,
    donate: Any = None,
    device: Device | str | None = None,
    inline: bool = False,
    cache_size: int = MAX_PROGRAMS,
    compiler_options: Mapping[str, Any] | None = None,
    backend: str | None = None,
    debug_nans: bool = False,
    on_stale_closure: str | None = None,
    bucket: Mapping[str | int, int | tuple[int, ...]] | None = None,
    roll: bool | Literal["auto"] = "auto",
    in_shardings: Any = None,
    out_shardings: Any = None,
    **spelled: Unpack[ArgumentSpellings],
) -> Any:
    """Trace and compile a function at its first call for some dtypes and shapes; later ones run it.

    Parameters
    ----------
    f : callable of arrays, numbers and pytrees of them
    static, donate : str, int or sequence of these, optional
        Names or positions of arguments that are hashable values; whose memory results may take.
    device : Device or str, optional
        Where every call runs, such as `"cpu:1"`; by default where its arrays are.
    inline, cache_size : bool, int
        Trace calls in traces into the functions there; how many programs are kept.
    compiler_options, backend : mapping, str, optional
        XLA's, by name; "interpreter": that of StableHLO runs the program, slowly, for debugging.
    debug_nans, on_stale_closure : bool, str
        Raise `NonFiniteError` for the op that made a result NaN or infinite, donate nothing; where
        a closed-over value has changed: "retrace" (the default), "warn", "error" or "off".
    bucket : mapping of str or int to int, optional
        Axes by argument, or by path (`"batch.x"`), that are padded to the next power of two.
    roll : bool or "auto"
        Whether repeated ops become loops: where that pays ("auto"), all (or an error), none.
    in_shardings, out_shardings : Sharding, or pytree prefix of Sharding and None, optional
        How arguments, which are copied there, and results lie over a mesh: `anvl.sharding`.
    **spelled : `static_argnums`, `static_argnames`, `donate_argnums`, `donate_argnames`, as in JAX

    Returns
    -------
    A callable with the methods `lower`, `trace`, `cache_size`, `cache_info` and `clear_cache`.

    Raises
    ------
    TypeError, ValueError, TraceError, StaleClosureError, BucketError, ShardingError
        An option or argument is not as described; f needs a traced value, or cannot be padded.

    Examples
    --------
    >>> import anvl; print(anvl.jit(lambda x: x * x + 1)(2.0))
    5.0
    """
    given = donate, device, inline, cache_size, compiler_options, backend, debug_nans, bucket, roll
    given_all = (*given, in_shardings, out_shardings)
    make = functools.partial(_jitted, static, on_stale_closure, spelled, given_all)
    return make if f is None else make(f)


def _jitted(
    static: Any,
    on_stale_closure: str | None,
    spelled: ArgumentSpellings,
    given: tuple[Any, ...],
    f: Any,
) -> Any:
    if not callable(f):
        raise TypeError(f"jit: takes a function, got {f!r} of type {type(f).__name__}")
    donate, *others = given
    static, donate = united("jit", f, static, donate, spelled)
    arguments = StaticArguments(f, static)
    options = jit_options(f, arguments, donate, *others)
    policy = checked_policy(on_stale_closure)
    *_, debug_nans, _, _, _, _ = given
    if debug_nans:  # the search for the op needs the arguments
        jitted = Jit(f, arguments, options._replace(donated=frozenset()), policy)
        return _loaded("anvl.dispatch.debug_nans").checked(jitted)
    return Jit(f, arguments, options, policy).function()
