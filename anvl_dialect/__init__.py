"""The `anvl` dialect: op base class, families, every op with all its rules, types, errors."""

if __name__ != "anvl.dialect":
    raise ImportError("import `anvl.dialect`, not the source folder `anvl_dialect`")

from anvl.dialect import ops as ops  # first: the dialect must be complete when it is loaded
from anvl.dialect.context import context as context
from anvl.dialect.context import parse as parse
from anvl.dialect.dialect import Anvl as Anvl
