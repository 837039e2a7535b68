"""Programs whose kernels of one op XLA:CPU need not wrap."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
import anvl.prim as prim
from anvl.dialect import parse
from anvl.dispatch.programs import compilation
from anvl.passes.lower.xla_cpu.lone_kernels import compiles_sooner_unwrapped
from anvl.runtime import stablehlo_version

PASSES = "xla_disable_hlo_passes"
X = np.linspace(-2, 2, 64 * 128, dtype=np.float32).reshape(64, 128)
COUNT = 12


def products(x):
    """Arrays of one type, none of which XLA fuses with an op."""
    return [x[:8] @ (x.T + i) for i in range(COUNT)]


UNWRAPPED = {
    "one function": anp.sin,
    "one function of a product": lambda x: anp.tanh(x @ x.T),
    "functions of other types": lambda x: (anp.sin(x), anp.sin(x.T), anp.sin(x[:10])),
    "functions of what is fused with them": lambda x: [anp.tanh(x * i) for i in range(2, COUNT)],
    "functions that a sum takes in": lambda x: [anp.sum(anp.exp(y)) for y in products(x)],
    "a logarithm of long rows": lambda x: anp.log(x.reshape(8, 1024)),
    "a logarithm of few": lambda x: anp.log(x[:2] @ x[:8].T),
    "a logarithm of what is fused with it": lambda x: anp.log(x * x + 1),
    "functions that are read in another shape": lambda x: [
        anp.exp(y).reshape(-1) * 2 for y in products(x)
    ],
    "functions of what has another shape": lambda x: [
        anp.exp((y * y).reshape(-1)) for y in products(x)
    ],
    "a loop": lambda x: anvl.fori_loop(0, 5, lambda i, c: c @ (x.T @ x) * 0.5, x),
    "an inverse": lambda x: anp.linalg.inv(x @ x.T),
    "a mean": anp.mean,
}

WRAPPED = {
    "equal functions": lambda x: [anp.sin(y) for y in products(x)],
    "two equal polynomials": lambda x: anp.tanh(anp.tanh(x @ x.T) @ x @ x.T),
    "polynomials that several read": lambda x: [e + e[::-1] for e in map(anp.exp, products(x))],
    "equal logarithms of few": lambda x: [anp.log(x[:1] @ (x[:8].T + i)) for i in range(3)],
    "many equal negations": lambda x: [-y for y in products(x)],
    "a logarithm of 128": lambda x: anp.log(x),
    "a logarithm that is repeated": lambda x: x - anp.log(anp.sum(anp.exp(x.T @ x), 1)),
    "a scatter": lambda x: x.at[np.array([3, 3])].add(1.0),
    "few numbers in a function of scalars": lambda x: prim.reduce(
        x, np.float32(0), dimensions=(1,), body=lambda a, b: a + anp.sin(anp.stack([a, b]))[1]
    ),
    "an array in a function of scalars": lambda x: prim.reduce(
        x, np.float32(0), dimensions=(1,), body=lambda a, b: anp.stack([a, b]).sum()
    ),
    "a scatter that XLA makes": lambda x: prim.select_and_scatter(
        x, x[::2, ::2], np.float32(0), window_dimensions=(2, 2), window_strides=(2, 2),
        select=lambda a, b: a >= b, scatter=lambda a, b: a + b,
    ),
    "a tangent": anp.tan,
    "a cube root": lambda x: anp.sum(anp.cbrt(x)),
    "f16": lambda x: anp.sin(x.astype("float16") @ x.T.astype("float16")),
}  # fmt: skip


@pytest.fixture
def options(compiled_options, monkeypatch):
    """The options of each program that is compiled, as if this version of XLA were known."""
    monkeypatch.setattr(compilation, "_UNWRAPPING", {stablehlo_version()})
    return compiled_options


def is_unwrapped(options):
    return "fusion-wrapper" in options[-1].get(PASSES, "").split(",")


@pytest.mark.parametrize("f", UNWRAPPED.values(), ids=UNWRAPPED.keys())
def test_few_ops_are_left_alone(f, options):
    anvl.jit(f)(X)
    assert is_unwrapped(options)


@pytest.mark.parametrize("f", WRAPPED.values(), ids=WRAPPED.keys())
def test_others_are_wrapped(f, options):
    anvl.jit(f)(X)
    assert [PASSES in given and "fusion-wrapper" in given[PASSES] for given in options] == [False]


def test_the_pass_is_left_out_beside_others(options):
    anvl.jit(lambda x: anp.sum(anp.sin(x[0, :48])) + anp.sin(x[0, :48]))(X)
    assert options[-1][PASSES].split(",") == ["tree_reduction_rewriter", "fusion-wrapper"]


@pytest.mark.skipif(stablehlo_version() not in compilation._UNWRAPPING, reason="wraps later")
def test_what_xla_refuses_is_compiled_again(options, monkeypatch):
    monkeypatch.setattr(compilation, "compiles_sooner_unwrapped", lambda module: True)
    found = anvl.jit(lambda x: x[0, :48].sum() + x.at[np.array([3, 3])].add(1.0))(X)
    assert [given[PASSES] for given in options] == [
        "tree_reduction_rewriter,fusion-wrapper", "tree_reduction_rewriter",
    ]  # fmt: skip
    expected = X + X[0, :48].sum(dtype=np.float32)
    expected[3] += 2
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.skipif(stablehlo_version() not in compilation._UNWRAPPING, reason="wraps later")
def test_types_that_xla_refuses_are_compiled_again(options):
    f = anvl.from_stablehlo("""
      func.func @main(%x: tensor<3xi1>, %y: tensor<3xi1>) -> tensor<3xi1> {
        %z = stablehlo.clamp %x, %y, %x : tensor<3xi1>
        return %z : tensor<3xi1>
      }""")
    found = anvl.jit(f)(np.array([True, False, True]), np.array([False, True, True]))
    np.testing.assert_array_equal(found, [True, False, True])
    assert len(options) == 2


@pytest.mark.skipif(stablehlo_version() not in compilation._UNWRAPPING, reason="wraps later")
def test_what_is_asked_for_is_not_changed(options):
    f = anvl.jit(
        lambda x: x.at[np.array([3, 3])].add(1.0), compiler_options={PASSES: "fusion-wrapper"}
    )
    with pytest.raises(anvl.RuntimeFailure, match="scatter"):
        f(X)
    assert len(options) == 1


def test_options_of_ones_own_come_first(options):
    f = anvl.jit(anp.sin, compiler_options={PASSES: "dce"})
    f(X)
    assert options[-1][PASSES] == "dce"


@pytest.mark.skipif(stablehlo_version() not in compilation._UNWRAPPING, reason="wraps later")
def test_xla_wraps_nothing_then():
    unwrapped, wrapped = anvl.jit(anp.sin), anvl.jit(anp.sin, compiler_options={PASSES: "dce"})
    texts = [f.lower(X).compile().hlo() for f in (unwrapped, wrapped)]
    assert ["wrapped_sine" in text for text in texts] == [False, True]
    np.testing.assert_array_equal(unwrapped(X), wrapped(X))


def test_other_versions_are_left_as_they_are(options, monkeypatch):
    monkeypatch.setattr(compilation, "_UNWRAPPING", frozenset())
    anvl.jit(lambda x: anp.cos(x))(X)
    assert not is_unwrapped(options)


def test_ops_of_each_element_of_a_sum_are_not_counted():
    reduce = """
      %{0} = stablehlo.reduce(%x init: %z) across dimensions = [{0}]
          : (tensor<2x2x2x2xf32>, tensor<f32>) -> tensor<2x2x2xf32>
          reducer(%a: tensor<f32>, %b: tensor<f32>) {{
        %s = stablehlo.exponential %a : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }}"""
    function = f"""func.func public @main(%x: tensor<2x2x2x2xf32>, %z: tensor<f32>) {{
      {"".join(reduce.format(i) for i in range(4))}
      return
    }}"""
    assert compiles_sooner_unwrapped(parse(function).operation)
