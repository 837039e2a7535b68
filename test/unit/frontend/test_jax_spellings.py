"""JAX's spellings of anvl's parameters, and `has_aux` of each derivative."""

import dataclasses
import functools
import re
from pathlib import Path

import numpy
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as np
from anvl import tree, tree_util

X = numpy.array([1.0, 2.0])
DERIVATIVES = [anvl.grad, anvl.value_and_grad, anvl.jacfwd, anvl.jacrev, anvl.hessian]


def product(x, y):
    return np.sum(x * x * y)


def flat(found):
    return [numpy.asarray(leaf) for leaf in tree.leaves(found)]


@pytest.mark.parametrize("derivative", DERIVATIVES, ids=lambda f: f.__name__)
def test_argnums_is_wrt_and_may_stand_second(derivative):
    wanted = flat(derivative(product, wrt=(1, 0))(X, X + 1))
    for f in (
        derivative(product, (1, 0)),
        derivative(product, argnums=(1, 0)),
        derivative(argnums=[1, 0])(product),
    ):
        for a, b in zip(flat(f(X, X + 1)), wanted, strict=True):
            numpy.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("derivative", DERIVATIVES, ids=lambda f: f.__name__)
def test_two_spellings_or_a_name_as_argnums_are_refused(derivative):
    name = derivative.__name__
    with pytest.raises(TypeError, match=rf"{name}: wrt=1 and argnums=0 are two spellings"):
        derivative(product, wrt=1, argnums=0)
    with pytest.raises(TypeError, match=rf"{name}: argnums='x' must be positions.*wrt takes names"):
        derivative(product, argnums="x")
    with pytest.raises(TypeError, match=rf"{name}: argnums=\(0, True\) must be positions"):
        derivative(product, argnums=(0, True))


def scaled(x, n, mode="up"):
    return x * n if mode == "up" else x / n


@pytest.mark.parametrize(
    "options",
    [
        {"static_argnums": (1, 2)},
        {"static_argnums": 1, "static_argnames": "mode"},
        {"static_argnames": ["n", "mode"], "donate_argnums": 0},
        {"static": ("n", "mode"), "donate_argnames": "x"},
    ],
)
def test_static_and_donated_arguments_by_jax_names(options):
    f = anvl.jit(scaled, **options)
    assert float(f(np.asarray(3.0), 2, "up")) == 6.0
    assert float(f(np.asarray(3.0), 2, "down")) == 1.5
    x = np.asarray(1.0)
    f(x, 2, "up")
    is_donated = any("donate" in name for name in options)
    assert x.is_deleted() is is_donated
    assert f.cache_size() == 2


def test_spellings_of_jit_that_contradict_or_do_not_exist():
    with pytest.raises(TypeError, match="static='n' and static_argnums=1 are two spellings"):
        anvl.jit(scaled, static="n", static_argnums=1)
    with pytest.raises(TypeError, match="donate=0 and donate_argnames='x' are two spellings"):
        anvl.jit(scaled, donate=0, donate_argnames="x")
    with pytest.raises(TypeError, match=r"static_argnames=1 must be names.*static takes both"):
        anvl.jit(scaled, static_argnames=1)
    with pytest.raises(TypeError, match="static_argnums='n' must be positions"):
        anvl.jit(scaled, static_argnums="n")
    with pytest.raises(TypeError, match="no keyword 'static_argnum'; did you mean 'static_argnu"):
        anvl.jit(scaled, static_argnum=1)
    with pytest.raises(TypeError, match="no keyword 'devices'; did you mean 'device'"):
        anvl.jit(scaled, devices="cpu")


def with_aux(x):
    return np.sum(x**3), {"y": x + 1, "count": np.arange(2), "name": "loss"}


def check_aux(aux):
    numpy.testing.assert_array_equal(aux["y"], X + 1)
    assert list(aux["count"]) == [0, 1]
    assert aux["name"] == "loss"


