"""Nested ops at extreme values: what XLA would join is computed in the order of the program."""

from itertools import product

import numpy as np
import pytest
from tolerances import FORMULA, PROGRAM, assert_close, rounding

import anvl
import anvl.numpy as anp
import anvl.runtime as rt
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

# Sizes at the ends of each dtype, for the arguments: large, its root, between, small; constants.
SIZES = {
    "float16": ([0, 6e4, -700, 11, 3, 1, -2e-3, 7e-5, np.inf, np.nan], [1e3, 1e-3, 0.5, 2.0]),
    "float32": (
        [0, 3e38, -7e28, 1e30, 88, -87.5, 3, 1, 1e-3, -1e-8, 2e-19, 1e-30, 1.5e-38, np.inf, np.nan],
        [1e30, 1e-30, 1e-8, 0.5, 1.0, 2.0],
    ),
    "float64": (
        [0, 1e308, -7e200, 705, 3, 1, 1e-17, -1e-200, 3e-308, np.nan],
        [1e200, 1e-200, 1e-17, 0.5],
    ),
}

#: Inner ops of x and y, and outer ones of an inner one and of z, by names; c and d are constants.
INNER = {
    "x / y": lambda np, x, y, c: x / y,
    "x**y": lambda np, x, y, c: np.power(x, y),
    "exp(x)": lambda np, x, y, c: np.exp(x),
    "x * c": lambda np, x, y, c: x * c,
    "x / c": lambda np, x, y, c: x / c,
    "c / x": lambda np, x, y, c: c / x,
    "x + c": lambda np, x, y, c: x + c,
    "c - x": lambda np, x, y, c: c - x,
    "abs(x)": lambda np, x, y, c: np.abs(x),
    "x * x": lambda np, x, y, c: x * x,
    "sqrt(x)": lambda np, x, y, c: np.sqrt(x),
}
OUTER = {
    "u / z": lambda np, u, z, d: u / z,
    "z / u": lambda np, u, z, d: z / u,
    "u * z": lambda np, u, z, d: u * z,
    "u * d": lambda np, u, z, d: u * d,
    "u / d": lambda np, u, z, d: u / d,
    "d / u": lambda np, u, z, d: d / u,
    "u + d": lambda np, u, z, d: u + d,
    "d - u": lambda np, u, z, d: d - u,
    "u**2": lambda np, u, z, d: np.square(u),
    "u**z": lambda np, u, z, d: np.power(u, z),
    "log(u)": lambda np, u, z, d: np.log(u),
    "u >= 0": lambda np, u, z, d: u >= 0,
    "0 <= u": lambda np, u, z, d: np.less_equal(0 * d, u),
}
#: Right but for some digits, and faster: left to XLA.  The last two have a test of their own.
LEFT = {("exp(x)", "log(u)"), ("x**y", "log(u)"), ("exp(x)", "u**z"), ("exp(x)", "u**2")}


def pairs(dtype):
    """All pairs in f32, a part in the others, each with two of the constants."""
    constants = [np.dtype(dtype).type(c) for c in SIZES[dtype][1]]
    both = list(product(constants, constants))
    every = 1 if dtype == "float32" else 3
    return [
        (inner, outer, *both[(7 * i + k) % len(both)])
        for i, (inner, outer) in enumerate(product(INNER, OUTER))
        if (inner, outer) not in LEFT and (i + len(dtype)) % every == 0
        for k in range(1 + ("c" in inner))
    ]


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize("dtype", SIZES)
def test_two_ops_give_what_one_after_the_other_gives(dtype):
    sizes, cases = np.array(SIZES[dtype][0], dtype), pairs(dtype)
    x, y, z = (a.reshape(-1) for a in np.meshgrid(sizes, sizes, sizes, indexing="ij"))

    def nested(x, y, z):
        return [OUTER[o](anp, INNER[i](anp, x, y, c), z, d) for i, o, c, d in cases]

    wrong = []
    for (i, o, c, d), found in zip(cases, anvl.jit(nested)(x, y, z), strict=True):
        with np.errstate(all="ignore"):
            u = INNER[i](np, x, y, c)
            wanted = OUTER[o](np, u, z, d)
        off = is_off(np.asarray(found), u, wanted, sums=[u, d] if o in ("u + d", "d - u") else [])
        wrong += [f"{o}, u = {i} at {x[k]}, {y[k]}, {z[k]}; {c}, {d}: {np.asarray(found)[k]} for "
                  f"{wanted[k]}" for k in np.flatnonzero(off)[:1]]  # fmt: skip
    assert not wrong, "\n".join(wrong)


