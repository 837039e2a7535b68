"""`load`, and `from_stablehlo` with unknown sizes: files in, functions of arrays out.

`jax_programs/sizes.jaxexport` and `platforms.jaxexport` are what JAX 0.10.2 writes for

    f = jax.jit(lambda p, x, *, scale, unused:
        {"y": jnp.tanh(x @ p["w"] + p["b"][0]) * scale, "n": (x.sum(), None)})
    p = {"w": f32[3, 2], "b": [f32[2]]}; scale: f32[]; unused: f32[7]

with x of `export.symbolic_shape("b,3")`, and with x of f32[4, 3] for `platforms=["cpu", "cuda"]`.
"""

import inspect
import random
from pathlib import Path

import numpy as np
import pytest
from tolerances import FORMULA
from tolerances import assert_close as close_to

import anvl
import anvl.numpy as anp
from anvl.dialect import ir
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import stablehlo
from anvl.interop.jax_export import NotExported, read_exported


def assert_close(found, wanted):
    close_to(found, wanted, FORMULA)


PROGRAMS = Path(__file__).parent / "jax_programs"

POWER = """
func.func @main(%base: tensor<?x2xf32>, %exponent: tensor<f32>) -> tensor<?x2xf32> {
  %n = stablehlo.get_dimension_size %base, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %two, dim = 0
      : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %all = stablehlo.dynamic_broadcast_in_dim %exponent, %shape, dims = []
      : (tensor<f32>, tensor<2xi32>) -> tensor<?x2xf32>
  %y = stablehlo.power %base, %all : tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
"""
BASE = np.array([[1.5, 2.0], [0.5, 3.0], [2.5, 1.0]], np.float32)


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "model"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def bytecode() -> bytes:
    import io

    out = io.BytesIO()
    ir.Module.parse(POWER, context()).operation.write_bytecode(out)
    return out.getvalue()


def artifact() -> bytes:
    module = ir.Module.parse(POWER, context())
    return stablehlo.serialize_portable_artifact(module, "1.0.0")


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("form", ["text", "bytecode", "artifact"])
def test_every_form_of_a_file_is_the_same_function(form, file):
    content = {"text": lambda: POWER, "bytecode": bytecode, "artifact": artifact}[form]()
    f = anvl.load(file(content))
    assert_close(f(BASE, 3.0), BASE**3)
    for rows in (1, 2, 0):
        assert f(BASE[:rows], 3.0).shape == (rows, 2)


def test_sizes_of_each_call_decide(file):
    f = anvl.load(str(file(POWER)))
    assert_close(anvl.grad(lambda x: anp.sum(f(x, 3.0)))(BASE), 3 * BASE**2)
    assert_close(
        anvl.grad(lambda e: anp.sum(f(BASE[:2], e)))(2.0),
        np.sum(BASE[:2] ** 2 * np.log(BASE[:2])),
    )
    batch = np.stack([BASE, 2 * BASE])
    assert_close(anvl.vmap(lambda x: f(x, 2.0))(batch), batch**2)
    assert_close(anvl.jit(lambda x: f(x[:2], 2.0) + f(x[1:], 1.0))(BASE), BASE[:2] ** 2 + BASE[1:])


def test_arguments_have_the_names_of_the_program(file):
    f = anvl.load(file(POWER))
    assert list(inspect.signature(f).parameters) == ["base", "exponent"]
    assert_close(f(exponent=2.0, base=BASE), BASE**2)
    assert_close(
        anvl.grad(lambda e: anp.sum(f(BASE, exponent=e)))(1.0), np.sum(BASE * np.log(BASE))
    )
    with pytest.raises(TypeError, match="missing a required argument: 'exponent'"):
        f(BASE, power=2.0)
    same = POWER.replace("%base", "%0x").replace("%exponent", "%class")
    unnamed = anvl.load(file(same.replace("%0x", "%class_")))
    assert list(inspect.signature(unnamed).parameters) in (["arg0", "arg1"], ["class_", "arg1"])


def test_what_does_not_fit_is_refused(file):
    f = anvl.load(file(POWER))
    with pytest.raises(TypeError, match=r"argument 0 \(base\) is f32\[3,3\], .* takes f32\[\?,2\]"):
        f(np.ones((3, 3), np.float32), 2.0)
    with pytest.raises(TypeError, match=r"argument 0 \(base\) is f64\[3,2\]"):
        f(BASE.astype(np.float64), 2.0)
    with pytest.raises(TypeError, match="takes 2 arrays"):
        f(BASE)


def test_a_shape_of_values_is_refused_with_its_line(file):
    text = """func.func @main(%x: tensor<?xf32>, %n: tensor<1xi32>) -> tensor<?xf32> {
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}"""
    f = anvl.load(file(text))
    with pytest.raises(ValueError, match=r"@main: stablehlo.dynamic_iota stays dynamic"):
        f(np.ones(3, np.float32), np.array([3], np.int32))


