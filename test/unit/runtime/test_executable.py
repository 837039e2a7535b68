"""Compiling and running: what is checked, and what errors say."""

import threading

import numpy as np
import pytest

import anvl.runtime as rt

ADD = """
func.func @main(%a: tensor<3x2xf32>, %b: tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>) {
  %c = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
  %d = stablehlo.add %a, %c : tensor<3x2xf32>
  return %d, %b : tensor<3x2xf32>, tensor<2xf32>
}
"""
NAMES = ["params['w']", "params['b']"]


def f32(*shape: int, placement=None) -> rt.Array:
    return rt.put(np.ones(shape, np.float32), placement)


@pytest.fixture(scope="module")
def add():
    return rt.compile(ADD, argument_names=NAMES)


def identity(kind: str) -> str:
    return f"func.func @main(%x: tensor<{kind}>) -> tensor<{kind}> {{ return %x : tensor<{kind}> }}"


# compiling


def test_the_types_are_read_back_from_what_was_compiled(add):
    assert repr(add) == (
        "<Executable (f32[3,2], f32[2]) -> (f32[3,2], f32[2]) on <CpuDevice(id=0)>>"
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("i1", "bool[]"),
        ("2xi4", "i4[2]"),
        ("2xui8", "ui8[2]"),
        ("2xi64", "i64[2]"),
        ("0x3xbf16", "bf16[0,3]"),
        ("2xf64", "f64[2]"),
        ("2xcomplex<f32>", "complex64[2]"),
        ("2xf8E4M3FN", "f8E4M3FN[2]"),
        ("2xf8E5M2FNUZ", "f8E5M2FNUZ[2]"),
        ("2xf8E8M0FNU", "f8E8M0FNU[2]"),
        ("2xf4E2M1FN", "f4E2M1FN[2]"),
    ],
)
def test_every_dtype_is_read_back(kind, text):
    program = rt.compile(identity(kind))
    assert repr(program.arg_types) == repr(program.out_types) == f"({text},)"


def test_many_types_are_read_back_in_order():
    # XLA puts comments between the types of long lists.
    names = [f"%a{i}: tensor<{i + 1}xi8>" for i in range(30)]
    program = rt.compile(f"func.func @main({', '.join(names)}) {{ return }}")
    assert [kind.shape for kind in program.arg_types] == [(i + 1,) for i in range(30)]
    assert program.out_types == ()
    assert program.execute([rt.put(np.ones(i + 1, np.int8)) for i in range(30)]) == []


def test_text_may_be_bytes_and_given_types_are_kept():
    weak = rt.array_type((2,), "float32", weak_type=True)
    program = rt.compile(identity("2xf32").encode(), arg_types=[weak], out_types=[weak])
    assert program.execute([f32(2)])[0].weak_type


def test_results_carry_no_weakness_unless_asked(add):
    weak = rt.put(f32(2), weak_type=True)
    assert not any(result.weak_type for result in add.execute([f32(3, 2), weak]))


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("", "compile: MLIR module must have a main function"),
        ("nonsense", "compile: line 1, column 1: custom op 'nonsense' is unknown"),
        (b"ML\xefRnonsense", "compile: "),
        (
            identity("2xf32").replace("-> tensor<2xf32>", "-> tensor<3xf32>"),
            "compile: line 1, column .*doesn't match function result type",
        ),
    ],
    ids=["empty", "text", "bytes", "type"],
)
def test_an_invalid_program_is_refused_in_one_line(program, message):
    with pytest.raises(rt.RuntimeFailure, match=message) as caught:
        rt.compile(program)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"options": {"nonsense": 1}}, ValueError, "No such compile option: 'nonsense'"),
        (
            {"options": {"xla_backend_optimization_level": "high"}},
            ValueError,
            "'high' is not a valid int32",
        ),
        (
            {"options": {"xla_backend_optimization_level": [1]}},
            TypeError,
            r"must be a number, bool or text, got \[1\]",
        ),
        ({"arg_types": ()}, ValueError, "program takes 1 arguments, arg_types has 0"),
        ({"out_types": ()}, ValueError, "program has 1 results, out_types has 0"),
        ({"argument_names": "ab"}, ValueError, "takes 1 arguments, argument_names has 2"),
    ],
)
def test_wrong_settings_are_refused(arguments, error, message):
    with pytest.raises(error, match=f"compile: .*{message}"):
        rt.compile(identity("2xf32"), **arguments)


