"""`from_stablehlo`: what JAX 0.10.2 writes, word for word, in `jax_programs`; numbers are JAX's."""

from contextlib import suppress
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from tolerances import FORMULA, ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.artifacts import MAGIC
from anvl.dialect.text.shardy import NotPlacement, placement_remark, without_shardy
from anvl.dialect.text.shardy_bytecode import _unit, numbered

TEXTS = Path(__file__).parent / "jax_programs"
X = np.linspace(-1, 1, 6)
#: By name: the function of jax.numpy, its arguments, and the same function of NumPy.
PROGRAMS = {
    # lambda x: jnp.sum(jnp.real(jnp.exp((1 + 2j) * x)) * x)
    "exp_complex": ((X,), lambda x: np.sum(np.real(np.exp((1 + 2j) * x)) * x)),
    # lambda x: jnp.sum(jnp.fft.irfft(jnp.exp(1j * x)) ** 2)
    "irfft": ((X,), lambda x: np.sum(np.fft.irfft(np.exp(1j * x)) ** 2)),
    # jnp.interp
    "interp": ((np.array([0.1, -0.55, 2.0]), X, X**2), np.interp),
    # jnp.searchsorted
    "searchsorted": ((X, np.array([0.1, -0.5, 2.0, np.nan])), np.searchsorted),
    # lambda x: jnp.sum(jnp.sort(x) * jnp.arange(6))
    "sort": ((X[::-1].copy(),), lambda x: np.sum(np.sort(x) * np.arange(6))),
    # jnp.linalg.cholesky
    "cholesky": (
        (np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]]),),
        lambda x: np.linalg.cholesky((x + x.T) / 2),
    ),
    # lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "VALID", precision=("highest", "default"),
    #     dimension_numbers=("NHWC", "HWIO", "NHWC")), by jax.export: without attributes of windows
    "convolved": (
        (np.linspace(-1, 1, 32).reshape(1, 4, 4, 2), np.linspace(0, 2, 36).reshape(3, 3, 2, 2)),
        lambda x, k: np.einsum("nhwcij,ijco->nhwo", sliding_window_view(x, (3, 3), (1, 2)), k),
    ),
    # lambda x: jnp.abs(jnp.sum(jnp.exp(1j * x) * x))
    "complex_sum": ((X,), lambda x: np.abs(np.sum(np.exp(1j * x) * x))),
    # lambda x: 2 * lax.psum(set_xla_metadata(jnp.sin(x), note="1"), "data"), in a shard_map
    "one_device": ((X,), lambda x: 2 * np.sin(x)),
    # lambda x: jnp.sin(lax.with_sharding_constraint(x * 2, NamedSharding(mesh, P("x")))) * 3
    "sharded": ((X,), lambda x: np.sin(2 * x) * 3),
}
#: jax.grad of "exp_complex", and of the sum of "interp" by its first and last argument.
JAX_EXP = [
    -0.6690236584785244, -0.5342702139736251, 0.47574925993629313,
    1.159729071261067, -0.9815289264488274, -7.205862111523265,
]  # fmt: skip
JAX_INTERP = [0.0, -0.8, 0.0], [0.0, 0.875, 0.375, 0.75, 0.0, 1.0]
SMOOTH = [name for name in PROGRAMS if name != "searchsorted"]


