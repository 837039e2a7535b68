"""Calls with containers: the code generated for a structure takes that structure and no other."""

import collections
import dataclasses
import inspect
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anvl
import anvl.numpy as anp
from anvl import tree
from anvl.dispatch import tree_calls
from anvl.dispatch.call_slots import CallSlots
from anvl.tree.reading import building_of, reading_of

Pair = collections.namedtuple("Pair", ["first", "second"])
Twin = collections.namedtuple("Twin", ["first", "second"])


class Backwards(Pair):
    """A named tuple whose children are not what iterating it gives."""

    def __iter__(self):
        return reversed(tuple(self[i] for i in range(2)))


class OwnDict(dict):
    pass


class OwnList(list):
    pass


class Text(str):
    pass


class Box:
    def __init__(self, x):
        self.x = x


tree.register_node(Box, lambda box: ((box.x,), None), lambda _, x: Box(*x))


@dataclasses.dataclass
class Layer:
    w: object
    b: object = None
    name: str = ""
    size: int = 0


@dataclasses.dataclass(frozen=True)
class Model:
    layers: object
    rate: float = 0.5


tree.register_dataclass(Layer, ["b", "w"], ["size", "name"])
tree.register_dataclass(Model, ["layers"], ["rate"])
MISS = object()


def read(reading, slots):
    """The leaves, as generated code reads them; MISS for another structure."""
    names = {**reading.names, "miss": MISS, "missing": None}
    parameters = ", ".join(f"a{i}" for i in range(len(slots)))
    lines = [*reading.lines, f"return [{', '.join(reading.leaves)}]"]
    exec(f"def read({parameters}):\n" + "".join(f"    {line}\n" for line in lines), names)
    try:
        return names["read"](*slots)
    except (KeyError, ValueError):
        return MISS


KEYS = st.sampled_from(["a", "b", "w", "", "it's", "\n", "é"]) | st.integers(-3, 3)
TREES = st.recursive(
    st.integers(0, 9) | st.none(),
    lambda below: st.one_of(
        st.lists(below, max_size=12),
        st.lists(below, max_size=12).map(tuple),
        st.builds(Pair, below, below),
        st.builds(Twin, below, below),
        st.builds(Layer, below, below, st.sampled_from("ab"), st.integers(0, 1)),
        st.builds(Model, below),
        st.dictionaries(st.sampled_from("abcdefghijkl"), below, max_size=12),
        st.dictionaries(st.integers(-3, 3), below, max_size=3),
    ),
    max_leaves=30,
)