F32 = np.float32
BIG = np.array([1e38, -3e37], "float32")
SQUARE = np.array([1e30, 2e30], "float32")  # (SQUARE * 1e-30)**2 is [1, 4]

#: Programs of x, a scalar s = 1e-20 and w, with what they give; XLA made 0 or infinity of each.
FORMS = {
    "one value for many": (lambda x, s, w: x * 1e-30 * s, [1e-12, -3e-13]),
    "divided by one value": (lambda x, s, w: x * 1e-30 / (1 / s), [1e-12, -3e-13]),
    "a square of what is scaled": (lambda x, s, w: anp.square(w * 1e-30), [1, 4]),
    "a product of it with itself": (lambda x, s, w: (w * 1e-30) * (w * 1e-30), [1, 4]),
    "a product of scalars": (lambda x, s, w: (w[0] * 1e-30) * (w[1] * 1e-30), 2),
    "a power of a scalar": (lambda x, s, w: anp.power(w[1] * 1e-30, F32(3)), 8),
    "several literals": (
        lambda x, s, w: (w * np.array([1e-30, 5e-31], "float32"))
        * (w * np.array([1e-30, 5e-31], "float32")), [1, 1],
    ),
    "scalars": (lambda x, s, w: w[0] * 1e-30 * 1e-30 * 1e30, 1),
    "the middle": (lambda x, s, w: x * 3.0 * 0.5 + x * 3.0 * 0.5, [3e38, -9e37]),
    "the middle by a quotient": (lambda x, s, w: x * 3.0 / 2.0 + x * 3.0 / 2.0, [3e38, -9e37]),
    "in a function": (lambda x, s, w: anvl.jit(lambda q: q / 7e28)(x) * s, [1.4e-11, -4.3e-12]),
    "what a function gives": (
        lambda x, s, w: anvl.jit(lambda q: q * 1e-30)(x) * 1e-9, [0.1, -0.03],
    ),
    "in a branch": (
        lambda x, s, w: anvl.cond(s > 0, lambda c: c * 1e-30, lambda c: c, x) * 1e-9, [0.1, -0.03],
    ),
    "in a loop of one step": (
        lambda x, s, w: anvl.fori_loop(0, 1, lambda i, c: c * 1e-30, x) * 1e-9, [0.1, -0.03],
    ),
    "behind a shape": (lambda x, s, w: anp.reshape(x * 1e-30, (1, 2))[0] * 1e-9, [0.1, -0.03]),
    "behind a choice": (lambda x, s, w: anp.where(x < 0, 0, x * 1e-30) * 1e-9, [0.1, 0]),
    "behind a sign": (lambda x, s, w: -(x * 1e-30) * 1e-9, [-0.1, 0.03]),
    "behind a one": (lambda x, s, w: x * 1e-30 * 1.0 * 1e-9, [0.1, -0.03]),
    "a small addend": (lambda x, s, w: 1.0 - w / w + 1e-8, [1e-8, 1e-8]),
    "a scatter": (
        lambda x, s, w: x * 3 + (x * 3).at[np.array([0, 1])].add(x * -3), [3e38, -9e37],
    ),
    "complex numbers": (
        lambda x, s, w: anp.real(x / (w * (7e-2 + 0j)) / (w * (7e-2 + 0j))), [2.04e-20, -1.53e-21],
    ),
}  # fmt: skip


