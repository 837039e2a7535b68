"""anvl-lift leaves what no op of anvl can say, as it is, and whoever needs a rule of it is told."""

import re
from functools import cache

import numpy as np
import pytest
from lift_modules import RENAMED, module_of, names

import anvl
from anvl.dialect.core.context import context
from anvl.dialect.core.counterparts import counterparts, why_left
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.text.parsing import InvalidOp, parsed
from anvl.passes.framework.pipeline import Pipeline
from anvl.testing.draw import Draw
from anvl.tools.io.diagnostics import collected

ELEMENTS = [
    "i1", "i2", "i4", "i8", "i64", "ui2", "ui4", "ui8", "f4E2M1FN", "f8E4M3FN", "f8E5M2",
    "f8E4M3B11FNUZ", "f16", "bf16", "f32", "tf32", "f64", "complex<f32>", "complex<f64>",
    "!quant.uniform<i8:f32, 0.1:0>", "!quant.uniform<i4:f64, 2.0:3>",
]  # fmt: skip


@cache
def written(name: str) -> tuple[str, ...]:
    """The samples of an op, as StableHLO."""
    with context(), ir.Location.unknown():
        calls = OPS[name].sample(Draw(name))
    texts = []
    for call in calls:
        module = module_of(OPS[name], call)
        Pipeline(["anvl-lower-to-stablehlo"]).run(module)
        texts.append(str(module))
    return tuple(dict.fromkeys(texts))


def module_in(text: str) -> ir.Module | None:
    """The module in a text; None where StableHLO takes no such op."""
    made = context()
    with collected(made, "-"):  # which nobody need read
        try:
            return parsed(text, "-", made)
        except ir.MLIRError:
            return None
        except InvalidOp as error:  # one constraint that StableHLO does not check
            assert "indices is tensor<4xi1>; it must hold integers" in str(error)
            return None


def reasons(module: ir.Module) -> list[str]:
    found: list[str] = []

    def ask(op: ir.Operation) -> ir.WalkResult:
        if op.name in counterparts():
            found.append(why_left(op))
        return ir.WalkResult.ADVANCE

    module.operation.walk(ask)
    return found


@pytest.mark.sweep(keep=0, part=0)
def test_an_op_of_any_element_type_is_lifted_or_left():
    """Each op in each element type that StableHLO has it in: no rule raises, nothing breaks."""
    tried = left = 0
    for name in sorted(n for n, op in OPS.items() if op.hlo or op.lifts or op.borrowed):
        for text in written(name)[:2]:
            types = set(re.findall(r"tensor<(?:\d+x)*([a-z][^<>]*(?:<[^<>]*>)?)>", text))
            for old in types:
                for new in ELEMENTS:
                    module = module_in(re.sub(rf"{re.escape(old)}>", f"{new}>", text))
                    if module is None:
                        continue
                    tried += 1
                    Pipeline(["anvl-lift"]).run(module, verify_each=True)
                    why = reasons(module)
                    left += len(why)
                    said = {word for word in ("raised", "not been run") for w in why if word in w}
                    assert all(why) and not said, (str(module), why)
                    Pipeline(["anvl-lower-to-stablehlo"]).run(module, verify_each=True)
                    assert not any(n.startswith("anvl.") for n in names(module))
    assert tried > 2000 and left > 300


OF_OTHER_TYPES = """
func.func @f(%x: tensor<5xf32>, %at: tensor<2x1xi2>, %u: tensor<2xf32>) -> tensor<5xf32> {
  %y = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
  }) : (tensor<5xf32>, tensor<2x1xi2>, tensor<2xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}
"""
OF_ANOTHER_FORM = """
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
"""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (OF_OTHER_TYPES, []),
        (
            OF_ANOTHER_FORM,
            ["it is not equivalent to custom_call; it is not equivalent to with_sharding"],
        ),
    ],
)
def test_what_anvl_has_no_form_for_stays(text, why):
    """Indices of two bits; a sharding as programs had it before Shardy."""
    module = module_in(text)
    before = str(module)
    Pipeline(["anvl-lift"]).run(module, verify_each=True)
    assert reasons(module) == why  # of an op that is StableHLO's own, nothing
    Pipeline(["anvl-lower-to-stablehlo"]).run(module, verify_each=True)
    assert str(module) == before


