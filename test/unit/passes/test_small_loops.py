"""Loops of which XLA:CPU makes one kernel each."""

import numpy as np
import pytest
from tolerances import assert_close

import anvl
import anvl.numpy as anp
from anvl.dispatch.programs import compilation
from anvl.dispatch.programs.lowered_program import PASSES, SMALL_LOOPS
from anvl.passes.lower.xla_cpu.small_loops import BYTES_OF_A_STEP
from anvl.runtime import stablehlo_version

X = np.linspace(-1, 1, 256, dtype=np.float32).reshape(16, 16)
UNITS = 10  # in the last place: kernels that are joined may round a product and a sum once
IS_KNOWN = stablehlo_version() in compilation._OF_WHOLE_LOOPS
needs_known = pytest.mark.skipif(not IS_KNOWN, reason="other versions are left as they are")


def steps(f):
    """A function that takes five steps of `f`, and keeps a sum of each."""

    def run(x):
        last, sums = anvl.scan(lambda c, _: ((y := f(c)), anp.sum(anp.real(y))), x, None, length=5)
        return last, sums

    return run


def in_type(f, dtype, size=16):
    return lambda x: steps(f)(x[:size, :size].astype(dtype))


SMALL = {
    "a few functions of 1,024 numbers": lambda x: steps(
        lambda c: sum(anp.sin(c * i) for i in range(5))
    )(anp.tile(x, (2, 2))),
    "rows of a large array": lambda x: anvl.scan(
        lambda c, row: (c + row, c), x[0], anp.tile(x, (999, 1))
    ),
    "elementwise": steps(lambda c: anp.exp(-c * c) + 0.1 * anp.roll(c, 1)),
    "a gradient": anvl.grad(lambda x: anp.sum(steps(anp.tanh)(x)[1])),
    "f64": in_type(anp.sin, "float64"),
    "bf16": in_type(anp.sin, "bfloat16"),
    "a product": steps(lambda c: anp.tanh(c @ c)),
    "a small product of complex numbers": in_type(lambda c: c @ c * 0.5, "complex64", 8),
    "a small product of integers": in_type(lambda c: c @ c, "int32", 8),
    "a vector and a matrix of integers": in_type(lambda c: c * (c @ c[0]), "int32"),
    "a long product outside": lambda x: steps(anp.sin)(anp.real(x.astype("complex64") @ x.T)),
    "f16 outside": lambda x: steps(anp.sin)(anp.sin(x.astype("float16")).astype("float32")),
    "a loop in a condition": lambda x: anvl.cond(
        x[0, 0] > 0, lambda x: steps(anp.sin)(x)[0], lambda x: x, x
    ),
    "a loop of unknown length": lambda x: anvl.while_loop(
        lambda c: anp.sum(c) < 100.0, lambda c: c + 1, x
    ),
}

OTHERS = {
    "more numbers than one core computes in no time": lambda x: steps(anp.sin)(anp.tile(x, (3, 3))),
    "many functions of fewer": lambda x: steps(lambda c: sum(anp.sin(c * i) for i in range(9)))(
        anp.tile(x, (2, 2))
    ),
    "no loop": lambda x: anp.sin(x) @ x,
    "a tangent": steps(anp.tan),
    "a cube root": steps(anp.cbrt),
    "f16": in_type(anp.sin, "float16"),
    "f16 in between": steps(lambda c: anp.sin(c.astype("float16")).astype("float32")),
    "f16 in the condition of the loop": lambda x: anvl.while_loop(
        lambda c: anp.sin(c[0, 0].astype("float16")) < 0.5, lambda c: c + 1, x
    ),
    "f16 in a branch": steps(
        lambda c: anvl.cond(
            c[0, 0] > 0, lambda c: anp.sin(c.astype("float16")).astype("float32"), lambda c: c, c
        )
    ),
    "a long product of complex numbers": in_type(lambda c: c @ c * 0.1, "complex64"),
    "a long product of integers": in_type(lambda c: c @ c, "int32"),
    "a long product in a loop in a loop": steps(
        lambda c: anvl.fori_loop(0, 2, lambda i, y: anp.real(y.astype("complex64") @ y * 0.1), c)
    ),
}


@pytest.fixture
def options(compiled_options, monkeypatch):
    """The options of each program that is compiled, as if this version of XLA were known."""
    monkeypatch.setattr(compilation, "_OF_WHOLE_LOOPS", {stablehlo_version()})
    return compiled_options


