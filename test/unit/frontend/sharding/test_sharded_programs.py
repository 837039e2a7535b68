"""Programs over a mesh of 8 devices: shardings given, inferred, wished for, and refused."""

import gc

import numpy as np
import pytest
from eight_devices import DEVICES, FLAT, MESH, over

import anvl
import anvl.numpy as anp
from anvl.sharding import Mesh, P, Sharding

RNG = np.random.default_rng(7)
X = RNG.random((8, 16), dtype=np.float32)
W = RNG.random((16, 4), dtype=np.float32)


def close(y, wanted):
    np.testing.assert_allclose(np.asarray(y), wanted, rtol=1e-5, atol=1e-6)


def test_a_call_runs_where_its_arguments_lie():
    f = anvl.jit(lambda x, w, b: anp.tanh(x @ w + b))
    x, w = anvl.device_put(X, over("x")), anvl.device_put(W, over(None, "y"))
    # numbers, NumPy arrays and arrays on one of the devices join them
    for b in (1.0, np.ones(4, "f4"), anvl.device_put(np.ones(4, "f4"), DEVICES[3])):
        y = f(x, w, b)
        assert y.sharding == over("x", "y")
        close(y, np.tanh(X @ W + 1))
        assert f(x, w, b).sharding is f(x, w, b).sharding
    assert f.cache_size() == 2
    assert f(X, W, 1.0).sharding == anvl.devices()[0] and f.cache_size() == 3


def test_operators_and_functions_run_over_devices():
    x = anvl.device_put(X, over("x", "y"))
    assert (x + 1).sharding == (X * x).sharding == anp.sin(x).sharding == over("x", "y")
    close(2 - x, 2 - X)
    close(x[2, :3], X[2, :3])
    close(x[x > 0.5], X[X > 0.5])
    close(anp.unique(x), np.unique(X))
    assert bool((x.T == X.T).all()) and float(x.sum()) == pytest.approx(float(X.sum()))
    assert x.sum().sharding == over()


def test_shardings_of_arguments_and_results_are_given():
    w = anvl.device_put(W, over(None, "y"))
    f = anvl.jit(
        lambda p, x: {"y": x @ p["w"], "sum": x.sum()},
        in_shardings=({"w": over(None, "y")}, over("x")),
        out_shardings={"y": over("x", "y"), "sum": None},
    )
    for p, x in (({"w": W}, X), ({"w": w}, anvl.device_put(X, over("x"))), ({"w": w}, X)):
        found = f(p, x)
        assert found["y"].sharding == over("x", "y") and found["sum"].sharding == over()
        close(found["y"], X @ W)
    assert f.cache_size() == 1
    lowered = f.lower({"w": anvl.aval("f32", W.shape)}, X)
    assert lowered.mlir("anvl").count('anvl.sharding = "x=4,y=2;') == 3
    compiled = lowered.compile()
    close(compiled({"w": W}, X)["y"], X @ W)
    assert compiled({"w": w}, X)["y"].sharding == over("x", "y")
    assert compiled.memory_stats()["argument_size_in_bytes"] == X.nbytes // 4 + W.nbytes // 2
    assert compiled.cost_analysis()["flops"] < 2 * 8 * 16 * 4


def test_shardings_are_given_by_name_and_for_all():
    f = anvl.jit(lambda n, x, y=1: x * y * n, static="n", in_shardings={"x": over("x")})
    assert f(2, X).sharding == f(2, x=X).sharding == over("x")
    f = anvl.jit(lambda n, x, y: x * y * n, static="n", in_shardings=(over("y"), None))
    assert f(2, X, 1.0).sharding == over("y")
    f = anvl.jit(lambda x, y: (x, y), in_shardings=over("x"), out_shardings=over())
    assert {y.sharding for y in f(X, X)} == {over()}
    made = anvl.jit(lambda: anp.zeros((4, 2)), out_shardings=over("x"))()
    assert made.sharding == over("x") and made.shape == (4, 2)


def test_arrays_like_another_lie_as_it_does():
    x = anvl.device_put(X, over("x", "y"))
    for y in (anp.zeros_like(x), anp.ones_like(x, dtype="i32"), anp.full_like(x, 3.0)):
        assert y.sharding == over("x", "y") and y.shape == X.shape
    assert anp.zeros_like(x, device=over("y")).sharding == over("y")
    assert anp.zeros_like(X, device=over("y")).sharding == over("y")
    state = anvl.optim.adam(1e-3).init({"w": x})
    assert state[0].mu["w"].sharding == state[0].nu["w"].sharding == over("x", "y")


