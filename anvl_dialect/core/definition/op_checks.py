"""Checks of an op class when it is defined, and of the results of its rules.

Users write ops in files of their own; an error is reported at the definition, by the op's name.
"""

import inspect
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

from anvl.dialect.core.definition.fields import fields_of
from anvl.dialect.core.definition.op_build import headed, types_text
from anvl.dialect.core.errors import nearest
from anvl.dialect.core.mlir import ext, ir
from anvl.dialect.core.types import DTYPES
from anvl.dialect.core.types import kind as kind_of

__all__ = [
    "all_reported", "check_call", "check_free", "check_rules", "check_variadic", "fit_assumed",
    "is_known_to_fit", "misspelt", "problem_of", "raised", "reports_all", "result_types",
]  # fmt: skip


def check_free(cls: Any, ops: Mapping[str, Any]) -> None:
    """Refuse a second op of one name, unless it is the same class defined again.

    Also refuse a dialect with the name of an anvl op: `emit.sum` could not be both.
    """
    known = ops.get(cls.OPERATION_NAME)
    if known is not None and _identity(known) != _identity(cls):
        raise ValueError(
            f"{cls.short_name}: two ops have this name, {_identity(known)} and {_identity(cls)}; "
            "rename one"
        )
    dialect, dot, _ = cls.short_name.partition(".")
    if dot and (f"anvl.{dialect}" in ops or f"stablehlo.{dialect}" in ops):
        raise ValueError(
            f"{cls.short_name}: anvl has an op named {dialect}; choose another word for your "
            "dialect"
        )


