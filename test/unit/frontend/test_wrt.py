"""`wrt`: paths to parts of arguments, tags, mixtures of all; `has_aux`; what is refused."""

import collections
import dataclasses
import re

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp

Layer = collections.namedtuple("Layer", ["w", "b"])


@dataclasses.dataclass
class Net:
    first: object
    name: str


anvl.tree.register_dataclass(Net, ["first"], ["name"])


def close(found, expected, rtol=rounding(ITERATION)):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=rounding(PROGRAM))


def f(params, x):
    hidden = anvl.tag(anp.tanh(x @ params["w"]), "hidden")
    return anp.sum(hidden**2 * params["layers"][0].b)


PARAMS = {"w": np.arange(6.0).reshape(3, 2) / 6, "layers": [Layer(1.0, np.asarray([1.0, -2.0]))]}
X = np.linspace(-1, 1, 12).reshape(4, 3)
HIDDEN = np.tanh(X @ PARAMS["w"])
D_HIDDEN = 2 * HIDDEN * PARAMS["layers"][0].b
D_B = np.sum(HIDDEN**2, axis=0)
D_W = X.T @ ((1 - HIDDEN**2) * D_HIDDEN)
D_X = ((1 - HIDDEN**2) * D_HIDDEN) @ PARAMS["w"].T

WRAPS = [lambda f: f, anvl.jit]


# Paths


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("path", ["params.w", "params['w']", 'params["w"]'])
def test_a_path_to_a_leaf_gives_an_array(path, wrap):
    close(wrap(anvl.grad(f, wrt=path))(PARAMS, X), D_W)
    close(wrap(anvl.grad(f, wrt=path))(params=PARAMS, x=X), D_W)


@pytest.mark.parametrize(
    "path", ["params['layers'][0].b", "params.layers.0.b", "params.layers[-1].b"]
)
def test_steps_are_spelled_as_python_does_or_with_dots(path):
    close(anvl.grad(f, wrt=path)(PARAMS, X), D_B)


def test_a_path_to_a_part_gives_that_part():
    (layer,) = anvl.grad(f, wrt="params.layers")(PARAMS, X)
    close(layer.b, D_B), close(layer.w, 0)


@pytest.mark.parametrize("wrap", WRAPS)
def test_everything_mixes_in_the_order_given(wrap):
    wrt = ("hidden", 1, "params.layers[0].b", "params.w")
    of_hidden, of_x, of_b, of_w = wrap(anvl.grad(f, wrt=wrt))(PARAMS, X)
    close(of_hidden, D_HIDDEN), close(of_x, D_X), close(of_b, D_B), close(of_w, D_W)


def test_paths_into_registered_classes_and_extra_arguments():
    def g(net, *rest, **options):
        return net.first["a b"] * rest[0][1] * options["scale"]

    net = Net({"a b": 2.0}, "n")
    wrt = ("net.first['a b']", "arg1[1]", "scale")
    found = anvl.grad(g, wrt=wrt)(net, (1.0, 3.0), scale=5.0)
    assert [x.item() for x in found] == [15.0, 10.0, 6.0]


def test_a_name_of_an_argument_comes_before_a_tag():
    assert anvl.grad(lambda x: anvl.tag(x * x, "x") * 3, wrt="x")(2.0).item() == 12.0


@pytest.mark.parametrize("jacobian", [anvl.jacfwd, anvl.jacrev])
def test_jacobians_take_paths(jacobian):
    def g(p, x):
        return p["a"] * x

    p = {"a": np.arange(3.0), "b": 1.0}
    of_a, of_x = jacobian(g, wrt=("p.a", "x"))(p, 2.0)
    close(of_a, 2 * np.eye(3)), close(of_x, p["a"])
    second = anvl.hessian(lambda p, x: anp.sum(p["a"] ** 2) * x, wrt="p.a")(p, 2.0)
    close(second, 4 * np.eye(3))


# Tags


