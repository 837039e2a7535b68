"""Running programs from files: what arguments take, what executors give, what comparing finds."""

import ml_dtypes
import numpy as np
import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.types import DTYPES
from anvl.dialect.text.parsing import parsed
from anvl.dialect.text.value_names import keep_names
from anvl.tools.run.compare import compared, compared_arrays, tolerance
from anvl.tools.run.entry import lowered
from anvl.tools.run.executors import ExecutionFailed, execute, measure
from anvl.tools.run.inputs import InvalidInput, chosen, literal, load_npy, load_npz, of_npz


def program(text, function="main"):
    module = parsed(text, "text", context())
    keep_names(module, text)
    return lowered(module, function)


def identity(type_):
    return program(f"func.func @main(%x: {type_}) -> {type_} {{ return %x : {type_} }}")


SHAPES = program(
    "func.func @f(%x: tensor<2x3xf32>, %n: tensor<i32>, %ok: tensor<2xi1>, "
    '%z: tensor<complex<f32>>) -> tensor<2x3xf32> {\n  %y = "anvl.sin"(%x) : (tensor<2x3xf32>) -> '
    "tensor<2x3xf32>\n  return %y : tensor<2x3xf32>\n}",
    "f",
)
X, N, OK, Z = SHAPES.arguments


# -- arguments -------------------------------------------------------------------------------------


def test_arguments_have_the_names_and_types_of_the_text():
    assert [x.name for x in SHAPES.arguments] == ["x", "n", "ok", "z"]
    assert [x.type for x in SHAPES.arguments][:3] == [
        "tensor<2x3xf32>",
        "tensor<i32>",
        "tensor<2xi1>",
    ]
    assert str(X) == "0 (%x: tensor<2x3xf32>)"
    assert SHAPES.results[0].shape == (2, 3)
    assert SHAPES.captured == ()


@pytest.mark.parametrize(
    ("value", "of", "wanted"),
    [
        (1, X, np.ones((2, 3), "f4")),
        ("nan", X, np.full((2, 3), np.nan, "f4")),
        (float("inf"), X, np.full((2, 3), np.inf, "f4")),
        ([[1, 2, 3], [4, 5, "-inf"]], X, np.array([[1, 2, 3], [4, 5, -np.inf]], "f4")),
        (3.0, N, np.array(3, "i4")),
        ([True, 0], OK, np.array([True, False])),
        ("1-2j", Z, np.array(1 - 2j, "c8")),
    ],
)  # fmt: skip
def test_literals(value, of, wanted):
    found = literal(value, of)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("value", "of", "message"),
    [
        (2.5, N, "2.5 does not fit argument 1 (%n: tensor<i32>)"),
        ("nan", N, "nan does not fit argument 1 (%n: tensor<i32>)"),
        (2**31, N, "2147483648 does not fit argument 1 (%n: tensor<i32>)"),
        (10**30, N, "does not fit argument 1 (%n: tensor<i32>)"),
        ([2, 0], OK, "[2, 0] does not fit argument 2 (%ok: tensor<2xi1>)"),
        ("1+2j", X, "1+2j does not fit argument 0 (%x: tensor<2x3xf32>)"),
        ("one", X, "one does not fit argument 0"),
        ([1, 2], X, "[1, 2] has shape [2], argument 0 (%x: tensor<2x3xf32>) has shape [2, 3]"),
        ([1, [2]], X, "[1, [2]] is not an array for argument 0"),
        ({"a": 1}, X, "{'a': 1} is not an array for argument 0"),
        (None, X, "None is not an array for argument 0"),
    ],
)
def test_literals_that_do_not_fit(value, of, message):
    with pytest.raises(InvalidInput) as said:
        literal(value, of)
    assert message in str(said.value)


def test_random_inputs_are_the_same_for_a_seed_and_fill_what_is_not_given():
    first = chosen(SHAPES.arguments, {}, seed=1)
    again = chosen(SHAPES.arguments, {1: np.array(9, "i4")}, seed=1)
    assert again[1] == 9 and first[1] != 9
    for i in (0, 2, 3):
        np.testing.assert_array_equal(first[i], again[i])
    assert np.any(first[0] != chosen(SHAPES.arguments, {}, seed=2)[0])
    assert np.abs(first[0]).max() <= 1
    with pytest.raises(InvalidInput, match=r"no value for argument 0 \(%x: tensor<2x3xf32>\), 2"):
        chosen(SHAPES.arguments, {1: again[1], 3: again[3]})


