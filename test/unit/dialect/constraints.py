"""Calls that break one constraint of an op each, and how to hear what refuses them.

A `Row` is refused twice: in Python, when a function that calls `anvl.prim` is traced, and in text,
by the verifier, where the op is written out with the types that it would have.  Both must say the
same, in our words.
"""

from dataclasses import dataclass, field
from typing import Any

import anvl
from anvl.dialect.context import context
from anvl.dialect.mlir import ext, ir
from anvl.dialect.op import OPS
from anvl.dialect.params_window import ConvDims
from anvl.dialect.types import dtype_name, element_type, tensor

__all__ = ["Row", "check_row", "ids", "of_fields"]


@dataclass(frozen=True)
class Row:
    """One call.

    `rule` is the constraint's number in StableHLO's specification ("C7"; "I2" for the type of an
    input), or a word for what the specification leaves to others.  `operands` are types as MLIR
    writes them, without `tensor<>`: "2x3xf32 i32".  `says` must be in the message.  With `results`
    the call is right and the text claims other results.  `only` is "python" for what text cannot
    say, such as a parameter of the wrong kind, or that of ops that are StableHLO's own in text,
    where its verifier comes first; and "text" for what Python cannot.
    """

    op: str
    rule: str
    operands: str
    says: str
    params: dict[str, Any] = field(default_factory=dict)
    results: str = ""
    only: str = ""
    error: type[Exception] = TypeError

    @property
    def shows(self) -> bool:
        """Whether the message must show an operand: not if a parameter, body or result is bad."""
        return bool(self.operands) and not self.results and self.only != "python"

    def __str__(self) -> str:
        return f"{self.op}-{self.rule}"


def ids(rows: list[Row]) -> list[str]:
    """A test id for each: the op and the rule, numbered where a rule has several."""
    names = [str(row) for row in rows]
    return [
        f"{name}-{names[:i].count(name) + 1}" if names.count(name) > 1 else name
        for i, name in enumerate(names)
    ]


def of_fields(op: str, first: int, operands: str, params: dict[str, Any], word: str) -> list[Row]:
    """A row for each field of dimension numbers, the parameter `word`: inputs from I`first` on."""
    numbers = params[word]
    rows = []
    for i, (name, value) in enumerate(zip(numbers._fields, numbers, strict=True)):
        kind = "an integer" if isinstance(value, int) else "a tuple of integers"
        says = f"{word} says {name} is 'x'; it must be {kind}"
        wrong = params | {word: numbers._replace(**{name: "x"})}
        rows.append(Row(op, f"I{first + i}", operands, says, wrong, only="python"))
    return rows


def types_of(text: str) -> list[ir.Type]:
    """The types of "2x3xf32 i32"."""
    return [ir.Type.parse(f"tensor<{one}>", context()) for one in text.split()]


def op_class_of(name: str) -> Any:
    return OPS.get(f"anvl.{name}") or OPS[f"stablehlo.{name}"]


def is_borrowed(name: str) -> bool:
    return f"anvl.{name}" not in OPS


def refused_in_python(row: Row) -> str:
    """What tracing the call says."""
    types = types_of(row.operands)
    avals = [anvl.aval(dtype_name(t.element_type), tuple(t.shape)) for t in types]
    try:
        found = anvl.eval_shape(lambda *xs: getattr(anvl.prim, row.op)(*xs, **row.params), *avals)
    except Exception as error:
        assert type(error) is row.error, f"{type(error).__name__}: {error}"
        return str(error)
    raise AssertionError(f"{row} is not refused: it gives {found}")


def text_of(row: Row) -> str:
    """The op as generic text, with the results that it claims, or would have if it were right."""
    op_class, types = op_class_of(row.op), types_of(row.operands)
    with context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            function = ir.Operation.create(
                "func.func",
                attributes={
                    "sym_name": ir.StringAttr.get("f"),
                    "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, [])),
                },
                regions=1,
            )
        block = function.regions[0].blocks.append(*types)
        with ir.InsertionPoint(block):
            attributes, raw = _attributes(op_class, row.params)
            ir.Operation.create(
                op_class.OPERATION_NAME,
                types_of(row.results) if row.results else _results(op_class, types, row.params),
                list(block.arguments),
                attributes,
            )
            ir.Operation.create("func.return")
        text = str(module.operation.get_asm(print_generic_op_form=True))
        return text.replace(f'"{_UNPRINTED}"', raw) if raw else text


def _results(op_class: Any, types: list[Any], params: dict[str, Any]) -> list[Any]:
    """Results as far as the call says them: by a shape, by a dtype, else like the first operand."""
    like = types[0] if types else tensor([], element_type("f32"))
    given = tensor(
        params.get("shape", like.shape),
        element_type(params["dtype"]) if "dtype" in params else like.element_type,
    )
    count = len([f for f in op_class._fields if isinstance(f, ext.ResultDef)])
    return [like] * (count - 1) + [given]


def _attributes(op_class: Any, params: dict[str, Any]) -> tuple[Any, str]:
    """The attributes, and the text of one that MLIR cannot print, where `_UNPRINTED` stands for it.

    Printing `#stablehlo.conv` with unequal numbers of places ends the process; parsing it does not.
    """
    numbers = params.get("dimension_numbers")
    if not isinstance(numbers, ConvDims):
        return op_class.encode(params), ""
    encoded = op_class.encode({k: v for k, v in params.items() if v is not numbers})
    fields = [
        f"{field}_dimension{'s' if field.endswith('spatial') else ''} = "
        f"{list(value) if isinstance(value, tuple) else value}"
        for field, value in zip(numbers._fields, numbers, strict=True)
    ]
    raw = f"#stablehlo.conv<raw {', '.join(fields)}>"
    return encoded | {"dimension_numbers": ir.StringAttr.get(_UNPRINTED)}, raw


_UNPRINTED = "in its raw form"


def refused_in_text(row: Row) -> str:
    """What the verifier says of the op in a file."""
    text = text_of(row)
    try:
        ir.Module.parse(text, context())
    except ir.MLIRError as error:
        return str(error)
    raise AssertionError(f"{row} is not refused in text:\n{text}")


def check_row(row: Row) -> None:
    """The row is refused in both ways, and told why."""
    assert row.only in ("", "python", "text"), row.only
    if row.only != "text" and not row.results:
        check_message(row, refused_in_python(row))
    if row.only != "python" and not is_borrowed(row.op):
        check_message(row, refused_in_text(row))


def check_message(row: Row, message: str) -> None:
    """In our words: the op, and what is expected of it."""
    assert f"{row.op}: " in message, message
    assert row.says in message, message
    if row.shows:
        assert any(str(t) in message for t in types_of(row.operands)), message
    for insides in ("stablehlo.", "std::", "incompatible function", "object at 0x", "_type()"):
        assert insides not in message, message
