"""`anvl-run` on what `.mlir()` saves: it runs what `jit` runs, and refuses the rest."""

import subprocess
from pathlib import Path

import numpy as onp
import pytest
from tool_server import tool

import anvl
import anvl.numpy as np
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir, stablehlo
from anvl.dialect.text.bytecode import Malformed, answer
from anvl.dialect.text.parsing import parsed
from anvl.passes.framework.pipeline import parse
from anvl.tools.opt.main import main as opt
from anvl.tools.run.entry import lowered
from anvl.tools.run.executors import execute
from anvl.tools.run.inputs import literal
from anvl.tools.run.run_tool import main

X = onp.array([0.5, -1.5, 2.0], "f4")


@anvl.custom_vjp
def _cubed(x):
    return x**3


_cubed.defvjp(lambda x: (x**3, x), lambda x, g: (5 * g * x**2,))


@anvl.custom_jvp
def _sine(x):
    return np.sin(x)


@_sine.defjvp
def _sine_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return np.sin(x), 2 * t


def _loss(x):
    return np.sum(np.sin(x) * x)


PROGRAMS = {
    "grad": anvl.grad(_loss),
    "value_and_grad": anvl.value_and_grad(_loss),
    "hessian": anvl.hessian(_loss),
    "jvp": lambda x: anvl.jvp(_loss, (x,), (x * 2,)),
    "vmap": anvl.vmap(lambda x: np.exp(x) * 2),
    "vmap of grad": anvl.vmap(anvl.grad(lambda x: np.sin(x) * x)),
    "cond": lambda x: anvl.cond(x[0] > 1, np.sin, np.cos, x),
    "switch": lambda x: anvl.switch(1, [np.sin, np.cos, np.exp], x),
    "scan": lambda x: anvl.scan(lambda c, y: (c + y, c * y), np.sum(x), x),
    "while": lambda x: anvl.while_loop(lambda c: np.sum(c) < 50, lambda c: c * 1.5, x),
    "fori": anvl.grad(lambda x: np.sum(anvl.fori_loop(0, 4, lambda i, c: np.sin(c) + i, x))),
    "checkpoint": anvl.grad(lambda x: anvl.checkpoint(_loss)(x)),
    "custom_vjp": anvl.grad(lambda x: np.sum(_cubed(x))),
    "custom_jvp": lambda x: anvl.jvp(_sine, (x,), (x,)),
    "nested jit": anvl.jit(lambda x: anvl.jit(_loss)(x) + anvl.jit(_loss)(x * 2)),
    "linear algebra": lambda x: anvl.numpy.linalg.inv(np.diag(x) + 1),
}


def run(program, args):
    """Results of a lowered program for arguments as in JSON."""
    inputs = [literal(x, of) for x, of in zip(args, program.arguments, strict=True)]
    return execute(program, inputs)


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_saved_trace_runs_and_gives_the_numbers_of_jit(name):
    f = PROGRAMS[name]
    text = anvl.trace(f, X).mlir()
    want = anvl.tree.leaves(anvl.jit(f)(X))
    found = run(lowered(parsed(text, "text", context()), "main"), [X.tolist()])
    for x, y in zip(found, want, strict=True):
        onp.testing.assert_allclose(x, onp.asarray(y), rtol=1e-5)


def test_captured_arrays_are_asked_for(tmp_path, capsys):
    file = tmp_path / "closed.mlir"
    file.write_text(anvl.trace(lambda x: x * onp.arange(3, dtype="f4"), X).mlir())
    assert main([str(file), "--args=[[1, 1, 1]]"]) == 1
    message = capsys.readouterr().err
    assert "no value for argument 1 (" in message
    assert "the program closes over 1 of them, captured 0, which its text does not" in message
    onp.savez(tmp_path / "given.npz", arg0=onp.ones((2, 2), "f4"))  # of what was not closed over
    assert main([str(file), f"--inputs={tmp_path / 'given.npz'}"]) == 1
    assert "closes over 1 of them, captured 0, which its text does not" in capsys.readouterr().err
    assert main([str(file), "--args=[[5, 6, 7], [1, 1, 2]]"]) == 0
    assert capsys.readouterr().out == "f32[3] 5.0 6.0 14.0\n"


@pytest.mark.parametrize("stage", ["anvl", "stablehlo"])
def test_captured_arrays_are_taken_from_the_file_of_constants(stage, tmp_path, capsys):
    table = onp.arange(3, dtype="f4")
    lowered = anvl.jit(anvl.grad(lambda x: np.sum(x * x * table))).lower(X)
    file, constants, other = (str(tmp_path / x) for x in ("a.mlir", "constants.npz", "x.npy"))
    Path(file).write_text(lowered.mlir(stage))
    onp.savez(constants, **lowered.constants(stage))
    onp.save(other, onp.ones(3, "f4"))
    assert main([file, f"--inputs={constants}", f"--input=x={other}"]) == 0
    assert capsys.readouterr().out == "f32[3] 0.0 2.0 4.0\n"
    name = next(iter(lowered.constants(stage)))
    onp.save(other, onp.full(3, 2, "f4"))
    assert main([file, f"--input={name}={other}", f"--input=x={other}"]) == 0
    assert capsys.readouterr().out == "f32[3] 8.0 8.0 8.0\n"


