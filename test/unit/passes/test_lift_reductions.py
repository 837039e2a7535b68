"""Which reductions anvl-lift makes ops of: those of one op and its identity, and nothing near."""

from collections.abc import Iterator

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pipeline import Pipeline

#: By element type: the op that each reduction applies, with its identity; and other numbers.
IDENTITIES = {
    "f32": {"add": "0.0", "multiply": "1.0", "maximum": "0xFF800000", "minimum": "0x7F800000"},
    "i16": {"add": "0", "multiply": "1", "maximum": "-32768", "minimum": "32767"},
    "ui8": {"add": "0", "multiply": "1", "maximum": "0", "minimum": "255"},
    "i1": {"and": "true", "or": "false", "maximum": "false", "minimum": "true"},
}
OF = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "and": "all", "or": "any",
}  # fmt: skip
LOGIC_OF_NUMBERS = [("i16", "and", "-1"), ("i16", "and", "1"), ("i16", "or", "0")]

#: Bodies over a, b and a value c from outside, with R for the op; whether they are just that op.
BODIES = [
    ("%r = R %a, %b : T", True),
    ("%r = R %b, %a : T", True),
    ("%r = R %a, %a : T", False),
    ("%r = R %b, %b : T", False),
    ("%r = R %a, %c : T", False),
    ("%0 = R %a, %b : T \n %r = R %0, %b : T", False),
    ("%0 = R %a, %b : T \n %r = R %b, %b : T", False),
    ("%0 = R %a, %b : T \n %r = stablehlo.not %0 : T", False),
]
RETURNS = [("%r", True), ("%a", False), ("%b", False), ("%c", False)]


def cases() -> Iterator[tuple[str, str, str, str, str]]:
    """Element type, the op or nothing, start, body, what it returns."""
    for element, identities in IDENTITIES.items():
        for op in identities:
            wanted = f"anvl.{OF[op]}"
            for start in ("%c", *dict.fromkeys(identities.values())):
                is_right = start == identities[op]
                yield (
                    element,
                    wanted if is_right else "",
                    start,
                    BODIES[0][0].replace("R", op),
                    "%r",
                )
            for body, is_plain in BODIES:
                if "not" not in body or element == "i1":
                    made = body.replace("R", op)
                    yield element, wanted if is_plain else "", identities[op], made, "%r"
            for value, is_last in RETURNS:
                made = BODIES[0][0].replace("R", op)
                yield element, wanted if is_last else "", identities[op], made, value
    for element, op, start in LOGIC_OF_NUMBERS:
        yield element, "", start, BODIES[0][0].replace("R", op), "%r"


def function(i: int, element: str, start: str, body: str, value: str) -> str:
    scalar = f"tensor<{element}>"
    for op in OF:
        body = body.replace(f"= {op} ", f"= stablehlo.{op} ")
    constant = "" if start == "%c" else f"%s = stablehlo.constant dense<{start}> : {scalar}"
    return f"""
    func.func @f{i}(%x: tensor<2x3x{element}>, %c: {scalar}) -> tensor<3x{element}> {{
      {constant}
      %y = stablehlo.reduce(%x init: {"%c" if start == "%c" else "%s"}) across dimensions = [0]
        : (tensor<2x3x{element}>, {scalar}) -> tensor<3x{element}>
        reducer(%a: {scalar}, %b: {scalar}) {{
          {body.replace("T", scalar)}
          stablehlo.return {value} : {scalar}
        }}
      return %y : tensor<3x{element}>
    }}"""


def test_a_reduction_is_an_op_where_it_is_one_op_from_its_identity() -> None:
    every = list(cases())
    texts = [function(i, e, *rest) for i, (e, _, *rest) in enumerate(every)]
    with context():
        module = ir.Module.parse("module {" + "\n".join(texts) + "}")
    Pipeline(["anvl-lift"]).run(module, verify_each=True)
    reductions = {f"anvl.{name}" for name in OF.values()}
    for f, text, (_, wanted, *_) in zip(module.body.operations, texts, every, strict=True):
        found = {op.operation.name for op in f.regions[0].blocks[0].operations} & reductions
        assert found == ({wanted} if wanted else set()), f"{found}, not {wanted}: {text}"