def test_files(tmp_path):
    x = np.arange(6, dtype="f4").reshape(2, 3)
    np.save(tmp_path / "x.npy", x)
    np.testing.assert_array_equal(load_npy(str(tmp_path / "x.npy"), X), x)
    np.save(tmp_path / "big.npy", x.astype(">f4"))
    np.testing.assert_array_equal(load_npy(str(tmp_path / "big.npy"), X), x)
    np.savez(tmp_path / "all.npz", x=x, arg1=np.array(2, "i4"), arr_2=np.array([True, False]))
    arrays = load_npz(str(tmp_path / "all.npz"))
    assert [of_npz(arrays, of, "all.npz").shape for of in (X, N, OK)] == [(2, 3), (), (2,)]
    with pytest.raises(InvalidInput, match=r"no array 'z' for argument 3 .*; it has 'x', "):
        of_npz(arrays, Z, "all.npz")
    half = identity("tensor<2xbf16>").arguments[0]
    np.save(tmp_path / "half.npy", np.array([1, 2], ml_dtypes.bfloat16))
    assert load_npy(str(tmp_path / "half.npy"), half).tolist() == [1, 2]


def test_files_that_are_refused(tmp_path):
    def refused(name, of=X):
        with pytest.raises(InvalidInput) as said:
            load_npy(str(tmp_path / name), of)
        return str(said.value).removeprefix(str(tmp_path))

    np.save(tmp_path / "wide.npy", np.zeros((2, 3)))
    assert refused("wide.npy") == (
        "/wide.npy: is tensor<2x3xf64>, argument 0 (%x: tensor<2x3xf32>) is not"
    )
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    assert "/objects.npy: holds Python objects, which are not read" in refused("objects.npy")
    (tmp_path / "cut.npy").write_bytes((tmp_path / "wide.npy").read_bytes()[:150])
    assert "/cut.npy: not an .npy or .npz file that can be read" in refused("cut.npy")
    (tmp_path / "none.npz").write_bytes(b"PK\x03\x04 no zip")
    assert "/none.npz: not an .npy or .npz file that can be read" in refused("none.npz")
    assert refused("missing.npy") == "/missing.npy: cannot read the file, No such file or directory"
    np.savez(tmp_path / "all.npz", x=np.zeros(2))
    assert "holds several arrays; give it as --inputs=" in refused("all.npz")


def test_functions_that_cannot_be_run():
    text = "func.func @loss(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
    with pytest.raises(PassError, match=r"no function @los, did you mean '@loss'.; there"):
        program(text, "los")
    with pytest.raises(PassError, match="@g has no body; give it one, or run another function"):
        program("func.func private @g(tensor<f32>) -> tensor<f32>", "g")
    with pytest.raises(PassError, match=r"argument 0: tensor<.xf32> has no static shape"):
        program("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }")


# -- executors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("executor", ["plugin", "interpreter"])
def test_executors_return_what_they_are_given_in_every_dtype(executor):
    for row in DTYPES.values():
        f = identity(f"tensor<2x{row.mlir}>")
        (x,) = chosen(f.arguments, {}, seed=0)
        if executor == "interpreter" and row.name in ("i4", "ui4", "f8E4M3FN", "f8E5M2"):
            with pytest.raises(ExecutionFailed, match="takes and returns no tensor<2x"):
                execute(f, [x], executor)
            continue
        (y,) = execute(f, [x], executor)
        assert (y.dtype, y.tolist()) == (x.dtype, x.tolist()), row.name


def test_the_plugin_is_measured():
    x = np.arange(6, dtype="f4").reshape(2, 3)
    found = measure(SHAPES, chosen(SHAPES.arguments, {0: x}, seed=0), 3)
    np.testing.assert_allclose(found.results[0], np.sin(x), rtol=1e-5)
    assert len(found.seconds) == 3 and min(found.seconds) > 0
    assert found.memory["argument_size_in_bytes"] >= 24
    assert found.cost["bytes accessed"] > 0


TOP_K = """
func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @TopK(%x) : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}"""


def test_a_program_that_ends_the_process_is_an_error_and_the_next_one_runs():
    with pytest.raises(
        ExecutionFailed, match="plugin: @main: compiling ended the process with SIG"
    ):
        execute(program(TOP_K), [np.zeros(4, "f4")])
    assert execute(identity("tensor<f32>"), [np.array(2, "f4")])[0] == 2
    with pytest.raises(ExecutionFailed, match=r"interpreter lacks stablehlo.custom_call"):
        execute(program(TOP_K), [np.zeros(4, "f4")], "interpreter")


FOREVER = """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.while(%a = %x) : tensor<f32>
    cond { %t = stablehlo.compare GE, %a, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1> }
    do { %b = stablehlo.add %a, %one : tensor<f32>
      stablehlo.return %b : tensor<f32> }
  return %0 : tensor<f32>
}"""