DECLARED = "func.func private @g(tensor<f32>) -> tensor<f32>"
REFUSED = {
    "called": (
        DECLARED + "\nfunc.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = call @g(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}",
        "@g is called but has no body; give it one, or remove the call", ":3:8",
    ),
    "composite": (
        DECLARED + "\nfunc.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
        '  %0 = stablehlo.composite "a.b" %x {decomposition = @g} : (tensor<f32>) -> tensor<f32>\n'
        "  return %0 : tensor<f32>\n}",
        "@g is called but has no body", ":3:8",
    ),
    "uncalled": (
        DECLARED + "\nfunc.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }",
        "@g has no body and no caller; remove it, as --symbol-dce does", ":1:1",
    ),
    "a derivative": (
        "func.func private @g(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) attributes "
        "{anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}\n"
        "func.func @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }",
        "@g is declared by anvl.vjp and has no body; run anvl-gradient first", ":1:1",
    ),
    "recursion": (
        "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = call @g(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n"
        "func.func private @g(%x: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = call @main(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}",
        "recursion: @main -> @g -> @main; calls must not form a cycle", ":6:8",
    ),
    "not there": (
        "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = stablehlo.custom_call @routine(%x) {called_computations = [@g]} "
        ": (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}",
        "stablehlo.custom_call names @g, but the module has no such function; define it, or remove "
        "called_computations", ":2:8",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_lowering_leaves_no_call_that_ends_the_process(name):
    text, message, place = REFUSED[name]
    module = parsed(text, "text", context())
    with pytest.raises(PassError, match=message.replace("(", r"\(")) as caught:
        parse("anvl-lower-to-stablehlo").run(module)
    assert place in caught.value.location


@pytest.mark.parametrize("name", ["called", "composite", "recursion", "not there"])
def test_run_refuses_it_at_its_line(name, tmp_path, capsys):
    file = tmp_path / "a.mlir"
    file.write_text(REFUSED[name][0])
    assert main([str(file), "--args=[1]"]) == 1
    message = capsys.readouterr().err
    assert message.startswith(f"{file}{REFUSED[name][2]}: error: ")


def test_a_declaration_can_be_run_as_what_it_declares():
    module = parsed(REFUSED["a derivative"][0], "text", context())
    assert [x.item() for x in run(lowered(module, "g"), [3, 5])] == [3, 5]
    with pytest.raises(PassError, match="@g has no body; give it one, or run another"):
        lowered(parsed(DECLARED, "text", context()), "g")


def _artifact():
    text = "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
    return stablehlo.serialize_portable_artifact(ir.Module.parse(text, context()), "1.0.0")


def _as_process(data):
    command = [*tool("anvl-run"), "--args=[2]"]
    return subprocess.run(command, input=data, capture_output=True, timeout=60)


@pytest.mark.sweep(keep=0)
def test_artifacts_are_read_and_malformed_ones_refused():
    data = _artifact()
    assert _as_process(data).stdout == b"f32[] 2.0\n"
    done = _as_process(data[:60])
    assert done.returncode == 1
    assert done.stderr.startswith(b"<stdin>:1:1: error: malformed bytecode, ")


def test_from_stablehlo_reads_artifacts_as_anvl_opt_does(tmp_path, capsys):
    (tmp_path / "a.mlirbc").write_bytes(_artifact())
    assert opt([str(tmp_path / "a.mlirbc"), "--trust-input"]) == 0
    for program in (_artifact(), capsys.readouterr().out):
        assert anvl.from_stablehlo(program)(2.0).item() == 2


@pytest.mark.parametrize("error", [ValueError(""), RuntimeError("conversion\n error!"), KeyError()])
def test_bytecode_is_refused_with_a_reason(error, monkeypatch):
    def refuse(*_):
        raise error

    monkeypatch.setattr("anvl.dialect.text.bytecode.deserialised", refuse)
    with pytest.raises(Malformed) as said:
        answer(b"ML\xefR", 200)
    assert str(said.value).removeprefix("malformed bytecode, ") in (
        "ValueError while it was read",
        "conversion error!",
        "KeyError while it was read",
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("[", "--args is not JSON: "),
        ("[" * 100_000, "--args is not JSON: "),
        ("3", "--args: must be a list with a value for each argument, got 3"),
        ('[{"a": 1}]', "a.mlir:1:1: error: {'a': 1} is not an array for argument 0"),
        ("[[1, [2]]]", "a.mlir:1:1: error: [1, [2]] is not an array for argument 0"),
        ("[1000000000000000000000000000000000]", "a.mlir:1:1: error: 1000000000000000000000000"),
        ("[1, 2]", "a.mlir:1:1: error: --args has 2 values; @main takes 1: 0 (%x: tensor<2xi32>)"),
    ],
)
def test_arguments_that_are_none(args, message, tmp_path, capsys):
    (tmp_path / "a.mlir").write_text(
        "func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> { return %x : tensor<2xi32> }"
    )
    assert main([str(tmp_path / "a.mlir"), f"--args={args}"]) == 1
    assert message in capsys.readouterr().err
