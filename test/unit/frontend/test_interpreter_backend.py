"""`jit(f, backend="interpreter")`: StableHLO's reference interpreter runs the program."""

import ml_dtypes
import numpy as np
import pytest

import anvl
import anvl.dispatch.interpreted_executable as interpreted_executable
import anvl.numpy as anp
import anvl.runtime as rt

X = np.linspace(-1.0, 1.0, 6, dtype=np.float32).reshape(2, 3)


def network(params, x):
    return {"y": anp.tanh(x @ params["w"]) + params["b"], "n": x.shape[0]}


def steps(x, n):
    return anvl.fori_loop(0, n, lambda i, s: anvl.cond(s.sum() > 1, anp.sin, anp.cos, s) + i, x)


@pytest.fixture(autouse=True)
def no_compiler(monkeypatch):
    """XLA compiles nothing here."""

    def refuse(*_, **__):
        raise AssertionError

    monkeypatch.setattr("anvl.dispatch.executables.compile_lowered", refuse)


@pytest.mark.parametrize(
    ("f", "args", "expected"),
    [
        (
            network, ({"w": X.T, "b": 1.0}, X),
            {"y": np.tanh(X @ X.T) + 1, "n": 2},
        ),
        (anvl.grad(lambda x: anp.sum(x**3)), (X,), 3 * X**2),
        (steps, (X[0], 2), np.sin(np.cos(X[0])) + 1),
        (anp.linalg.inv, (4 * np.eye(2),), np.eye(2) / 4),
        (lambda x: x.astype("c64") * 1j, (X,), X * 1j),
        (lambda x, y: x // y, (np.int32([7, -7]), np.int32([2, 2])), np.int32([3, -4])),
        (lambda: X, (), X),
    ],
)  # fmt: skip
def test_the_results_are_those_of_numpy(f, args, expected):
    jitted = anvl.jit(f, backend="interpreter")
    for _ in range(2):
        found, wanted = map(anvl.tree.leaves, (jitted(*args), expected))
        for y, value in zip(found, wanted, strict=True):
            np.testing.assert_allclose(y, value, rtol=1e-5, atol=1e-6)
    assert jitted.cache_info().compiled == 1


def test_dtypes_weakness_and_calls_by_generated_code():
    f = anvl.jit(lambda x: x * 2, backend="interpreter")
    assert f(1.0).aval.weak_type and not f(np.float32(1)).aval.weak_type
    x = anp.asarray(X)
    for _ in range(3):  # the second call is generated code
        assert f(x).dtype == np.float32
    assert f(X.astype(ml_dtypes.bfloat16)).dtype == ml_dtypes.bfloat16


def test_it_runs_where_its_arrays_are():
    there = rt.cpu_client(2).devices[1]
    f = anvl.jit(lambda x: x + X, backend="interpreter")
    assert f(rt.put(X, there.placement)).device is there


def test_a_nested_call_and_lower_and_compile():
    f = anvl.jit(lambda x: x + 1, backend="interpreter")
    outer = anvl.jit(lambda x: f(x) * 2, backend="interpreter")
    np.testing.assert_array_equal(outer(X), (X + 1) * 2)
    compiled = f.lower(X).compile()
    np.testing.assert_array_equal(compiled(X), X + 1)
    for ask in ("hlo", "memory_stats", "cost_analysis", "line_statistics"):
        with pytest.raises(anvl.RuntimeFailure, match="the interpreter compiles nothing"):
            getattr(compiled, ask)()


def test_static_and_captured_values_work_as_ever():
    rate = 2.0
    f = anvl.jit(lambda x, n: x * rate * n, static="n", backend="interpreter")
    assert f(1.0, 3).item() == 6
    rate = 3.0
    assert f(1.0, 3).item() == 9


@pytest.mark.parametrize("how", [lambda f: f, lambda f: f.lower(X).compile()])
def test_ops_that_it_lacks_are_named_with_their_lines(how):
    f = anvl.jit(lambda x: anp.fft.fft(anp.sin(x)), backend="interpreter")
    said = r"<lambda>: the interpreter has no stablehlo\.fft at \S+test_interpreter_backend.py:\d+;"
    with pytest.raises(anvl.RuntimeFailure, match=said):
        how(f)(X)
    f = anvl.jit(lambda x: anp.linalg.cholesky(x), backend="interpreter")
    with pytest.raises(anvl.RuntimeFailure, match=r"has no stablehlo\.cholesky; leave out"):
        f(np.eye(3))


def test_dtypes_that_it_lacks():
    f = anvl.jit(lambda x: x, backend="interpreter")
    with pytest.raises(anvl.RuntimeFailure, match="the interpreter has no result: TypeError"):
        f(np.ones(2, ml_dtypes.float8_e4m3fn))


@pytest.mark.sweep(keep=0)
def test_a_program_that_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(interpreted_executable, "_SECONDS", 1)
    f = anvl.jit(
        lambda n: anvl.while_loop(lambda i: i < n, lambda i: i * 1, 0), backend="interpreter"
    )
    with pytest.raises(anvl.RuntimeFailure, match="it took more than 1 s of a processor"):
        f(3)
    assert f(0).item() == 0


def test_a_deleted_array_is_named():
    f = anvl.jit(lambda x: x + 1, backend="interpreter")
    x = anp.asarray(X).copy()
    f(x)
    x.delete()
    with pytest.raises(anvl.RuntimeFailure, match=r"argument x.*deleted"):
        f(x)


@pytest.mark.parametrize(
    "other",
    [
        {"donate": "x"}, {"device": "cpu:0"}, {"debug_nans": True},
        {"compiler_options": {"xla_backend_optimization_level": 0}},
    ],
)  # fmt: skip
def test_options_of_compiled_programs_are_refused(other):
    (name,) = other
    with pytest.raises(ValueError, match=f"jit: {name}=.* backend='interpreter' compiles none"):
        anvl.jit(lambda x: x, backend="interpreter", **other)


@pytest.mark.parametrize("backend", ["cuda", "Interpreter", 1, False])
def test_there_is_no_other_backend(backend):
    with pytest.raises(ValueError, match="backend must be 'interpreter' or None, got"):
        anvl.jit(lambda x: x, backend=backend)