def test_a_wish_within_a_program():
    x = anvl.device_put(X, over("x"))
    f = anvl.jit(lambda x: anvl.with_sharding(x * 2, P("y", "x")))
    assert f(x).sharding == over("y", "x")
    close(f(x), 2 * X)
    with pytest.raises(anvl.ShardingError, match="none of them is over a mesh; give Sharding"):
        f(X)
    g = anvl.jit(lambda x: anvl.with_sharding({"a": x, "b": x.sum()}, {"a": over("y"), "b": None}))
    assert g(X)["a"].sharding == over("y")  # the program runs over the mesh that it names
    on_one = anvl.device_put(X, DEVICES[2])
    assert g(on_one)["a"].sharding == g(on_one)["a"].sharding == over("y")
    assert anvl.with_sharding(x, P("y")).sharding == over("y")
    assert anvl.with_sharding([X], over("y"))[0].sharding == over("y")


def test_derivatives_and_batches_keep_a_wish():
    def loss(w, x):
        y = anvl.with_sharding(anp.tanh(x @ w), over("x"))
        return anp.sum(anvl.vmap(lambda row: anvl.with_sharding(row, over("y")) * 2)(y))

    slope = anvl.jit(anvl.grad(loss))
    x, w = anvl.device_put(X, over("x")), anvl.device_put(W, over(None, "y"))
    text = slope.lower(w, x).mlir("vectorize")
    assert '{mesh = "x=4,y=2", spec = "x,-"}' in text and '{mesh = "x=4,y=2", spec = "?,y"}' in text
    close(slope(w, x), 2 * X.T @ (1 - np.tanh(X @ W) ** 2))
    close(anvl.grad(loss)(w, x), 2 * X.T @ (1 - np.tanh(X @ W) ** 2))


def test_a_jitted_function_in_another_gives_wishes():
    inner = anvl.jit(lambda x: x + 1, in_shardings=(over("y"),), out_shardings=over("y", "x"))
    f = anvl.jit(lambda x: inner(x * 2))
    y = f(anvl.device_put(X, over("x")))
    assert y.sharding == over("y", "x")
    close(y, 2 * X + 1)


def test_constants_keep_their_shardings():
    w, b = anvl.device_put(W, over(None, "y")), anvl.device_put(np.ones(4, "f4"), DEVICES[1])
    f = anvl.jit(lambda x: x @ w + b + np.arange(4, dtype="f4"))
    wanted = X @ W + 1 + np.arange(4)
    assert 'anvl.sharding = "x=4,y=2;-,y"' in f.lower(X).mlir("constants")
    for x in (X, anvl.device_put(X, over("x"))):  # a NumPy array goes where the constant is
        assert f(x).sharding.mesh == MESH
        close(f(x), wanted)
    close(f.lower(X).compile()(X), wanted)


def test_donated_arrays_are_deleted_and_give_their_memory():
    place = over("x", "y")

    @anvl.jit(donate="p", in_shardings=(place, None))
    def step(p, x):
        return p - 0.1 * x

    p = anvl.device_put(X, place)
    after = step(p, 2.0)
    close(after, X - 0.2)
    assert p.is_deleted() and after.sharding == place
    with pytest.raises(anvl.RuntimeFailure, match="was donated to step as its argument p"):
        p + 1
    assert step.lower(X, 2.0).compile().memory_stats()["alias_size_in_bytes"] == X.nbytes // 8


def test_a_check_reports_over_devices():
    def f(x):
        anvl.check(x.sum() > 0, "the sum is {s}", s=x.sum())
        return x * 2

    jitted = anvl.jit(f, in_shardings=(over("x"),), out_shardings=over("y"))
    close(jitted(X), 2 * X)
    with pytest.raises(anvl.CheckError, match="the sum is -"):
        jitted(-X)


def test_the_op_that_made_a_nan_is_found_over_devices():
    def f(x, y):
        return anvl.with_sharding(anp.log(x - y), P("y")) * w

    w = anvl.device_put(X, over(None, "x"))
    jitted = anvl.jit(f, debug_nans=True)
    close(jitted(anvl.device_put(X + 1, over("x")), 0.5), np.log(X + 0.5) * X)
    with pytest.raises(anvl.NonFiniteError, match=r"log makes infinity in 128 of 128 elements"):
        jitted(anvl.device_put(X, over("x", "y")), X)


def test_a_spec_alone_is_over_the_mesh_of_the_arguments_wherever_it_is_traced():
    def f(x):
        return anvl.with_sharding(x, P("y"))

    x = anvl.device_put(X, over("x"))
    for text in (anvl.trace(f, x).mlir(), str(anvl.jit(f).trace(x).program.module)):
        assert 'spec = "y,-"' in text


def test_many_steps_in_flight():
    f = anvl.jit(lambda x: x - x.mean() * 1e-3)
    x = anvl.device_put(X, over("x", "y"))
    for _ in range(300):  # jaxlib up to 0.11.2 hangs with so many at once
        x = f(x)
    assert np.isfinite(x.numpy()).all()


