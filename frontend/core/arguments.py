"""Arguments of a user's function: static ones, differentiated ones, and their paths."""

import dataclasses
import enum
import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from anvl import tree
from anvl.core.avals import Aval, aval
from anvl.core.tracer import Tracer
from anvl.runtime import Array
from anvl.tree.treedefs import clear_paths

__all__ = [
    "Arguments", "Parameters", "StaticArguments", "StaticValue", "clear_names", "frozen",
    "input_names", "name_of", "no_keyword", "parameters_of", "positions_of", "remedy",
    "signature_of", "wrap_non_arrays", "wrap_plain_leaves",
]  # fmt: skip


def name_of(f: Any) -> str:
    """Name of a function, for messages and for functions in the IR."""
    name = getattr(f, "__name__", None)
    if name is None and hasattr(f, "func"):  # functools.partial
        return name_of(f.func)
    return name or type(f).__name__


def signature_of(f: Callable[..., Any]) -> inspect.Signature | None:
    """Signature of f, or None if Python cannot determine it."""
    try:
        return inspect.signature(f)
    except (TypeError, ValueError):
        return None


def positions_of(
    f: Callable[..., Any], which: int | str | Sequence[int | str], role: str
) -> tuple[int | str, ...]:
    """Resolve arguments given by position or name; keyword-only ones stay names.

    Raises `TypeError` for other items, and `ValueError` for an argument that f does not have.
    """
    items = which if isinstance(which, list | tuple) else (which,)
    if not items:  # the common case; a signature costs 20 us, for each of our own functions too
        return ()
    names = parameters_of(f)
    return tuple(_position(f, item, names, role) for item in items)


class _Parameters(NamedTuple):
    """Parameters of a function: the position of each, or None for a keyword-only one."""

    known: dict[str, int | None]
    any_position: bool
    any_name: bool

    def __str__(self) -> str:
        listed = [n if i is None else f"{i} {n}" for n, i in self.known.items()]
        return ", ".join(listed) or "none"


def parameters_of(f: Callable[..., Any]) -> _Parameters:
    """Parameters of f that can be named."""
    plain = _plain_function(f)
    if plain is not None:
        code = plain.__code__
        names, n = code.co_varnames, code.co_argcount
        keywords = names[n : n + code.co_kwonlyargcount]
        return _Parameters(
            {name: i for i, name in enumerate(names[:n])} | dict.fromkeys(keywords),
            bool(code.co_flags & inspect.CO_VARARGS),
            bool(code.co_flags & inspect.CO_VARKEYWORDS),
        )
    signature = signature_of(f)
    if signature is None:
        return _Parameters({}, True, True)
    parameters = list(signature.parameters.values())
    kinds = {p.kind for p in parameters}
    known = {
        p.name: None if p.kind is p.KEYWORD_ONLY else i
        for i, p in enumerate(parameters)
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    }
    return _Parameters(
        known,
        inspect.Parameter.VAR_POSITIONAL in kinds,
        inspect.Parameter.VAR_KEYWORD in kinds,
    )


def _plain_function(f: Any) -> FunctionType | None:
    """The plain function whose code gives the parameters of f, if any: a signature costs 20 us."""
    while isinstance(f, FunctionType) and "__signature__" not in f.__dict__:
        if "__wrapped__" not in f.__dict__:
            return f
        f = f.__dict__["__wrapped__"]
    return None


def _position(f: Callable[..., Any], item: Any, names: _Parameters, role: str) -> int | str:
    if isinstance(item, bool) or not isinstance(item, int | str):
        raise TypeError(f"{role}: {item!r} is neither the name of an argument nor its position")
    if isinstance(item, str):
        if item not in names.known and not names.any_name:
            raise ValueError(f"{role}: {name_of(f)} has no argument {item!r}; it has {names}")
        at = names.known.get(item)
        return item if at is None else at
    if names.any_position:
        return item
    count = sum(i is not None for i in names.known.values())
    at = item + count if item < 0 else item
    if not 0 <= at < count:
        raise ValueError(f"{role}: {name_of(f)} has no argument {item}; it has {names}")
    return at


class Arguments(NamedTuple):
    """Dynamic arguments of a call, flat, and static arguments as a key."""

    leaves: list[Any]
    treedef: Any
    static: tuple[Any, ...]


