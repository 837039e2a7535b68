"""Stretches of elementwise ops of which XLA:CPU makes one kernel each."""

import re

import numpy as np
import pytest
from tolerances import assert_close

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.dispatch.programs import compilation
from anvl.dispatch.programs.lowered_program import SMALL_LOOPS
from anvl.passes.lower.xla_cpu import elementwise_kernels
from anvl.passes.lower.xla_cpu.elementwise_kernels import (
    BYTES_OF_A_KERNEL,
    write_elementwise_kernels,
)
from anvl.runtime import stablehlo_version

X = np.linspace(-1, 1, 300, dtype=np.float32).reshape(3, 100)
UNITS = 10  # in the last place: kernels that are joined may round a product and a sum once
IS_KNOWN = stablehlo_version() in compilation._OF_WHOLE_LOOPS
needs_known = pytest.mark.skipif(not IS_KNOWN, reason="other versions are left as they are")


def wave(x, steps=8):
    """32 elementwise ops that are no repetition of one stretch."""
    for i in range(steps):
        x = anp.sin(x) * (0.5 + i) if i % 3 else x / (1 + x * x)
        x = anp.exp(-x) + i if i % 2 else anp.tanh(x)
    return x


def moved(p, m, g):
    """A step of an optimizer, for one parameter."""
    m = 0.9 * m + 0.1 * g
    return p - 0.01 * m / (anp.sqrt(m * m) + 1e-6), m


ONE_KERNEL = {
    "a chain": wave,
    "its gradient": anvl.grad(lambda x: anp.sum(wave(x))),
    "of f64": lambda x: wave(x.astype("float64")),
    "of single numbers": lambda x: wave(x[0, 0]),
    "with a product before and behind": lambda x: wave(x @ x.T) @ x,
    "of more than 1,200 ops": anvl.grad(lambda x: anp.sum(wave(x, 150))),
    "that calls functions": lambda x: wave(anp.logaddexp(x, 0.5 * x)),
}
OTHERS = {
    "few ops": lambda x: wave(x, 2),
    "large arrays": lambda x: wave(anp.tile(x, (20, 1))),
    "f16": lambda x: wave(x.astype("float16")),
    "tangents": lambda x: anp.tan(anp.tan(anp.tan(x))),
    "beside a loop": lambda x: (wave(x), anvl.fori_loop(0, 9, lambda i, y: y @ y.T @ y, x)),
    "beside a scatter": lambda x: (wave(x), anp.zeros(9).at[anp.arange(3) % 2].add(x[0, :3])),
    "a step of an optimizer": lambda x: [moved(row, row + 1, row * 2) for row in x],
    "many arrays that are read": lambda x: sum(anp.sin(anp.roll(x, i, 1)) for i in range(20)),
    "no elements": lambda x: wave(x[:0]),
}


@pytest.fixture
def options(compiled_options, monkeypatch):
    """The options of each program that is compiled, as if this version of XLA were known."""
    monkeypatch.setattr(compilation, "_OF_WHOLE_LOOPS", {stablehlo_version()})
    return compiled_options


@pytest.fixture
def any_length(monkeypatch):
    """Kernels of stretches of any length."""
    monkeypatch.setattr(elementwise_kernels, "_FEWEST_OPS", 1)
    monkeypatch.setattr(elementwise_kernels, "_FEWEST_FOR_READ", 0)
    monkeypatch.setattr(elementwise_kernels, "_FEWEST_FOR_RESULT", 0)


@pytest.mark.parametrize("f", ONE_KERNEL.values(), ids=ONE_KERNEL.keys())
def test_long_stretches_are_kernels(f, options):
    anvl.jit(f, roll=False)(X)
    assert [given.get(SMALL_LOOPS) for given in options] == [BYTES_OF_A_KERNEL]


@pytest.mark.parametrize("f", OTHERS.values(), ids=OTHERS.keys())
def test_others_are_fused_as_before(f, options):
    anvl.jit(f, roll=False)(X)
    assert [given.get(SMALL_LOOPS) == BYTES_OF_A_KERNEL for given in options] == [False]


def test_other_versions_are_left_as_they_are(options, monkeypatch):
    monkeypatch.setattr(compilation, "_OF_WHOLE_LOOPS", frozenset())
    anvl.jit(lambda x: wave(x) * 1.5)(X)
    assert SMALL_LOOPS not in options[-1]


def test_what_prints_is_left_as_it_is(options, capfd):
    def f(x):
        anvl.debug.print("{}", x[0, 0])
        return wave(x) * 2.5

    anvl.jit(f)(X)
    assert "-1" in capfd.readouterr().out and SMALL_LOOPS not in options[-1]


@needs_known
def test_a_stretch_is_one_call_of_what_xla_compiles():
    text = anvl.jit(anvl.grad(lambda x: anp.sum(wave(x) * 3)), roll=False).lower(X).compile().hlo()
    entry = text[text.index("ENTRY") :]
    assert entry.count('xla_cpu_small_call="true"') == 1 and " fusion(" not in entry


@needs_known
def test_what_no_step_changes_is_computed_inside_too():
    """Other compilers would move it out of the loop."""
    f = anvl.jit(lambda x, y: wave(x) * wave(y), roll=False)
    text = f.lower(X, X + 1).compile().hlo()
    assert " fusion(" not in text[text.index("ENTRY") :]


def between(x):
    """Stretches of two shapes and a reduction, each of which reads the one before."""
    y = anp.sin(x) * 2
    mean = anp.mean(y, axis=1)
    z = anp.cos(mean) + mean
    return anp.exp(y) - z[:, None], y, anp.sum(anp.tanh(y) * z[:, None])