def test_a_tag_is_the_value_itself():
    assert anvl.tag(3.0, "x").weak_type
    tree = anvl.tag({"a": (X, 1), "b": None}, "t")
    close(tree["a"][0], X)
    assert tree["b"] is None
    text = anvl.jit(lambda x: anvl.tag(x, "x")).lower(X).mlir("stablehlo")
    assert "tag" not in text


def test_arrays_in_containers_are_tagged_by_their_paths():
    def g(x):
        parts = anvl.tag({"double": 2 * x, "square": x * x}, "parts")
        return parts["double"] * parts["square"]

    for wrt in ("parts['double']", "parts.double"):
        assert anvl.grad(g, wrt=wrt)(3.0).item() == 9.0


def test_what_depends_on_a_tag_counts_in_what_it_depends_on():
    of_x, of_tag = anvl.grad(lambda x: anvl.tag(x * x, "t") * x, wrt=("x", "t"))(3.0)
    assert (of_x.item(), of_tag.item()) == (27.0, 3.0)


def test_one_tag_on_another():
    def g(x):
        return anvl.tag(2 * anvl.tag(x * x, "inner"), "outer") * 5

    assert [s.item() for s in anvl.grad(g, wrt=("inner", "outer"))(3.0)] == [10.0, 5.0]


@pytest.mark.parametrize("wrap", WRAPS)
def test_tags_are_found_behind_jits_batches_and_derivatives(wrap):
    xs = np.stack([X, 2 * X])
    per_member = anvl.vmap(anvl.grad(f, wrt="hidden"), in_axes=(None, 0))
    expected = [np.asarray(anvl.grad(f, wrt="hidden")(PARAMS, x)) for x in xs]
    close(wrap(per_member)(PARAMS, xs), expected)

    def total(params, xs):
        return anp.sum(anvl.vmap(anvl.jit(f), in_axes=(None, 0))(params, xs))

    close(wrap(anvl.grad(total, wrt="hidden"))(PARAMS, xs), expected)

    def slope(params, x):
        return anp.sum(anvl.grad(f, wrt=1)(params, x))

    # The slope of tanh is in terms of what tanh gave, before it was tagged.
    expected = (1 - HIDDEN**2) * 2 * PARAMS["layers"][0].b * PARAMS["w"].sum(axis=0)
    close(wrap(anvl.grad(slope, wrt="hidden"))(PARAMS, X), expected)


@anvl.custom_vjp
def double(x):
    return 2 * x


@double.defvjp
def _(primals, result, cotangent):
    return (2 * cotangent,)


@pytest.mark.parametrize("wrap", WRAPS)
def test_tags_beside_functions_with_rules(wrap):
    def g(x):
        h = anvl.tag(double(x) * x, "h")
        again = anvl.checkpoint(lambda h: anp.sin(h) * h, budget="8B")
        return anp.sum(again(h))

    h = 2 * X**2
    of_x, of_h = wrap(anvl.grad(g, wrt=("x", "h")))(X)
    close(of_h, np.cos(h) * h + np.sin(h)), close(of_x, 4 * X * of_h)
    close(wrap(anvl.vmap(anvl.grad(g, wrt="h")))(X), of_h)


def test_a_batch_that_shares_a_tagged_value_has_no_axis_for_it():
    def g(x, y):
        return anvl.tag(x * x, "shared") * y

    def total(x, ys):
        return anp.sum(anvl.vmap(g, in_axes=(None, 0))(x, ys))

    assert anvl.grad(total, wrt="shared")(3.0, np.asarray([1.0, 2.0])).shape == ()


def test_tangents_pass_a_tag_and_gradients_of_tags_move():
    move = anvl.jvp(lambda x: anvl.tag(x * x, "t"), (3.0,), (1.0,))[1]
    assert move.item() == 6.0
    slope = anvl.grad(lambda x: anvl.tag(x * x, "t") ** 2, wrt="t")
    assert anvl.jvp(slope, (3.0,), (1.0,))[1].item() == 12.0
    assert anvl.grad(slope)(3.0).item() == 12.0


