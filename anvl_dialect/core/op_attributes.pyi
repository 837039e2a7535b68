"""The attributes of an op class, for type checkers alone: the base of `AnvlOp`, as they see it.

`AnvlOp` cannot annotate them: MLIR's `ext` takes every annotation of an op class for a field.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from anvl.dialect.core.dialect import Anvl
from anvl.dialect.core.params.base import Param

class OpAttributes(Anvl.Operation):
    hlo: ClassVar[str | None]
    params: ClassVar[dict[str, type[Param]]]
    short_name: ClassVar[str]
    undefined: ClassVar[dict[int, str]]
    # set by `__init_subclass__` for each op that has a name
    borrowed: ClassVar[bool]
    pure: ClassVar[bool]
    is_own: ClassVar[bool]
    is_inferred: ClassVar[bool]
    n_operands: ClassVar[int | None]
    n_results: ClassVar[int | None]
    multiple_results: ClassVar[bool]
    bodies: ClassVar[list[str]]
    attribute_params: ClassVar[dict[str, type[Param]]]
    key_of: ClassVar[Callable[[dict[str, Any]], Iterable[Any]]]
    recipes: ClassVar[Any]
    tangent_recipes: ClassVar[Any]
    batch_recipes: ClassVar[Any]
    _plans: ClassVar[dict[Any, Any]]