def mixed(x):
    """Floats, integers and bools that are read, computed and handed on."""
    k = anp.arange(300).reshape(3, 100)
    low = x < 0
    n = anp.where(low, k * 3, k // 7) ^ (k << 2)
    odd = (n % 2 == 1) ^ low
    return n, odd, anp.where(odd, x, -x) + n.astype(x.dtype), low, x


def of_numbers(x):
    """Numbers and rows that are read beside arrays."""
    a, row = x[0, 0], x[1]
    return anp.clip(x * a, a, row) + anp.where(a > 0, x, row), anp.sin(a) * a


WEIGHTS = np.linspace(1, 2, 300, dtype=np.float32).reshape(3, 100)
SAME = {
    "stretches that read each other": between,
    "types": mixed,
    "numbers and rows": of_numbers,
    "an argument and a result twice": lambda x: (x, y := anp.sin(x) * 2, y, x),
    "complex numbers": lambda x: wave(x * 1j, 3),
    "more read than computed": lambda x: x[:1] * x[1:2] + x[2:] / (1 + x[:1] ** 2),
    "a mask alone": lambda x: anp.where(anp.flip(x) > 0, 1.0, 2.0),
    "captured arrays": lambda x: anp.sin(x * WEIGHTS) + WEIGHTS,
    "a gradient of f64": anvl.grad(lambda x: anp.sum(wave(x.astype("float64")))),
    "a checkpoint": anvl.grad(lambda x: anp.sum(anvl.checkpoint(wave)(x) ** 2)),
    "a batch of gradients": anvl.vmap(anvl.grad(lambda row: anp.max(wave(row)))),
    "infinities and NaN": lambda x: (anp.log(x), 1 / (x - x), anp.logaddexp(x / 0, x / 0)),
    "a number": lambda x: wave(x[0, 0]),
    "branches": lambda x: anvl.cond(x[0, 0] > 0, wave, lambda x: x * 2, anp.sin(x) * 2),
}


@needs_known
@pytest.mark.parametrize("f", SAME.values(), ids=SAME.keys())
def test_kernels_compute_the_same(f, any_length, monkeypatch):
    one = anvl.jit(lambda x: f(x)).lower(X).compile()
    monkeypatch.setattr(compilation, "write_elementwise_kernels", lambda module: None)
    many = anvl.jit(lambda x: f(x)).lower(X).compile()
    assert ['xla_cpu_small_call="true"' in kept.hlo() for kept in (one, many)] == [True, False]
    for found, expected in zip(anvl.tree.leaves(one(X)), anvl.tree.leaves(many(X)), strict=True):
        assert found.dtype == expected.dtype
        assert_close(found, expected, UNITS)


@needs_known
def test_donated_arrays_are_taken(any_length):
    f = anvl.jit(lambda x, y: (wave(x) + y, x * y), donate=("x", "y"))
    x, y = anp.asarray(X), anp.asarray(X + 2)
    expected = [np.asarray(z) for z in anvl.jit(lambda x, y: (wave(x) + y, x * y))(x, y)]
    found = f(x, y)
    assert x.is_deleted() and y.is_deleted()
    for z, wanted in zip(found, expected, strict=True):
        assert_close(z, wanted, UNITS)


STRETCHES = """
func.func @main(%x: tensor<4xf32>, %w: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.dot_general %w, %0, contracting_dims = [1] x [0]
      : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.cosine %0 : tensor<4xf32>
  %3 = stablehlo.add %1, %2 : tensor<4xf32>
  %4 = stablehlo.multiply %3, %3 : tensor<4xf32>
  %5 = stablehlo.negate %2 : tensor<4xf32>
  return %4, %5 : tensor<4xf32>, tensor<4xf32>
}
"""


def test_no_path_leaves_a_kernel_and_comes_back(any_length):
    module = parse(STRETCHES)
    write_elementwise_kernels(module.operation)
    assert module.operation.verify()
    first, second = str(module).split("stablehlo.while")[1:]
    names = ["sine", "cosine", "negate", "add", "multiply", "dot_general"]
    inside = [[name for name in names if f"stablehlo.{name} " in part] for part in (first, second)]
    assert inside == [["sine", "cosine", "negate", "dot_general"], ["add", "multiply"]]
    assert "dot_general" not in first[: first.index("stablehlo.return %c")]


BRANCHES = """
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = "stablehlo.if"(%p) ({
    %3 = stablehlo.reverse %0, dims = [0] : tensor<4xf32>
    stablehlo.return %3 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
"""


def test_what_a_branch_reads_is_computed_before_it(any_length):
    module = parse(BRANCHES)
    write_elementwise_kernels(module.operation)
    assert module.operation.verify()
    words = re.findall(r"stablehlo\.(while|sine|if|add)\b", str(module))
    assert words == ["while", "sine", "if", "while", "add"]


def test_kernels_are_written_once(any_length):
    module = parse(STRETCHES)
    write_elementwise_kernels(module.operation)
    text = str(module)
    write_elementwise_kernels(module.operation)
    assert str(module) == text


@pytest.mark.parametrize("name", ["main", "other"])
def test_modules_without_elementwise_ops_stay(name, any_length):
    text = f"func.func @{name}(%x: tensor<4xf32>) -> tensor<4xf32> {{ return %x : tensor<4xf32> }}"
    module = parse(text)
    before = str(module)
    write_elementwise_kernels(module.operation)
    assert str(module) == before
