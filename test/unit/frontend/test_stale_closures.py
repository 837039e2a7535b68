"""Values that a jitted function closes over, and that change after its trace.

Each case is a function of one number, and changes of what it reads: `stale` ones, after which the
jitted function must give the plain function's result, and `equal` ones, after which it must not be
traced again.
"""

import collections
import dataclasses
import functools
import operator
import types

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

X = np.float64(3.0)

rate = 0.5
weights = [1.0, 2.0]
params = {"w": 1.5, "deep": {"b": [1, 2.5]}}


@dataclasses.dataclass
class Layer:
    w: float = 2.0
    bias: object = None

    def __call__(self, x):
        return x * self.w + (0.0 if self.bias is None else self.bias)


class Slotted:
    __slots__ = ("scale", "unread")

    def __init__(self):
        self.scale, self.unread = 2.0, 1.0


class Model:
    gain = 3.0

    def __init__(self):
        self.scale = 10.0
        self.layers = [Layer(1.0), Layer(2.0)]
        self.inner = types.SimpleNamespace(offset=1.0)
        self._hidden = 4.0
        self.unread = 0.0
        self.calls = []

    @property
    def hidden(self):
        return self._hidden * 2

    @functools.cached_property
    def once(self):
        return self.scale + 1

    def step(self, x):
        self.calls.append(x)
        return self.through(x) * self.scale

    def through(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def __call__(self, x):
        return self.step(x) + self.gain


def helper(x):
    return x * rate


def reset():
    global rate
    rate = 0.5
    weights[:] = [1.0, 2.0]
    params.clear()
    params.update(w=1.5, deep={"b": [1, 2.5]})


@pytest.fixture(autouse=True)
def fresh():
    reset()
    yield
    reset()


def set_global(value):
    def change():
        global rate
        rate = value

    return change


def set_item(of, key, value):
    return lambda: operator.setitem(of, key, value)


def set_attr(of, name, value):
    return lambda: setattr(of, name, value)


def a_global():
    return lambda x: x * rate, [set_global(1), set_global(0.25)], [set_global(float("0.25"))]


def a_global_of_a_helper():
    return lambda x: helper(x) + 1, [set_global(0.25)], []


def a_cell():
    value = 2.0

    def change():
        nonlocal value
        value = 7.0

    def equal():
        nonlocal value
        value = float("7")

    return lambda x: x + value, [change], [equal]


def a_nan():
    holder = types.SimpleNamespace(value=float("nan"))
    return (
        lambda x: anp.where(holder.value != holder.value, x, 0.0),
        [],
        [set_attr(holder, "value", float("nan"))],
    )


def the_type_of_a_number():
    holder = [2]
    return lambda x: anp.asarray(holder[0]) / 1, [set_item(holder, 0, 2.0)], []


def attributes():
    model = Model()
    layers = model.layers
    stale = [
        set_attr(model, "scale", 20.0),
        set_attr(model.inner, "offset", 5.0),
        set_attr(model, "inner", types.SimpleNamespace(offset=6.0)),
        set_attr(layers[1], "w", 3.0),
        set_item(layers, 0, Layer(9.0)),
        lambda: layers.append(Layer(0.5)),
        set_attr(model, "gain", 1.0),
        lambda: setattr(layers[0], "bias", np.ones(())),
    ]
    equal = [
        set_attr(model, "unread", 1.0),
        set_item(layers, 1, dataclasses.replace(layers[1], w=3.0)),
        lambda: model.calls.append(1),
    ]

    def f(x):
        alias = model
        return alias(x) * alias.inner.offset

    return f, stale, equal


def a_class_attribute():
    class Config:
        scale = 2.0
        unread = 1.0

    return (
        lambda x: x * Config.scale,
        [set_attr(Config, "scale", 3.0)],
        [set_attr(Config, "unread", 2.0)],
    )


def a_property():
    model = Model()
    return lambda x: x * model.hidden, [set_attr(model, "_hidden", 5.0)], []


def a_cached_property():
    model = Model()
    return lambda x: x * model.once, [lambda: vars(model).update(once=3.0)], []


def slots():
    one = Slotted()
    return lambda x: x * one.scale, [set_attr(one, "scale", 5.0)], [set_attr(one, "unread", 2.0)]


def an_attribute_by_name():
    model = Model()
    name = "scale"
    return lambda x: x * getattr(model, name), [set_attr(model, "scale", 3.0)], []


def a_method():
    model = Model()
    return model.step, [set_attr(model, "scale", 1.0)], [set_attr(model, "unread", 1.0)]


def a_callable():
    model = Model()
    return model, [set_attr(model, "gain", 1.0)], [set_attr(model, "unread", 1.0)]


def a_partial():
    table = [1.0]
    f = functools.partial(lambda x, t, k: x * t[0] + k["b"], t=table, k={"b": 2.0})
    return f, [set_item(table, 0, 5.0), set_item(f.keywords["k"], "b", 3.0)], []


def lists():
    stale = [set_item(weights, 0, 5.0), lambda: weights.append(7.0), weights.reverse]
    return (
        lambda x: x * sum(w * (i + 1) for i, w in enumerate(weights)),
        stale,
        [set_item(weights, 0, float("7"))],
    )


def a_long_list():
    values = [float(i) for i in range(100)]
    return (
        lambda x: x * sum(values),
        [set_item(values, 99, 0.0)],
        [set_item(values, 98, float("98"))],
    )


def dicts():
    stale = [
        set_item(params, "w", 2.0),
        set_item(params["deep"]["b"], 1, 7.0),
        set_item(params, "deep", {"b": [3, 4]}),
        set_item(params, "more", 5.0),
        lambda: params.pop("more"),
    ]
    equal = [set_item(params, "deep", {"b": [3, 4]})]
    return lambda x: x * params["w"] + sum(params["deep"]["b"]) + len(params), stale, equal


def a_defaultdict():
    table = collections.defaultdict(lambda: 1.0, a=2.0)
    return lambda x: x * table["a"], [set_item(table, "a", 3.0)], []


def sets_and_deques():
    s, d = {1, 2}, collections.deque([1.0, 2.0])
    stale = [lambda: s.add(5), lambda: d.appendleft(4.0), lambda: d.rotate(1)]
    return lambda x: x * sum(s) + d[0], stale, [lambda: s.add(5)]


def a_dataclass_of_arrays():
    layer = Layer(2.0, np.arange(3.0))
    return (
        layer,
        [set_item(layer.bias, 0, 4.0), set_attr(layer, "bias", np.ones(3))],
        [set_attr(layer, "bias", np.ones(3))],
    )


def a_numpy_array():
    holder = types.SimpleNamespace(table=np.arange(4.0), number=np.float32(2))
    stale = [
        lambda: holder.table.fill(7.0),
        set_attr(holder, "table", np.arange(3.0)),
        set_attr(holder, "table", np.arange(3)),
        set_attr(holder, "number", np.float64(2)),
    ]
    return (
        lambda x: x + holder.table * holder.number,
        stale,
        [
            set_attr(holder, "table", np.arange(3)),
            set_attr(holder, "number", np.float64(2)),
        ],
    )


def a_large_array():
    holder = types.SimpleNamespace(table=np.ones(1000))
    return lambda x: anp.sum(x + holder.table), [set_attr(holder, "table", np.zeros(1000))], []


def an_array_on_the_device():
    holder = types.SimpleNamespace(table=anp.asarray([1.0, 2.0]))
    return (
        lambda x: x + holder.table,
        [set_attr(holder, "table", anp.asarray([1.0, 3.0]))],
        [set_attr(holder, "table", anp.asarray([1.0, 3.0]))],
    )


def a_dtype():
    holder = types.SimpleNamespace(of=np.float64)
    return lambda x: anp.zeros(3, holder.of) + 1, [set_attr(holder, "of", np.float32)], []


def a_default_argument():
    table = [2.0]
    return lambda x, t=table: x * t[0], [set_item(table, 0, 3.0)], []


def transformed():
    slope = anvl.grad(lambda x: helper(x) * x)
    return lambda x: slope(x) + anvl.vmap(helper)(x[None])[0], [set_global(0.25)], []


def a_nested_jit():
    inner = anvl.jit(helper)
    return lambda x: inner(x) + 1, [set_global(2.0)], []


def bodies_of_loops():
    def body(i, x):
        return x * rate

    return lambda x: anvl.fori_loop(0, 3, body, x), [set_global(0.25)], []


def a_condition():
    return lambda x: x * 2 if rate > 0.5 else x + 1, [set_global(0.75)], []


def a_custom_rule():
    @anvl.custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda x: (x * x, x), lambda x, g: (g * x * rate,))
    return anvl.grad(f), [set_global(3.0)], []


