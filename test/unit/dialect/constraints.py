"""Calls that break one constraint of an op each, and how to hear what refuses them.

A `Row` is refused twice: in Python, when a function that calls `anvl.prim` is traced, and in text,
by the verifier, where the op is written out with the types that it would have.  Both must say the
same, in our words.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import anvl
from anvl.core.tracing import emit
from anvl.dialect.core.context import context
from anvl.dialect.core.create import full
from anvl.dialect.core.mlir import ext, ir
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.window_params import ConvDims
from anvl.dialect.core.types import dtype_name, element_type, tensor
from anvl.dialect.text.parsing import InvalidOp, parsed

__all__ = ["Row", "about", "check_row", "dialect", "ids", "is_borrowed", "of_fields", "text_of"]


@dataclass(frozen=True)
class Row:
    """One call.

    `rule` is the constraint's number in StableHLO's specification ("C7"; "I2" for the type of an
    input), or a word for what the specification leaves to others.  `operands` are types as MLIR
    writes them, without `tensor<>`: "2x3xf32 i32".  `says` must be in the message.  With `results`
    the call is right and the text claims other results.  `only` is "python" for what text cannot
    say, such as a parameter of the wrong kind; "body" for a body that does the wrong thing, which
    is built with the dialect's own `emit`; and "text" for what Python cannot.  Ops that are
    StableHLO's own in text are refused there by its verifier, in its words: where `results` are
    wrong, `says` is empty.
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
        return bool(self.operands) and not self.results and self.only in ("", "text")

    def __str__(self) -> str:
        return f"{self.op}-{self.rule}"


def ids(rows: list[Row]) -> list[str]:
    """A test id for each: the op and the rule, numbered where a rule has several."""
    names = [str(row) for row in rows]
    return [
        f"{name}-{names[:i].count(name) + 1}" if names.count(name) > 1 else name
        for i, name in enumerate(names)
    ]


def about(says: str, *bodies: str) -> str:
    """The `only` of a row: whether it is about one of these bodies, or about another parameter."""
    if any(says.startswith((f"{body} returns", f"{body} takes")) for body in bodies):
        return "body"
    return "python" if re.match(r"\w+ is .*; it must be ", says) and "tensor<" not in says else ""


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


def dialect() -> list[Any]:
    """The op classes of the dialect itself: other tests may have defined some of their own."""
    homes = ("anvl.dialect.ops.", "anvl.dialect.core.")
    return [op for op in OPS.values() if op.__module__.startswith(homes)]


def op_class_of(name: str) -> Any:
    return OPS.get(f"anvl.{name}") or OPS[f"stablehlo.{name}"]


def is_borrowed(name: str) -> bool:
    return f"anvl.{name}" not in OPS


def refused_in_python(row: Row) -> str:
    """What tracing the call says."""
    types = types_of(row.operands)
    avals = [anvl.aval(dtype_name(t.element_type), tuple(t.shape)) for t in types]

    def call(*xs: Any) -> Any:
        if row.only == "body":
            return emit(op_class_of(row.op), xs, row.params)
        return getattr(anvl.prim, row.op)(*xs, **row.params)

    try:
        found = anvl.eval_shape(call, *avals)
    except Exception as error:
        assert type(error) is row.error, f"{type(error).__name__}: {error}"
        return str(error)
    raise AssertionError(f"{row} is not refused: it gives {found}")


def text_of(row: Row, **others: ir.Attribute | None) -> str:
    """The op as generic text, with the results that it claims, or would have if it were right.

    `others` are attributes in place of its own; None for none.
    """
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
            changed = {**(attributes or {}), **others}
            op = ir.Operation.create(
                op_class.OPERATION_NAME,
                types_of(row.results) if row.results else _results(op_class, types, row.params),
                list(block.arguments),
                {name: a for name, a in changed.items() if a is not None},
                regions=len(op_class.bodies),
            )
            for region, (inputs, outputs) in zip(op.regions, _bodies(row, types), strict=True):
                _fill(region, inputs, outputs)
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


def _bodies(row: Row, types: list[Any]) -> Any:
    """What the bodies of an op of StableHLO's take and give: what is right, where anything is."""
    op_class = op_class_of(row.op)
    given = {k: v for k, v in row.params.items() if k not in op_class.bodies}
    try:
        return op_class.body_types(*types, **given)
    except (TypeError, NotImplementedError):
        scalar = tensor([], element_type("f32"))
        return [([scalar, scalar], [scalar])] * len(op_class.bodies)


def _fill(region: Any, inputs: list[Any], outputs: list[Any]) -> None:
    """Zeros of the right types."""
    with ir.InsertionPoint(region.blocks.append(*inputs)):
        zeros = [full(t, 0) for t in outputs]
        ir.Operation.create("stablehlo.return", [], zeros)


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
        parsed(text, "f.mlir", context())
    except (ir.MLIRError, InvalidOp) as error:
        return str(error)
    raise AssertionError(f"{row} is not refused in text:\n{text}")


def check_row(row: Row) -> None:
    """The row is refused in both ways, and told why."""
    assert row.only in ("", "python", "body", "text"), row.only
    assert bool(row.says) != (bool(row.results) and is_borrowed(row.op)), "StableHLO says it"
    if row.only != "text" and not row.results:
        check_message(row, refused_in_python(row))
    if row.only in ("python", "body"):
        return
    said = refused_in_text(row)
    if not is_borrowed(row.op):
        check_message(row, said)


def check_message(row: Row, message: str) -> None:
    """In our words: the op, and what is expected of it."""
    assert f"{row.op}: " in message, message
    assert row.says in message, message
    if row.shows:
        assert any(str(t) in message for t in types_of(row.operands)), message
    for insides in ("stablehlo.", "std::", "incompatible function", "object at 0x", "_type()"):
        assert insides not in message, message