@pytest.mark.parametrize("derivative", DERIVATIVES, ids=lambda f: f.__name__)
def test_has_aux_passes_the_rest_on(derivative):
    plain = derivative(lambda x: with_aux(x)[0])(X)
    found = derivative(with_aux, has_aux=True)(X)
    if derivative is anvl.value_and_grad:
        (value, aux), slope = found
        found = value, slope
    else:
        found, aux = found
    check_aux(aux)
    for a, b in zip(flat(found), flat(plain), strict=True):
        numpy.testing.assert_array_equal(a, b)


def test_has_aux_of_vjp_jvp_and_linearize():
    value, pullback, aux = anvl.vjp(with_aux, X, has_aux=True)
    check_aux(aux)
    assert float(value) == 9.0
    numpy.testing.assert_array_equal(pullback(2.0)[0], 6 * X**2)
    value, tangent, aux = anvl.jvp(with_aux, (X,), (X,), has_aux=True)
    check_aux(aux)
    assert (float(value), float(tangent)) == (9.0, 27.0)
    value, f_jvp, aux = anvl.linearize(with_aux, X, has_aux=True)
    check_aux(aux)
    assert (float(value), float(f_jvp(2 * X))) == (9.0, 54.0)


def test_aux_has_no_derivative():
    def slope(x):
        _, pullback, aux = anvl.vjp(with_aux, x, has_aux=True)
        return np.sum(aux["y"] * pullback(1.0)[0])

    # aux is a constant of the derivative of x, so 6 x (x + 1), without 3 x^2
    numpy.testing.assert_array_equal(anvl.jit(anvl.grad(slope))(X), 6 * X * (X + 1))


@pytest.mark.parametrize("function", [anvl.vjp, anvl.linearize], ids=lambda f: f.__name__)
def test_has_aux_wants_a_pair(function):
    with pytest.raises(
        TypeError, match=f"{function.__name__}: product returns f64.., but .* must return a"
    ):
        function(product, X, X, has_aux=True)
    with pytest.raises(TypeError, match="has_aux is 1; it must be True or False"):
        function(with_aux, X, has_aux=1)
    with pytest.raises(TypeError, match="jacrev: has_aux is 1"):
        anvl.jacrev(with_aux, has_aux=1)


# -- pytrees --------------------------------------------------------------------------------------


def is_pair(x):
    return isinstance(x, tuple)


def test_is_leaf_ends_the_walk():
    values = {"b": (1, 2), "a": [None, 3]}
    assert tree.leaves(values, is_leaf=is_pair) == [3, (1, 2)]
    assert tree.leaves(values, is_leaf=lambda x: x is None or is_pair(x)) == [None, 3, (1, 2)]
    leaves, treedef = tree.flatten(values, is_pair)
    assert tree.unflatten(treedef, leaves) == values
    assert tree.structure(values, is_pair).num_leaves == 2
    assert tree.all([(0,), 1], is_leaf=is_pair) and not tree.all([(0,), 1])
    assert tree.reduce(lambda a, b: a + b, [(1,), (2, 3)], is_leaf=is_pair) == (1, 2, 3)


def test_map_with_is_leaf_gives_the_parts_of_the_other_trees():
    found = tree.map(lambda x, y: (x, y), [None, (1, 2)], [3, {"a": 4}],
                     is_leaf=lambda x: x is None or is_pair(x))  # fmt: skip
    assert found == [(None, 3), ((1, 2), {"a": 4})]
    with pytest.raises(ValueError, match=r"map: tree 2 differs .*: list of 2 for list of 1"):
        tree.map(lambda x, y: 0, [1, (2, 3)], [5], is_leaf=is_pair)
    with pytest.raises(ValueError, match=r"map: tree 2 differs .* at \[1\]: None against a leaf"):
        tree.map(lambda x, y: 0, [1, None], [5, 6], is_leaf=is_pair)


def test_an_error_of_is_leaf_is_raised_and_leaves_the_recursion_count_alone():
    def fails(x):
        raise KeyError("mine")

    deep = None
    for _ in range(50):
        deep = [deep, 1]
    for _ in range(200):
        with pytest.raises(KeyError, match="mine"):
            tree.flatten(deep, fails)
    assert len(tree.leaves(deep)) == 50