def test_programs_over_a_mesh_are_dropped():
    before = len(gc.get_objects())

    def one():
        f = anvl.jit(lambda x: x * 3, in_shardings=over("x"))
        return f(X).sharding

    assert one() == over("x")
    gc.collect()
    assert len(gc.get_objects()) - before < 10_000


OTHER = Mesh({"x": 4, "y": 2}, devices=DEVICES[::-1])
LESS = Mesh({"x": 2}, devices=DEVICES[:2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: anvl.jit(lambda x, y: x + y)(
                anvl.device_put(X, over("x")), anvl.device_put(X, Sharding(LESS, P("x")))
            ),
            r"x f32\[8,16\] is over\n    Sharding\(Mesh\(x=4, y=2.*\), P\('x'\)\)\n"
            r"and y f32\[8,16\] on\n    Sharding\(Mesh\(x=2;",
        ),
        (
            lambda: anp.add(anvl.device_put(X, over("x")), anp.ones(16)),
            r"add: y f32\[16\] is on\n    <CpuDevice\(id=0\)>\nand the program runs over\n",
        ),
        (
            lambda: anvl.jit(lambda x: x, in_shardings=over("x"), out_shardings=Sharding(OTHER)),
            r"in_shardings is over Mesh\(.*, out_shardings over Mesh\(x=4, y=2; <CpuDevice",
        ),
        (
            lambda: anvl.jit(lambda a: a["w"], in_shardings=({"w": over("x")},))({"w": X[:3]}),
            r"argument a\['w'\]: dimension 0 of size 3 does not divide into 4 parts",
        ),
        (
            lambda: anvl.jit(lambda x: x[:3], out_shardings=over("x"))(X),
            r": result: dimension 0 of size 3 does not divide into 4 parts(.|\n)*<- here",
        ),
        (
            lambda: anvl.jit(lambda x: anvl.with_sharding(x, over("x", "y")))(X[0]),
            "with_sharding: spec 'x,y' has 2 entries, the array has 1",
        ),
        (
            lambda: anvl.jit(lambda x: anvl.with_sharding(x, Sharding(OTHER, P("x"))))(
                anvl.device_put(X, over("x"))
            ),
            "is over other devices than the program",
        ),
        (
            lambda: anvl.jit(lambda x: anvl.pure_callback(lambda x: x, anvl.aval("f32"), x.sum()))(
                anvl.device_put(X, over("x"))
            ),
            "cannot be called by a program over 8 devices",
        ),
        (lambda: anvl.jit(lambda x: x, in_shardings=(over("x", "?"),)), "leaves a dimension"),
    ],
)
def test_shardings_that_do_not_go_together_are_drawn(call, message):
    with pytest.raises(anvl.ShardingError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "of", "message"),
    [
        (lambda: anvl.jit(abs, in_shardings=P("x")), TypeError, r"give Sharding\(mesh, P\('x'\)\)"),
        (
            lambda: anvl.jit(abs, in_shardings=3),
            TypeError,
            "in_shardings must be a Sharding or None",
        ),
        (
            lambda: anvl.jit(lambda x: x, in_shardings={"z": over()}),
            ValueError,
            "in_shardings: .* has no argument 'z'",
        ),
        (
            lambda: anvl.jit(lambda x: x, in_shardings=(over(), over())),
            ValueError,
            "in_shardings: <lambda> has no argument 1; it has 0 x",
        ),
        (
            lambda: anvl.jit(abs, in_shardings=over(), device="cpu"),
            ValueError,
            "device='cpu' for others: leave out one",
        ),
        (
            lambda: anvl.jit(lambda x: {"a": x}, out_shardings={"b": over()})(X),
            ValueError,
            "out_shardings is no prefix",
        ),
        (
            lambda: anvl.jit(lambda x: x, bucket={"x": 0})(anvl.device_put(X, over("x"))),
            ValueError,
            "bucket= is for programs on one device",
        ),
        (
            lambda: anvl.with_sharding(X, 3),
            TypeError,
            "must be a Sharding or a PartitionSpec, got 3",
        ),
        (
            lambda: anvl.jit(lambda x: anvl.with_sharding(x, "cpu"))(X),
            TypeError,
            "must be a Sharding or a PartitionSpec, got 'cpu'",
        ),
    ],
)
def test_options_that_are_no_shardings_are_refused(call, of, message):
    with pytest.raises(of, match=message):
        call()


def test_the_mesh_of_one_device():
    one = Sharding(Mesh({"x": 1}), P("x"))
    x = anvl.device_put(X, one)
    f = anvl.jit(lambda x: (x * 2, x.sum()), out_shardings=(one, None))
    y, total = f(x)
    assert y.sharding == one and total.sharding == one.whole
    close(y, 2 * X)


def test_meshes_over_the_same_devices_go_together():
    x, y = anvl.device_put(X, over("x")), anvl.device_put(X, Sharding(FLAT, P("data")))
    close(x + y, 2 * X)