def imported(name):
    return anvl.from_stablehlo((TEXTS / f"{name}.mlir").read_text())


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name):
    args, f = PROGRAMS[name]
    np.testing.assert_allclose(
        np.asarray(imported(name)(*args)), f(*args), rtol=rounding(PROGRAM), atol=rounding(FORMULA)
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_batched(name):
    args, f = PROGRAMS[name]
    found = anvl.vmap(imported(name))(*[np.stack([x, x]) for x in args])
    np.testing.assert_allclose(
        np.asarray(found), np.stack([f(*args)] * 2), rtol=rounding(PROGRAM), atol=rounding(FORMULA)
    )


@pytest.mark.parametrize("name", SMOOTH)
def test_tangents(name):
    args, f = PROGRAMS[name]
    directions = [np.random.default_rng(i).normal(size=x.shape) for i, x in enumerate(args)]
    _, found = anvl.jvp(imported(name), args, tuple(directions))
    sides = [f(*[x + h * d for x, d in zip(args, directions, strict=True)]) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(np.asarray(found), (sides[0] - sides[1]) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("name", SMOOTH)
def test_gradients(name):
    args, _ = PROGRAMS[name]
    f = imported(name)
    of_all = tuple(range(len(args)))
    found = anvl.grad(lambda *xs: anp.sum(f(*xs)), wrt=of_all)(*args)
    directions = [np.random.default_rng(i).normal(size=x.shape) for i, x in enumerate(args)]
    _, tangent = anvl.jvp(f, args, tuple(directions))
    along = sum(np.sum(np.asarray(g) * d) for g, d in zip(found, directions, strict=True))
    np.testing.assert_allclose(along, np.sum(np.asarray(tangent)), rtol=rounding(ITERATION))


def test_gradients_as_jax_has_them():
    found = anvl.grad(imported("exp_complex"))(X)
    np.testing.assert_allclose(np.asarray(found), JAX_EXP, rtol=rounding(PROGRAM))
    xs = PROGRAMS["interp"][0]
    f = imported("interp")
    found = anvl.grad(lambda *xs: anp.sum(f(*xs)), wrt=(0, 2))(*xs)
    for g, expected in zip(found, JAX_INTERP, strict=True):
        np.testing.assert_allclose(
            np.asarray(g), expected, rtol=rounding(PROGRAM), atol=rounding(FORMULA)
        )


# -- complex constants -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_", "written", "value"),
    [
        ("complex<f32>", "dense<(1.0,2.0)>", 1 + 2j),
        ("complex<f64>", "dense<(1.0,-2.0)>", 1 - 2j),
        ("2xcomplex<f32>", "dense<(0.5,0.0)>", 0.5),
        ("2xcomplex<f64>", "dense<[(0.1,2.0), (3.0,4.0)]>", np.array([0.1 + 2j, 3 + 4j])),
    ],
)
def test_complex_constants(type_, written, value):
    of = f"tensor<{type_}>"
    f = anvl.from_stablehlo(
        f"func.func @main(%x: {of}) -> {of} {{\n  %c = stablehlo.constant {written} : {of}\n"
        f"  %0 = stablehlo.multiply %x, %c : {of}\n  return %0 : {of}\n}}"
    )
    dtype = "complex64" if "f32" in type_ else "complex128"
    x = np.full((2,) if type_[0] == "2" else (), 3 - 1j, dtype)
    assert f(x).dtype == dtype
    np.testing.assert_allclose(np.asarray(f(x)), (x * value).astype(dtype), rtol=1e-6)
    np.testing.assert_allclose(
        np.asarray(anvl.vmap(f)(np.stack([x, 2 * x]))[1]), (2 * x * value).astype(dtype), rtol=1e-6
    )


@pytest.mark.parametrize(
    ("op", "name"),
    [
        ("sine %x", "call_target_name"),
        ("sine %x", "my.own"),
        ("custom_call @Sharding(%x)", "my.own"),
        ("custom_call @Sharding(%x)", "mhlo.backend_config"),
    ],
)
def test_complex_attributes_of_other_ops(op, name):
    type_ = "(tensor<f32>) -> tensor<f32>"
    f = anvl.from_stablehlo(
        "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
        f"  %0 = stablehlo.{op} {{{name} = dense<(1.0, 2.0)> : tensor<complex<f32>>}} : {type_}\n"
        "  return %0 : tensor<f32>\n}"
    )
    np.testing.assert_allclose(float(f(1.0)), 1.0 if op[0] == "c" else np.sin(1.0), rtol=1e-6)


# -- the total order of floats ---------------------------------------------------------------------


def in_order(dtype):
    nan = np.array(np.nan, dtype)
    first, last = (np.copysign(nan, np.array(side, dtype)) for side in (-1, 1))
    return np.array([first, -np.inf, -2.5, -1e-2, -0.0, 0.0, 1e-2, 2.5, np.inf, last], dtype)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("f16", np.float16), ("bf16", ml_dtypes.bfloat16), ("f32", np.float32), ("f64", np.float64),
    ],
)  # fmt: skip
@pytest.mark.parametrize("direction", ["LT", "LE", "EQ", "NE", "GE", "GT"])
def test_total_order(name, dtype, direction):
    values = in_order(dtype)
    assert list(np.signbit(values)) == [True] * 5 + [False] * 5
    n = len(values)
    i, j = (k.ravel() for k in np.indices((n, n)))
    of = f"tensor<{n * n}x{name}>"
    f = anvl.from_stablehlo(
        f"func.func @main(%x: {of}, %y: {of}) -> tensor<{n * n}xi1> {{\n"
        f"  %0 = stablehlo.compare {direction}, %x, %y, TOTALORDER"
        f" : ({of}, {of}) -> tensor<{n * n}xi1>\n  return %0 : tensor<{n * n}xi1>\n}}"
    )
    numpy_has = {"LT": np.less, "LE": np.less_equal, "EQ": np.equal, "NE": np.not_equal,
                 "GE": np.greater_equal, "GT": np.greater}  # fmt: skip
    found = f(values[i], values[j])
    np.testing.assert_array_equal(np.asarray(found), numpy_has[direction](i, j))