@pytest.mark.sweep(keep=30)
@pytest.mark.parametrize("name", [n for n in RENAMED if not (OPS[n].hlo or "").startswith("chlo.")])
def test_attributes_that_may_be_absent_may_be_absent(name):
    """JAX leaves out what is the default."""
    for text in written(name):
        for left_out in _attributes_in(text, f"stablehlo.{OPS[name].hlo}"):
            module = module_in(left_out)
            if module is not None:
                Pipeline(["anvl-lift"]).run(module, verify_each=True)
                assert name in names(module), left_out


def _attributes_in(text: str, name: str) -> list[str]:
    """The text without one attribute of an op, for each that it has."""
    with context():
        generic = ir.Module.parse(text).operation.get_asm(print_generic_op_form=True)
    found = re.search(rf'"{re.escape(name)}"\([^)]*\) <\{{(.*)\}}>', generic)
    if found is None:
        return []
    parts = re.split(r", (?=[a-z_]+ = )", found[1])
    return [
        generic.replace(found[1], ", ".join(p for p in parts if p != part), 1) for part in parts
    ]


@pytest.mark.parametrize(
    ("by", "start", "becomes"),
    [
        ("add", "(0.0, 0.0)", "anvl.sum"),
        ("multiply", "(1.0, 0.0)", "anvl.prod"),
        ("add", "(1.0, 2.0)", "stablehlo.reduce"),
        ("add", "(-0.0, 0.0)", "stablehlo.reduce"),
    ],
)
def test_reductions_of_complex_numbers(by, start, becomes):
    text = f"""
    func.func @main(%x: tensor<3xcomplex<f32>>) -> tensor<complex<f32>> {{
      %0 = stablehlo.constant dense<{start}> : tensor<complex<f32>>
      %1 = stablehlo.reduce(%x init: %0) applies stablehlo.{by} across dimensions = [0]
        : (tensor<3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
      return %1 : tensor<complex<f32>>
    }}"""
    module = module_in(text)
    Pipeline(["anvl-lift"]).run(module, verify_each=True)
    assert becomes in names(module)


# -- what goes through the passes and is named where a rule is needed ------------------------------

PROGRAM = """
func.func @main(%x: tensor<3xf32>, %n: tensor<3xi32>) -> (tensor<3xf32>, tensor<3xi32>) {{
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %odd = stablehlo.convert %n : (tensor<3xi32>) -> tensor<3xi2>
{}
  return %y, %m : tensor<3xf32>, tensor<3xi32>
}}
"""
BESIDE = """
  %y = stablehlo.sine %x : tensor<3xf32>
  %square = stablehlo.multiply %odd, %odd : tensor<3xi2>
  %m = stablehlo.convert %square : (tensor<3xi2>) -> tensor<3xi32>
"""
LOOP = """
  %l:2 = stablehlo.while(%i = %none, %z = %odd) : tensor<i32>, tensor<3xi2>
  cond {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %more = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %c = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xi2>
    %w = stablehlo.add %z, %c : tensor<3xi2>
    stablehlo.return %j, %w : tensor<i32>, tensor<3xi2>
  }
  %y = stablehlo.sine %x : tensor<3xf32>
  %m = stablehlo.convert %l#1 : (tensor<3xi2>) -> tensor<3xi32>
"""
BETWEEN = """
  %l:2 = stablehlo.while(%i = %none, %z = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %more = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %c = stablehlo.convert %odd : (tensor<3xi2>) -> tensor<3xf32>
    %w = stablehlo.add %z, %c : tensor<3xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<3xf32>
  }
  %y = stablehlo.sine %l#1 : tensor<3xf32>
  %m = stablehlo.add %n, %n : tensor<3xi32>
"""
X, N = np.array([0.25, 0.5, 1.0], "f"), np.array([0, 1, 1], "int32")


