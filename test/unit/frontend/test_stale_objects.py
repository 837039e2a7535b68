"""Objects that a jitted function closes over, and that change in ways of Python's that are rare.

Each case is a function of one number, and a change of what it reads, after which the jitted
function must give the plain function's result, and the same program when it is called again.
"""

import collections
import dataclasses
import enum
import functools
import operator
import types
import warnings

import numpy as np
import pytest

import anvl

X = np.float64(3.0)


class Base:
    def __init__(self, scale=2.0):
        self.scale = scale

    def value(self):
        return self.scale * 2


class Other(Base):
    def value(self):
        return self.scale * 7


class Lazy:
    """A descriptor that the object's own value hides, and that sets it where `fills`."""

    def __init__(self, fills):
        self.fills = fills

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, x, owner=None):
        if self.fills:
            x.__dict__[self.name] = 4.0
        return 4.0


class Cached(Base):
    lazy, given = Lazy(True), Lazy(False)

    @functools.cached_property
    def once(self):
        return self.scale + 1


class Answers(Base):
    """An object that answers for attributes that it has not."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return 6.0


class Doubled(dict):
    def __getitem__(self, key):
        return dict.__getitem__(self, key) * 2

    def __len__(self):
        return 1

    def __iter__(self):
        return iter(())


class Shifted(list):
    def __getitem__(self, i):
        return list.__getitem__(self, i) + 1

    def __iter__(self):
        return iter([self[0]])


class Log(list):
    def append(self, x):
        return x * self[0]


class Row(list):
    def first(self):
        return self[0]


class OtherRow(list):
    def first(self):
        return 2 * self[0]


class Rows(np.ndarray):
    def scaled(self):
        return self.sum() * self.factor


@dataclasses.dataclass(slots=True)
class Slotted:
    rate: float = 2.0


class OtherSlotted:
    __slots__ = ("rate",)
    __match_args__ = ("rate",)


def classes():
    """The class of an instance, read by a method, an attribute, a test, a call, a container."""
    x, each, slots = Base(), [Base(), Base()], Slotted()
    row, is_other = Row([1.0]), Base()
    yield lambda v: v * x.value(), lambda: setattr(x, "__class__", Other)
    yield lambda v: v * sum(e.value() for e in each), lambda: setattr(each[1], "__class__", Other)
    yield (
        lambda v: v if isinstance(is_other, Other) else 2 * v,
        lambda: setattr(is_other, "__class__", Other),
    )
    yield (
        lambda v: v if type(slots) is Slotted else 2 * v,
        lambda: setattr(slots, "__class__", OtherSlotted),
    )
    yield lambda v: v * row.first(), lambda: setattr(row, "__class__", OtherRow)


def descriptors():
    """The value that an object has of its own in place of a descriptor's."""
    x, y, z, filled = Cached(), Cached(), Cached(), Cached()
    filled.once  # noqa: B018
    yield lambda v: v * x.once, lambda: setattr(x, "once", 50.0)
    yield lambda v: v * y.lazy, lambda: setattr(y, "lazy", 50.0)
    yield lambda v: v * z.given, lambda: setattr(z, "given", 50.0)
    yield (
        lambda v: v * filled.once,
        lambda: (setattr(filled, "scale", 9.0), delattr(filled, "once")),
    )


def containers():
    """Containers with methods of their own, whatever these read; keys that are tuples, objects."""
    doubled, shifted, log = Doubled(a=2.0), Shifted([1.0, 2.0]), Log([2.0])
    pairs, by_object = {(0, 1): 1.0, (0, 2): 2.0}, {Base(1.0): 1.0, Base(2.0): 2.0}
    first = next(iter(by_object))
    yield lambda v: v * doubled["a"], lambda: doubled.update(a=5.0)
    yield lambda v: v * doubled.get("a"), lambda: doubled.update(a=6.0)
    yield lambda v: v * shifted[0], lambda: operator.setitem(shifted, 0, 5.0)
    yield lambda v: v * sum(shifted), lambda: operator.setitem(shifted, 0, 6.0)
    yield lambda v: log.append(v), lambda: operator.setitem(log, 0, 5.0)
    yield lambda v: v * pairs[0, 1], lambda: operator.setitem(pairs, (0, 1), 5.0)
    yield lambda v: v * by_object[first], lambda: operator.setitem(by_object, first, 5.0)
    yield lambda v: v * sum(k.scale for k in by_object), lambda: setattr(first, "scale", 9.0)


