"""Sums of padded pieces are concatenations, with the same bits."""

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import parse
from anvl.dialect.text.interpreter import interpreter
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

SIZE = 6


def program(pads, sums, dtype="f32", value="0.0", interior=0):
    """Pads of arguments from `start` to `end` of six, and additions of pairs of their results."""
    lines, arguments = [f"%z = stablehlo.constant dense<{value}> : tensor<{dtype}>"], []
    for i, (start, end) in enumerate(pads):
        n = (end - start) if not interior else (end - start + 1) // 2
        arguments.append(f"%x{i}: tensor<2x{n}x{dtype}>")
        lines.append(
            f"%p{i} = stablehlo.pad %x{i}, %z, low = [0, {start}], high = [0, {SIZE - end}], "
            f"interior = [0, {interior}] : (tensor<2x{n}x{dtype}>, tensor<{dtype}>) "
            f"-> tensor<2x{SIZE}x{dtype}>"
        )
    for i, (a, b) in enumerate(sums):
        lines.append(f"%s{i} = stablehlo.add {a}, {b} : tensor<2x{SIZE}x{dtype}>")
    last = f"%s{len(sums) - 1}"
    body = "\n  ".join(lines)
    to = f"tensor<2x{SIZE}x{dtype}>"
    return (
        f"func.func @main({', '.join(arguments)}) -> {to} {{\n  {body}\n  return {last} : {to}\n}}"
    )


def lowered(text):
    module = parse(text)
    Pipeline([LowerToStablehlo("cuda"), "trivial-dce"]).run(module)
    return module


def pieces(pads, dtype="float32"):
    """Numbers with zeros of both signs, infinities and NaN."""
    found = []
    for i, (start, end) in enumerate(pads):
        x = np.random.default_rng(i).normal(0, 3, (2, end - start)).astype(dtype)
        x.flat[:2] = [-0.0, np.nan if i % 2 else -0.0] if dtype == "float32" else 0
        found.append(x)
    return found


JOINED = {
    "side by side": ([(0, 2), (2, 6)], [("%p0", "%p1")]),
    "from the last": ([(2, 6), (0, 2)], [("%p0", "%p1")]),
    "with gaps": ([(1, 2), (4, 5)], [("%p0", "%p1")]),
    "a chain": ([(0, 1), (1, 2), (2, 3), (3, 6)],
                [("%p0", "%p1"), ("%s0", "%p2"), ("%p3", "%s1")]),
    "a tree": ([(0, 1), (1, 2), (2, 3), (3, 6)],
               [("%p0", "%p2"), ("%p3", "%p1"), ("%s0", "%s1")]),
    "one twice": ([(0, 2), (2, 6)], [("%p0", "%p1"), ("%s0", "%p0")]),
    "two in a place": ([(0, 2), (0, 2), (3, 6)], [("%p0", "%p2"), ("%s0", "%p1")]),
}  # fmt: skip


@pytest.mark.parametrize("what", JOINED)
@pytest.mark.parametrize(("dtype", "of"), [("float32", "f32"), ("int32", "i32")])
def test_the_interpreter_finds_the_same_bits(what, dtype, of):
    pads, sums = JOINED[what]
    text = program(pads, sums, of, "0.0" if of == "f32" else "0")
    module = lowered(text)
    assert ("stablehlo.pad" in str(module), str(module).count("concatenate")) == (False, 1)
    xs = pieces(pads, dtype)
    ((found,),), ((wanted,),) = (interpreter().run(m, [xs]) for m in (module, parse(text)))
    assert found.tobytes() == wanted.tobytes()


LEFT = {
    "overlapping": program([(0, 3), (2, 6)], [("%p0", "%p1")]),
    "three in a place": program(
        [(0, 2)] * 3 + [(3, 6)], [("%p0", "%p1"), ("%s0", "%p2"), ("%s1", "%p3")]
    ),
    "all in one place": program([(0, 2)] * 2, [("%p0", "%p1")]),
    "padded with -0": program([(0, 2), (2, 6)], [("%p0", "%p1")], value="-0.0"),
    "padded with 1": program([(0, 2), (2, 6)], [("%p0", "%p1")], value="1.0"),
    "spread": program([(0, 3), (3, 6)], [("%p0", "%p1")], interior=1),
    "cut": program([(-1, 2), (2, 6)], [("%p0", "%p1")]),
    "another value": program([(0, 2), (2, 6)], [("%p0", "%p1"), ("%s0", "%y")]).replace(
        "@main(", "@main(%y: tensor<2x6xf32>, "
    ),
    "of several uses": program(
        [(0, 2), (2, 4), (4, 6)], [("%p0", "%p1"), ("%s0", "%p2")]
    ).replace("return %s1", "%t = stablehlo.multiply %s0, %s1 : tensor<2x6xf32>\n  return %t"),
}  # fmt: skip


@pytest.mark.parametrize("what", LEFT)
def test_other_sums_are_left_alone(what):
    text = str(lowered(LEFT[what]))
    assert text.count("stablehlo.pad") >= 2 or what == "of several uses"
    assert text.count("concatenate") == (what == "of several uses")


def test_two_axes_are_left_alone():
    module = lowered("""
func.func @main(%x: tensor<1x2xf32>, %y: tensor<2x1xf32>) -> tensor<2x2xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.pad %x, %z, low = [0, 0], high = [1, 0], interior = [0, 0]
    : (tensor<1x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %b = stablehlo.pad %y, %z, low = [0, 1], high = [0, 0], interior = [0, 0]
    : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x2xf32>
  %s = stablehlo.add %a, %b : tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}""")
    assert "concatenate" not in str(module)


def test_the_derivative_of_a_split_is_a_concatenation():
    x = np.linspace(-1, 1, 12).reshape(2, 6)

    def loss(x):
        a, b, c = anp.split(x, 3, axis=1)
        return anp.sum(anp.sin(a) * b + anp.exp(c))

    text = anvl.jit(anvl.grad(loss)).lower(x).mlir()
    assert "stablehlo.pad" not in text and text.count("concatenate") == 1
    a, b, c = np.split(x, 3, 1)
    wanted = np.concatenate([np.cos(a) * b, np.sin(a), np.exp(c)], 1)
    found = anvl.jit(anvl.grad(loss))(x)
    np.testing.assert_allclose(found, wanted, rtol=rounding(PROGRAM, "float64"))


def test_the_derivative_by_rows_that_a_loop_reads_is_a_concatenation():
    def loss(xs, w):
        state = w[0]
        for i in (0, 2, 3):
            state = anp.tanh(w @ state + xs[i])
        return anp.sum(state)

    xs, w = np.linspace(-1, 1, 12).reshape(4, 3), np.linspace(0, 1, 9).reshape(3, 3)
    gradient = anvl.jit(anvl.grad(loss), roll=False)
    assert gradient.lower(xs, w).mlir().count("stablehlo.concatenate") == 1
    found = np.asarray(gradient(xs, w))
    direction = np.cos(np.arange(12.0)).reshape(4, 3)
    _, wanted = anvl.jvp(lambda xs: loss(xs, w), (xs,), (direction,))
    np.testing.assert_allclose(np.sum(found * direction), wanted, rtol=rounding(PROGRAM, "float64"))
    assert not found[1].any()
