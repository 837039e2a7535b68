"""The fields of an op class: operands, results and parameters, read from its annotations."""

import inspect
import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, get_origin

from anvl.dialect.core.mlir import ext, ir
from anvl.dialect.core.params.base import Param

__all__ = [
    "FIELDS", "Operand", "Operands", "Result", "Results", "Value", "check_fields", "fields_of",
    "is_param", "resolved",
]  # fmt: skip

Value = ir.Value

# Every operand and result is a tensor; the type rule says which.
Operand = ext.Operand[Any]
Operands = Sequence[ext.Operand[Any]]
Result = ext.Result[Any]
Results = Sequence[ext.Result[Any]]

#: The kinds of operand and result fields.
FIELDS = (Operand, Operands, Result, Results)


def fields_of(cls: Any, kind: type) -> list[Any]:
    """The fields of a class that are operands (`ext.OperandDef`) or results (`ext.ResultDef`)."""
    return [field for field in cls._fields if isinstance(field, kind)]


def is_param(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Param)


def resolved(cls: type) -> dict[str, Any]:
    """Fields that a class declares, including where its file postpones annotations."""
    found = inspect.get_annotations(cls)
    if not any(isinstance(t, str) for t in found.values()):
        return dict(found)
    try:
        return inspect.get_annotations(cls, eval_str=True)
    except NameError as error:
        raise TypeError(f"{cls.__name__}: its fields cannot be read, {error}") from None


# Names that IRDL accepts.
_NAME = r"[a-z][a-z0-9]*(_[a-z0-9]+)*"


def check_fields(
    name: str, fields: Mapping[str, Any], base: type, defaults: Mapping[str, Any]
) -> None:
    """Refuse annotations that are not fields, and fields that IRDL cannot declare.

    `base` is the base of all ops, whose attributes no field may hide; `defaults` has the attributes
    of the class, none of which is for a field.
    """
    for field, kind in fields.items():
        if kind is ClassVar or get_origin(kind) is ClassVar:
            continue
        _check_field_name(name, field, base)
        if kind not in FIELDS:
            _check_param(name, field, kind)
        if field in defaults:
            _refuse_default(name, field, kind, defaults[field])
    for what, of in (("Operands", Operands), ("Results", Results)):
        several = [field for field, kind in fields.items() if kind == of]
        if len(several) > 1:
            raise TypeError(
                f"{name}: fields {', '.join(several)} are all {what}; MLIR cannot tell where "
                "one ends and the next begins; keep one"
            )


def _check_field_name(name: str, field: str, base: type) -> None:
    if hasattr(base, field):
        raise TypeError(
            f"{name}: field `{field}`: every op has an attribute of this name; choose another, or, "
            "if it is not a field, remove its annotation"
        )
    if not re.fullmatch(_NAME, field) or keyword.iskeyword(field):
        raise TypeError(
            f"{name}: field `{field}`: the name of a field must be a word of lowercase letters, "
            "digits and single underscores, and not a keyword of Python"
        )


def _refuse_default(name: str, field: str, kind: Any, default: Any) -> None:
    if is_param(kind) and kind.optional and kind.default == default:
        remedy = f"remove it here: {kind.__name__} is optional, and `result_type` has the default"
    elif is_param(kind):
        of = f"class {field.capitalize()}({kind.__name__}): optional, default = True, {default!r}"
        remedy = f"a parameter is optional by its kind, `{of}`, and `result_type` has the default"
    else:
        remedy = "an operand or a result has none; remove it"
    raise TypeError(f"{name}: field `{field}` has the default {default!r}; {remedy}")


def _check_param(name: str, field: str, kind: Any) -> None:
    if not is_param(kind):
        raise TypeError(
            f"{name}: field `{field}` is {getattr(kind, '__name__', kind)}; it must be Operand, "
            "Operands, Result, Results, or a parameter of anvl.dialect.core.params.base such as Int"
        )
