"""Names of `jax` itself, `jax.tree_util`, `jax.debug`, `jax.profiler` and `jax.image`."""

import gzip
import json
import logging
import re

import numpy
import pytest
from tolerances import FORMULA, assert_close, rounding

import anvl
import anvl.numpy as np
from anvl import debug, image, lax, profiler, sharding, tree, tree_util
from anvl.transforms.saved_residuals import saved_values
from anvl.tree_util import DictKey, FlattenedIndexKey, GetAttrKey, SequenceKey, keystr

X = numpy.array([1.0, 2.0])


# -- trees -----------------------------------------------------------------------------------------


class Plain:
    def __init__(self, x):
        self.x = x


@tree_util.register_pytree_with_keys_class
class Keyed:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def tree_flatten_with_keys(self):
        return [(GetAttrKey("w"), self.w), ("bias", self.b)], "rest"

    @classmethod
    def tree_unflatten(cls, rest, children):
        assert rest == "rest"
        return cls(*children)


tree_util.register_pytree_node(Plain, lambda p: ((p.x,), None), lambda _, xs: Plain(*xs))
VALUES = {"a": [1, (2, None)], "k": Keyed(5, {"p": Plain(6)})}


def test_paths_are_the_keys_that_jax_has():
    pairs, treedef = tree_util.tree_flatten_with_path(VALUES)
    assert pairs == [
        ((DictKey("a"), SequenceKey(0)), 1),
        ((DictKey("a"), SequenceKey(1), SequenceKey(0)), 2),
        ((DictKey("k"), GetAttrKey("w")), 5),
        ((DictKey("k"), "bias", DictKey("p"), FlattenedIndexKey(0)), 6),
    ]
    assert treedef == tree.structure(VALUES)
    assert isinstance(treedef, tree_util.PyTreeDef)
    # of jax 0.10.2: keystr, and keystr(simple=True, separator="/")
    wanted = [
        ("['a'][0]", "a/0"), ("['a'][1][0]", "a/1/0"), ("['k'].w", "k/w"),
        ("['k']bias['p'][<flat index 0>]", "k/bias/p/0"),
    ]  # fmt: skip
    assert [(keystr(p), keystr(p, simple=True, separator="/")) for p, _ in pairs] == wanted
    # those of anvl.tree are these texts
    assert [path for path, _ in tree.leaves_with_path(VALUES)] == [text for text, _ in wanted]
    found = tree_util.tree_map_with_path(lambda path, x, y: (keystr(path), x + y), VALUES, VALUES)
    assert found["a"][1] == (("['a'][1][0]", 4), None)
    assert tree_util.tree_leaves_with_path([None, X], is_leaf=lambda x: x is None)[0] == (
        (SequenceKey(0),), None
    )  # fmt: skip
    with pytest.raises(TypeError, match=r"keystr: the path .* is text, which has no keys"):
        keystr("['w']", simple=True)
    assert keystr("['w']") == "['w']"
    with pytest.raises(TypeError, match="keystr: the path is 3 of type int; give a tuple of keys"):
        keystr(3)


def test_classes_with_keys_are_arguments_of_jitted_functions():
    found = anvl.jit(lambda k: Keyed(k.w * 2, k.b))(Keyed(X, 1.0))
    assert isinstance(found, Keyed) and found.w.tolist() == [2.0, 4.0]
    slope = anvl.grad(lambda k: np.sum(k.w**2) + k.b)(Keyed(X, 1.0))
    assert slope.w.tolist() == [2.0, 4.0]
    assert (
        tree.structure_difference(Keyed(1, 2), Keyed([1], 2)) == "at .w: a leaf against list of 1"
    )
    with pytest.raises(TypeError, match="int has no method tree_flatten_with_keys and no tree_un"):
        tree_util.register_pytree_with_keys_class(int)
    with pytest.raises(ValueError, match="Keyed is registered already"):
        tree_util.register_pytree_with_keys(Keyed, Keyed.tree_flatten_with_keys, Keyed)
    with pytest.raises(
        TypeError, match="register_node_with_keys: expected two functions, got None"
    ):
        tree_util.register_pytree_with_keys(int, None, int)