@pytest.mark.sweep(keep=0)
@pytest.mark.parametrize(
    ("executor", "message"),
    [
        ("plugin", "plugin: @main: running took longer than 1 s"),
        ("interpreter", "interpreter: @main: took longer than 1 s"),
    ],
)
def test_a_program_that_does_not_end_is_ended(executor, message):
    execute(identity("tensor<f32>"), [np.array(2, "f4")], executor)  # it has started
    with pytest.raises(ExecutionFailed, match=message):
        execute(program(FOREVER), [np.array(1, "f4")], executor, seconds=1.0)


# -- comparing -------------------------------------------------------------------------------------


def test_equal_results_are_close_with_nan_and_infinities():
    x = np.array([np.nan, np.inf, -np.inf, 0.0, 1.0], "f4")
    found = compared_arrays(x, x.copy(), rtol=0.0, atol=0.0)
    assert found.is_close and found.worst is None
    assert str(found) == "tensor<5xf32>: equal"
    z = np.array([complex(np.nan, 1), complex(np.inf, 0)])
    assert compared_arrays(z, z.copy()).worst is None


@pytest.mark.parametrize(
    ("x", "y"),
    [(np.nan, 1.0), (1.0, np.nan), (np.inf, -np.inf), (3.0, np.inf), (np.inf, 3.0)],
)
def test_nan_and_infinities_are_close_to_themselves_alone(x, y):
    found = compared_arrays(np.array([0, x]), np.array([0, y]))
    assert not found.is_close and found.differing == 1
    assert found.worst.index == (1,) and found.worst.absolute == np.inf


def test_zeros_of_both_signs_are_equal_unless_the_tolerances_are_zero():
    x, y = np.array([0.0]), np.array([-0.0])
    assert compared_arrays(x, y).worst is None
    exact = compared_arrays(x, y, rtol=0.0, atol=0.0)
    assert not exact.is_close and exact.worst.ulps == 0


def test_the_worst_element_is_reported():
    wanted = np.array([[1.0, 100.0], [1e-3, 2.0]], "f4")
    found = wanted + np.array([[0, 0.01], [0.0005, 0.004]], "f4")
    report = compared_arrays(found, wanted)
    assert report.differing == 2
    assert report.worst.index == (1, 1)  # 0.01 of 100 is within, 0.0005 of 0.001 is less above
    np.testing.assert_allclose([report.worst.absolute, report.worst.relative], [0.004, 0.002], 1e-3)
    steps = round(0.004 / 2.0**-22)
    assert abs(report.worst.ulps - steps) <= 1
    assert "2 of 4 elements differ; the worst at [1, 1] 2.004 and 2.0, absolute" in str(report)
    assert compared_arrays(found, wanted, rtol=1.0).is_close
    assert compared_arrays(found, wanted, atol=0.0).differing == 2


def test_ulps_count_over_zero_and_in_each_dtype():
    tiny = np.array([np.nextafter(np.float32(0), np.float32(1))])
    assert compared_arrays(tiny, -tiny).worst.ulps == 2
    for dtype in ("f2", "f8", ml_dtypes.bfloat16):
        one = np.ones(1, dtype)
        next_ = (one.view(f"u{one.itemsize}") + 1).view(dtype)
        assert compared_arrays(next_, one).worst.ulps == 1
    z = np.array([1 + 1j])
    assert compared_arrays(z + 2.0**-52 * 3j, z).worst.ulps == 3


def test_each_part_of_a_complex_number_counts():
    found = compared_arrays(np.array([1e9 + 1e-3j]), np.array([1e9 + 0j]))
    assert not found.is_close


def test_integers_and_bools_must_be_equal():
    x = np.array([1, 2**62], "i8")
    assert compared_arrays(x, x.copy(), rtol=1.0).is_close
    found = compared_arrays(x, x + np.array([0, 1]), rtol=1.0, atol=1.0)
    assert found.differing == 1 and found.worst.index == (1,)
    assert not compared_arrays(np.array([True]), np.array([False]), atol=2.0).is_close


def test_types_must_agree_but_for_the_width_of_floats():
    wide, narrow = np.array([1.0]), np.array([1.00001], "f4")
    assert compared_arrays(narrow, wide).is_close
    assert compared_arrays(narrow, wide).rtol == tolerance(narrow.dtype) > tolerance(wide.dtype)
    for other in (np.array([1]), np.array(1.0), np.array([1 + 0j])):
        assert "types differ: tensor<1xf64> and tensor<" in str(compared_arrays(wide, other))
    with pytest.raises(ValueError, match="zip"):
        compared([wide], [])


def test_tolerances_follow_from_the_dtype():
    half = ml_dtypes.bfloat16
    named = [tolerance(np.dtype(x)) for x in ("f8", "f4", "f2", half, "i4", "?")]
    np.testing.assert_allclose(named, [1.1e-12, 3.5e-4, 3.1e-2, 8.8e-2, 0, 0], 0.05)