@pytest.mark.parametrize("f", SMALL.values(), ids=SMALL.keys())
def test_most_loops_may_be_one_kernel(f, options):
    anvl.jit(f)(X)
    assert [given.get(SMALL_LOOPS) for given in options] == [BYTES_OF_A_STEP]


@pytest.mark.parametrize("f", OTHERS.values(), ids=OTHERS.keys())
def test_others_keep_the_limit_of_xla(f, options):
    anvl.jit(f)(X)
    assert [SMALL_LOOPS in given for given in options] == [False]


def test_other_versions_are_left_as_they_are(options, monkeypatch):
    monkeypatch.setattr(compilation, "_OF_WHOLE_LOOPS", frozenset())
    anvl.jit(steps(anp.cos))(X)
    assert SMALL_LOOPS not in options[-1]


def test_options_of_ones_own_come_first(options):
    anvl.jit(steps(anp.sin), compiler_options={SMALL_LOOPS: 1024})(X)
    assert options[-1][SMALL_LOOPS] == 1024


KERNELS = {
    "a scan and its gradient": anvl.value_and_grad(
        lambda x: anp.sum(steps(lambda c: anp.exp(-c * c) + 0.1 * anp.roll(c, 1, 1))(x)[1])
    ),
    "a loop in a loop": steps(
        lambda c: anvl.fori_loop(0, 3, lambda i, y: y * 0.5 + anp.sin(y + i) + c, c)
    ),
    "choices, sorts of pairs and slices": steps(
        lambda c: anp.where(c > c.T, anp.cumsum(c, 1), anp.maximum(c[::-1], 0.1)) * 0.5
    ),
    "bits and integers": in_type(lambda c: (c * 7 + 3) ^ (c >> 2), "int32"),
    "complex numbers": in_type(lambda c: anp.exp(1j * c) * c + anp.conj(c), "complex64"),
    "bf16": in_type(lambda c: anp.exp(c) / (1 + anp.max(c, 0)), "bfloat16"),
}


@needs_known
@pytest.mark.parametrize("f", KERNELS.values(), ids=KERNELS.keys())
def test_a_loop_of_one_kernel_computes_the_same(f):
    one, many = anvl.jit(f), anvl.jit(f, compiler_options={SMALL_LOOPS: 0})
    texts = [g.lower(X).compile().hlo() for g in (one, many)]
    assert ['xla_cpu_small_call="true"' in text for text in texts] == [True, False]
    for found, expected in zip(anvl.tree.leaves(one(X)), anvl.tree.leaves(many(X)), strict=True):
        assert_close(found, expected, UNITS)


@needs_known
def test_a_loop_of_long_steps_has_kernels_of_its_own():
    x = np.linspace(0, 1, BYTES_OF_A_STEP // 4, dtype=np.float32)
    text = anvl.jit(steps(anp.sin)).lower(x).compile().hlo()
    assert " while(" in text and "xla_cpu_small_call" not in text


CLAMPED = """
      func.func @main(%x: tensor<3xi1>, %n: tensor<i32>) -> tensor<3xi1> {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %r:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<3xi1>
        cond {
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %j = stablehlo.add %i, %one : tensor<i32>
          %d = stablehlo.reverse %c, dims = [0] : tensor<3xi1>
          %e = stablehlo.clamp %d, %c, %d : tensor<3xi1>
          stablehlo.return %j, %e : tensor<i32>, tensor<3xi1>
        }
        return %r#1 : tensor<3xi1>
      }"""


@needs_known
def test_what_xla_refuses_in_a_kernel_is_compiled_again(options):
    f = anvl.from_stablehlo(CLAMPED)
    x = np.array([True, True, False])
    handle = anvl.jit(f).lower(x, np.int32(3)).compile()
    np.testing.assert_array_equal(handle(x, np.int32(3)), [False, True, True])
    assert [given[SMALL_LOOPS] for given in options] == [BYTES_OF_A_STEP, 0]
    assert "fusion-wrapper" not in options[-1].get(PASSES, "")


@needs_known
def test_a_limit_of_ones_own_is_not_changed(options):
    f = anvl.jit(anvl.from_stablehlo(CLAMPED), compiler_options={SMALL_LOOPS: 2048})
    with pytest.raises(anvl.RuntimeFailure, match="Clamp"):
        f.lower(np.array([True, True, False]), np.int32(3)).compile()
    assert {given[SMALL_LOOPS] for given in options} == {2048}