def _identity(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def check_rules(cls: Any, rules: Sequence[str]) -> None:
    """Refuse an op without a type rule, and rules whose signature does not fit their calls."""
    for rule in rules:
        owner = next(c for c in cls.__mro__ if rule in c.__dict__)
        if not isinstance(owner.__dict__[rule], classmethod):
            raise TypeError(
                f"{cls.short_name}: `{rule}` is not a classmethod; write @classmethod above it and "
                "cls as its first parameter"
            )
    if not cls.has_rule("result_type"):
        raise TypeError(
            f"{cls.short_name}: has no `result_type` rule, so it cannot be built; define it on "
            f"{cls.__name__}: it takes the operand types and returns the result type"
        )
    if cls.hlo is not None and cls.has_rule("lower"):
        raise TypeError(
            f"{cls.short_name}: says `hlo = {cls.hlo!r}` and defines `lower`, which lowering would "
            "not ask; leave one of the two out"
        )
    for rule in rules:
        _check_rule(cls, rule)
    if cls.bodies:
        if not cls.has_rule("body_types"):
            raise TypeError(
                f"{cls.short_name}: has the body `{cls.bodies[0]}`, but no rule `body_types`, "
                "which gives the types of its arguments and results: [([x], [y])]"
            )
        _check_rule(cls, "body_types")


def _check_rule(cls: Any, rule: str) -> None:
    """Refuse a rule whose signature does not fit its calls."""
    operands = [field.name for field in fields_of(cls, ext.OperandDef)]
    operand_names = (*operands, *operands[-1:]) if cls.n_operands is None else tuple(operands)
    ys = "ys" if cls.multiple_results else "y"
    gs = "gs" if cls.multiple_results else "g"
    given = {
        "result_type": operand_names,
        "body_types": operand_names,
        "lower": ("hlo", *operand_names),
        "adjoint": (gs, "xs", ys),
        "tangent": ("ts", "xs", ys),
        "batch": ("xs", "batched"),
        "sample": ("draw",),
        "taylor": ("k", "xs", "y"),
        "simplify": ("xs", "makers"),
        "fold": operand_names,
        "pad_axes": ("pads", "xs"),
        "powered": ("xs", "exponent"),
        "stacked": ("xs", "params"),
        "dependence": ("deps", "xs"),
        "narrowed": ("xs", "dtype"),
    }[rule]
    # Types do not depend on bodies.  A pass passes all other parameters; a caller of `build` may
    # leave out optional ones.
    typing = [k for k in cls.params if k not in cls.bodies]
    needed = [k for k in typing if not cls.params[k].optional]
    ways = {
        "sample": [[]],
        "stacked": [[]],
        "result_type": [needed, typing],
        "body_types": [needed, typing],
    }
    signature = inspect.signature(getattr(cls, rule))
    for names in ways.get(rule, [list(cls.params)]):
        try:
            signature.bind(*given, **dict.fromkeys(names))
        except TypeError as error:
            call = ", ".join([*given, *(f"{k}=" for k in names)])
            raise TypeError(
                f"{cls.short_name}: `{rule}` takes (cls, {str(signature)[1:]}, but is called with "
                f"(cls, {call}): {error}"
            ) from None


def check_call(cls: Any, n_operands: int, params: Mapping[str, Any]) -> None:
    """Refuse calls that do not fit the type rule; Python's own message would name internals."""
    cls.check_count(n_operands)
    known = {k: kind for k, kind in cls.params.items() if k not in cls.bodies}
    required = {k for k, kind in known.items() if not kind.optional}
    if not required <= params.keys() <= known.keys():
        raise TypeError(
            f"{cls.short_name}: takes the parameters {', '.join(known) or 'none'}, "
            f"got {', '.join(params) or 'none'}"
        )


def result_types(cls: Any, found: Any) -> list[Any]:
    """Result of a type rule as a list; refuses values that are not types."""
    if not cls.multiple_results:
        types = [found]
    elif isinstance(found, list | tuple):
        types = list(found)
    else:
        raise TypeError(
            f"{cls.short_name}: `result_type` gives {found!r}, but the op has several results; "
            "return a list of types"
        )
    for type_ in types:
        if not isinstance(type_, ir.Type):
            raise TypeError(
                f"{cls.short_name}: `result_type` gives {found!r}, which is not an MLIR type"
            )
    if cls.n_results is not None and cls.n_results != len(types):
        raise TypeError(
            f"{cls.short_name}: `result_type` gives {len(types)} types, but the op has "
            f"{cls.n_results} results"
        )
    return types


def check_variadic(cls: Any, operands: list[Any], results: list[Any]) -> None:
    """Refuse different types in one `Operands` or `Results`, which IRDL cannot declare.

    MLIR's verifier would report it, but a program traced and compiled at once is not verified.
    """
    for kind, types in ((ext.OperandDef, operands), (ext.ResultDef, results)):
        fields = fields_of(cls, kind)
        for i, field in enumerate(fields):
            several = types[i : len(types) - len(fields) + i + 1]
            is_one = field.variadicity == ext.Variadicity.single
            if not is_one and len(set(several)) > 1:
                raise TypeError(
                    f"{cls.short_name}: {field.name} are {', '.join(map(str, several))}; "
                    "the values of one field must have one type"
                )


def raised(rule: str, error: Exception) -> TypeError:
    """Wrap an unexpected error of a rule, with the line that raised it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{last.filename.rpartition('/')[2]}:{last.lineno}"
    return TypeError(f"`{rule}` raised {type(error).__name__}: {error} ({place})")


# Forms of ops that fit: a class, types, and attributes of its parameters.  A type rule takes some
# 50 microseconds, and a program has few forms.  Emptied when full, as shapes may go on forever.
_fitting: set[tuple[Any, ...]] = set()
_MOST_FORMS = 50_000
_type_of = attrgetter("type")


class _Assumed(threading.local):
    on = False
    goes_on = False


_assumed = _Assumed()


@contextmanager
def all_reported() -> Iterator[None]:
    """MLIR's verifier, run within, reports each op that does not fit its class, not the first one.

    It then lets the program pass: only for programs that are looked at, and not changed.
    """
    before, _assumed.goes_on = _assumed.goes_on, True
    try:
        yield
    finally:
        _assumed.goes_on = before


def reports_all() -> bool:
    """Whether the verifier is to go on after an op that does not fit."""
    return _assumed.goes_on


@contextmanager
def fit_assumed() -> Iterator[None]:
    """MLIR's verifier, run within, takes for granted that ops fit their classes.

    For a program whose ops were checked, and in which no type and no attribute has changed since.
    """
    before, _assumed.on = _assumed.on, True
    try:
        yield
    finally:
        _assumed.on = before


def is_known_to_fit(cls: Any, op: ir.Operation) -> bool:
    """Whether an op of this form has been found valid; False says nothing.

    Asked for each op of a program by each verifier, so it takes what the bindings give fastest.
    """
    return _assumed.on or (_form(cls, op) in _fitting and len(op.attributes) <= cls.n_required)


def problem_of(cls: Any, op: ir.Operation) -> str | None:
    """Reason why operands, attributes or results of an op do not fit a class, or None."""
    form = _form(cls, op)
    if form in _fitting:
        return None
    problem = _problem_of(cls, op)
    if problem is None and form is not None:
        if len(_fitting) >= _MOST_FORMS:
            _fitting.clear()
        _fitting.add(form)
    return problem


def _form(cls: Any, op: ir.Operation) -> tuple[Any, ...] | None:
    """All that the type rule sees of an op; None with a body, or a constant of complex numbers,
    which the bindings have no class for."""
    if cls.bodies:
        return None
    results = op.results
    types = (results[0].type,) if len(results) == 1 else (None, *results.types, None)
    if not cls.params:
        return (cls, *types, *map(_type_of, op.operands))
    get = op.attributes.get
    try:
        params = [get(name) for name in cls.params]
    except TypeError:
        return None
    return (cls, *types, *params, *map(_type_of, op.operands))


def _problem_of(cls: Any, op: ir.Operation) -> str | None:
    try:
        _check_form(cls, op)
        types, params = [x.type for x in op.operands], cls.read(op)
        params = {k: v for k, v in params.items() if k not in cls.bodies}
        wanted = result_types(cls, cls.result_type(*types, **params))
        if cls.bodies and not cls.borrowed:
            _check_bodies(cls, op, cls.body_types(*types, **params))
    except (TypeError, ValueError) as error:
        return headed(cls.short_name, error)
    except Exception as error:  # a bug in a user's rule; MLIR drops exceptions
        return headed(cls.short_name, raised("result_type", error))
    found = [y.type for y in op.results]
    if found == wanted:
        return None
    return (
        f"{cls.short_name}: result is {types_text(found)} "
        f"but the operands give {types_text(wanted)}"
    )


def _check_form(cls: Any, op: ir.Operation) -> None:
    """Check the number of operands and their types, before IRDL does, which names none."""
    cls.check_count(len(op.operands))
    if cls.bodies and not cls.borrowed:
        _check_blocks(cls, op)
    if not cls.multiple_results and len(op.results) != 1:
        raise TypeError(f"must have one result, got {len(op.results)}")
    for value in (*op.operands, *op.results):
        type_ = value.type
        if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
            raise TypeError(f"operands and results must be tensors of static shape, got {type_}")
        if kind_of(type_.element_type) == "other":
            known = ", ".join(DTYPES)
            raise TypeError(f"operands and results must be tensors of {known}, got {type_}")


def misspelt(cls: Any, op: ir.Operation) -> str | None:
    """Reason why an attribute of an op is probably a parameter of its class that is misspelt.

    Misspelt, an optional one would be without effect.  Attributes of other dialects have a prefix,
    `my.note`, and a word unlike any parameter is a note that a pass leaves.
    """
    attributes, params = op.attributes, cls.attribute_params
    if len(attributes) <= cls.n_required:  # the type rule has found these
        return None
    for name in attributes:
        if name not in params and "." not in name:
            hint = nearest(name, params)
            if hint:
                known = ", ".join(params)
                return f"{cls.short_name}: no parameter {name!r}{hint}; parameters are {known}"
    return None


def _check_blocks(cls: Any, op: ir.Operation) -> None:
    """Check that each body is one block with an end, so that it can be read."""
    if len(op.regions) != len(cls.bodies):
        raise TypeError(f"its bodies are {', '.join(cls.bodies)}, got {len(op.regions)} regions")
    for name, region in zip(cls.bodies, op.regions, strict=True):
        blocks = list(region.blocks)
        ends = [list(block.operations)[-1:] for block in blocks]
        if [end.operation.name for last in ends for end in last] != ["stablehlo.return"]:
            raise TypeError(f"{name} must be one block that ends in stablehlo.return")


def _check_bodies(cls: Any, op: ir.Operation, signatures: Any) -> None:
    """Check the types of each body, of which MLIR knows nothing."""
    for name, region, (inputs, outputs) in zip(cls.bodies, op.regions, signatures, strict=True):
        block = region.blocks[0]
        end = list(block.operations)[-1]
        taken = [x.type for x in block.arguments]
        given = [x.type for x in end.operands]
        if (taken, given) != (list(inputs), list(outputs)):
            raise TypeError(
                f"{name} takes {types_text(taken)} and returns {types_text(given)}, but must take "
                f"{types_text(inputs)} and return {types_text(outputs)}"
            )