class StaticArguments:
    """Split static arguments from a call, and merge them back.

    They are compared by value, so they must be hashable; arrays are refused.
    """

    #: Number of the first array whose dtype numbers beside it take; None in functions of users.
    counts_from: int | None = None

    def __init__(self, f: Callable[..., Any], static: Any, role: str = "jit: static") -> None:
        self.f = f
        if static is None:
            self.positions: frozenset[int] = frozenset()
            self.names: frozenset[str] = frozenset()
            self.n_plain = _n_required(f)
            return
        which = positions_of(f, static, role)
        if any(isinstance(i, int) and i < 0 for i in which):
            raise ValueError(
                f"{role}: {name_of(f)} takes *args, so position {min(which)} is not defined; "
                "count from the front, or give a name"
            )
        self.positions = frozenset(i for i in which if isinstance(i, int))
        self.names = frozenset(self._names_of(which))
        self.n_plain = None if self else _n_required(f)

    def _names_of(self, which: Sequence[int | str]) -> list[str]:
        """Names by which static arguments may be passed as keywords."""
        if not which:
            return []
        known = parameters_of(self.f).known
        ordered = [name for name, i in known.items() if i is not None]
        return [
            w if isinstance(w, str) else ordered[w]
            for w in which
            if isinstance(w, str) or w < len(ordered)
        ]

    def __bool__(self) -> bool:
        return bool(self.positions or self.names)

    def split(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """Leaves and structure of the dynamic arguments, and the static arguments."""
        if not self:
            leaves, treedef = tree.flatten((args, kwargs))
            return Arguments(leaves, treedef, ())
        dynamic = tuple(a for i, a in enumerate(args) if i not in self.positions)
        keywords = {k: v for k, v in kwargs.items() if k not in self.names}
        static: list[tuple[int | str, Any]] = [
            (i, self._checked(i, args[i])) for i in sorted(self.positions) if i < len(args)
        ]
        static += [(k, self._checked(k, kwargs[k])) for k in sorted(self.names & kwargs.keys())]
        leaves, treedef = tree.flatten((dynamic, keywords))
        return Arguments(leaves, treedef, tuple((k, StaticValue(v)) for k, v in static))

    def join(self, arguments: Arguments) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Rebuild the args and kwargs of the call."""
        dynamic, kwargs = tree.unflatten(arguments.treedef, arguments.leaves)
        args = list(dynamic)
        for key, static in arguments.static:
            if isinstance(key, int):
                args.insert(key, static.value)
            else:
                kwargs[key] = static.value
        return tuple(args), kwargs

    def _checked(self, key: int | str, value: Any) -> Any:
        of = type(value).__name__
        if isinstance(value, Array | Tracer | np.ndarray):
            raise TypeError(
                f"{name_of(self.f)}: static argument {key} is an array ({of}); static arguments "
                "are part of the program: pass arrays as ordinary arguments"
            )
        try:
            hash(value)
        except TypeError:
            raise TypeError(
                f"{name_of(self.f)}: static argument {key} is {value!r} of type {of}, which "
                "cannot be hashed; use a tuple, a frozen dataclass or another immutable value"
            ) from None
        if isinstance(value, list | dict | set | bytearray):  # of a class with a hash
            raise TypeError(
                f"{name_of(self.f)}: static argument {key} is {value!r} of type {of}, whose "
                "elements can change; use a tuple, a frozen dataclass or another immutable value"
            )
        if _compares_by_identity(value):
            raise TypeError(
                f"{name_of(self.f)}: static argument {key} is {value!r} of type {of}, which "
                "compares by identity, so changing it would go unnoticed; give it __eq__ and "
                "__hash__, or use a frozen dataclass"
                f"{_method_remedy(self.f, value, is_static=True) if key in (0, 'self') else ''}"
            )
        return value


def _compares_by_identity(value: Any) -> bool:
    """Whether equality ignores the contents; allowed for functions, classes and modules."""
    if isinstance(value, type | ModuleType | enum.Enum) or callable(value) or value is None:
        return False
    equal: Any = type(value).__eq__
    return equal is object.__eq__


def _n_required(f: Callable[..., Any]) -> int | None:
    """Number of required positional arguments of f; None if it takes any number."""
    plain = _plain_function(f)
    if plain is not None:
        code = plain.__code__
        takes_any = bool(code.co_flags & inspect.CO_VARARGS)
        return None if takes_any else code.co_argcount - len(plain.__defaults__ or ())
    signature = signature_of(f)
    if signature is None:
        return None
    parameters = signature.parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in positional and p.default is p.empty for p in parameters)


class Parameters(StaticArguments):
    """Static arguments of anvl's own functions: lists and arrays become tuples, and their
    numbers Python's, so that a size may be an element of an array that is known.

    Numbers take their dtypes from the arrays beside them, but for the first `n_apart`.
    """

    def __init__(self, f: Callable[..., Any], static: Any, n_apart: int = 0) -> None:
        super().__init__(f, static)
        self.counts_from = n_apart

    def split(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """As `StaticArguments.split`; refuses a keyword that the function does not have."""
        if kwargs:
            known = parameters_of(self.f)
            for keyword in kwargs:
                if keyword not in known.known and not known.any_name:
                    raise TypeError(no_keyword(name_of(self.f), keyword, known.known))
        return super().split(args, kwargs)

    def _checked(self, key: int | str, value: Any) -> Any:
        value = frozen(value)
        if isinstance(value, Array | Tracer):
            name = key if isinstance(key, str) else list(parameters_of(self.f).known)[key]
            of = aval(value.dtype, value.shape)
            raise TypeError(
                f"{name_of(self.f)}: {name} is an array, {of}; it must be a Python value, as it is "
                "part of the program, or known integers"
            )
        return super()._checked(key, value)


#: Keywords of NumPy that no function of anvl has, and why.
_OF_NUMPY = {
    "out": "arrays are immutable, so results are new arrays",
    "order": "arrays have no order in memory",
    "casting": "convert with .astype",
    "subok": "there are no subclasses of arrays",
    "like": "there are no subclasses of arrays",
}

#: Keywords of one transformation that people give to another, and names that others have for ours.
_OF_JAX = {
    **dict.fromkeys(("argnums", "argnames", "wrt"), "anvl.grad and its like take {}"),
    **dict.fromkeys(("in_axes", "out_axes", "axis_size"), "anvl.vmap takes {}"),
    **dict.fromkeys(("static_argnums", "static_argnames"), "anvl.jit takes {}: jit(..., {}=...)"),
    **dict.fromkeys(("donate_argnums", "donate_argnames"), "anvl.jit takes {}: jit(..., {}=...)"),
    "nondiff_argnums": "anvl.custom_jvp and anvl.custom_vjp take {}",
    "in_dims": "in_axes is its name here",
    "out_dims": "out_axes is its name here",
    "spmd_axis_name": "anvl.shard_map runs a function over devices",
    "keep_unused": "no program keeps an argument that it does not use",
    "abstracted_axes": "anvl.jit(f, bucket=...) shares programs among sizes",
}


def no_keyword(
    function: str, keyword: str, known: Iterable[str], other_forms: Iterable[str] = ()
) -> str:
    """The message for an unknown keyword, with the nearest one, else with those of `known`.

    `other_forms` are the keywords of the forms in which a function may also be called.
    """
    import difflib  # for messages, as here, alone

    known = list(known)
    near = difflib.get_close_matches(keyword, [*known, *other_forms], 1)
    advice = _OF_NUMPY.get(keyword) or f"it takes {', '.join(known) or 'none'}"
    if keyword == "argnames" and "wrt" in known:
        advice = "wrt takes names of arguments, too"
    elif keyword in _OF_JAX:
        advice = _OF_JAX[keyword].replace("{}", keyword)
    elif near:
        advice = f"did you mean {near[0]!r}?"
    return f"{function}: there is no keyword {keyword!r}; {advice}"


def frozen(value: Any) -> Any:
    """The numbers in lists and arrays, in tuples: what does not change later."""
    if isinstance(value, list | tuple):
        values = tuple(map(frozen, value))
        return values if type(value) in (list, tuple) else type(value)(*values)
    if isinstance(value, np.ndarray) or (isinstance(value, Array) and value.dtype.kind in "biu"):
        return frozen(value.tolist())
    if isinstance(value, Array) and value.ndim == 0:
        return value.tolist()
    return value.item() if isinstance(value, np.integer | np.bool) else value


class StaticValue:
    """A static argument as part of a key: equal only to values of its type.

    Python's equality identifies 1, 1.0 and True, and 0.0 with -0.0.
    """

    __slots__ = ("_key", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._key = _typed(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticValue) and self._key == other._key

    def __hash__(self) -> int:
        try:
            return hash(self._key)
        except TypeError:  # plain values of a derivative may be unhashable
            return hash(type(self.value))

    def __repr__(self) -> str:
        return repr(self.value)


def _typed(value: Any) -> Any:
    """The value together with its type and the types of its contents."""
    if isinstance(value, float | complex | np.generic):
        return type(value), repr(value)
    if isinstance(value, tuple):
        return type(value), tuple(map(_typed, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return type(value), tuple(_typed(getattr(value, f.name)) for f in fields)
    if isinstance(value, frozenset):
        return type(value), frozenset(map(_typed, value))
    return type(value), value


def wrap_plain_leaves(arguments: Any, *, integers: bool = False) -> Any:
    """Move leaves that are neither arrays nor numbers into the structure of a pytree.

    Bools, strings and other plain values then reach the function unchanged; with `integers`,
    Python integers too.  A tree of others is the answer itself.
    """
    if not integers and all(map(_is_array, tree.leaves(arguments))):  # most calls
        return arguments
    if integers:
        return tree.map(lambda x: _Plain(x) if type(x) is int or not _is_array(x) else x, arguments)
    return tree.map(lambda x: x if _is_array(x) else _Plain(x), arguments)


def wrap_non_arrays(result: Any) -> Any:
    """Move all leaves but arrays into the structure of a pytree of results, also numbers."""
    is_array = Array | Tracer | np.ndarray | np.generic
    return tree.map(lambda x: x if isinstance(x, is_array) else _Plain(x), result)


_ARRAYS = (Tracer, Array, Aval, np.ndarray, np.generic, int, float, complex)


def _is_array(x: Any) -> bool:
    return isinstance(x, _ARRAYS) and not isinstance(x, bool)


class _Plain:
    """A plain value inside a pytree: not a leaf, and unflattened to itself."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @staticmethod
    def described(static: StaticValue) -> str:
        """The value, for messages about structures."""
        return repr(static)


tree.register_node(_Plain, lambda x: ((), StaticValue(x.value)), lambda static, _: static.value)


def input_names(f: Callable[..., Any], arguments: Arguments) -> list[str]:
    """Readable path of each leaf of the dynamic arguments: `params['w']`, `x`."""
    static = tuple([k for k, _ in arguments.static if isinstance(k, int)])
    plain = _plain_function(f)
    if plain is None:
        names = tuple([name for name, i in parameters_of(f).known.items() if i is not None])
    else:
        names = plain.__code__.co_varnames[: plain.__code__.co_argcount]
    try:
        return list(_known_names(names, static, arguments.treedef))
    except TypeError:  # the static part of the structure is unhashable
        return _input_names(names, static, arguments.treedef)


def _input_names(names: Sequence[str], static: Sequence[int], treedef: Any) -> list[str]:
    """Paths of the leaves of a call, by the names of the positional parameters of its function.

    `static` are the positions of arguments that are no part of the structure.
    """
    args, kwargs = treedef.children()
    roots = _roots(names, len(args.children()) + len(static))
    for key in sorted(static, reverse=True):
        del roots[key]
    paths: list[str] = []
    for root, argument in zip(roots, args.children(), strict=False):
        paths += tree.leaf_paths(argument, root)
    _, keys = kwargs.node_data()
    for key, argument in zip(keys, kwargs.children(), strict=True):
        paths += tree.leaf_paths(argument, key)
    return paths


_known_names = functools.lru_cache(1024)(_input_names)


def clear_names() -> None:
    """Forget the names of leaves, with the structures that they belong to."""
    _known_names.cache_clear()
    clear_paths()


def _method_remedy(f: Callable[..., Any], first: Any, *, is_static: bool = False) -> str:
    """Advice about the instance that a jitted method takes; empty for other functions.

    `first` is the argument `self`, which is no array and no pytree, or a static one by identity.
    """
    name, of = name_of(f), type(first).__name__
    if next(iter(parameters_of(f).known), "") != "self" or not hasattr(type(first), name):
        return ""
    # Python looks for `__call__` in the class: an attribute of the instance would not be called.
    jitted, which = (name, "") if not name.startswith("__") else ("run", f", which {name} calls")
    init = f"self.{jitted} = anvl.jit(self.{jitted}){which}"
    if is_static:
        return f"; or, as {name} is a method, leave out the decorator and let __init__ do {init}"
    return (
        f"; {name} is a method: leave out the decorator and let {of}.__init__ do {init}, or make "
        f"{of} a pytree with anvl.tree.register_dataclass, or, with __eq__ and __hash__, make it "
        "static: anvl.jit(static='self')"
    )


def remedy(f: Callable[..., Any], x: Any, path: str) -> str:
    """Advice about an argument of f that is no array and no number; none for other libraries'."""
    if hasattr(x, "__array__"):
        return ""
    of_method = _method_remedy(f, x) if path == "self" else ""
    if not of_method and dataclasses.is_dataclass(x):
        name, fields = type(x).__name__, [field.name for field in dataclasses.fields(x)]
        call = f"anvl.tree.register_dataclass({name}, {fields})"
        return f"; make {name} a pytree, {call}, or mark it static"
    return of_method or "; mark it static, or pass an array"


def _roots(names: Sequence[str], count: int) -> list[str]:
    """Names of the first `count` positional arguments; `*args` are named by position."""
    return [*names[:count], *[f"arg{i}" for i in range(len(names), count)]]
