"""`spelled` and `respell`: a function also takes calls in the form that NumPy or JAX gives them.

    @spelled("fun argnums has_aux holomorphic=")
    def grad(f, wrt=0, has_aux=False): ...

A form lists the parameters in the order of the other library.  Each stands for our parameter of
that name; else for ours that `name:ours` names; else for ours at its position, if the form lacks
that one.  One that is left, as `holomorphic`, makes no difference here: only its values of
`WITHOUT_EFFECT` are taken.  A call is tried as it is written first, so that our own calls
cost one call of Python more.  A form that needs other code is a function with these parameters:
`longer`.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from anvl.core.arguments import name_of, no_keyword, parameters_of
from anvl.core.importing import load_module
from anvl.runtime import explain_error, set_home

__all__ = ["WITHOUT_EFFECT", "LongForm", "accepts", "check_without_effect", "respell", "spelled"]

_F = TypeVar("_F", bound=Callable[..., Any])
_Call = tuple[tuple[Any, ...], dict[str, Any]]

_ALGORITHM = "every algorithm gives this result; there is one"
_ANY = object()

#: Parameters that make no difference here: the values that are taken, and what others would need.
WITHOUT_EFFECT: dict[str, tuple[tuple[Any, ...], str]] = {
    "_split_transpose": ((False,), "derivatives of loops need no such option"),
    "accuracy": ((None,), "functions are as accurate as XLA makes them"),
    "allow_int": ((False,), "integers have no derivative; convert them to floats"),
    "allow_negative_indices": ((_ANY,), ""),
    "allow_pickle": ((_ANY,), ""),
    "assume_unique": ((_ANY,), ""),
    "assume_unique_indices": ((_ANY,), ""),
    "casting": (("unsafe",), "ask anvl.numpy.can_cast first"),
    "check_finite": ((_ANY,), ""),
    "concrete": ((None, False), "functions are always traced"),
    "copy": ((_ANY,), ""),
    "base_dilation": ((None,), "windows are not dilated; see anvl.windows.reduce_window"),
    "create_perfetto_link": ((False,), "open the trace that is written"),
    "create_perfetto_trace": ((False,), "open the trace that is written"),
    "debug": ((None, False), "print with anvl.debug.print"),
    "dimensions": ((None,), "transpose the operand first"),
    "donate": ((False,), "delete the array yourself, or let jit donate it"),
    "holomorphic": ((False,), "derivatives are those of real numbers; see docs/conventions.md"),
    "hermitian": ((_ANY,), ""),
    "indices_are_sorted": ((_ANY,), ""),
    "kind": ((_ANY,), ""),
    "manual_axis_type": ((None,), "axes are not typed; see anvl.shard_map"),
    "is_ref": ((False,), "arrays are immutable"),
    "may_alias": ((None, False, True), ""),
    "method": ((_ANY,), ""),
    "order": (
        (None, "K", "A", "C"),
        "arrays have no order in memory: leave it out, or transpose them",
    ),
    "orthogonalize": ((None,), "scale the first elements yourself"),
    "out": ((None,), "arrays are immutable, so results are new arrays"),
    "overwrite_input": ((_ANY,), ""),
    "overwrite_x": ((_ANY,), ""),
    "plan": ((None,), "XLA plans each transform itself"),
    "partitioned": ((False,), "arguments lie over devices by device_put(x, sharding)"),
    "prevent_cse": ((_ANY,), ""),
    "promote_integers": ((True,), "convert with .astype first, or give dtype="),
    "profiler_options": ((None,), "there are none; see anvl.profiler.trace"),
    "reduce_axes": (((),), "sum over named axes with anvl.lax.psum"),
    "series_order": ((_ANY,), ""),
    "sharding": ((None,), "give device=, which takes a sharding too"),
    "src": ((None,), "an array knows where it lies"),
    "skip_format_check": ((False,), "messages are checked"),
    "sorted": ((True,), "the unique elements are sorted"),
    "subok": ((_ANY,), ""),
    "unique_indices": ((_ANY,), ""),
    "unroll": ((_ANY,), ""),
    "workers": ((_ANY,), ""),
    "wrap_negative_indices": ((None, True), "negative indices count from the end"),
}


class LongForm(NamedTuple):
    """A function of a table of a module, by its name: loaded by the first call that needs it."""

    module: str
    table: str
    name: str

    def load(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(load_module(self.module), self.table)[self.name]
        return found


_Longer = Callable[..., Any] | LongForm | None


class _Form(NamedTuple):
    """The parameters of the other library in their order, with ours or None for each."""

    targets: dict[str, str | None]

    def call(self, function: str, ours: Mapping[str, int | None], call: _Call) -> _Call | None:
        """The call in our form, or None if it has not this form."""
        given = self._by_name(call)
        if given is None:
            return None
        found: dict[str, Any] = {}
        for name, value in given.items():
            target = self.targets[name]
            if target is None:
                check_without_effect(function, name, value)
            else:
                found[target] = value
        front = itertools.takewhile(lambda name: ours[name] is not None and name in found, ours)
        return tuple(found.pop(name) for name in [*front]), found

    def _by_name(self, call: _Call) -> dict[str, Any] | None:
        """The arguments by the names of this form; None if one has no place in it, or two one."""
        args, kwargs = call
        if len(args) > len(self.targets) or not kwargs.keys() <= self.targets.keys():
            return None
        front = dict(zip(self.targets, args, strict=False))
        given = {**front, **kwargs}
        targets = {self.targets[name] or name for name in given}
        idle = {name for name in given if self.targets[name] is None}
        has_places = len(targets) == len(args) + len(kwargs) and idle <= WITHOUT_EFFECT.keys()
        return given if has_places else None


def _form(text: str, ours: Mapping[str, int | None]) -> _Form:
    pairs = [part.partition(":")[::2] for part in text.split()]
    theirs = {name for name, _ in pairs} | {to for _, to in pairs}
    by_position = [name for name, position in ours.items() if position is not None]
    targets: dict[str, str | None] = {}
    for i, (name, to) in enumerate(pairs):
        if to or name in ours:
            targets[name] = to or name
        elif name not in WITHOUT_EFFECT and i < len(by_position) and by_position[i] not in theirs:
            targets[name] = by_position[i]
        else:
            targets[name] = None
    return _Form(targets)


def check_without_effect(function: str, name: str, value: Any) -> None:
    """Raise a TypeError where a value of one of the parameters `WITHOUT_EFFECT` would have one."""
    taken, remedy = WITHOUT_EFFECT[name]
    if taken[0] is _ANY or any(
        value is t or (type(value) is type(t) and value == t) for t in taken
    ):
        return
    shown = " or ".join(map(repr, taken))
    raise TypeError(f"{function}: {name} is {value!r}, and can be {shown} only; {remedy}")


def spelled(form: str = "", longer: _Longer = None) -> Callable[[_F], _F]:
    """Let a function also take calls in another form, such as `a axis out keepdims`.

    A call that is neither in our form nor in this one goes to `longer`, a function with parameters
    that ours lacks.
    """

    def decorate(f: _F) -> _F:
        @functools.wraps(f)
        def function(*args: Any, **kwargs: Any) -> Any:
            try:
                try:
                    return f(*args, **kwargs)
                except TypeError:
                    if _fits(f, (args, kwargs)):
                        raise
                # Here, so that the error of the first try is no context of another.
                found = _translated(f, form, longer, (args, kwargs))
                if found is None:
                    _check_keywords(f, form, longer, kwargs)
                    found = f, args, kwargs  # Python says what is wrong
                to, args, kwargs = found
                return to(*args, **kwargs)
            except Exception as error:
                explain_error(error, f, kwargs)
                raise

        function.forms = (form, longer)  # type: ignore[attr-defined]
        return function  # type: ignore[return-value]

    return decorate


def accepts(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a function takes a call, in its form or in another one."""
    forms = getattr(f, "forms", None)
    if forms is None:
        return _fits(f, (args, kwargs))
    own = inspect.unwrap(f, stop=lambda g: not hasattr(g, "forms"))
    form, longer = forms
    if _fits(own, (args, kwargs)):
        return True
    return _translated(own, form, longer, (args, kwargs)) is not None


