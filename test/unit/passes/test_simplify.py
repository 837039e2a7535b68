"""anvl-simplify: the same numbers to the bit, on programs drawn at random; rules of one's own."""

import random
import re
from pathlib import Path

import numpy as np
import pytest
from references import REFERENCES

from anvl.dialect import AnvlOp, Operand, Result, parse
from anvl.dialect.core.create import ComplexLiteral
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.op import emit
from anvl.dialect.core.op_registry import OPS
from anvl.passes.framework.pipeline import Pipeline

LIT = Path(__file__).resolve().parents[2] / "lit" / "passes" / "simplify"

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -3.25, np.inf, -np.inf, np.nan, 5e-324, 1.7e308]
CONSTANTS = {"f64": ["1.0", "-1.0", "0.0", "-0.0", "2.0"], "i32": ["1", "-1", "0", "3"]}
CONSTANTS["complex<f64>"] = ["(1.0, 0.0)", "(-1.0, 0.0)", "(-0.0, -0.0)"]
VALUES = {
    "f64": np.asarray(SPECIAL),
    "i32": np.asarray([0, 1, -1, 7, 2**31 - 1, -(2**31), 5, 6, -8, 9, 10], np.int32),
    "complex<f64>": np.asarray(
        [complex(a, b) for a, b in zip(SPECIAL, SPECIAL[::-1], strict=True)]
    ),
}
UNARY = {"f64": ["neg"], "i32": ["neg", "not"], "complex<f64>": ["neg", "conj"]}
BINARY = {
    "f64": ["add", "sub", "mul", "div"],
    "i32": ["add", "sub", "mul", "and", "or", "xor"],
    "complex<f64>": ["add", "sub", "mul"],
}