# -- what lies where -------------------------------------------------------------------------------


def test_shardy_is_left_out_and_the_rest_stays_where_it_was():
    text = """\
sdy.mesh @m = <["x"=2,
   "y>"=3]> {a = "}"} loc(#l)
func.func @f(%x: t {sdy.sharding = #sdy.sharding<@m, [{"x"}]->(x)>}) // #sdy.b<
"#sdy.x<1>" sdy.meshes
%0 = sdy.sharding_constraint %x#1 <@mesh, [{"x"}]> : t
#a = #sdy.op<([i])->([j]) {i=3}, custom>, 4
"""
    found, dropped = without_shardy(text)
    assert dropped == {"mesh": 1, "sharding": 2, "constraint": 1}
    assert placement_remark(dropped).endswith(": 1 mesh, 2 shardings, 1 constraint")
    assert [line.split() for line in found.split("\n")] == [
        [], [],
        ["func.func", "@f(%x:", "t", "{sdy.sharding", "=", "unit", "})", "//", "#sdy.b<"],
        ['"#sdy.x<1>"', "sdy.meshes"],
        ["%0", "=", "stablehlo.convert", "%x#1", ":", "t"],
        ["#a", "=", "unit", ",", "4"],
        [],
    ]  # fmt: skip
    assert found.split("\n")[5].index(",") == text.split("\n")[5].rindex(",")


def test_shardings_by_known_meshes_are_kept_as_strings():
    text = """\
sdy.mesh @m = <["x"=2]>
func.func @f(%x: tensor<2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
%0 = sdy.sharding_constraint %x <@m, [{?}]> : tensor<2xcomplex<f32>> // here
"""
    found, dropped = without_shardy(text)
    assert dropped == {} and placement_remark(dropped) == ""
    lines = found.split("\n")
    inline = r"mesh<[\22x\22=2]>"
    assert f'{{xla.sdy.sharding = "#sdy.sharding<{inline}, [{{\\22x\\22}}]>"}}}}) {{' in lines[1]
    of = "tensor<2xcomplex<f32>>"
    assert lines[2].startswith("%0 = stablehlo.custom_call @Sharding(%x) {mhlo.frontend_attributes")
    assert lines[2].endswith(f'[{{?}}]>]>"}}}} : ({of}) -> {of} // here')


def test_a_placement_without_a_form_is_ignored_with_a_warning():
    text = (TEXTS / "sharded.mlir").read_text().replace('"x"', '"an x"')
    with pytest.warns(UserWarning, match="ignored: 1 mesh, .*; the program runs on one device"):
        anvl.from_stablehlo(text)


def test_text_that_breaks_off_stays():
    for text in ("#sdy.x<(", 'sdy.mesh @m = <["x"', "sdy.mesh @m = <>{"):
        assert without_shardy(text)[0].rstrip() in (text, "")


def test_other_ops_of_shardy_are_refused():
    text = "module {\n  sdy.mesh @m = <[]>\n  sdy.manual_computation(%x)\n}"
    message = "line 3: sdy.manual_computation divides the computation among devices, in"
    with pytest.raises(ValueError, match=message):
        anvl.from_stablehlo(text)
    with pytest.raises(NotPlacement):
        without_shardy("%0 = sdy.all_gather [{}] %x out_sharding=<@m, [{}]> : tensor<2xf32>")


