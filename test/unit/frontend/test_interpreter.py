"""The process of the reference interpreter: each program that it is given has an answer."""

import ml_dtypes
import numpy as np
import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir, stablehlo
from anvl.dialect.text.interpreter import Interpreter, ProcessEnded, code_of


def module(op):
    text = f"""
    func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {{
      %z = stablehlo.{op} %x, %y : tensor<2xi32>
      return %z : tensor<2xi32>
    }}"""
    return ir.Module.parse(text, context())


def code(op):
    return code_of(module(op))


X = np.array([7, 9], np.int32)
Y = np.array([2, 3], np.int32)
ZERO = np.zeros(2, np.int32)


@pytest.fixture(scope="module")
def interpreter():
    made = Interpreter()
    yield made
    made.close()


@pytest.mark.sweep(keep=0)
def test_one_that_ends_the_process_takes_no_other_with_it(interpreter):
    jobs = [
        (code("add"), [[X, Y], [X, X]]),
        (code("divide"), [[X, Y], [X, ZERO]]),
        (code("subtract"), [[X, Y]]),
        (code("divide"), [[X, ZERO]]),
        (code("divide"), [[X, Y]]),
    ]
    sums, ended, differences, again, quotients = interpreter.run_each(jobs)
    assert [[y.tolist() for y in ys] for ys in sums] == [[[9, 12]], [[14, 18]]]
    assert isinstance(ended, ProcessEnded) and isinstance(again, ProcessEnded)
    assert str(ended).startswith("SIG")
    assert (differences[0][0].tolist(), quotients[0][0].tolist()) == ([5, 6], [3, 3])


def test_one_that_cannot_be_read_says_so_and_the_next_runs(interpreter):
    few = [[X]]  # arrays, for two arguments
    refused, sums = interpreter.run_each([(code("add"), few), (code("add"), [[X, Y]])])
    assert isinstance(refused, ProcessEnded)
    assert sums[0][0].tolist() == [9, 12]


def test_malformed_code_is_refused_and_the_next_runs(interpreter):
    malformed = code("add")._replace(bytecode=b"ML\xefR")
    refused, sums = interpreter.run_each([(malformed, [[X, Y]]), (code("add"), [[X, Y]])])
    assert "MLIRError" in str(refused)
    assert sums[0][0].tolist() == [9, 12]


def test_a_single_one_raises_and_the_process_goes_on(interpreter):
    with pytest.raises(ProcessEnded, match="SIG"):
        interpreter.run(module("divide"), [[X, ZERO]])
    assert interpreter.run(module("add"), [[X, Y]])[0][0].tolist() == [9, 12]


def test_the_reason_of_the_process_is_kept(interpreter):
    text = """
    func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %y = stablehlo.cholesky %x, lower = true : tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    }"""
    lacking = ir.Module.parse(text, context())
    for _ in range(2):
        with pytest.raises(ProcessEnded, match=r"^SIGABRT \(Operation stablehlo.cholesky is"):
            interpreter.run(lacking, [[np.eye(2, dtype=np.float32)]])
    with pytest.raises(ProcessEnded, match=r"^SIG\w+$"):
        interpreter.run(module("divide"), [[X, ZERO]])


@pytest.mark.sweep(keep=0)
def test_a_process_that_is_gone_is_started_again(interpreter):
    interpreter.run(module("add"), [[X, Y]])
    interpreter._process.kill()  # but not its child, which the next one ends
    interpreter._process.wait()
    with pytest.raises(ProcessEnded, match="process ended"):
        interpreter.run(module("divide"), [[X, ZERO]])
    assert interpreter.run(module("add"), [[X, Y]])[0][0].tolist() == [9, 12]


def artifact(text):
    with context():
        version = stablehlo.get_current_version()
        return stablehlo.serialize_portable_artifact(ir.Module.parse(text, context()), version)


def test_artifacts_run_with_results_of_every_dtype(interpreter):
    given = artifact("""
    func.func @main(%x: tensor<2xcomplex<f32>>, %y: tensor<bf16>)
        -> (tensor<2xcomplex<f32>>, tensor<bf16>, tensor<2xf32>) {
      %a = stablehlo.multiply %x, %x : tensor<2xcomplex<f32>>
      %b = stablehlo.add %y, %y : tensor<bf16>
      %c = stablehlo.imag %x : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
      return %a, %b, %c : tensor<2xcomplex<f32>>, tensor<bf16>, tensor<2xf32>
    }""")
    x, y = np.array([1 + 2j, 3j], np.complex64), np.array(1.5, ml_dtypes.bfloat16)
    dtypes = [x.dtype, y.dtype, np.dtype("float32")]
    (a, b, c), seconds = interpreter.run_artifact(given, dtypes, [x, y])
    assert 0 <= seconds < 5
    assert [a.dtype, b.dtype, c.dtype] == dtypes
    assert (a.tolist(), float(b), c.tolist()) == ([-3 + 4j, -9], 3.0, [2, 3])


def test_an_artifact_with_an_op_that_it_lacks_is_refused(interpreter):
    given = artifact("""
    func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %y = stablehlo.cholesky %x, lower = true : tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    }""")
    with pytest.raises(ProcessEnded, match=r"not known to the interpreter: stablehlo\.cholesky"):
        interpreter.run_artifact(given, [np.dtype("float32")], [np.eye(2, dtype=np.float32)])


def test_an_artifact_that_takes_too_long_is_ended(interpreter):
    given = artifact("""
    func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %y = stablehlo.while(%z = %x) : tensor<i32>
      cond { %c = stablehlo.constant dense<true> : tensor<i1>
             stablehlo.return %c : tensor<i1> }
      do { stablehlo.return %z : tensor<i32> }
      return %y : tensor<i32>
    }""")
    with pytest.raises(ProcessEnded, match="SIGPROF"):
        interpreter.run_artifact(given, [np.dtype("int32")], [np.int32(1)], seconds=0.05)
    assert interpreter.run(module("add"), [[X, Y]])[0][0].tolist() == [9, 12]