def _translated(
    f: Callable[..., Any], form: str, longer: _Longer, call: _Call
) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]] | None:
    """The function and its arguments for a call that is not in our form; None if it is in none."""
    ours = parameters_of(f).known
    found = _form(form, ours).call(name_of(f), ours, call)
    if found is not None and _fits(f, found):
        return f, *found
    more = _loaded(longer)
    if more is not None and _fits(more, call):
        return more, *call
    return None


def _loaded(longer: _Longer) -> Callable[..., Any] | None:
    return longer.load() if isinstance(longer, LongForm) else longer


def _check_keywords(
    f: Callable[..., Any], form: str, longer: _Longer, kwargs: Iterable[str]
) -> None:
    """Raise a TypeError for a keyword that a function has in none of its forms."""
    takers = [parameters_of(g) for g in (f, _loaded(longer)) if g is not None]
    known = {name: None for taker in takers for name in taker.known}
    theirs = _form(form, takers[0].known).targets
    unknown = [name for name in kwargs if name not in known and name not in theirs]
    if unknown and not any(taker.any_name for taker in takers):
        raise TypeError(no_keyword(name_of(f), unknown[0], known, theirs))


def _fits(f: Callable[..., Any], call: _Call) -> bool:
    """Whether Python can pass the arguments of a call."""
    known = parameters_of(f)
    ours, (args, kwargs) = known.known, call
    n_positions = sum(position is not None for position in ours.values())
    taken = {name for name, i in ours.items() if i is not None and i < len(args)}
    if (len(args) > n_positions and not known.any_position) or taken & kwargs.keys():
        return False
    if not kwargs.keys() <= ours.keys() and not known.any_name:
        return False
    return _needed(f, ours) <= taken | kwargs.keys()