def elements():
    """Objects in sets, and objects that stand in several places."""
    one, two, text = Base(), Base(), collections.UserString("abc")
    members, frozen = {one, two}, frozenset([two])
    shared, lists = Base(), [1.0]
    three, four = [shared, Base(7.0), shared], [lists, [5.0], lists]
    yield lambda v: v * sum(m.scale for m in members), lambda: setattr(one, "scale", 9.0)
    yield lambda v: v * sum(m.scale for m in frozen), lambda: setattr(two, "scale", 9.0)
    yield lambda v: v * three[2].scale, lambda: operator.setitem(three, 2, three[1])
    yield lambda v: v * four[2][0], lambda: operator.setitem(four, 2, four[1])
    yield lambda v: v * len(text), lambda: setattr(text, "data", "abcd")


def functions():
    """Keywords, arguments and names that functions of libraries keep, `getattr` by another name."""
    partial, lists, x = functools.partial(lambda v, k: v * k, k=2.0), [2.0], Base()
    scale, value, read = operator.attrgetter("scale"), operator.methodcaller("value"), getattr
    count, name = lists.__len__, "scale"

    class Bound:
        def scaled(self, k):
            return k[0]

        of_list = functools.partialmethod(scaled, lists)

    bound = Bound()
    yield lambda v: partial(v), lambda: operator.setitem(partial.keywords, "k", 3.0)
    yield lambda v: v * bound.of_list(), lambda: operator.setitem(lists, 0, 7.0)
    yield lambda v: v * scale(x), lambda: setattr(x, "scale", 3.0)
    yield lambda v: v * value(x), lambda: setattr(x, "scale", 4.0)
    yield lambda v: v * read(x, name), lambda: setattr(x, "scale", 5.0)
    yield lambda v: v * object.__getattribute__(x, name), lambda: setattr(x, "scale", 6.0)
    yield lambda v: v * count(), lambda: lists.append(1.0)


def names():
    """Attributes that an object gains, and those with names that no source can have."""
    x, y, answers, keyword = Base(), types.SimpleNamespace(b=2.0), Answers(), Base()
    dunder = Base()
    vars(keyword).update({"class": 2.0, "a b": 2.0})
    vars(dunder)["__rate__"] = 2.0
    yield lambda v: v * (x.bias if hasattr(x, "bias") else 1.0), lambda: setattr(x, "bias", 3.0)
    yield lambda v: v * getattr(x, "rest", 1.0), lambda: setattr(x, "rest", 3.0)
    yield lambda v: v * sum(vars(y).values()), lambda: setattr(y, "c", 3.0)
    yield lambda v: v * answers.rate, lambda: setattr(answers, "rate", 3.0)
    yield lambda v: v * answers.scale, lambda: setattr(answers, "__dict__", {"scale": 9.0})
    yield lambda v: v * getattr(keyword, "class"), lambda: setattr(keyword, "class", 3.0)
    yield lambda v: v * vars(keyword)["a b"], lambda: setattr(keyword, "a b", 3.0)
    yield lambda v: v * dunder.__rate__, lambda: vars(dunder).update(__rate__=3.0)


def hidden():
    """Attributes of a class that its subclass, or the object, has too."""

    class Parent:
        rate = 2.0

    class Child(Parent):
        rate = 3.0

        def inherited(self):
            return super().rate

        def own(self):
            return type(self).rate

    x = Child()
    x.rate = 4.0
    yield lambda v: v * x.inherited(), lambda: setattr(Parent, "rate", 9.0)
    yield lambda v: v * x.own(), lambda: setattr(Child, "rate", 9.0)


def numpy_and_enum():
    """Attributes of arrays of a subclass, a mask, and those of the members of an enumeration."""

    class Level(enum.Enum):
        LOW, LIST = 1, [2.0]

        def __init__(self, _):
            self.factor = 2.0

    rows, masked = np.ones(3).view(Rows), np.ma.array([1.0, 2.0], mask=[False, False])
    rows.factor = 2.0
    yield lambda v: v * rows.scaled(), lambda: setattr(rows, "factor", 3.0)
    yield lambda v: v * float(masked.sum()), lambda: operator.setitem(masked.mask, 0, True)
    yield lambda v: v * Level.LOW.factor, lambda: setattr(Level.LOW, "factor", 3.0)
    yield lambda v: v * Level.LIST.value[0], lambda: operator.setitem(Level.LIST.value, 0, 5.0)


GROUPS = [classes, descriptors, containers, elements, functions, names, hidden, numpy_and_enum]
COUNTS = [5, 4, 8, 5, 7, 8, 2, 4]
CASES = [(group, i) for group, n in zip(GROUPS, COUNTS, strict=True) for i in range(n)]


def test_all_cases_are_tried():
    assert [len(list(group())) for group in GROUPS] == COUNTS


