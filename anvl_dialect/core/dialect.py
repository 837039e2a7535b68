"""The `anvl` dialect, and the dialects of user-defined ops.

Ops join a dialect by subclassing `AnvlOp` (`core/op.py`).  An op named `my.softplus` belongs to the
dialect `my`, which the first such op creates; see Note [Dialects of one's own].
"""

import re
import sys
from types import ModuleType
from typing import Any

from anvl.dialect.core.context import context, is_created, on_new_context
from anvl.dialect.core.forking import lock_over_forks
from anvl.dialect.core.mlir import PassManager, ext, ir, irdl, register_view

__all__ = ["Anvl", "declare", "dialect_of", "irdl_text", "own_dialects", "withdraw"]


class Anvl(ext.Dialect, name="anvl"):
    """Array programs as traced from Python, before StableHLO."""

    @classmethod
    def load(cls, *args: Any, **kwargs: Any) -> None:
        """Declare the ops to the context, from text: half the time of building 150 of them."""
        ops: list[Any] = cls.operations
        text = "\n".join(["irdl.dialect @anvl {", *map(_declaration, ops), "}"])
        cls._mlir_module = ir.Module.parse(text)
        irdl.load_dialects(cls._mlir_module)
        for op_class in ops:
            op_class._attach_traits()
            register_view(cls, op_class)


def _declaration(op_class: Any) -> str:
    """IRDL of an op of anvl, whose operands, attributes and results are of any type."""
    operands, attributes, results, regions = ext.partition_fields(op_class._fields)
    assert not regions and all(field.constraint is Any for field in op_class._fields)
    lines, count = [f"irdl.operation @{op_class._op_name} {{"], 0
    for kind, fields in (("operands", operands), ("attributes", attributes), ("results", results)):
        values = [f"%{count + i}" for i in range(len(fields))]
        count += len(fields)
        lines += [f"{value} = irdl.any" for value in values]
        named = list(zip(fields, values, strict=True))
        if kind == "attributes" and named:
            listed = ", ".join([f'"{field.name}" = {value}' for field, value in named])
            lines.append(f"irdl.attributes {{{listed}}}")
        elif named:
            listed = ", ".join([f"{f.name}: {_count_of(f)} {value}" for f, value in named])
            lines.append(f"irdl.{kind}({listed})")
    return "\n".join([*lines, "}"])


def _count_of(field: Any) -> str:
    """How many values a field stands for; the text of an enum takes 3 us."""
    return "single" if field.variadicity is ext.Variadicity.single else str(field.variadicity)


on_new_context(Anvl.load)

# Note [Dialects of one's own]
#
# A context lives as long as the process, and users define ops in the middle of a session.  IRDL can
# add ops to a loaded dialect, so a user-defined op is one piece of IRDL, loaded when its class is
# defined (0.5 ms).  MLIR can neither remove an op nor change its declaration; but its rules are
# Python, and a class that is defined again, by a notebook cell that runs twice, replaces the first.
#
# User-defined ops live in dialects of their own, so that no later op of anvl can clash with them.

_NAME = r"[a-z][a-z0-9]*(_[a-z0-9]+)*"  # names that IRDL accepts
# Dialects that MLIR registers only later.
_TAKEN = ("anvl", "builtin", "chlo", "stablehlo", "vhlo")

_lock = lock_over_forks()  # concurrent loads of one dialect crash
_own: dict[str, Any] = {}
#: Declaration of each op that anvl defines: its IRDL and its traits.
_declared: dict[str, str] = {}


def own_dialects() -> dict[str, Any]:
    """User-defined dialects (all but `anvl`), by name."""
    return {name: dialect for name, dialect in _own.items() if dialect.operations}


def dialect_of(name: str, module: str) -> tuple[Any, str]:
    """Dialect of an op, created if needed, and the op's name within it.

    `module` is where the class is defined: only anvl defines ops in the `anvl` dialect.
    """
    prefix, dot, bare = name.rpartition(".")
    if not dot:
        if module.partition(".")[0] != "anvl":
            raise ValueError(
                f"{name}: the name of a user-defined op needs a dialect, so that it never "
                f'equals that of an op of anvl; write name="my.{name}", with your own word for my'
            )
        return Anvl, name
    if not (re.fullmatch(_NAME, prefix) and re.fullmatch(_NAME, bare)):
        raise ValueError(
            f"{name}: the name of an op must be two words of lowercase letters, digits and single "
            "underscores, as in my.softplus"
        )
    with _lock:
        if prefix not in _own:
            _check_free(prefix, name)
            _own[prefix] = _create_dialect(prefix)
    return _own[prefix], bare


def _check_free(prefix: str, name: str) -> None:
    taken = prefix in _TAKEN
    if not taken:
        try:
            _ = context().dialects[prefix]
            taken = True
        except IndexError:
            pass
    if taken:
        raise ValueError(
            f"{name}: MLIR has a dialect named {prefix} already; choose another word for yours"
        )


def _create_dialect(prefix: str) -> Any:
    made = type(
        prefix.title(), (ext.Dialect,), {"__doc__": f"The dialect `{prefix}`."}, name=prefix
    )
    # Keeps a view of one of its ops at 0.4 us: see anvl.dialect._mlir_dialects.
    path = f"anvl.dialect._mlir_dialects.{prefix}"
    sys.modules.setdefault(path, ModuleType(path, made.__doc__))
    return made


def declare(op_class: Any) -> None:
    """Register an op with MLIR: at once if the context exists, else when it is created.

    Raises `TypeError` if an op of this name is already declared differently.
    """
    dialect = op_class._dialect_obj
    if dialect is Anvl and not is_created():
        return
    with _lock, context(), ir.Location.unknown():
        dialect.operations[:] = [
            op for op in dialect.operations if op is op_class or op._op_name != op_class._op_name
        ]
        module = _module(dialect, [op_class])
        declaration = f"{module} {[trait.__name__ for trait in op_class._traits]}"
        name = op_class.OPERATION_NAME
        if name not in _declared:
            irdl.load_dialects(module)
            op_class._attach_traits()
            _declared[name] = declaration
        if _declared[name] != declaration:
            raise TypeError(
                f"{name}: is defined again with other operands, results, attributes or purity, "
                "which MLIR cannot change; give it another name, or restart Python"
            )
        register_view(dialect, op_class)


def withdraw(op_class: Any) -> None:
    """Remove an op class that failed its checks."""
    operations = op_class._dialect_obj.operations
    if op_class in operations:
        operations.remove(op_class)


def irdl_text(name: str = "anvl") -> str:
    """IRDL text of a dialect, readable by any MLIR's `mlir-opt --irdl-file=`."""
    made = context()
    if name == "anvl":
        return str(Anvl._mlir_module)
    with _lock, made, ir.Location.unknown():
        return str(_module(_own[name], _own[name].operations))


def _module(dialect: Any, ops: list[Any]) -> Any:
    """IRDL declaration of a list of ops."""
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        declaration = irdl.dialect(dialect.name)
        with ir.InsertionPoint(declaration.body):
            for op in ops:
                op._emit_operation()
    manager = PassManager()
    manager.add("canonicalize, cse")
    manager.run(module.operation)
    return module