def test_forms_in_which_one_op_comes_to_another():
    found = anvl.jit(lambda x, s, w: {k: f(x, s, w) for k, (f, _) in FORMS.items()})(
        BIG, F32(1e-20), SQUARE
    )
    for name, (_, wanted) in FORMS.items():
        np.testing.assert_allclose(
            np.asarray(found[name]), wanted, rtol=rounding(FORMULA, "float16"), err_msg=name
        )


def test_programs_of_others():
    text = """
    func.func private @scaled(%x: tensor<2xf32>) -> tensor<2xf32> {
      %c = stablehlo.constant dense<1.0e-30> : tensor<2xf32>
      %y = stablehlo.multiply %x, %c : tensor<2xf32>
      return %y : tensor<2xf32>
    }
    func.func private @is_a_number(%x: tensor<f16>) -> tensor<i1> {
      %zero = stablehlo.constant dense<0.0> : tensor<f16>
      %y = stablehlo.compare GE, %x, %zero : (tensor<f16>, tensor<f16>) -> tensor<i1>
      return %y : tensor<i1>
    }
    func.func @main(%x: tensor<2xf32>, %h: tensor<f16>, %nan: tensor<f16>)
        -> (tensor<2xf32>, tensor<f16>, tensor<i1>) {
      %c = stablehlo.constant dense<1.0e-9> : tensor<2xf32>
      %u = call @scaled(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %y = stablehlo.multiply %u, %c : tensor<2xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f16>
      %hs = stablehlo.broadcast_in_dim %h, dims = [] : (tensor<f16>) -> tensor<70000xf16>
      %sum = stablehlo.reduce(%hs init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<70000xf16>, tensor<f16>) -> tensor<f16>
      %size = stablehlo.abs %nan : tensor<f16>
      %flag = call @is_a_number(%size) : (tensor<f16>) -> tensor<i1>
      return %y, %sum, %flag : tensor<2xf32>, tensor<f16>, tensor<i1>
    }"""
    program = rt.compile(lowered(text))
    inputs = BIG, np.float16(0.0), np.float16(np.nan)
    y, total, flag = program.execute([rt.put(x) for x in inputs])
    assert not flag
    assert_close(np.asarray(y) / [0.1, -0.03], np.ones(2, "float32"), FORMULA)
    assert np.asarray(total) == 0  # 70,000 is infinite in f16
    assert lowered(lowered(text)) == lowered(text)


def test_what_xla_joins_faster_is_chosen_where_it_differs():
    x, y = (np.array(v, "float32") for v in zip(*CORNERS, strict=True))
    log, power = anvl.jit(lambda x, y: (anp.log(anp.power(x, y)), anp.power(anp.exp(x), y)))(x, y)
    with np.errstate(all="ignore"):
        a, b = (v.astype("longdouble") for v in (x, y))  # in which nothing is out of range
        wanted = np.log(np.power(a, b)), np.power(np.exp(a), b)
    limit = rounding(PROGRAM, x)
    np.testing.assert_allclose(np.asarray(log), wanted[0].astype("float32"), rtol=limit, atol=limit)
    np.testing.assert_allclose(np.asarray(power), wanted[1].astype("float32"), rtol=limit)


CORNERS = [
    (2, 3), (-2, 3), (-2, 2), (-2, 2.5), (-2, -3), (1, np.inf), (-1, np.inf), (-1, -np.inf),
    (1, np.nan), (0, 0), (0, 2), (0, np.inf), (np.inf, 0), (-np.inf, 0), (np.nan, 0), (50, -1),
    (-1e-3, 1), (30, 2.5), (-np.inf, 3),
]  # fmt: skip


def lowered(text, platform="cpu"):
    module = ir.Module.parse(text, context())
    Pipeline([LowerToStablehlo(platform)]).run(module, verify_each=True)
    return module.operation.get_asm()