def test_rows_of_a_jacobian_by_a_tag():
    def g(x):
        return anp.cumsum(anvl.tag(x * x, "squares"))

    close(anvl.jacrev(g, wrt="squares")(np.arange(3.0)), np.tril(np.ones((3, 3))))
    both = anvl.jacrev(g, wrt=("squares", "x"))(np.arange(3.0))
    close(both[1], np.tril(np.ones((3, 3))) * 2 * np.arange(3.0))


def test_the_graph_shows_the_tags_that_are_asked_for():
    text = str(anvl.trace(anvl.grad(f, wrt=("params.w", "hidden")), PARAMS, X))
    assert "wrt = 2, tags = hidden" in text


# has_aux


@pytest.mark.parametrize("wrap", WRAPS)
def test_what_else_is_returned_is_passed_on(wrap):
    def g(x):
        y = anp.sin(x)
        return anp.sum(y), {"y": y, "pair": (x, [])}

    (value, aux), slope = wrap(anvl.value_and_grad(g, has_aux=True))(X)
    close(value, np.sum(np.sin(X))), close(aux["y"], np.sin(X)), close(aux["pair"][0], X)
    close(slope, np.cos(X))
    slope, aux = wrap(anvl.grad(g, has_aux=True))(X)
    close(slope, np.cos(X)), close(aux["y"], np.sin(X))
    assert aux["pair"][1] == []


def test_what_is_no_array_is_passed_on_as_it_is():
    def g(x):
        return x * x, {"n": 3, "flag": True, "name": "loss", "none": None, "list": np.arange(2)}

    slope, aux = anvl.grad(g, has_aux=True)(3.0)
    assert slope.item() == 6.0
    assert (type(aux["n"]), aux["flag"], aux["name"], aux["none"]) == (int, True, "loss", None)
    close(aux["list"], [0, 1])
    inside = anvl.jit(lambda x: x * anvl.grad(g, has_aux=True)(x)[1]["n"])
    assert inside(2.0).item() == 6.0


def test_integers_are_no_hindrance_and_others_have_no_part():
    def g(x):
        return (anp.sum(x), (x.astype("i32"), x**2))

    slope, (n, _) = anvl.vmap(anvl.grad(g, has_aux=True))(X)
    close(slope, np.ones((4, 3)))
    assert n.dtype == np.int32
    second = anvl.grad(lambda x: anvl.grad(lambda x: (x**3, x), has_aux=True)(x)[0])
    assert second(2.0).item() == 12.0


