"""Which values of a function are found, how they are compared, and what is left alone."""

import enum
import fractions
import functools
import math
import operator
import types

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
import anvl.runtime as rt
from anvl import StaleClosureError
from anvl.captured.snapshot import snapshot

X = np.float64(3.0)


def of(**values):
    return types.SimpleNamespace(**values)


def test_what_is_only_written_to_is_not_read():
    log, record, seen = [], {}, of(last=None)

    @anvl.jit
    def f(x):
        log.append(x.shape)
        record["shape"] = x.shape
        seen.last = x.dtype
        return x + 1

    assert f(X) == f(X) == 4
    log.append(1)
    record["shape"] = seen.last = None
    assert f(X) == 4 and f.cache_size() == len(log) - 1 == 1


class Reader:
    """Found by an attribute, after the code that writes."""

    def last(self, x, state):
        return x * state.log[-1]


def test_what_is_read_elsewhere_is_not_only_written_to():
    state = of(log=[1.0], reader=Reader())
    pairs = [1.0]

    @anvl.jit
    def f(x):
        def note():
            state.log.append(1.0)

        if x is None:
            pairs.append(1.0)
        return state.reader.last(x, state) * pairs[-1]

    assert f(X) == 3
    state.log.append(2.0)
    assert f(X) == 6
    pairs.append(3.0)
    assert f(X) == 18


def test_a_large_array_is_compared_by_identity_alone():
    small, large = np.ones(512), np.ones(513)
    f = anvl.jit(lambda x: anp.sum(x + small), on_stale_closure="error")
    g = anvl.jit(lambda x: anp.sum(x + large), on_stale_closure="error")
    f(X), g(X)
    small[3] = large[3] = 2
    with pytest.raises(
        StaleClosureError, match=r"small has changed, an array float64\[512\] \(read"
    ):
        f(X)
    assert g(X) == 4 * 513


def test_an_equal_array_on_another_device_is_another_value():
    here, there = (rt.put(np.ones(2), device.placement) for device in rt.cpu_client(2).devices)
    tables = [here]
    f = anvl.jit(lambda x: x + tables[0])
    assert f(1.0).device is here.device
    tables[0] = there
    assert f(1.0).device is there.device and f.cache_size() == 2


def test_long_containers_and_many_values():
    """Beyond a limit they are compared by identity and length."""
    long = [float(i) for i in range(2000)]
    deep = {str(i): [float(i)] for i in range(900)}
    f = anvl.jit(lambda x: x + sum(long) + sum(sum(v) for v in deep.values()))
    f(X)
    found = snapshot(lambda x: (long, deep))
    assert len(found.values) <= 1001
    long.append(-3.0)
    assert f(X) == 3 + sum(long) + sum(range(900))


def test_the_check_runs_no_code_of_the_person():
    ran = []

    class Odd(dict):
        def __getitem__(self, key):
            ran.append(key)
            return 2.0

        def __len__(self):
            ran.append("len")
            return 1

    class Asked:
        def __init__(self):
            self.scale = 2.0

        def __getattr__(self, name):
            ran.append(name)
            raise AttributeError(name)

        def __eq__(self, other):
            ran.append("eq")
            return True

        __hash__ = None

        @property
        def twice(self):
            ran.append("twice")
            return self.scale * 2

    odd, asked = Odd(a=2.0), Asked()
    f = anvl.jit(lambda x: x * odd["a"] + asked.twice * asked.scale)
    assert f(X) == 14
    del ran[:]
    assert f(X) == 14 and not ran
    asked.scale = 3.0
    assert f(X) == 24
    strict = anvl.jit(lambda x: x * asked.scale, on_stale_closure="error")
    strict(X)
    del asked.scale
    del ran[:]
    with pytest.raises(StaleClosureError):
        strict(X)
    assert not ran


def test_libraries_are_not_searched_and_functions_are_no_values():
    def f(x):
        return anp.sin(x) * math.pi + operator.add(np.pi, functools.reduce(operator.add, [1, 2]))

    assert not snapshot(f).values
    act = anp.sin
    g = anvl.jit(lambda x: act(x))
    before = g(X)
    act = anp.cos
    assert g(X) == before