def test_broadcasts_reductions_and_parts_of_structures():
    assert tree_util.tree_broadcast([1, (2, 3)], [{"a": 0}, (0, [0, 0])]) == [{"a": 1}, (2, [3, 3])]
    assert tree.broadcast((1, None), (0, None)) == (1, None)
    with pytest.raises(
        ValueError, match="broadcast: the first tree is no prefix of the second: at"
    ):
        tree.broadcast([1, 2], [0])
    join = "({} {})".format
    assert tree_util.tree_reduce_associative(join, list("abcde")) == "((a b) (c (d e)))"
    assert tree.reduce_associative(join, [], identity="i") == "i"
    with pytest.raises(TypeError, match="reduce_associative: the tree has no leaves"):
        tree.reduce_associative(join, [])
    of = tree.structure([1, (2, None)])
    assert tree_util.treedef_children(of) == [tree.structure(1), tree.structure((1, None))]
    assert tree_util.treedef_tuple([of, tree.structure(0)]) == tree.structure(([1, (2, None)], 3))
    assert [tree_util.treedef_is_leaf(t) for t in (of, tree.structure(0))] == [False, True]


# -- settings ----------------------------------------------------------------------------------


def test_functions_are_called_as_they_are_where_jit_is_disabled():
    seen = []

    @anvl.jit
    def f(x):
        seen.append(float(x))
        return g(x) + 1

    @anvl.jit(static="n")
    def g(x, n=2):
        return x * n if x > 0 else x / n

    with anvl.disable_jit():
        assert float(f(np.asarray(1.0))) == 3.0
        assert float(f(np.asarray(-1.0))) == 0.5
        with anvl.disable_jit(False), pytest.raises(anvl.TraceError):
            f(np.asarray(1.0))
    assert seen == [1.0, -1.0]
    with pytest.raises(anvl.TraceError):
        f(np.asarray(1.0))
    with pytest.raises(TypeError, match="disable_jit: 1 is no bool"):
        anvl.disable_jit(1)
    double = anvl.jit(lambda x: x + x)
    assert [float(double(2.0)), double.cache_size()] == [4.0, 1]
    with anvl.disable_jit():
        assert float(double(3.0)) == 6.0
    assert [float(double(4.0)), double.cache_size()] == [8.0, 1]


def test_settings_by_the_names_of_jax():
    with anvl.enable_x64(True):
        assert np.zeros(1).dtype == numpy.float64 and np.asarray(1).dtype == numpy.int64
        with anvl.enable_x64(False):
            assert np.zeros(1).dtype == numpy.float32
    with anvl.default_matmul_precision(lax.Precision.HIGH):
        assert anvl.config.matmul_precision == "HIGH"
        with anvl.default_matmul_precision(None):
            assert anvl.config.matmul_precision == "DEFAULT"
    for name, ours, value in [
        ("jax_default_matmul_precision", "matmul_precision", "HIGHEST"),
        ("jax_disable_jit", "disable_jit", True),
        ("jax_debug_key_reuse", "check_key_reuse", True),
        ("jax_log_compiles", "explain_cache_misses", True),
        ("jax_cpu_enable_async_dispatch", "cpu_async_dispatch", False),
        ("jax_num_cpu_devices", "num_cpu_devices", 3),
    ]:
        try:
            anvl.config.update(name, value)
            assert getattr(anvl.config, ours) == value
        finally:
            anvl.config.update(name, None)
        assert getattr(anvl.config, ours) != value
    with pytest.raises(AttributeError, match="no setting 'jax_traceback_filtering'"):
        anvl.config.update("jax_traceback_filtering", "off")


def test_compilations_are_logged(caplog):
    with caplog.at_level(logging.INFO, "anvl.jit"), anvl.log_compiles():
        anvl.jit(lambda x: x - 1)(1.0)
    assert "first call" in caplog.text


