"""`jit(f).lower(...)`: each stage is text that parses back; what is compiled checks its calls."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import dialect
from anvl.dispatch.lowering import copied
from anvl.dispatch.stages import module_text
from anvl.passes.framework.pipeline import Pipeline

STAGES = [
    "anvl",
    "roll",
    "gradient",
    "forward",
    "vectorize",
    "inline",
    "pad",
    "constants",
    "stablehlo",
]
W = np.arange(6, dtype="f4").reshape(3, 2)


def loss(params, x):
    hidden = anvl.jit(anp.tanh)(x @ params["w"] + W[0])
    return anp.sum(hidden * np.float32(2))


PARAMS = {"w": W}
X = np.ones((4, 3), "f4")


@pytest.fixture(scope="module")
def lowered():
    return anvl.jit(anvl.value_and_grad(loss)).lower(PARAMS, X)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("debug_info", [False, True])
def test_every_stage_is_text_that_parses_back(lowered, stage, debug_info):
    module = dialect.parse(lowered.mlir(stage, debug_info=debug_info))
    assert module.operation.verify()


def test_each_stage_has_done_its_work(lowered):
    text = {stage: lowered.mlir(stage) for stage in STAGES}
    assert "anvl.vjp = {" in text["anvl"]
    assert "call @tanh" in text["anvl"]
    assert "anvl.vjp" not in text["gradient"]
    assert text["gradient"].count("_adjoint") > 1
    assert text["inline"].count("func.func") == 1
    assert "anvl.captured" in text["inline"]
    assert 'anvl.captured"' not in text["constants"]
    assert '"anvl.' not in text["stablehlo"]
    assert "stablehlo.dot_general" in text["stablehlo"]
    assert lowered.mlir() == text["stablehlo"]


def steps(x):
    for _ in range(100):
        x = anp.sin(x) + 0.1
    return anp.sum(x)


def test_the_passes_run_again_once_where_a_stage_between_is_asked_for(monkeypatch):
    runs = []
    run = Pipeline.run
    monkeypatch.setattr(Pipeline, "run", lambda self, *a, **k: runs.append(run(self, *a, **k)))
    lowered = anvl.jit(anvl.grad(steps)).lower(np.ones(64, "f4"))
    first = lowered.mlir("anvl"), lowered.mlir(), lowered.constants()
    assert len(runs) == 1
    assert "anvl.scan" in lowered.mlir("roll")
    assert lowered.report().startswith("100 repetitions of 2 ops")
    assert lowered.report() == lowered.report()
    assert (lowered.mlir("anvl"), lowered.mlir(), lowered.constants()) == first
    assert len(runs) == 2
    # What the last passes made of the stage before them, in both runs.
    module = copied(lowered._stages["constants"])
    run(Pipeline(["anvl-lower-to-stablehlo{routines=lapack}", "cse", "trivial-dce"]), module)
    assert module_text(module) == lowered.mlir()


def test_an_unknown_stage_is_refused_with_what_there_is(lowered):
    with pytest.raises(ValueError, match=r"there is no stage 'hlo'; anvl: .*; gradient: .*"):
        lowered.mlir("hlo")


def test_the_compiled_program_computes_what_jit_computes(lowered):
    compiled = lowered.compile()
    value, slope = compiled(PARAMS, X)
    expected, wanted = anvl.jit(anvl.value_and_grad(loss))(PARAMS, X)
    assert value.item() == expected.item()
    np.testing.assert_array_equal(np.asarray(slope["w"]), np.asarray(wanted["w"]))


def test_the_compiled_program_can_be_read(lowered):
    compiled = lowered.compile()
    assert "HloModule" in compiled.hlo()
    assert compiled.memory_stats()["argument_size_in_bytes"] > 0
    assert "flops" in compiled.cost_analysis()
    assert repr(lowered) == "<Lowered (f32[3,2], f32[4,3]) -> (f32[], f32[3,2])>"


def test_the_artifact_is_bytes_of_stablehlo(lowered):
    assert lowered.artifact().startswith(b"ML\xefR")
    assert lowered.artifact() == lowered.artifact()


def test_lowering_takes_types_alone():
    lowered = anvl.jit(loss).lower({"w": anvl.aval("f32", (3, 2))}, anvl.aval("f32", (4, 3)))
    assert lowered.compile()(PARAMS, X).shape == ()


def test_python_numbers_stay_weak_in_a_compiled_program():
    compiled = anvl.jit(lambda x, n: x * n).lower(np.ones(2, "f2"), 3).compile()
    assert compiled(np.ones(2, "f2"), 5).tolist() == [5, 5]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f(np.ones(3, "f4")), r"execute: argument x: expected f32\[2\] .*got f32\[3\]"),
        (lambda f: f(np.ones(2)), r"expected f32\[2\] .*got f64\[2\]"),
        (lambda f: f(1.0), r"expected f32\[2\]"),
        (lambda f: f([np.ones(2, "f4")]), "another structure: at x: a leaf against list of 1"),
        (lambda f: f(x=np.ones(2, "f4")), "it takes 1 by position, and got 0 by position and x"),
        (lambda f: f(), "it takes 1 by position, and got 0 by position"),
        (lambda f: f("text"), "x"),
    ],
)
def test_arguments_of_other_types_or_structure_are_refused(call, message):
    compiled = anvl.jit(lambda x: x + 1).lower(np.ones(2, "f4")).compile()
    with pytest.raises(TypeError, match=message):
        call(compiled)


def test_another_structure_is_told_by_the_names_of_the_arguments():
    def f(x, p, *, q):
        return x * p["a"] + p["b"][0] + q["c"]

    p, q = {"a": 1.0, "b": [2.0]}, {"c": 3.0}
    compiled = anvl.jit(f).lower(1.0, p, q=q).compile()
    assert compiled(1.0, p, q=q) == 6.0
    said = (
        r"f: was compiled for arguments of another structure: at p\['b'\]: list of 1 against list "
    )
    with pytest.raises(
        TypeError, match=said + r"of 2; at q: dict with keys \['c'\] against dict wi"
    ):
        compiled(1.0, {"a": 1.0, "b": [2.0, 3.0]}, q={"d": 3.0})


def test_static_arguments_are_in_the_compiled_program():
    compiled = anvl.jit(lambda x, n: x * n, static="n").lower(np.float32(2), 3).compile()
    assert compiled(np.float32(5)).item() == 15


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x,
        lambda x: (),
        lambda x: (x, x, 1.0),
        lambda x: np.arange(3.0),
        lambda x: anvl.grad(lambda y: 0.0 * y)(x),
        lambda x: anvl.jit(lambda y: (y, y))(x),
        lambda x: anp.sum(np.zeros((3, 0))) + x,
    ],
)
def test_small_programs_pass_every_stage(f):
    lowered = anvl.jit(f).lower(2.0)
    for stage in STAGES:
        assert dialect.parse(lowered.mlir(stage)).operation.verify()
    found, expected = lowered.compile()(2.0), anvl.jit(f)(2.0)
    assert anvl.tree.structure(found) == anvl.tree.structure(expected)
    for one, other in zip(anvl.tree.leaves(found), anvl.tree.leaves(expected), strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))