@pytest.mark.sweep(keep=14)
@pytest.mark.parametrize(("group", "i"), CASES, ids=lambda x: getattr(x, "__name__", x))
def test_a_change_is_found_and_one_program_serves_after_it(group, i):
    f, change = list(group())[i]
    jitted = anvl.jit(f)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what a trace itself sets is no change
        for _ in range(2):
            assert jitted(X) == f(X)
            assert jitted.cache_size() == 1
        change()
        for _ in range(2):
            assert jitted(X) == f(X)
            assert jitted.cache_size() == 2


def test_reading_what_descriptors_and_answers_set_is_no_change():
    """Also where attributes are read by name; later changes of what they set count."""
    x, asked = Cached(), []

    class Remembers:
        def __getattr__(self, name):
            asked.append(name)
            if name != "rate":
                raise AttributeError(name)
            self.__dict__[name] = 6.0
            return 6.0

    remembers = Remembers()

    def f(v):
        x.last = 1.0
        return v * x.once * x.lazy * getattr(remembers, "rate", 1.0)

    jitted = anvl.jit(f, on_stale_closure="error")
    assert jitted(X) == jitted(X) == X * 3 * 4 * 6
    del asked[:]
    jitted(X)
    assert not asked
    remembers.rate = 5.0
    with pytest.raises(anvl.StaleClosureError, match=r"remembers\.rate was 6\.0 and is now 5\.0"):
        jitted(X)
    remembers.rate = 6.0
    x.once = 9.0
    with pytest.raises(anvl.StaleClosureError, match=r"x\.once was 3\.0 and is now 9\.0"):
        jitted(X)


def test_a_tracer_that_a_trace_leaves_in_an_attribute_is_no_value():
    """Another function leaves one there too, and neither is traced again."""
    model = types.SimpleNamespace(scale=2.0)

    def f(v):
        model.given = v
        return model.given * sum(x for x in vars(model).values() if x is not v)

    first, second = anvl.jit(f), anvl.jit(lambda v: f(2 * v))
    assert first(X) == 6
    with pytest.warns(anvl.StaleClosureWarning, match=r"changes model\.given while it is traced"):
        assert second(X) == 12
    assert first(X) == 6 and second(X) == 12
    assert first.cache_size() == second.cache_size() == 1


def test_the_check_runs_no_code_of_containers_keys_and_cached_properties():
    ran = []

    class Key:
        def __hash__(self):
            ran.append("hash")
            return 1

    class Odd(dict):
        __getitem__ = __iter__ = __len__ = values = keys = items = lambda self, *_: (
            ran.append("odd") or 2
        )

    class Lasting:
        @functools.cached_property
        def once(self):
            ran.append("once")
            return 2.0

    key, odd, lasting = Key(), Odd(a=1.0), Lasting()
    table = {key: 2.0}
    f = anvl.jit(lambda x: x * table[key] * odd["a"] * lasting.once)
    assert f(X) == 24
    del ran[:]
    assert f(X) == 24 and not ran
    strict = anvl.jit(lambda x: x * lasting.once, on_stale_closure="error")
    strict(X)
    del lasting.once
    with pytest.raises(anvl.StaleClosureError, match=r"lasting\.once was 2\.0 and is now deleted"):
        strict(X)
    assert not ran


def test_the_message_of_a_changed_class_names_both():
    x = Base()
    f = anvl.jit(lambda v: v * x.value(), on_stale_closure="error")
    f(X)
    x.__class__ = Other
    with pytest.raises(anvl.StaleClosureError, match="x was a Base and is now a Other"):
        f(X)


def test_functions_that_an_optimizer_was_made_of_are_searched():
    """A schedule, a mask and labels: in closures of anvl's, in tuples of transformations."""
    rate, grown = types.SimpleNamespace(by=0.5), types.SimpleNamespace(by=False)
    made = {
        "a schedule": anvl.optim.sgd(lambda step: rate.by),
        "in a chain": anvl.optim.chain(
            anvl.optim.trace(0.9), anvl.optim.scale_by_schedule(lambda step: -rate.by)
        ),
        "labels": anvl.optim.partition(
            {"slow": anvl.optim.sgd(0.5), "fast": anvl.optim.sgd(2.0)},
            lambda params: "fast" if grown.by else "slow",
        ),
    }
    for name, optimizer in made.items():
        step = anvl.jit(lambda w, o=optimizer: o.update(w, o.init(w), w)[0])
        rate.by, grown.by = 0.5, False
        assert step(4.0) == -2, name
        rate.by, grown.by = 2.0, True
        assert step(4.0) == -8, name
