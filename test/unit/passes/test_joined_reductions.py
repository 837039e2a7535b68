"""Small reductions in one loop combine the same elements in the same order."""

import itertools
import re

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import parse
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.interpreter import interpreter
from anvl.passes import Lift
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.framework.walk import find
from anvl.passes.lower.reductions import joined_reductions
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

START = {"add": "0.0", "multiply": "1.0", "maximum": "0xFF800000", "minimum": "0x7F800000"}
ATOL = rounding(PROGRAM, "float32")
SHAPES = [((20,), (0,)), ((3, 4, 5), (0, 2)), ((16, 32), (1,)), ((7, 1), (0, 1))]


def program(reductions, shape=(20,), axes=(0,)):
    """Reductions of x, of functions of x, and of what earlier ones found; all are returned.

    Each is the name of an op, how its elements are made, and the number of the reduction whose
    result they are multiplied by, or None.
    """
    kept = tuple(n for a, n in enumerate(shape) if a not in axes)
    of, to = (f"tensor<{'x'.join([*map(str, n), 'f32'])}>" for n in (shape, kept))
    dims = [a for a in range(len(shape)) if a not in axes]
    lines = [f"%e = stablehlo.exponential %x : {of}", f"%s = stablehlo.sine %x : {of}"]
    for i, (name, made, by) in enumerate(reductions):
        lines.append(f"%m{i} = stablehlo.{made} : {of}")
        if by is not None:
            lines.append(
                f"%b{i} = stablehlo.broadcast_in_dim %r{by}, dims = {dims} : ({to}) -> {of}"
            )
            lines.append(f"%p{i} = stablehlo.multiply %m{i}, %b{i} : {of}")
        x = f"%m{i}" if by is None else f"%p{i}"
        lines += [
            f"%c{i} = stablehlo.constant dense<{START[name]}> : tensor<f32>",
            f"%r{i} = stablehlo.reduce({x} init: %c{i}) applies stablehlo.{name} "
            f"across dimensions = {list(axes)} : ({of}, tensor<f32>) -> {to}",
        ]
    results = ", ".join(f"%r{i}" for i in range(len(reductions)))
    types = ", ".join([to] * len(reductions))
    body = "\n".join([*lines, f"return {results} : {types}"])
    return parse(f"func.func @main(%x: {of}) -> ({types}) {{ {body} }}")


def lowered(module, platform="cpu"):
    Pipeline([LowerToStablehlo(platform)]).run(module)
    return module


def sizes(module):
    """How many reductions each loop has, in the order of the text."""
    return [line.count("init:") for line in re.findall(r"= stablehlo.reduce\(.*", str(module))]


def numbers(shape):
    x = np.random.default_rng(0).normal(0, 3, shape).astype(np.float32)
    x.flat[: min(4, x.size - 3)] = [np.nan, np.inf, -np.inf, -0.0][: min(4, x.size - 3)]
    return x


def check_bits(made, shape, axes):
    """Lower for the CPU and for others; the interpreter finds the same bits. Returns the first."""
    modules = [lowered(program(made, shape, axes), platform) for platform in ("cpu", "cuda")]
    assert sizes(modules[1]) == [1] * len(sizes(modules[1]))
    found, wanted = (interpreter().run(one, [[numbers(shape)]]) for one in modules)
    assert [y.tobytes() for y in found[0]] == [y.tobytes() for y in wanted[0]]
    return modules[0]