def a_decorator():
    def times(g):
        @functools.wraps(g)
        def wrapped(x):
            return g(x) * params["w"]

        return wrapped

    return times(helper), [set_global(3.0), set_item(params, "w", 4.0)], []


def a_function_in_a_container():
    table = {"one": helper, "two": abs}
    return lambda x: table["one"](x), [set_global(4.0)], [set_item(table, "two", len)]


def a_method_of_a_base():
    class Base:
        def __init__(self):
            self.first, self.second = 2.0, 3.0

        def apply(self, x):
            return x * self.first

    class Derived(Base):
        def apply(self, x):
            return super().apply(x) + self.second

    one = Derived()
    return one.apply, [set_attr(one, "first", 5.0), set_attr(one, "second", 6.0)], []


def dispatch_by_type():
    @functools.singledispatch
    def apply(x):
        return x * rate

    @apply.register
    def _(x: int):
        return params["w"]

    return lambda x: apply(x) + apply(3), [set_global(4.0), set_item(params, "w", 2.0)], []


def an_object_of_a_library_that_calls():
    f = np.vectorize(lambda i: params["w"] * i, otypes="d")
    return lambda x: x + f(np.arange(2)), [set_item(params, "w", 2.0)], []


def a_method_of_a_builtin():
    lookup = params.get
    return lambda x: x * lookup("w"), [set_item(params, "w", 2.0)], []