def test_a_program_must_be_text_or_bytes():
    with pytest.raises(TypeError, match="compile: program must be text or bytes, got int"):
        rt.compile(3)


def test_a_result_larger_than_the_memory_is_refused():
    huge = [rt.array_type((2**40,), "float32")]
    with pytest.raises(MemoryError, match=r"compile: result 0: f32\[1099511627776\] needs"):
        rt.compile(identity("2xf32"), out_types=huge)


def test_options_reach_the_compiler():
    program = rt.compile(identity("2xf32"), options={"xla_backend_optimization_level": 0})
    assert program.execute([f32(2)])[0].tolist() == [1, 1]


def test_an_executable_can_be_inspected(add):
    assert add.hlo_text().startswith("HloModule main")
    assert add.memory_stats()["output_size_in_bytes"] >= 32
    assert add.cost_analysis()["flops"] == 6


# running


def test_a_program_runs(add):
    first, second = add.execute([f32(3, 2), f32(2)])
    assert first.aval is rt.array_type((3, 2), "float32")
    assert (first.tolist(), second.tolist()) == ([[2, 2]] * 3, [1, 1])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (lambda: [f32(3, 2)], r"program takes 2 arguments \(params\['w'\], params\['b'\]\), got 1"),
        (
            lambda: [f32(2, 3), f32(2)],
            r"argument params\['w'\]: expected f32\[3,2\] on <CpuDevice\(id=0\)>, got f32\[2,3\]$",
        ),
        (
            lambda: [f32(3, 2), rt.put(np.ones(2, np.int32))],
            r"argument params\['b'\]: expected f32\[2\] on <CpuDevice\(id=0\)>, got i32\[2\]$",
        ),
        (lambda: [f32(3, 2), np.ones(2)], r"params\['b'\]: .* got ndarray; convert it with put"),
        (
            lambda: [f32(3, 2), f32(2, placement=rt.cpu_client(2).devices[1].placement)],
            r"got f32\[2\] on <CpuDevice\(id=1\)>; move it with put",
        ),
    ],
    ids=["number", "shape", "dtype", "kind", "placement"],
)
def test_wrong_arguments_are_refused_by_name(add, args, message):
    with pytest.raises(TypeError, match=f"execute: .*{message}"):
        add.execute(args())


def test_a_deleted_argument_is_refused_by_name(add):
    gone = f32(2)
    gone.delete()
    with pytest.raises(rt.RuntimeFailure, match=r"argument params\['b'\]: .* deleted or donated"):
        add.execute([f32(3, 2), gone])


def test_a_donated_argument_is_gone():
    program = rt.compile(
        "func.func @main(%x: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32> {"
        "  %y = stablehlo.add %x, %x : tensor<2xf32>\n  return %y : tensor<2xf32> }"
    )
    x = f32(2)
    assert program.execute([x])[0].tolist() == [2, 2]
    assert x.is_deleted()
    with pytest.raises(rt.RuntimeFailure, match=r"argument 0: .* was deleted or donated"):
        program.execute([x])


def test_a_program_runs_where_it_was_placed():
    place = rt.cpu_client(2).devices[1].placement
    (result,) = rt.compile(identity("2xf32"), place).execute([f32(2, placement=place)])
    assert result.device is place.devices[0]
    assert result.tolist() == [1, 1]


def test_a_failure_while_running_is_said_in_one_line(monkeypatch):
    monkeypatch.setattr(rt.default_client(), "memory_bytes", None)  # let it fail by itself
    too_large = rt.compile(
        "func.func @main(%x: tensor<f32>) -> tensor<70368744177664xf32> {"
        "  %y = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> "
        "tensor<70368744177664xf32>\n return %y : tensor<70368744177664xf32> }"
    )
    with pytest.raises(rt.RuntimeFailure, match="Out of memory") as caught:
        too_large.execute([f32()])[0].block_until_ready()
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is not None