# -- derivatives -------------------------------------------------------------------------------


def test_a_function_returns_its_own_gradient():
    @anvl.custom_gradient
    def product(x, y):
        return x * y, lambda g: (10 * g * y, g * x)

    assert float(product(2.0, 3.0)) == 6.0
    for transform in (lambda f: f, anvl.jit):
        found = transform(anvl.grad(product, (0, 1)))(2.0, 3.0)
        assert [float(x) for x in found] == [30.0, 2.0]
    assert anvl.vmap(anvl.grad(product))(X, X).tolist() == [10.0, 20.0]
    single = anvl.custom_gradient(lambda x: (np.sum(x["a"]), lambda g: {"a": 5 * g * x["a"]}))
    assert anvl.grad(single)({"a": X})["a"].tolist() == [5.0, 10.0]
    with pytest.raises(TypeError, match="custom_gradient"):
        anvl.custom_gradient(lambda x: x)(1.0)


def layers(x, w):
    h = anvl.tag(np.sin(x @ w), "h")
    return np.sum(np.sin(np.einsum("bij,bjk->bik", np.stack([h, h]), np.stack([h, w]))))


POLICIES = anvl.checkpoint_policies


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        (POLICIES.nothing_saveable, 0),
        (POLICIES.dots_saveable, 2),
        (POLICIES.checkpoint_dots_with_no_batch_dims, 1),
        (POLICIES.save_only_these_names("h"), 1),
        (POLICIES.save_only_these_names("g"), 0),
        (POLICIES.save_from_both_policies(POLICIES.dots_saveable, ("tag=h",)), 3),
        (POLICIES.everything_saveable, 4),  # as without a checkpoint
    ],
)
def test_policies_of_jax_keep_what_they_name(policy, kept):
    x, w = numpy.cos(numpy.arange(8.0)).reshape(2, 2, 2)
    block = anvl.checkpoint(layers, policy=policy)
    assert_close(anvl.grad(block)(x, w), anvl.grad(layers)(x, w), 64)
    saved = saved_values(block, x, w)
    assert sum("argument" not in value.source for value in saved) == kept


def test_policies_that_do_not_exist():
    with pytest.raises(AttributeError, match="no policy 'save_any_names_but_these'; name those"):
        _ = POLICIES.save_any_names_but_these
    with pytest.raises(TypeError, match="'dots' is no policy of checkpoint_policies"):
        POLICIES.save_from_both_policies("dots", ())
    for bad in ("dot_general=batched", "sin=x", "nothing=h"):
        with pytest.raises(ValueError, match=f"policy '{bad}' is not the name of an op"):
            anvl.checkpoint(layers, policy=(bad,))


# -- small ones --------------------------------------------------------------------------------


def test_types_devices_and_meshes():
    assert anvl.typeof(X) == anvl.aval("f64", (2,)) and anvl.typeof(1).weak_type
    with pytest.raises(TypeError, match="typeof: takes arrays and numbers, got 'x'"):
        anvl.typeof("x")
    assert anvl.default_backend() == "cpu"
    assert anvl.device_count() == len(anvl.devices()) == anvl.local_device_count("cpu")
    assert anvl.local_devices() == anvl.local_devices(0) == list(anvl.devices())
    with pytest.raises(ValueError, match="local_devices: process_index is 1; it must be from 0"):
        anvl.local_devices(1)
    assert (anvl.process_index(), anvl.process_count()) == (0, 1)
    mesh = anvl.make_mesh((1,), ("x",), devices=numpy.array(anvl.devices()[:1]))
    assert mesh == anvl.Mesh({"x": 1})
    assert anvl.NamedSharding(mesh, anvl.P("x")) == sharding.Sharding(mesh, sharding.P("x"))
    with pytest.raises(TypeError, match=r"make_mesh: axis_types is .* axes are not typed"):
        anvl.make_mesh((1,), ("x",), axis_types=(sharding.AxisType.Explicit,))
    constrained = anvl.jit(lambda x: lax.with_sharding_constraint(x, shardings=rows))
    rows = sharding.NamedSharding(mesh, anvl.P("x"))
    assert constrained(X).sharding.mesh == mesh
    assert "jaxlib" in anvl.print_environment_info(return_string=True)
    text = anvl.jit(anvl.named_call(np.sin, name="wave")).lower(X).mlir(debug_info=True)
    assert "wave" in text
    assert anvl.effects_barrier() is None


