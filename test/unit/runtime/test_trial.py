"""Programs that end XLA's readers end a child process, and are refused."""

import io
import random

import pytest

import anvl.runtime as rt
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.runtime import trial

IDENTITY = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
DIVISION = """func.func @main() -> tensor<i32> {
  %x = stablehlo.constant dense<5> : tensor<i32>
  %y = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.divide %x, %y : tensor<i32>
  return %z : tensor<i32>
}"""
RECURSION = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @main(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}"""


def is_sound(program):
    try:
        return trial.check(program) is None
    except rt.RuntimeFailure:
        return False


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("program", [DIVISION, DIVISION.encode()])
def test_a_program_that_xla_cannot_convert_is_refused(program):
    message = (
        "compile: XLA ends the process that converts this program to HLO by SIGFPE; a division of "
        "integer constants by zero does so: lower the program with `anvl-opt"
    )
    if is_sound(program):  # to jaxlib 0.11.2: it leaves the division to the program
        assert rt.compile(program).out_types
        return
    with pytest.raises(rt.RuntimeFailure, match=message):
        rt.compile(program)
    assert rt.compile(IDENTITY).arg_types  # by another child


def test_bytecode_that_ends_its_reader_is_refused():
    file = io.BytesIO()
    ir.Module.parse(IDENTITY, context()).operation.write_bytecode(file)
    sound, draw = file.getvalue(), random.Random(0)
    assert is_sound(sound)
    broken = sound
    while is_sound(broken):  # of such bytes, one in 16 ends the reader
        mutable = bytearray(sound)
        for _ in range(3):
            mutable[draw.randrange(len(sound))] = draw.randrange(256)
        broken = bytes(mutable)
    message = "compile: malformed program, the process that reads it ends by SIG[A-Z]+; anvl-opt"
    with pytest.raises(rt.RuntimeFailure, match=message):
        rt.compile(broken)


def test_of_recursion_more_is_said():
    with pytest.raises(rt.RuntimeFailure, match="recursion, @main -> @main"):
        rt.compile(RECURSION)


def test_a_child_that_was_ended_is_followed_by_another():
    assert is_sound(IDENTITY)
    trial._trial._child.kill()
    trial._trial._child.wait()
    assert is_sound(IDENTITY)
    assert not is_sound(RECURSION)


def test_where_no_child_can_be_started_none_is_asked(monkeypatch):
    monkeypatch.setattr(trial, "_trial", trial._Trial())
    for executable in ("/nowhere", "/bin/false"):
        monkeypatch.setattr(trial.sys, "executable", executable)
        assert is_sound(RECURSION)