def a_pattern():
    model = Model()

    def f(x):
        match model:
            case Model(scale=s):
                return x * s

    return f, [set_attr(model, "scale", 2.0)], [set_attr(model, "unread", 2.0)]


def wrapped_dicts():
    table = collections.UserDict(a=2.0)
    chain = collections.ChainMap({}, {"a": 3.0})
    stale = [set_item(table, "a", 5.0), set_item(chain, "a", 6.0)]
    return lambda x: x * table["a"] + chain["a"], stale, []


def a_registered_container():
    class Pair:
        def __init__(self, one, two):
            self.one, self.two = one, two

    anvl.tree.register_node(Pair, lambda p: ((p.one, p.two), None), lambda _, xs: Pair(*xs))
    pair = Pair(1.0, 2.0)
    return lambda x: x * sum(anvl.tree.leaves(pair)), [set_attr(pair, "two", 5.0)], []


def a_bytearray():
    data = bytearray(b"abc")
    return lambda x: x * data[0], [set_item(data, 0, 1)], []


def defaults_that_are_functions():
    return lambda x, g=lambda x: x * rate: g(x), [set_global(4.0)], []


CASES = [
    a_global, a_global_of_a_helper, a_cell, a_nan, the_type_of_a_number, attributes,
    a_class_attribute, a_property, a_cached_property, slots, an_attribute_by_name, a_method,
    a_callable, a_partial, lists, a_long_list, dicts, a_defaultdict, sets_and_deques,
    a_dataclass_of_arrays, a_numpy_array, a_large_array, an_array_on_the_device,
    a_dtype,
    a_default_argument, transformed, a_nested_jit, bodies_of_loops, a_condition, a_custom_rule,
    a_decorator, a_function_in_a_container, a_method_of_a_base, dispatch_by_type,
    an_object_of_a_library_that_calls, a_method_of_a_builtin, a_pattern, wrapped_dicts,
    a_registered_container, a_bytearray, defaults_that_are_functions,
]  # fmt: skip


@pytest.mark.sweep(keep=20)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_a_changed_value_is_found_and_an_equal_one_is_not(case):
    f, stale, equal = case()
    jitted = anvl.jit(f)
    assert_same(jitted, f)
    for n, change in enumerate(stale):
        jitted.clear_cache()  # more than three traces for one name would be a warning
        assert_same(jitted, f)
        change()
        assert_same(jitted, f)
        assert jitted.cache_size() == 2, n
    size = jitted.cache_size()
    for change in equal:
        change()
        assert_same(jitted, f)
        assert jitted.cache_size() == size


def assert_same(jitted, f):
    found, expected = np.asarray(jitted(X)), np.asarray(f(X))
    assert found.dtype == expected.dtype or expected.dtype.kind in "OiU"
    np.testing.assert_allclose(found, expected, rtol=1e-6)