def test_threads_run_programs_at_the_same_time():
    program = rt.compile(
        "func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {"
        "  %y = stablehlo.dot %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>"
        "\n  return %y : tensor<64x64xf32> }"
    )
    results: dict[int, list[float]] = {}

    def work(n: int) -> None:
        x = rt.put(np.full((64, 64), n, np.float32))
        results[n] = [float(program.execute([x])[0].numpy()[0, 0]) for _ in range(50)]

    threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {1: [64.0] * 50, 2: [256.0] * 50}


def test_lapack_is_there_for_programs_that_name_it():
    matrix = np.array([[4.0, 2.0], [2.0, 3.0]], np.float32)
    program = rt.compile("""
      func.func @main(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>) {
        %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {
          api_version = 4 : i32, backend_config = {uplo = 76 : ui8},
          operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
          result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]
        } : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
        return %0#0, %0#1 : tensor<2x2xf32>, tensor<i32>
      }""")
    factor, info = program.execute([rt.put(matrix)])
    assert info.item() == 0
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(matrix), rtol=1e-6)


# entries


def test_constants_of_an_entry_are_checked(add):
    with pytest.raises(TypeError, match=r"argument params\['w'\]: expected f32\[3,2\]"):
        add.entry(constants=[f32(2)])
    with pytest.raises(TypeError, match="entry: program takes 2 arguments, got 3 constants"):
        add.entry(constants=[f32(3, 2), f32(2), f32(2)])
    gone = f32(3, 2)
    gone.delete()
    with pytest.raises(rt.RuntimeFailure, match="deleted or donated"):
        add.entry(constants=[gone])


_G = "func.func private @g(tensor<f32>) -> tensor<f32>\n"
_CALL = "call @g(%x) : (tensor<f32>) -> tensor<f32>"


def _main(body, name="main", result="%0"):
    signature = f"func.func @{name}(%x: tensor<f32>) -> tensor<f32>"
    return f"{signature} {{ {body} return {result} : tensor<f32> }}"


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize(
    ("program", "message"),
    [
        (_G + _main(f"%0 = {_CALL}"), "@g has no body"),
        (_G + _main("", result="%x"), "@g has no body"),
        ("func.func private @main(tensor<f32>) -> tensor<f32>", "@main has no body"),
        (_G + _main('%0 = stablehlo.composite "a.b" %x {decomposition = @g} '
                    ": (tensor<f32>) -> tensor<f32>"), "@g has no body"),
        (_main("%0 = stablehlo.custom_call @r(%x) {called_computations = [@g]} "
               ": (tensor<f32>) -> tensor<f32>"), "@main names @g, not a function of the program"),
        (_main("%0 = " + _CALL.replace("@g", "@main")), "recursion, @main -> @main"),
        (_main(f"%0 = {_CALL}", "h") + _main("%0 = " + _CALL.replace("@g", "@h"), "g")
         + _main("%0 = " + _CALL.replace("@g", "@h")), "recursion, @h -> @g -> @h"),
    ],
)  # fmt: skip
def test_functions_that_cannot_be_called_are_refused(program, message):
    for form in (program, program.encode()):
        with pytest.raises(rt.RuntimeFailure, match=message):
            rt.compile(form)


@pytest.mark.parametrize("version", ["0.9.0", "1.0.0"])
def test_functions_of_artifacts_of_all_versions_are_checked(version):
    from anvl.dialect.core.context import context
    from anvl.dialect.core.mlir import ir, stablehlo

    module = ir.Module.parse(_main("%0 = " + _CALL.replace("@g", "@main")), context())
    with pytest.raises(rt.RuntimeFailure, match="recursion, @main -> @main"):
        rt.compile(stablehlo.serialize_portable_artifact(module, version))


def test_calls_of_functions_with_bodies_are_compiled():
    g = _main("%0 = stablehlo.add %x, %x : tensor<f32>", "g").replace("@g", "private @g")
    program = rt.compile(g + _main(f"%0 = {_CALL}"))
    assert np.asarray(program.execute([rt.put(np.float32(2))])[0]) == 4