def is_same(a, b):
    """Whether two trees are equal, with their classes."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(is_same(a[k], b[k]) for k in a)
    if dataclasses.is_dataclass(a):
        return is_same(vars(a), vars(b))
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(is_same, a, b))
    return a == b


@settings(max_examples=150, deadline=None)
@given(known=TREES, other=TREES)
def test_a_reading_gives_the_leaves_of_its_structure_and_of_no_other(known, other):
    leaves, structure = tree.flatten(known)
    reading = reading_of([structure], MISS)
    assert read(reading, [known]) == leaves
    turned = tree.unflatten(structure, [-x for x in reversed(leaves)])
    assert read(reading, [turned]) == [-x for x in reversed(leaves)]
    found = read(reading, [other])
    if tree.structure(other) == structure:
        assert found == tree.leaves(other)
    else:  # a container in the place of a leaf is found when it is asked for its type
        assert found is MISS or not tree.all_leaves(found)


@settings(max_examples=100, deadline=None)
@given(known=TREES)
def test_a_building_makes_the_tree_that_the_registry_makes(known):
    leaves, structure = tree.flatten(known)
    building = building_of(structure)
    if len(leaves) > 16 or structure.num_nodes > 32:
        assert building is None or building.keys == tuple(sorted(known))
    else:
        names = {**building.names, **{f"a{i}": x for i, x in enumerate(leaves)}}
        assert is_same(eval(building.source, names), structure.unflatten(leaves))


UNREADABLE = {
    "an OrderedDict": collections.OrderedDict(w=1),
    "a defaultdict": collections.defaultdict(list, w=1),
    "a class of one's own": Box(1),
    "a class of one's own, deep": {"w": [Box(1)]},
    "a bool as a key": {True: 1},
    "a text of one's own as a key": {Text("w"): 1},
    "a tuple as a key": {("w", 1): 1},
    "a large integer as a key": {2**70: 1},
    "a named tuple that is iterated in its own way": Backwards(1, 2),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_other_containers_and_keys_go_the_general_way(what):
    structure = tree.structure(UNREADABLE[what])
    assert reading_of([structure], MISS) is building_of(structure) is None


def test_a_structure_with_very_many_nodes_goes_the_general_way():
    assert reading_of([tree.structure([{"w": 1}] * 3000)], MISS) is None
    assert len(reading_of([tree.structure([{"w": 1}] * 300)], MISS).leaves) == 300


def array(*values):
    return anp.asarray(np.asarray(values, np.float32))


A, B, C = array(1, 2), array(3, 4), array(5, 6)


def weighted(t):
    """A result that depends on each leaf by its position, and the tree itself."""
    total = sum((i + 1) * x for i, x in enumerate(tree.leaves(t)))
    return {"total": total, "tree": tree.map(lambda x: x * 2, t)}


def assert_equal(found, expected, what=""):
    assert tree.structure(found) == tree.structure(expected), what
    for y, value in zip(tree.leaves(found), tree.leaves(expected), strict=True):
        np.testing.assert_array_equal(y, value, what)


@pytest.fixture
def generated_only(monkeypatch):
    """From `generated_only()` on, a call that generated code does not know is an error."""

    def refuse(*_, **__):
        raise AssertionError("generated code did not know the call")

    return lambda: monkeypatch.setattr(CallSlots, "_run", refuse)


KNOWN = {"w": A, "b": [B, C], "p": Pair(A, (B,)), "none": None, "empty": ({}, [], ())}
CHANGED = {
    "the same": KNOWN,
    "other order of the keys": dict(reversed(KNOWN.items())),
    "a key renamed": {**{k: v for k, v in KNOWN.items() if k != "w"}, "v": A},
    "one key more": {**KNOWN, "z": A},
    "one key less": {k: v for k, v in KNOWN.items() if k != "w"},
    "a list in the place of a leaf": {**KNOWN, "w": [A]},
    "a leaf in the place of a list": {**KNOWN, "b": A},
    "a tuple in the place of a list": {**KNOWN, "b": (B, C)},
    "a longer list": {**KNOWN, "b": [B, C, A]},
    "a shorter list": {**KNOWN, "b": [B]},
    "a dict in the place of a list": {**KNOWN, "b": {0: B, 1: C}},
    "another named tuple": {**KNOWN, "p": Twin(A, (B,))},
    "a tuple in the place of a named one": {**KNOWN, "p": (A, (B,))},
    "a named tuple that iterates in its own way": {**KNOWN, "p": Backwards(A, (B,))},
    "an array in the place of None": {**KNOWN, "none": A},
    "None in the place of an array": {**KNOWN, "w": None},
    "something in an empty dict": {**KNOWN, "empty": ({"x": A}, [], ())},
    "something in an empty list": {**KNOWN, "empty": ({}, [A], ())},
    "something in an empty tuple": {**KNOWN, "empty": ({}, [], (A,))},
    "a dataclass": {**KNOWN, "w": Layer(A, B, "f", 2)},
    "another field": {**KNOWN, "w": Layer(A, B, "f", 3)},
    "a dataclass in another": {**KNOWN, "w": Model([Layer(A), Layer(B, C)])},
    "an OrderedDict": collections.OrderedDict(KNOWN),
    "a class of one's own": {**KNOWN, "w": Box(A)},
    "a number": {**KNOWN, "w": 1.5},
    "an integer": {**KNOWN, "w": 3},
    "a NumPy array": {**KNOWN, "w": np.float32([7, 8])},
    "a NumPy array and a number": {**KNOWN, "w": np.float32([7, 8]), "b": [0.5, C]},
    "another shape": {**KNOWN, "w": array(1)},
    "another dtype": {**KNOWN, "w": anp.asarray([1, 2])},
}


SAME = ("other order of the keys", "a NumPy array")


@pytest.mark.filterwarnings("ignore::anvl.RecompilationWarning")
def test_each_structure_is_told_from_the_others(monkeypatch, generated_only):
    """Each kind of a change before and after the structures have code of their own."""
    monkeypatch.setattr(tree_calls, "_MOST", len(CHANGED))
    f = anvl.jit(weighted)
    expected = {what: weighted(t) for what, t in CHANGED.items()}
    for _ in range(4):
        for what, t in CHANGED.items():
            assert_equal(f(t), expected[what], what)
            assert_equal(f(KNOWN), expected["the same"])
    assert f.cache_size() == len(CHANGED) - len(SAME)
    generated_only()
    for what in ("the same", *SAME):
        assert_equal(f(CHANGED[what]), expected[what])


def test_what_is_no_container_is_named_as_before():
    f = anvl.jit(weighted)
    for _ in range(4):
        f(KNOWN)
    for t, said in (
        ({**KNOWN, "w": "text"}, r"argument t\['w'\]"),
        ({**KNOWN, "w": OwnDict(x=A)}, r"argument t\['w'\]"),
        ({**KNOWN, "b": OwnList([B, C])}, r"argument t\['b'\]"),
        (OwnDict(KNOWN), "argument t"),
    ):
        with pytest.raises(TypeError, match=said):
            f(t)


def test_a_container_that_contains_itself_is_refused():
    f, known = anvl.jit(weighted), {"w": [A, B]}
    for _ in range(4):
        f(known)
    itself = {"w": [A]}
    itself["w"].append(itself)
    for _ in range(2):
        with pytest.raises(ValueError, match="contains itself"):
            f(itself)
    assert_equal(f(known), weighted(known))


def test_keys_that_are_equal_are_one_structure_as_in_the_registry():
    """1 and True are one key of a dict: one program, whose result has the keys of the first."""
    f = anvl.jit(lambda t: {k: x * 2 for k, x in t.items()})
    for _ in range(4):
        for t in ({1: A, 2: B}, {True: A, 2: B}, {1.0: A, 2: B}):
            assert tree.structure(t) == tree.structure({1: A, 2: B})
            np.testing.assert_array_equal(f(t)[1], 2 * A)
    assert f.cache_size() == 1
    g = anvl.jit(lambda t: {type(k)(1): x for k, x in t.items()})
    for key in (1, True):  # results have the keys that the function returned
        g.clear_cache()
        for _ in range(4):
            assert [type(k) for k in g({key: A})] == [type(key)]


def test_many_leaves_are_read_at_once(generated_only):
    """Containers of more leaves than are read by name, mixed and alone, in and out."""
    leaves = [array(i, i) for i in range(40)]
    named = {f"w{i:02}": x for i, x in enumerate(leaves)}
    trees = [named, leaves, tuple(leaves), {"a": named, "b": leaves[:9], "c": A}, leaves[:8]]
    f = anvl.jit(weighted)
    expected = [weighted(t) for t in trees]
    for _ in range(4):
        for t, value in zip(trees, expected, strict=True):
            assert_equal(f(t), value)
    generated_only()
    for t, value in zip(trees, expected, strict=True):
        assert_equal(f(t), value)


def mixed(params, x, y=None, n=2, *, mode="sum", extra=None):
    found = params["w"] * n + x
    for i, more in enumerate(tree.leaves((y, extra)), 2):
        found = found + i * more
    return (found if mode == "sum" else -found), params


MIXED = {
    "by position": lambda f: f({"w": A}, B),
    "by keyword": lambda f: f(x=B, params={"w": A}),
    "an optional tree": lambda f: f({"w": A}, B, [B, C]),
    "another optional tree": lambda f: f({"w": A}, B, (B, C)),
    "an optional array": lambda f: f({"w": A}, B, C),
    "None for it": lambda f: f({"w": A}, B, None),
    "a gap": lambda f: f({"w": A}, B, extra={"a": C}),
    "static": lambda f: f({"w": A}, B, n=3),
    "another static": lambda f: f({"w": A}, B, mode="minus"),
    "all": lambda f: f({"w": A}, [B, C][0], {"z": C}, 3, mode="minus", extra=[A]),
    "a number beside": lambda f: f({"w": A}, 0.5),
    "a NumPy array within": lambda f: f({"w": np.float32([9, 9])}, B),
    "a list in the place of a dict": lambda f: f(collections.UserDict(w=A).data, B),
}


def test_static_default_and_keyword_arguments_beside_containers(generated_only):
    f = anvl.jit(mixed, static=("n", "mode"))
    expected = {what: call(mixed) for what, call in MIXED.items()}
    for _ in range(4):
        for what, call in MIXED.items():
            assert_equal(call(f), expected[what])
    with anvl.expect_compiles(0):
        for what, call in reversed(MIXED.items()):
            assert_equal(call(f), expected[what])
    generated_only()
    for what in ("by position", "static", "another static", "a number beside", "a gap"):
        assert_equal(MIXED[what](f), expected[what])


def test_a_number_that_equals_its_default_stays_a_part_of_the_function():
    f = anvl.jit(lambda t, n=2.0: t["w"] + (0 if isinstance(n, float) else 10))
    for _ in range(4):
        assert f({"w": A}, 3.5)[0] == f({"w": A}, B)[0] == 11
        assert f({"w": A}, 2.0)[0] == f({"w": A})[0] == 1
        assert f({"w": A}, 2)[0] == 11


BESIDE = {
    "an array": B,
    "a number": 0.5,
    "another number": 1.5,
    "zero": 0.0,
    "minus zero": -0.0,
    "an infinity": float("inf"),
    "a bool": True,
    "an integer": 3,
    "a NumPy array": np.float32([7, 8]),
    "another dtype": np.arange(2, dtype=np.int8),
    "another byte order": np.array([1.5, 2.5], ">f4"),
    "steps in memory": np.arange(4, dtype=np.float32)[::-2],
    "a NumPy number": np.float32(2.5),
    "a NumPy number that is a float": np.float64(0.5),
    "a list": [B, 0.5],
    "a dict": {"a": np.float32([1, 2]), "b": 0.5, "c": A},
    "the default": 2.0,
}


@pytest.mark.filterwarnings("ignore::anvl.RecompilationWarning")
def test_numbers_and_numpy_arrays_become_arrays_in_generated_code(generated_only):
    """Whatever stood there before: values, dtypes and weakness are those of the first call."""
    f = anvl.jit(lambda x, y=2.0: (x + sum(tree.leaves(y)), y))
    first = {what: tree.leaves(f(A, y)) for what, y in BESIDE.items()}
    compiled = f.cache_size()
    for _ in range(4):
        for what, y in BESIDE.items():
            for found, expected in zip(tree.leaves(f(A, y)), first[what], strict=True):
                assert repr(found) == repr(expected), what
    assert f.cache_size() == compiled
    generated_only()
    for what in ("a number", "minus zero", "a NumPy array", "a dict"):
        for found, expected in zip(tree.leaves(f(A, BESIDE[what])), first[what], strict=True):
            assert repr(found) == repr(expected), what


def test_what_cannot_become_an_array_is_named_as_before():
    f = anvl.jit(lambda x, y: x + y)
    for _ in range(4):
        f(A, np.float32([1, 2])), f(A, 0.5)
    for y in (np.array(["a", "b"]), np.array([None, 1]), "text", np.longdouble([1, 2])):
        with pytest.raises(TypeError) as caught:
            f(A, y)
        assert caught.traceback[-1].path.name == "test_tree_calls.py"


def test_functions_of_any_number_of_arguments(generated_only):
    f = anvl.jit(lambda *xs, **more: weighted((xs, more)))
    calls = [((A, [B]), {}), ((A, B), {}), (([A], B), {}), ((A, [B]), {"k": [C]})]
    for _ in range(4):
        for args, kwargs in calls:
            assert_equal(f(*args, **kwargs), weighted((args, kwargs)))


def test_within_a_trace_a_known_call_is_traced():
    f = anvl.jit(weighted)
    for _ in range(4):
        f({"w": A})
    outer = anvl.jit(lambda x: f({"w": x})["total"] + f({"w": A})["total"])
    for _ in range(2):
        np.testing.assert_array_equal(outer(B), B + A)
    np.testing.assert_array_equal(anvl.grad(lambda x: f({"w": x})["total"].sum())(B), [1, 1])


def test_other_settings_and_dropped_programs():
    f = anvl.jit(lambda t: t["w"] + anp.arange(2.0), cache_size=2)
    for _ in range(4):
        assert f({"w": A}).dtype == "f4"
    with anvl.defaults(float="f64"):
        for _ in range(4):
            assert f({"w": A}).dtype == "f8"
    assert f({"w": A}).dtype == "f4" and f.cache_size() == 2
    for length in (1, 1, 2, 2):
        assert f({"w": anp.ones((length, 2))}).shape == (length, 2)
    f.clear_cache()
    assert f.cache_size() == 0
    for _ in range(4):
        np.testing.assert_array_equal(f({"w": A}), [1, 3])
    anvl.clear_caches()
    np.testing.assert_array_equal(f({"w": A}), [1, 3])
    assert f.cache_size() == 1


def test_captured_values_that_change_are_found():
    scale = 2.0
    f = anvl.jit(lambda t: t["w"] * scale)
    for _ in range(4):
        np.testing.assert_array_equal(f({"w": A}), [2, 4])
    scale = 3.0
    for _ in range(4):
        np.testing.assert_array_equal(f({"w": A}), [3, 6])


def test_structures_beyond_those_that_are_kept(monkeypatch, generated_only):
    """A structure that is called often takes the place of the oldest."""
    monkeypatch.setattr(tree_calls, "_MANY", 6)
    f = anvl.jit(weighted)
    trees = [[A] * n for n in range(1, tree_calls._MOST + 3)]
    for _ in range(4):
        for t in trees:
            assert_equal(f(t), weighted(t))
    for _ in range(3):
        assert_equal(f(trees[-1]), weighted(trees[-1]))
    generated_only()
    assert_equal(f(trees[-1]), weighted(trees[-1]))
    with pytest.raises(AssertionError, match="did not know"):
        f(trees[0])


def test_donated_leaves_are_those_of_their_paths():
    f = anvl.jit(lambda t, u: ({"v": t["v"] + u["a"], "w": t["w"] * 2}, u), donate="t")
    kept = {"a": array(1, 1)}
    for _ in range(4):
        t = {"w": array(1, 2), "v": array(3, 4)}
        found, _ = f(t, kept)
        line = inspect.currentframe().f_lineno - 1
        assert_equal(found, {"v": array(4, 5), "w": array(2, 4)})
        assert t["w"].is_deleted() and t["v"].is_deleted() and not kept["a"].is_deleted()
        for name in "wv":
            said = rf"argument t\['{name}'\], at .*test_tree_calls.py:{line};"
            with pytest.raises(anvl.RuntimeFailure, match=said):
                t[name] + 1
        with pytest.raises(anvl.RuntimeFailure, match=r"argument t\['v'\]: array f32\[2\] was"):
            f(t, kept)


def test_threads_that_call_and_change_a_dict():
    """A dict that another thread changes is one structure or the other, never a mixture."""
    f, t, stop = anvl.jit(lambda t: sum(t.values())), {"a": A, "b": A}, threading.Event()

    def change():
        while not stop.is_set():
            t["c"] = A
            t.pop("c", None)

    for _ in range(4):
        f(t), f({**t, "c": A})
    thread = threading.Thread(target=change)
    thread.start()
    try:
        found = {float(f(t)[0]) for _ in range(100)}
    except RuntimeError:  # as from any walk of a dict that changes
        found = set()
    finally:
        stop.set()
        thread.join()
    assert found <= {2.0, 3.0}