@pytest.mark.parametrize(
    ("inner", "outer", "is_hidden"),
    [
        ("divide %x, %y", "divide %u, %y", True),
        ("divide %x, %y", "divide %y, %u", True),
        ("divide %x, %y", "multiply %u, %y", False),
        ("divide %x, %y", "multiply %u, %c", False),
        ("divide %x, %y", "add %u, %zero", True),  # in the end u itself
        ("divide %x, %y", "multiply %u, %one", False),  # dropped before
        ("divide %x, %y", "negate %u", False),
        ("divide %x, %y", "sine %u", False),
        ("exponential %x", "divide %y, %u", True),
        ("exponential %x", "divide %u, %y", False),
        ("multiply %x, %c", "multiply %u, %c", True),
        ("multiply %x, %c", "multiply %u, %y", False),
        ("multiply %x, %y", "multiply %u, %c", False),
        ("multiply %x, %one", "multiply %u, %c", False),
        ("multiply %x, %c", "multiply %u, %splat", True),
        ("multiply %x, %c", "add %u, %c", False),
        ("add %x, %c", "subtract %c, %u", True),
        ("add %x, %c", "add %u, %y", False),
        ("add %x, %y", "add %u, %c", False),
    ],
)
def test_only_what_may_be_joined_is_hidden_and_once(inner, outer, is_hidden):
    array = "tensor<2xf32>"
    text = f"""
    func.func @main(%x: {array}, %y: {array}, %s: tensor<f32>) -> {array} {{
      %c = stablehlo.constant dense<3.0> : {array}
      %one = stablehlo.constant dense<1.0> : {array}
      %zero = stablehlo.constant dense<0.0> : {array}
      %splat = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> {array}
      %u = stablehlo.{inner} : {array}
      %z = stablehlo.{outer} : {array}
      return %z : {array}
    }}"""
    for platform in ("cpu", "cuda"):
        once = lowered(text, platform)
        assert once.count("stablehlo.reduce_precision") == is_hidden
        assert lowered(once, platform) == once


@pytest.mark.parametrize(
    ("caller", "callee", "is_hidden"),
    [
        ("negate %u", "divide %n, %y", True),
        ("negate %u", "sine %n", False),
        ("reverse %u, dims = [0]", "sine %n", True),  # not looked through
    ],
)
def test_what_is_passed_on_is_hidden_where_it_may_be_joined(caller, callee, is_hidden):
    array = "tensor<2xf32>"
    text = f"""
    func.func private @f(%u: {array}, %y: {array}) -> {array} {{
      %n = stablehlo.{caller} : {array}
      %z = stablehlo.{callee} : {array}
      return %z : {array}
    }}
    func.func @main(%x: {array}, %y: {array}) -> {array} {{
      %u = stablehlo.divide %x, %y : {array}
      %z = func.call @f(%u, %y) : ({array}, {array}) -> {array}
      return %z : {array}
    }}"""
    once = lowered(text)
    main = once[once.index("@main") :]
    assert main.count("stablehlo.reduce_precision") == is_hidden
    assert lowered(once) == once


def is_off(found, u, wanted, sums):
    """Where a result is wrong: by more than rounding, relative to it or to what is added up."""
    tiny = float(np.finfo(u.dtype).tiny)
    known = ~is_subnormal(u, tiny)
    if wanted.dtype == bool:
        return known & (found != wanted)
    known &= ~is_subnormal(wanted, tiny)
    if sums:  # XLA multiplies and adds in one, so the product does not overflow
        known &= np.isfinite(u)
    # A power has an error as large as its exponent; a product by a rounded reciprocal has one too.
    limit = rounding(FORMULA if u.dtype == np.float16 else PROGRAM, u)
    wide, right = found.astype("float64"), wanted.astype("float64")
    with np.errstate(all="ignore"):
        size = sum((np.abs(s).astype("float64") for s in sums), np.abs(right))
        close = (np.abs(wide - right) <= limit * size) | (wide == right)
    return known & ~close & ~(np.isnan(wide) & np.isnan(right))


def is_subnormal(x, tiny):
    """Where the CPU takes a number for 0, or may have rounded it to the least one."""
    return (x != 0) & (np.abs(x).astype("float64") < 1.01 * tiny)