def test_ops_that_say_where_they_lie_are_lifted():
    text = """func.func @main(%x: tensor<f64>) -> tensor<f64> {
      %0 = stablehlo.sine %x {sdy.sharding = #sdy.sharding<@m, []>} : tensor<f64>
      return %0 : tensor<f64>
    }"""
    with pytest.warns(UserWarning, match=r"\(Shardy\) is ignored: 1 sharding; ") as said:
        f = anvl.from_stablehlo(text)
    assert float(anvl.grad(f)(0.0)) == 1.0
    assert said[0].filename == __file__


# jax.export of `jnp.linalg.solve`, as bytes: rules of routines are in Shardy's own encoding
SOLVE = (TEXTS / "solve.mlirbc").read_bytes()


@pytest.mark.sweep(keep=0)
def test_artifacts_are_read():
    a, b = np.diag([3.0, 2, 1]) + 0.5, np.arange(6.0).reshape(3, 2)
    found = anvl.from_stablehlo(SOLVE)(a, b)
    np.testing.assert_allclose(np.asarray(found), np.linalg.solve(a, b), rtol=rounding(PROGRAM))


@pytest.mark.sweep(keep=0)
def test_malformed_artifacts_are_refused():
    with pytest.raises(ValueError, match=r"not a StableHLO module.*: malformed bytecode"):
        anvl.from_stablehlo(SOLVE[:900])


def test_attributes_of_shardy_become_text_or_the_bytes_stay():
    """As many bytes come back, whichever byte is another or the last."""
    content = (Path(__file__).parents[2] / "lit/tools/Inputs/sharded.mlirbc").read_bytes()
    assert numbered(SOLVE).content.count(b"unit") > SOLVE.count(b"unit")
    for size in range(2, 9):
        ir.Attribute.parse(_unit(size)[:-1].decode(), context())
    for at in range(len(MAGIC), len(content)):
        changed = bytearray(content)
        changed[at] ^= 255
        for found in (bytes(changed), content[:at]):
            with suppress(IndexError, ValueError):
                assert len(numbered(found).content) == len(found)


# -- what does not work ----------------------------------------------------------------------------


def test_routines_are_named_where_a_derivative_is_asked_for():
    text = (TEXTS / "cholesky.mlir").read_text().replace("lapack_dpotrf_ffi", "lapack_dgehrd_ffi")
    with pytest.raises(anvl.MissingRule, match="no derivative of the routine 'lapack_dgehrd_ffi'"):
        anvl.grad(lambda x: anp.sum(anvl.from_stablehlo(text)(x)))(np.eye(3))


def test_callbacks_of_jax_are_refused():
    refused = r"calls 'xla_ffi_python_cpu_callback': a Python function"
    with pytest.warns(UserWarning, match="1 sharding"), pytest.raises(ValueError, match=refused):
        imported("callback")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\ud800", r"line 1 has the character '\\ud800', which no text of MLIR has"),
        ("module {\n\0}", r"line 2 has the character '\\x00'"),
    ],
)
def test_characters_that_mlir_has_not(text, message):
    with pytest.raises(ValueError, match=message):
        anvl.from_stablehlo(text)


LOOP = """
func.func @main(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %n = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<2x2xf64>
  cond {
    %m = stablehlo.constant dense<3> : tensor<i32>
    %c = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %s = stablehlo.constant dense<2> : tensor<2xi64>
    %j = stablehlo.add %i, %one : tensor<i32>
    %z = stablehlo.dynamic_reshape %y, %s : (tensor<2x2xf64>, tensor<2xi64>) -> tensor<2x2xf64>
    stablehlo.return %j, %z : tensor<i32>, tensor<2x2xf64>
  }
  return %0#1 : tensor<2x2xf64>
}
"""


def test_what_cannot_be_batched_in_a_loop_is_named():
    f = anvl.from_stablehlo(LOOP)
    assert float(f(np.eye(2))[0, 0]) == 1.0
    message = r"stablehlo\.dynamic_reshape at .*:13:10 cannot be batched: its dialect has no batch"
    with pytest.raises(anvl.MissingRule, match=message):
        anvl.vmap(f)(np.stack([np.eye(2)] * 3))