@pytest.mark.parametrize(
    ("g", "message"),
    [
        (lambda x: x, "returns f32?[], but with has_aux it must return a pair, (value, aux)"),
        (lambda x: (x, x, x), "returns a tuple of 3, but with has_aux it must return a pair"),
        (lambda x: ((x, x), x), "returns f32?[], f32?[], not one float scalar"),
    ],
)
def test_what_is_no_pair_is_refused(g, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        anvl.grad(g, has_aux=True)(1.0)


def test_has_aux_is_a_flag():
    with pytest.raises(TypeError, match="grad: has_aux is 1; it must be True or False"):
        anvl.grad(f, has_aux=1)


# Errors

HAS = r"there are the arguments params, x; paths "


@pytest.mark.parametrize("transform", [anvl.grad, anvl.value_and_grad, anvl.jacrev])
@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize(
    ("wrt", "kind", "message"),
    [
        ("hiden", ValueError, "wrt 'hiden' names nothing of f; did you mean hidden? " + HAS),
        ("params.v", ValueError, "'params.v' names nothing of f; did you mean params['w']"),
        ("params.w.x", ValueError, "paths params['layers'][0].w, params['layers'][0].b, params["),
        ("parms", ValueError, "did you mean params or"),
        ("q", ValueError, "'q' names nothing of f; there are"),
        ("params.layers[1]", ValueError, "names nothing of f; did you mean params['layers'][0]."),
        ("params.layers[-2]", ValueError, "names nothing of f"),
        ("]x[", ValueError, "tags hidden"),
        (("params", "params.w"), ValueError, "names params['w'] of f twice, by 'params' and by"),
        (("params.layers[-1]", "params.layers.0.b"), ValueError, "names params['layers'][0].b of"),
        (("params.w", "params['w']"), ValueError, "names \"params['w']\" of f twice"),
        (("hidden", "hidden"), ValueError, "names 'hidden' of f twice"),
    ],
)
def test_entries_that_name_nothing_or_too_much(transform, wrap, wrt, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        wrap(transform(f, wrt=wrt))(PARAMS, X)


def test_only_so_many_names_are_listed():
    params = {f"w{i}": 1.0 for i in range(40)}
    with pytest.raises(ValueError, match=r"p\['w1'\], .* and 28 more; tags none"):
        anvl.grad(lambda p: p["w0"], wrt="nothing")(params)


@pytest.mark.parametrize("transform", [anvl.jacfwd, anvl.hessian])
def test_tags_are_for_reverse_mode(transform):
    with pytest.raises(ValueError, match=r"tags are for reverse mode: grad and jacrev"):
        transform(f, wrt="hidden")
    with pytest.raises(ValueError, match=r"did you mean params\['w'\].*paths .*tags are for"):
        transform(f, wrt="params.v")(PARAMS, X)


def test_a_path_to_what_is_no_float_is_named():
    def g(p):
        return p["x"] * 1.0

    for wrt, what in (("p.n", "p['n'][0] of g is i32?[]"), ("p.s", "p['s'] of g is 'text'")):
        message = f"grad: {what}; only floats have a derivative"
        with pytest.raises(TypeError, match=re.escape(message)):
            anvl.grad(g, wrt=wrt)({"x": 1.0, "n": [3], "s": "text"})


def tagged_twice(x):
    y = anvl.tag(x * x, "t")
    return y + anvl.tag(2 * x, "t")


def test_a_tag_on_two_values_is_refused_with_both_lines():
    line = tagged_twice.__code__.co_firstlineno
    message = rf"tag 't' of tagged_twice is on 2 values, at .*py:{line + 1}:9, .*py:{line + 2}:16;"
    with pytest.raises(ValueError, match=message):
        anvl.grad(tagged_twice, wrt="t")(1.0)
    anvl.grad(tagged_twice)(1.0)  # nobody asks for it
    with pytest.raises(ValueError, match="is on 2 values"):
        anvl.grad(lambda x: f(PARAMS, x) + anvl.jit(f)(PARAMS, 2 * x), wrt="hidden")(X)


def test_tags_that_cannot_be_differentiated():
    def integer(x):
        return x * anvl.tag(x.astype("i32"), "n")

    def unused(x):
        anvl.tag(x * x, "t")
        return x

    with pytest.raises(TypeError, match=r"tag 'n' of integer is i32\[\], at .*py:\d+:\d+; only"):
        anvl.grad(integer, wrt="n")(1.0)
    with pytest.raises(ValueError, match=r"tag 't' of unused, at .* is on an unused value"):
        anvl.grad(unused, wrt="t")(1.0)


def test_tags_of_what_is_computed_again_are_not_there():
    with pytest.raises(ValueError, match=r"'hidden' names nothing .*tags none"):
        anvl.grad(anvl.checkpoint(f), wrt="hidden")(PARAMS, X)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: anvl.tag(1.0, ""), "tag: name is ''; it must be a string, and not empty"),
        (lambda: anvl.tag(1.0, 3), "tag: name is 3; it must be a string"),
        (lambda: anvl.tag("x", "y"), "takes arrays and numbers, got 'x' of type str"),
    ],
)
def test_tags_of_and_by_other_things(call, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        call()


def test_a_target_that_is_no_scalar_is_told_of_other_ways():
    with pytest.raises(TypeError, match=r"use anvl\.vjp with cotangents .* or anvl\.jacrev"):
        anvl.grad(lambda x: x)(X)
    with pytest.raises(TypeError, match="has_aux=True passes others on"):
        anvl.grad(lambda x: (x, x))(1.0)