def test_transpose_and_its_refusals():
    outer, inner = tree.structure([0, 0]), tree.structure({"a": 0, "b": 0})
    rows = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    assert tree.transpose(outer, inner, rows) == {"a": [1, 3], "b": [2, 4]}
    assert tree.transpose(outer, None, rows) == {"a": [1, 3], "b": [2, 4]}
    with pytest.raises(ValueError, match="transpose: the tree differs from the outer structure"):
        tree.transpose(outer, inner, rows[:1])
    with pytest.raises(ValueError, match="transpose: a tree within differs from the inner one"):
        tree.transpose(outer, inner, [rows[0], {"a": 1}])
    with pytest.raises(TypeError, match="reduce: the tree has no leaves; give an initializer"):
        tree.reduce(lambda a, b: a, [])


def test_paths_come_with_the_leaves():
    assert tree.leaves_with_path({"w": [1]}) == [("['w'][0]", 1)]
    found = tree.map_with_path(lambda path, x, y: (path, x, y), {"w": [1]}, {"w": [2]}, root="p")
    assert found == {"w": [("p['w'][0]", 1, 2)]}


def test_tree_util_has_jax_names_for_the_same_functions():
    for name in ("flatten", "unflatten", "leaves", "structure", "map", "reduce", "all", "transpose",
                 "broadcast", "reduce_associative"):  # fmt: skip
        assert getattr(tree_util, f"tree_{name}") is getattr(tree, name)
    assert tree_util.register_pytree_node is tree.register_node


def test_classes_registered_as_in_jax():
    @tree_util.register_pytree_node_class
    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def tree_flatten(self):
            return (self.a, self.b), None

        @classmethod
        def tree_unflatten(cls, rest, children):
            return cls(*children)

    @tree_util.register_dataclass
    @dataclasses.dataclass
    class Layer:
        w: object
        name: str = dataclasses.field(default="", metadata={"static": True})

    @tree_util.register_static
    class Mode(str):
        pass

    found = tree.map(lambda x: 10 * x, [Pair(1, 2), Layer(3, "first"), Mode("fast")])
    assert (found[0].a, found[0].b, found[1].w, found[1].name, found[2]) == (
        10, 20, 30, "first", "fast",
    )  # fmt: skip
    with pytest.raises(TypeError, match="Layer: give both data_fields and meta_fields, or"):
        tree_util.register_dataclass(Layer, ["w"])
    with pytest.raises(TypeError, match="int has no method tree_flatten and no tree_unflatten"):
        tree_util.register_pytree_node_class(int)
    with pytest.raises(TypeError, match="register_dataclass: int is not a dataclass"):
        tree_util.register_dataclass(int)


def test_a_partial_is_a_container_with_its_function_in_the_structure():
    apply = anvl.jit(lambda f, x: f(x))
    line = tree_util.Partial(lambda a, x, b: a * x + b, 3.0, b=1.0)
    assert float(apply(line, 2.0)) == 7.0
    doubled = tree.map(lambda x: 2 * x, line)
    assert isinstance(doubled, tree_util.Partial)
    assert float(apply(doubled, 2.0)) == 14.0
    assert apply.cache_size() == 1


# -- loops that are written out -------------------------------------------------------------------


def both(c, x):
    return c * 0.5 + np.sin(x), {"y": c * x, "none": None, "count": 2}


def scanned(x, **options):
    carry, ys = anvl.scan(both, 0.5, x, **options)
    return np.sum(ys["y"] * np.arange(7.0)) + carry, ys


@pytest.mark.parametrize("reverse", [False, True])
def test_unrolled_scans_give_what_loops_give(reverse):
    x = numpy.arange(1.0, 8.0)
    cases = [{}, {"unroll": 2}, {"unroll": 3}, {"unroll": True}, {"unroll": 50},
             {"unroll": 2, "checkpoint": 3}]  # fmt: skip

    def all_of_them(x):
        functions = [functools.partial(scanned, reverse=reverse, **case) for case in cases]
        return [anvl.value_and_grad(f, has_aux=True)(x) for f in functions]

    (first, slope), *others = anvl.jit(all_of_them)(x)
    for found, other_slope in others:
        for a, b in zip(flat(found), flat(first), strict=True):
            numpy.testing.assert_allclose(a, b, rtol=rounding(PROGRAM))
        numpy.testing.assert_allclose(other_slope, slope, rtol=rounding(PROGRAM))