def test_sizes_that_are_known_inside_are_refined_at_once(file):
    text = """func.func @main(%x: tensor<f32>) -> tensor<?xf32> {
  %n = stablehlo.constant dense<3> : tensor<1xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = []
      : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}"""
    assert_close(anvl.load(file(text))(2.0), np.full(3, 2.0, np.float32))
    unknown = text.replace("stablehlo.constant dense<3>", "stablehlo.custom_call @n()").replace(
        "@n() : tensor", "@n() : () -> tensor"
    )
    with pytest.raises(ValueError, match=r"load: .*model: @main: .* stays dynamic"):
        anvl.load(file(unknown))


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("name", ["sizes", "platforms"])
def test_files_of_jax_export_keep_their_structures(name):
    f = anvl.load(PROGRAMS / f"{name}.jaxexport")
    random = np.random.default_rng(3)
    w, b, x = (random.standard_normal(s).astype(np.float32) for s in ((3, 2), 2, (4, 3)))
    p, unused = {"w": w, "b": [b]}, np.zeros(7, np.float32)
    found = f(p, x, scale=2.0, unused=unused)
    assert list(found) == ["n", "y"] and found["n"][1] is None
    assert_close(found["n"][0], x.sum())
    assert_close(found["y"], 2 * np.tanh(x @ w + b))
    slope = anvl.grad(lambda p: anp.sum(f(p, x, scale=2.0, unused=unused)["y"]))(p)
    assert_close(slope["b"][0], np.sum(2 / np.cosh(x @ w + b) ** 2, axis=0))
    with pytest.raises(TypeError, match=r"keys \['scale', 'unused'\] against .* \['scale'\]"):
        f(p, x, scale=2.0)
    if name == "sizes":
        assert f(p, x[:2], scale=2.0, unused=unused)["y"].shape == (2, 2)
        with pytest.raises(ValueError, match=r"Expected value >= 1 for dimension variable 'b'"):
            f(p, x[:0], scale=2.0, unused=unused)


def test_a_file_for_several_platforms_of_jax_with_64_bit_types():
    # There the index of the platform, which the program takes first, is an i64.
    model = anvl.load(PROGRAMS.parents[3] / "examples" / "data" / "epidemic.jaxexport")
    rates = {"infection": 1.0, "recovery": 1.0}
    days = np.arange(14.0)
    found = np.asarray(model(rates, 100.0, days, 1e9))  # of so many, infections are recoveries
    np.testing.assert_allclose(found, np.full(14, 100.0), rtol=1e-4)


@pytest.mark.sweep(keep=0)
def test_a_platform_that_the_file_is_not_for(file):
    data = (PROGRAMS / "platforms.jaxexport").read_bytes()
    assert data.count(b"cpu\0") >= 1
    other = data.replace(b"\3\0\0\0cpu\0", b"\3\0\0\0tpu\0")
    assert other != data
    with pytest.raises(ValueError, match=r"was exported for tpu, cuda, not for cpu"):
        anvl.load(file(other))


def test_broken_files_of_jax_export():
    """Changed bytes give an error, or a structure; never anything else."""
    data = (PROGRAMS / "sizes.jaxexport").read_bytes()
    draw = random.Random(5)
    refused = 0
    for _ in range(3000):
        broken = bytearray(data)
        for _ in range(draw.choice([1, 2, 8])):
            broken[draw.randrange(len(broken) if draw.random() < 0.5 else 64)] = draw.randrange(256)
        broken = broken[: draw.choice([len(broken), draw.randrange(len(broken))])]
        try:
            read_exported(bytes(broken))
        except NotExported:
            refused += 1
    assert 1000 < refused < 3000


@pytest.mark.parametrize("content", [b"", b"\0\1", b"\xff\xfe text", b"\xff" * 100])
def test_a_file_that_is_nothing(content, file):
    with pytest.raises(ValueError, match=r"load: .*model"):
        anvl.load(file(content))


def test_messages_name_the_file(file):
    with pytest.raises(ValueError, match=r"load: .*model.*:2:"):
        anvl.load(file("func.func @main() {\n  oops\n}"))
    with pytest.raises(ValueError, match=r"there is no function 'min', did you mean 'main'\?"):
        anvl.load(file(POWER), "min")
    with pytest.raises(ValueError, match="@main is declared, but has no body"):
        anvl.load(file("func.func private @main(tensor<f32>) -> tensor<f32>"))
    with pytest.raises(FileNotFoundError, match=r"load: No such file.*'no/such/file.mlir'"):
        anvl.load("no/such/file.mlir")
