"""Parameters that say how arrays lie on a mesh: `mesh = "x=4,y=2"`, `spec = "x,-"`."""

from functools import cache
from typing import Any

from anvl.dialect.core.context import context
from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Param
from anvl.dialect.core.shardings import MeshShape, Spec

__all__ = ["MeshText", "SpecText"]


class _Parsed(Param):
    """A parameter that the IR holds as text, and rules get as an object."""

    kind: Any

    @staticmethod
    @cache
    def encode(value: Any) -> ir.Attribute:
        return ir.StringAttr.get(str(value), context())

    @classmethod
    def decode(cls, attribute: ir.Attribute) -> Any:
        if not isinstance(attribute, ir.StringAttr):
            raise TypeError(f"expected a string, got {attribute}")
        try:
            return cls.kind.parse(attribute.value)
        except ShardingError as error:
            raise TypeError(str(error)) from None

    @classmethod
    def checked(cls, value: Any) -> Any:
        if isinstance(value, cls.kind):
            return value
        if not isinstance(value, str):
            raise TypeError(f"is {value!r}; it must be a text, or a {cls.kind.__name__}")
        try:
            return cls.kind.parse(value)
        except ShardingError as error:
            raise ValueError(f"is {value!r}; {error}") from None


class MeshText(_Parsed):
    """The shape of a mesh, `"x=4,y=2"`, as a `MeshShape`."""

    kind = MeshShape


class SpecText(_Parsed):
    """How an array lies on a mesh, `"x,-"`, as a `Spec`."""

    kind = Spec