@pytest.mark.parametrize(("shape", "axes"), SHAPES)
def test_all_kinds_are_one_loop_of_the_same_bits(shape, axes):
    made = [(name, f"multiply %e, %{x}", None) for name, x in zip(START, "xsex", strict=True)]
    assert sizes(check_bits(made, shape, axes)) == [4]


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        # A chain: none is joined.
        (
            [("add", "negate %e", None), ("add", "multiply %e, %e", 0), ("add", "abs %e", 1)],
            [1] * 3,
        ),
        # The third does not depend on the first, and moves past the second.
        ([("add", "negate %e", None), ("add", "negate %e", 0), ("add", "abs %e", None)], [2, 1]),
        # Two pairs: each needs what the other one begins with, so that one alone is joined.
        (
            [
                ("add", "negate %e", None),
                ("add", "negate %s", None),
                ("maximum", "multiply %s, %x", 0),
                ("maximum", "multiply %e, %x", 1),
            ],
            [1, 2, 1],
        ),
        # Of two functions: each loop has its own.
        (
            [
                ("add", "negate %e", None),
                ("add", "negate %s", None),
                ("maximum", "abs %s", None),
                ("maximum", "abs %e", None),
            ],
            [2, 2],
        ),
        # One that reads both joins the first, and then those that read either.
        (
            [
                ("add", "negate %e", None),
                ("minimum", "multiply %e, %s", None),
                ("add", "abs %s", None),
            ],
            [3],
        ),
    ],
)
def test_none_depends_on_another(made, wanted):
    module = check_bits(made, (20,), (0,))
    assert module.operation.verify()
    assert sorted(sizes(module)) == sorted(wanted)


def test_a_loop_has_at_most_eight():
    made = [("add", f"multiply %e, %{x}", None) for x in "xse"] + [
        ("maximum", f"add %e, %{x}", None) for x in "xse"
    ]
    made += [(name, f"subtract %{x}, %e", None) for name, x in itertools.product(START, "xs")]
    assert sizes(check_bits(made, (20,), (0,))) == [8, 6]


def test_equal_ones_are_one_and_unread_ones_none():
    same = [("add", "negate %e", None)] * 2 + [("maximum", "abs %e", None)]
    assert sizes(check_bits(same, (20,), (0,))) == [2]
    text = str(program([("add", "negate %e", None), ("maximum", "abs %e", None)]))
    one = text.replace("-> (tensor<f32>, tensor<f32>)", "-> tensor<f32>", 1)
    unread = r"%y = stablehlo.negate \2 : tensor<f32> return \1 : "  # and what that alone reads
    one = re.sub(r"return (%\w+), (%\w+) : tensor<f32>, ", unread, one)
    assert sizes(lowered(parse(one))) == [1]


def test_those_of_a_branch_are_apart():
    """A branch reads the function from outside."""
    module = lowered(
        parse("""
func.func @main(%x: tensor<9xf32>, %p: tensor<i1>) -> (tensor<f32>, tensor<f32>) {
  %e = stablehlo.exponential %x : tensor<9xf32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%e init: %c) applies stablehlo.add across dimensions = [0]
    : (tensor<9xf32>, tensor<f32>) -> tensor<f32>
  %y = "stablehlo.if"(%p) ({
    %m = stablehlo.negate %e : tensor<9xf32>
    %s = stablehlo.reduce(%m init: %c) applies stablehlo.add across dimensions = [0]
      : (tensor<9xf32>, tensor<f32>) -> tensor<f32>
    %t = stablehlo.reduce(%e init: %c) applies stablehlo.maximum across dimensions = [0]
      : (tensor<9xf32>, tensor<f32>) -> tensor<f32>
    %u = stablehlo.add %s, %t : tensor<f32>
    stablehlo.return %u : tensor<f32>
  }, {
    stablehlo.return %c : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %r, %y : tensor<f32>, tensor<f32>
}""")
    )
    assert module.operation.verify()
    assert sorted(sizes(module)) == [1, 2]


def test_lowering_again_changes_nothing():
    module = lowered(program([("add", "negate %e", None), ("maximum", "abs %e", None)]))
    text = str(module)
    assert str(lowered(parse(text))) == text


def test_a_joined_reduction_is_lifted_to_ops_of_anvl():
    module = lowered(program([(name, "multiply %e, %x", None) for name in START]))
    assert sizes(module) == [4]
    Pipeline([Lift()]).run(module)
    found = re.findall(r'"anvl.(sum|prod|max|min)"', str(module))
    assert (found, "stablehlo.reduce" in str(module)) == (["sum", "prod", "max", "min"], False)