def test_unrolling_writes_the_steps_out():
    def text(unroll):
        f = lambda x: anvl.scan(lambda c, x: (np.sin(c) * x, c), 0.5, x, unroll=unroll)  # noqa: E731
        return anvl.jit(f).lower(anvl.aval("f64", 7)).mlir("stablehlo")

    # 7 steps are 2 iterations of 3, and one more
    assert [text(n).count("stablehlo.sine") for n in (1, 3)] == [1, 4]


def test_fori_loops_are_unrolled_where_their_bounds_are_known():
    body = lambda i, y: y * 2 + i  # noqa: E731
    assert float(anvl.fori_loop(0, 5, body, 1.0, unroll=2)) == 58.0
    with pytest.raises(ValueError, match=r"fori_loop: unroll=2 needs bounds .* upper is traced"):
        anvl.jit(lambda n: anvl.fori_loop(0, n, body, 1.0, unroll=2))(3)


def test_what_unroll_refuses():
    x = numpy.arange(3.0)
    for bad in (0, -1, 1.5, "all"):
        with pytest.raises(ValueError, match=r"scan: unroll is .*; give the number of steps"):
            anvl.scan(both, 0.0, x, unroll=bad)
    with pytest.raises(TypeError, match=r"scan: single returned .*; return a pair"):

        def single(c, x):
            return c

        anvl.scan(single, 0.0, x, unroll=2)
    assert flat(anvl.scan(both, 0.5, numpy.zeros(0), unroll=4)[1])[1].shape == (0,)


# -- small ones ------------------------------------------------------------------------------------


def test_a_named_scope_names_ops_also_of_the_derivative():
    @anvl.named_scope("attention")
    def f(x):
        scores = np.sin(x)
        with anvl.named_scope("mix"):
            return np.sum(scores * scores)

    text = anvl.jit(anvl.grad(f)).lower(anvl.aval("f32", 3)).mlir("stablehlo", debug_info=True)
    assert "%attention.scores = stablehlo.sine" in text
    assert "%attention.mix" in text
    assert "attention.scores_adjoint" in text
    assert "attention" not in anvl.jit(lambda x: np.sin(x)).lower(anvl.aval("f32")).mlir()
    for bad in ("", 3):
        with pytest.raises(TypeError, match="named_scope: the name is"), anvl.named_scope(bad):
            pass


def test_avals_arrays_and_checkpoints_by_jax_names():
    of = anvl.ShapeDtypeStruct((2, 3), "f32", sharding=None, weak_type=False)
    with pytest.raises(TypeError, match="sharding is 'x', and can be None only; give jit the in_s"):
        anvl.ShapeDtypeStruct((2, 3), "f32", sharding="x")
    assert of is anvl.aval("f32", (2, 3))
    assert isinstance(anvl.eval_shape(lambda x: x, of), anvl.ShapeDtypeStruct)
    assert not isinstance(X, anvl.ShapeDtypeStruct)
    assert anvl.remat is anvl.checkpoint
    assert np.arange(3).at[-1].mul(5).tolist() == [0, 1, 10]
    found = anvl.device_get({"w": np.ones(2), "n": 3})
    assert type(found["w"]) is numpy.ndarray
    assert found["n"] == 3
    with pytest.raises(TypeError, match="device_get"):
        anvl.device_get("text")


def test_every_name_of_the_page_exists():
    page = (Path(__file__).parents[3] / "docs" / "coming-from-jax.md").read_text()
    spellings = page.partition("## JAX's spellings")[2].partition("```")[0]
    names = set(re.findall(r"`anvl\.([a-zA-Z_.]+)", page))
    names |= {n for cell in re.findall(r"^\| (.*?) \|", spellings, re.MULTILINE)
              for n in re.findall(r"`([a-zA-Z_.]+)(?=[(`])", cell)}  # fmt: skip
    names -= {"static_argnames", "donate_argnums", "donate_argnames", "has_aux"}
    assert len(names) > 40
    for name in sorted(names):
        functools.reduce(getattr, name.split("."), anvl)


def pair(x, y):
    return np.sum(x * y)