def test_callbacks_of_debug_take_names_and_return_nothing(capsys):
    seen = []

    def note(x, *, step):
        seen.append((x.tolist(), step))
        return "of no interest"

    f = anvl.jit(lambda x: (debug.callback(note, x, step=x[0]), x + 1)[1])
    f(X)
    f(2 * X)
    assert seen == [([1.0, 2.0], 1.0), ([2.0, 4.0], 2.0)]
    debug.callback(note, X, step=3)
    assert seen[2:] == [([1.0, 2.0], 3)]
    with pytest.raises(TypeError, match=r"debug.callback: takes a function, got 1"):
        debug.callback(1)
    debug.visualize_array_sharding(np.asarray(X), use_color=False)
    assert "f64[2] over" in capsys.readouterr().out


def test_profiles_begin_and_end_and_name_blocks(tmp_path):
    profiler.start_trace(tmp_path, create_perfetto_trace=True)
    with pytest.raises(RuntimeError, match="a profile is being recorded already"):
        profiler.start_trace(tmp_path)
    with profiler.TraceAnnotation("load a batch", size=3):
        pass
    with profiler.StepTraceAnnotation("train", step_num=7):
        pass
    assert profiler.annotate_function(lambda x: x + 1, name="count up")(1) == 2
    path = profiler.stop_trace()
    events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    named = {e["name"]: e["args"] for e in events if e["ph"] == "X"}
    assert int(named["load a batch"]["size"]) == 3
    assert int(named["train"]["step_num"]) == 7
    assert "count up" in named
    with pytest.raises(RuntimeError, match="stop_trace: no profile is being recorded"):
        profiler.stop_trace()
    with pytest.raises(TypeError, match="leave both out, and open the file"):
        profiler.start_trace(tmp_path, create_perfetto_link=True)
    with pytest.raises(TypeError, match="TraceAnnotation: the name is 3; give a text"):
        profiler.TraceAnnotation(3)


def test_methods_of_resizing_are_members_or_names():
    x = numpy.arange(4.0)
    for member in image.ResizeMethod:
        assert image.ResizeMethod.from_string(member.name.lower()) is member
        found = image.resize(x, (7,), member)
        numpy.testing.assert_allclose(
            found, image.resize(x, (7,), member.name.lower()), rtol=rounding(FORMULA)
        )
    with pytest.raises(ValueError, match="resize: method is 'best'; it must be one of nearest"):
        image.resize(x, (7,), "best")
    with pytest.raises(ValueError, match=r"ResizeMethod.from_string: method is 'best'"):
        image.ResizeMethod.from_string("best")


@pytest.mark.parametrize(
    ("module", "name", "advice"),
    [
        (anvl, "pmap", "use anvl.shard_map"), (anvl, "make_jaxpr", "use anvl.trace"),
        (anvl, "debug_nans", "debug_nans=True"), (anvl, "devicecount", "mean 'device_count'"),
        (lax, "rng_uniform", "use anvl.random.uniform"), (sharding, "set_mesh", "with mesh:"),
        (tree_util, "is_tree_node", "use all_leaves"), (profiler, "start_server", "profiler.trace"),
        (debug, "breakpoint", "anvl.disable_jit"),
    ],
)  # fmt: skip
def test_the_error_for_a_name_of_jax_says_what_to_write(module, name, advice):
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'; .*{re.escape(advice)}"):
        getattr(module, name)