def test_methods_of_arguments_and_static_values_are_searched():
    scale = of(by=2.0)

    class Scaled:
        def __init__(self, w):
            self.w = w

        def __call__(self, x):
            return x * self.w * scale.by

    anvl.tree.register_node(Scaled, lambda s: ((s.w,), None), lambda _, ws: Scaled(*ws))
    f = anvl.jit(lambda m, x: m(x))
    g = anvl.jit(lambda h, x: h(x), static="h")

    def times(x):
        return x * scale.by

    assert (f(Scaled(2.0), X), g(times, X)) == (12, 6)
    scale.by = 3.0
    assert (f(Scaled(2.0), X), g(times, X)) == (18, 9)


def test_a_module_of_the_person(monkeypatch):
    module = types.ModuleType("settings_of_a_person")
    module.rate = 2.0
    monkeypatch.setitem(__import__("sys").modules, module.__name__, module)

    def f(x):
        import settings_of_a_person

        return x * settings_of_a_person.rate + module.rate

    jitted = anvl.jit(f)
    assert jitted(X) == 8
    module.rate = 3.0
    assert jitted(X) == 12


def test_values_that_are_equal_to_python_are_not_to_a_trace():
    pairs = [
        (1, True), (1, 1.0), (0.0, -0.0), (np.float32(1), np.float64(1)),
        (np.float32(1), np.asarray(1, "f4")), (np.zeros(2), np.zeros((2, 1))), ((1, 2), [1, 2]),
        ((1, 2), (1, 2.0)), (np.zeros(2), -np.zeros(2)), (anp.ones(2), np.ones(2, "f4")),
    ]  # fmt: skip
    for one, other in pairs:
        found, same, now = (snapshot(lambda x, y=y: y).values for y in ([one], [one], [other]))
        assert found == same and found != now, (one, other)
    nan = float("nan"), -float("nan"), np.float32("nan")
    for x in nan:
        assert snapshot(lambda y=[x]: y).values == snapshot(lambda y=[x * 1]: y).values


def test_odd_objects_do_not_disturb_the_search():
    class Meta(type):
        def __eq__(cls, other):
            raise ValueError

        __hash__ = None

    class Unhashable(metaclass=Meta):
        scale = 1.0

    class Raises:
        __dict__ = property(lambda self: 1 / 0)
        __module__ = property(lambda self: 1 / 0)

        def __getattribute__(self, name):
            raise ValueError(name)

        __hash__ = __eq__ = __len__ = __bool__ = __iter__ = lambda *_: 1 / 0

    for odd in (Unhashable, Unhashable(), Raises(), [Raises()], {1: Raises()}, of(x=Raises())):
        found = snapshot(lambda x, odd=odd: odd.scale if x else odd.x)
        assert not found.differences(snapshot(lambda x, odd=odd: odd.scale if x else odd.x))


def test_variables_of_one_name_are_told_apart():
    def make(rate):
        return lambda x: x * rate

    one, two = make(2.0), make(3.0)
    found = snapshot(lambda x: one(x) + two(x)).values
    assert len(found) == 2 and sorted(map(repr, found.values())) == ["2.0", "3.0"]


class Rate(float):
    pass


class Share(fractions.Fraction):
    pass


class Kind(enum.Enum):
    LOW, HIGH = 1, 2

    @property
    def factor(self):
        return FACTORS[self.name]


FACTORS = {"LOW": 2.0, "HIGH": 3.0}


class Name(str):
    pass


class Count(int):
    pass


@pytest.mark.parametrize("make", [Rate, Share, Name, Count])
def test_objects_of_classes_derived_from_those_of_libraries(make):
    """Their numbers and text are in no attribute."""
    one = of(value=make(2))
    f = anvl.jit(lambda x: x * float(one.value))
    assert f(X) == 6
    one.value = make(2)
    assert f(X) == 6 and f.cache_size() == 1
    one.value = make(4)
    assert f(X) == 12
    g = anvl.jit(lambda x: x * float(one.value), on_stale_closure="error")
    g(X)
    one.value = make(5)
    with pytest.raises(StaleClosureError, match=r"one\.value (was '?4|has changed, a Share)"):
        g(X)


def test_what_the_code_of_an_enumeration_reads(monkeypatch):
    f = anvl.jit(lambda x: x * Kind.HIGH.factor)
    assert f(X) == 9
    monkeypatch.setitem(FACTORS, "HIGH", 4.0)
    assert f(X) == 12