TRANSFORMS = [anvl.grad, anvl.value_and_grad, anvl.jacfwd, anvl.jacrev, anvl.jacobian, anvl.hessian]


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda f: f.__name__)
def test_an_argument_that_is_not_there_is_named_as_it_was_given(transform):
    name = transform.__name__
    for given, says in (
        ({"argnums": 2}, f"{name}: argnums: pair has no argument 2; it has 0 x, 1 y"),
        ({"argnums": (0, -3)}, f"{name}: argnums: pair has no argument -3; it has 0 x, 1 y"),
        ({"wrt": 2}, f"{name}: wrt: pair has no argument 2; it has 0 x, 1 y"),
    ):
        for call in (lambda g=given: transform(pair, **g), lambda g=given: transform(**g)(pair)):
            with pytest.raises(ValueError, match=f"^{says}$"):
                call()
    with pytest.raises(TypeError, match="wrt=1 and argnums=1 are two spellings"):
        transform(wrt=1, argnums=1)
    with pytest.raises(
        TypeError, match=r"no keyword 'argnames'; wrt takes names of arguments, too"
    ):
        transform(pair, argnames="y")


def test_a_static_argument_that_is_not_there_is_named_as_it_was_given():
    for given in (
        {"static": "z"}, {"donate": "z"}, {"static_argnames": "z"}, {"donate_argnames": "z"},
    ):  # fmt: skip
        says = f"^jit: {next(iter(given))}: pair has no argument 'z'; it has 0 x, 1 y$"
        with pytest.raises(ValueError, match=says):
            anvl.jit(pair, **given)
    with pytest.raises(ValueError, match=r"^jit: static_argnums: pair has no argument 7; it has"):
        anvl.jit(pair, static_argnums=(0, 7))
    with pytest.raises(ValueError, match=r"^checkpoint: static_argnums: pair has no argument 7;"):
        anvl.checkpoint(pair, static_argnums=7)


#: A call with a keyword that another function of JAX has, and what the message says of it.
CARRIED_OVER = [
    (lambda: anvl.grad(pair, static_argnums=1), "grad: .*; anvl.jit takes static_argnums: jit"),
    (lambda: anvl.grad(pair, in_axes=0), "grad: .*; anvl.vmap takes in_axes$"),
    (lambda: anvl.hessian(pair, donate_argnums=0), "hessian: .*; anvl.jit takes donate_argnums"),
    (lambda: anvl.vmap(pair, argnums=0), "vmap: .*; anvl.grad and its like take argnums$"),
    (lambda: anvl.vmap(pair, in_dims=0), "vmap: .*; in_axes is its name here$"),
    (lambda: anvl.vmap(pair, spmd_axis_name="i"), "vmap: .*; anvl.shard_map runs a function"),
    (lambda: anvl.jit(pair, in_axes=0), "jit: .*; anvl.vmap takes in_axes$"),
    (lambda: anvl.jit(pair, wrt=0), "jit: .*; anvl.grad and its like take wrt$"),
    (lambda: anvl.jit(pair, keep_unused=True), "jit: .*; no program keeps an argument that it"),
    (lambda: anvl.jit(pair, abstracted_axes=()), "jit: .*; anvl.jit.f, bucket=.* shares programs"),
    (lambda: anvl.vjp(pair, X, X, argnums=0), "vjp: .*; anvl.grad and its like take argnums$"),
    (lambda: anvl.linearize(pair, X, X, in_axes=0), "linearize: .*; anvl.vmap takes in_axes$"),
    (lambda: anvl.checkpoint(pair, nondiff_argnums=0), "checkpoint: .*; anvl.custom_jvp and anvl"),
]


@pytest.mark.parametrize(("call", "says"), CARRIED_OVER)
def test_a_keyword_of_another_transformation_is_answered_with_that(call, says):
    with pytest.raises(
        TypeError, match=f"^{says.replace(': .*;', ': there is no keyword .*;', 1)}"
    ):
        call()


def test_an_aux_that_is_no_pair_is_written_as_an_array():
    with pytest.raises(
        TypeError, match=r"^grad: pair returns f64\[\], but with has_aux it must ret"
    ):
        anvl.grad(pair, has_aux=True)(X, X)