@pytest.mark.parametrize(
    ("body", "y", "m"),
    [(BESIDE, X, N), (LOOP, X, N + 2 * np.array([0, 0, 1])), (BETWEEN, X + 2 * N, 2 * N)],
    ids=["beside", "loop", "between"],
)
def test_values(body, y, m):
    found = anvl.from_stablehlo(PROGRAM.format(body))(X, N)
    np.testing.assert_allclose(np.asarray(found[0]), np.sin(y), rtol=1e-6)
    np.testing.assert_array_equal(np.asarray(found[1]) % 4, m % 4)


@pytest.mark.parametrize("body", [BESIDE, LOOP], ids=["beside", "loop"])
def test_a_derivative_beside_it_is_there(body):
    f = anvl.from_stablehlo(PROGRAM.format(body))
    found = anvl.vjp(lambda x: f(x, N)[0], X)[1](np.ones(3, "f"))
    np.testing.assert_allclose(np.asarray(anvl.tree.leaves(found)[0]), np.cos(X), rtol=1e-6)


def test_a_batch_beside_it_is_there():
    f = anvl.from_stablehlo(PROGRAM.format(BESIDE))
    y, m = anvl.vmap(f, in_axes=(0, None))(np.stack([X, 2 * X]), N)
    np.testing.assert_allclose(np.asarray(y), np.sin([X, 2 * X]), rtol=1e-6)
    np.testing.assert_array_equal(np.asarray(m) % 4, [N, N])


ODD = r"stablehlo\.{} at .*:\d+:\d+.*: it has no {} rule, since tensor<3xi2> has an element"


@pytest.mark.parametrize(
    ("body", "axes", "op"),
    [(BESIDE, (None, 0), "multiply"), (LOOP, (None, 0), "while"), (LOOP, (0, None), "while"),
     (BETWEEN, (0, None), "while")],
)  # fmt: skip
def test_it_is_named_where_a_batch_needs_a_rule(body, axes, op):
    """Also where a loop that stays reads in its region what has the axis."""
    f = anvl.from_stablehlo(PROGRAM.format(body))
    args = [np.stack([x, x]) if axis == 0 else x for x, axis in zip((X, N), axes, strict=True)]
    with pytest.raises(anvl.MissingRule, match=ODD.format(op, "batch")):
        anvl.vmap(f, in_axes=axes)(*args)


@pytest.mark.parametrize(
    ("transform", "rule"),
    [
        (lambda f: anvl.vjp(f, X)[1](np.ones(3, "f")), "adjoint"),
        (lambda f: anvl.jvp(f, (X,), (X,)), "tangent"),
    ],
)
def test_it_is_named_where_a_derivative_needs_a_rule(transform, rule):
    f = anvl.from_stablehlo(PROGRAM.format(BETWEEN))
    with pytest.raises(anvl.MissingRule, match=ODD.format("while", rule)):
        transform(lambda x: f(x, N)[0])


@pytest.mark.parametrize(
    ("op", "why"),
    [
        ("stablehlo.sine %x {my.note}", "sin has no attribute `my.note`"),
        (
            "stablehlo.sine %x {result_accuracy = #stablehlo.result_accuracy<rtol = 1.0e-3, "
            "mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}",
            "sin has no attribute `result_accuracy`",
        ),
    ],
)
def test_the_reason_is_said(op, why):
    text = f"""
    func.func @main(%x: tensor<f32>) -> tensor<f32> {{
      %0 = {op} : tensor<f32>
      return %0 : tensor<f32>
    }}"""
    with pytest.raises(anvl.MissingRule, match=why):
        anvl.grad(anvl.from_stablehlo(text))(1.0)