def test_one_that_combines_its_arrays_is_not_separated():
    """The second result is a sum of the elements of the first array too."""
    module = parse("""
func.func @main(%x: tensor<4xf32>, %c: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %y:2 = stablehlo.reduce(%x init: %c), (%x init: %c) across dimensions = [0]
    : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%d: tensor<f32>, %e: tensor<f32>) {
      %0 = stablehlo.add %a, %b : tensor<f32>
      %1 = stablehlo.add %d, %b : tensor<f32>
      stablehlo.return %0, %1 : tensor<f32>, tensor<f32>
    }
  return %y#0, %y#1 : tensor<f32>, tensor<f32>
}""")
    Pipeline([Lift()]).run(module)
    assert sizes(module) == [2]


def test_xla_finds_the_values_and_the_gradient():
    """Of bools and integers, too, and in a loop."""
    x = np.linspace(-2, 2, 24, dtype=np.float32)

    def f(x):
        e = anp.exp(-x * x)
        parts = anp.sum(e), anp.max(anp.sin(x) * e), anp.prod(1 + e / 9), anp.min(x * e)
        big = anp.sum(e > 0.5), anp.any(e > 0.9), anp.all(e > 0.9)
        return sum(parts) * (1 + 0.1 * big[0]) + big[1] - big[2]

    def g(x):
        return anvl.fori_loop(0, 3, lambda i, y: anp.sin(y + f(y) * x), x)

    assert 1 < max(sizes(anvl.jit(f).lower(x).mlir()))
    assert 1 < max(sizes(anvl.jit(g).lower(x).mlir()))
    e = np.exp(-(x.astype(float) ** 2))
    parts = e.sum() + (np.sin(x) * e).max() + (1 + e / 9).prod() + (x * e).min()
    np.testing.assert_allclose(
        anvl.jit(f)(x), parts * (1 + 0.1 * (e > 0.5).sum()) + 1, rtol=rounding(PROGRAM, "float32")
    )
    rows = np.stack([x, x + 1, x / 2])
    for h, given in (g, x), (anvl.grad(f), x), (anvl.vmap(f), rows):  # beside op by op
        np.testing.assert_allclose(
            anvl.jit(h)(given), h(given), rtol=rounding(PROGRAM, "float32"), atol=ATOL
        )


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_xla_finds_what_is_not_finite(bad):
    x = np.linspace(-1, 1, 40, dtype=np.float32)
    x[[3, 17]] = bad

    def f(x):
        e = anp.abs(anp.tanh(x))
        return [r(v) for r in (anp.max, anp.min, anp.sum) for v in (e * x, e + x, -x * e)]

    assert sizes(anvl.jit(f).lower(x).mlir()) == [8, 1]
    e = np.abs(np.tanh(x))
    wanted = [r(v) for r in (np.max, np.min, np.sum) for v in (e * x, e + x, -x * e)]
    np.testing.assert_allclose(anvl.jit(f)(x), wanted, rtol=rounding(PROGRAM, "float32"))


def test_a_chain_of_sums_is_walked_once():
    """No walk visits again what an earlier one found to hold no function: n ops take n visits."""
    lines, sums = [], []
    for i in range(1, 60):
        lines.append(f"%a{i} = stablehlo.add %a{i - 1}, %a{i - 1} : tensor<6xf32>")
        lines.append(
            f"%s{i} = stablehlo.reduce(%a{i} init: %c) applies stablehlo.add across dimensions = "
            "[0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>"
        )
        sums.append(f"%s{i}")
    types = ", ".join(["tensor<f32>"] * len(sums))
    text = f"""func.func @main(%a0: tensor<6xf32>) -> ({types}) {{
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      {" ".join(lines)}
      return {", ".join(sums)} : {types}
    }}"""
    module = parse(text)
    plain: set[ir.Operation] = set()
    for op in find(module.operation, "stablehlo.reduce"):
        known = len(plain)
        assert joined_reductions._functions(op, plain) == set()
        assert len(plain) == known + 1
