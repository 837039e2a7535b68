"""The process of the reference interpreter: each program that it is given has an answer."""

import numpy as np
import pytest

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.testing.interpreter import Interpreter, ProcessEnded, code_of


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


@pytest.fixture
def interpreter():
    made = Interpreter()
    yield made
    made.close()


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


def test_a_process_that_is_gone_is_started_again(interpreter):
    interpreter.run(module("add"), [[X, Y]])
    interpreter._process.kill()
    interpreter._process.wait()
    (lost,) = interpreter.run_each([(code("add"), [[X, Y]])])
    assert isinstance(lost, ProcessEnded)
    assert interpreter.run(module("add"), [[X, Y]])[0][0].tolist() == [9, 12]