def _needed(f: Callable[..., Any], ours: Mapping[str, int | None]) -> set[str]:
    """The parameters without a default; `inspect.signature` takes 20 us for each function."""
    while hasattr(f, "__wrapped__") and not hasattr(f, "__signature__"):
        f = f.__wrapped__
    if hasattr(f, "__signature__"):
        parameters = f.__signature__.parameters
        return {name for name in ours if parameters[name].default is inspect.Parameter.empty}
    names = [name for name, position in ours.items() if position is not None]
    optional = len(getattr(f, "__defaults__", None) or ())
    by_name = (getattr(f, "__kwdefaults__", None) or {}).keys()
    return set(names[: len(names) - optional]) | (ours.keys() - set(names) - by_name)


def respell(
    namespace: dict[str, Any],
    forms: Mapping[str, str],
    longer: Mapping[str, Callable[..., Any] | LongForm] | None = None,
) -> None:
    """Let the functions of a module, by name, also take calls in these forms."""
    more = longer or {}
    made: dict[Any, Any] = {}  # of one function one, under all its names: `abs` and `absolute`
    for name in [*forms, *more]:
        f = namespace[name]
        if f not in made.values():
            key = (f, forms.get(name, ""), more.get(name))
            if key not in made:
                made[key] = spelled(*key[1:])(f)
                set_home(made[key], namespace["__name__"], name)
            namespace[name] = made[key]
    others = {key[0]: function for key, function in reversed(made.items())}
    for name, f in namespace.items():
        if callable(f) and f.__hash__ is not None and f in others:
            namespace[name] = others[f]