def drawn(element, seed, n_ops=15):
    """A function of two arrays, of ops that have simpler forms; some of its values are returned."""
    draw = random.Random(seed)
    type_, scalar = f"tensor<11x{element}>", f"tensor<{element}>"
    lines, values = [], ["%x", "%y"]
    for i in range(n_ops):
        choice, x, y = draw.random(), draw.choice(values), draw.choice(values)
        if choice < 0.3:
            value = f"dense<{draw.choice(CONSTANTS[element])}> : {scalar}"
            lines += [
                f'%s{i} = "anvl.constant"() {{value = {value}}} : () -> {scalar}',
                f'%{i} = "anvl.broadcast_in_dim"(%s{i}) {{broadcast_dimensions = array<i64>}}'
                f" : ({scalar}) -> {type_}",
            ]
        elif choice < 0.4:
            row = f"tensor<1x11x{element}>"
            lines += [
                f'%r{i} = "anvl.reshape"({x}) : ({type_}) -> {row}',
                f'%t{i} = "anvl.transpose"(%r{i}) {{permutation = array<i64: 0, 1>}}'
                f" : ({row}) -> {row}",
                f'%{i} = "anvl.reshape"(%t{i}) : ({row}) -> {type_}',
            ]
        elif choice < 0.5:
            op = draw.choice(UNARY[element])
            lines.append(f'%{i} = "anvl.{op}"({x}) : ({type_}) -> {type_}')
        else:
            op = draw.choice(BINARY[element])
            lines.append(f'%{i} = "anvl.{op}"({x}, {y}) : ({type_}, {type_}) -> {type_}')
        values.append(f"%{i}")
    returned = draw.sample(values, len(values) // 2)
    types = ", ".join([type_] * len(returned))
    body = "\n".join(f"  {line}" for line in lines)
    return (
        f"func.func @f(%x: {type_}, %y: {type_}) -> ({types}) {{\n{body}\n"
        f"  return {', '.join(returned)} : {types}\n}}"
    )


def simplified(text):
    module = parse(text)
    Pipeline(["anvl-simplify"]).run(module, verify_each=True)
    return module


def ops_in(module):
    return list(module.body.operations[0].regions[0].blocks[0].operations)


def computed(module, *arrays):
    """The results of the only function, by the references of its ops."""
    *ops, terminator = ops_in(module)
    values = dict(zip(terminator.operation.block.arguments, arrays, strict=True))
    for op in ops:
        params = op.read(op.operation)
        value = params.get("value")
        if isinstance(value, ComplexLiteral):
            y = complex(*map(float, re.findall(r"\((\S+),(\S+)\)", value.text)[0]))
        else:
            y = REFERENCES[op.short_name](*[values[x] for x in op.operands], **params)
        values[op.result] = np.asarray(y)
    return [values[y] for y in terminator.operands]


def bits(x):
    """Floats by their bits, but for those of NaNs."""
    x = np.ascontiguousarray(x)
    parts = x.view(np.float64) if x.dtype.kind in "fc" else x
    return np.where(np.isnan(parts), 0, parts.view(np.int64)) if x.dtype.kind in "fc" else x


@pytest.mark.sweep(keep=40)
@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("element", CONSTANTS)
def test_results_are_the_same_to_the_bit_and_twice_is_once(element, seed):
    text = drawn(element, seed)
    before, after = parse(text), simplified(text)
    x, y = VALUES[element], np.roll(VALUES[element], 3)
    with np.errstate(all="ignore"):
        pairs = zip(computed(before, x, y), computed(after, x, y), strict=True)
        for expected, found in pairs:
            np.testing.assert_array_equal(bits(found), bits(np.broadcast_to(expected, x.shape)))
    assert len(ops_in(after)) <= len(ops_in(before))
    assert str(simplified(str(after))) == str(after)


def test_every_op_with_a_simpler_form_is_tried():
    """Here or in test/lit/passes/simplify."""
    drawn_here = {"reshape", "transpose", "broadcast_in_dim"}
    drawn_here |= {name for table in (UNARY, BINARY) for names in table.values() for name in names}
    lit = "".join(path.read_text() for path in LIT.glob("*.mlir"))
    ruled = {op.short_name for op in OPS.values() if op.has_rule("simplify")}
    assert {name for name in ruled - drawn_here if f"anvl.{name}" not in lit} == set()


# Rules of one's own


def define(simplify):
    """An op `mine.half` with this rule."""

    class HalfOp(AnvlOp, name="mine.half"):
        """Half of x."""

        x: Operand
        y: Result

        @classmethod
        def result_type(cls, x):
            return x

    HalfOp.simplify = classmethod(simplify)
    return HalfOp


HALVES = """
func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "anvl.neg"(%x) : (tensor<2xf64>) -> tensor<2xf64> loc("model.py":6:3)
  %1 = "mine.half"(%0) : (tensor<2xf64>) -> tensor<2xf64> loc("model.py":7:3)
  %2 = "mine.half"(%1) : (tensor<2xf64>) -> tensor<2xf64> loc("model.py":8:3)
  return %2 : tensor<2xf64>
}
"""


def test_a_rule_sees_what_its_operands_are_made_of(own_ops):
    def simplify(cls, xs, makers):
        (maker,) = makers
        if type(maker) is OPS["anvl.neg"]:
            return lambda: emit.neg(emit.mine.half(emit.neg(emit.neg(maker.operands[0]))))
        return None

    define(simplify)
    names = [op.operation.name for op in ops_in(simplified(HALVES))]
    # -half(x) again under the second half: simplified once more, as far as it goes.
    assert names == ["mine.half", "mine.half", "anvl.neg", "func.return"]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda cls, xs, makers: lambda: emit.sum(xs[0], axes=(0,)),
         "mine.half: its simplify rule gave tensor<f64> for tensor<2xf64>"),
        (lambda cls, xs, makers: 0.5, "'float' object is not callable"),
        (lambda cls, xs, makers: lambda: 0.5, "mine.half: its simplify rule gave 0.5 for"),
        (lambda cls, xs, makers: lambda: emit.mine.half(emit.neg(xs[0])),
         "mine.half: its simplify rule does not terminate"),
    ],
)  # fmt: skip
def test_a_wrong_rule_is_named_with_its_place(own_ops, rule, message):
    define(rule)
    with pytest.raises((PassError, TypeError)) as caught:
        simplified(HALVES)
    assert message in str(caught.value)
    assert '"model.py":7:3' in caught.value.location


def test_what_a_rule_raises_says_where(own_ops):
    def broken(cls, xs, makers):
        raise ZeroDivisionError("of the author")

    define(broken)
    with pytest.raises(ZeroDivisionError, match="of the author") as caught:
        simplified(HALVES)
    assert "model.py" in caught.value.location
