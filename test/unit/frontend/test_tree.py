"""Pytrees: taking apart, putting together, and where two of them differ."""

import collections
import dataclasses
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anvl import tree
from anvl.tree.containers import levels

Pair = collections.namedtuple("Pair", ["a", "b"])
Empty = collections.namedtuple("Empty", [])


@dataclasses.dataclass
class Layer:
    w: object
    b: object
    name: str = "layer"


class Box:
    def __init__(self, *items, label=None):
        self.items, self.label = items, label

    def __eq__(self, other):
        return (self.items, self.label) == (other.items, other.label)

    __hash__ = None


tree.register_dataclass(Layer, ["w", "b"], ["name"])
tree.register_node(
    Box, lambda box: (box.items, box.label), lambda label, items: Box(*items, label=label)
)

NESTED = {
    "list": [1, (2, 3)],
    "none": None,
    "pair": Pair(4, [5]),
    "ordered": collections.OrderedDict(z=6, a=7),
    "default": collections.defaultdict(list, {"k": 8}),
    "layer": Layer(9, {"x": 10}),
    "box": Box(11, [12], label="l"),
}
PATHS = {
    "p['list'][0]": 1,
    "p['list'][1][0]": 2,
    "p['list'][1][1]": 3,
    "p['pair'].a": 4,
    "p['pair'].b[0]": 5,
    "p['ordered']['z']": 6,
    "p['ordered']['a']": 7,
    "p['default']['k']": 8,
    "p['layer'].w": 9,
    "p['layer'].b['x']": 10,
    "p['box'][<flat index 0>]": 11,
    "p['box'][<flat index 1>][0]": 12,
}


def containers(children: st.SearchStrategy) -> st.SearchStrategy:
    keys = st.text(max_size=3)
    lists, dicts = st.lists(children, max_size=3), st.dictionaries(keys, children, max_size=3)
    return st.one_of(
        lists,
        lists.map(tuple),
        dicts,
        st.dictionaries(st.integers(), children, max_size=3),
        dicts.map(collections.OrderedDict),
        dicts.map(lambda d: collections.defaultdict(list, d)),
        st.builds(Pair, children, children),
        st.just(Empty()),
        st.builds(Layer, children, children, keys),
        lists.map(lambda items: Box(*items, label=len(items))),
    )


TREES = st.recursive(st.none() | st.integers() | st.text(max_size=2), containers, max_leaves=15)


@pytest.mark.sweep(keep=0)
@settings(max_examples=80, deadline=None)
@given(TREES)
def test_every_tree_is_put_together_as_it_was(value):
    leaves, treedef = tree.flatten(value)
    again = tree.unflatten(treedef, leaves)
    assert again == value
    assert type(again) is type(value)
    assert tree.structure(again) == treedef
    assert hash(tree.structure(again)) == hash(treedef)
    assert tree.all_leaves(leaves)
    assert tree.structure_difference(value, again) is None
    paths = tree.leaf_paths(treedef)
    assert len(paths) == len(set(paths)) == len(leaves) == treedef.num_leaves


@settings(max_examples=80, deadline=None)
@given(TREES, TREES)
def test_a_difference_is_found_exactly_where_structures_differ(a, b):
    same = tree.structure(a) == tree.structure(b)
    assert (tree.structure_difference(a, b) is None) == same


def test_paths_are_written_as_python_would_reach_the_leaves():
    assert {path: leaf for path, leaf in tree.flatten_with_path(NESTED, root="p")[0]} == PATHS
    assert sorted(tree.leaf_paths(NESTED, "p")) == sorted(PATHS)
    assert tree.leaf_paths(3) == ["params"]


def test_a_default_dict_keeps_its_factory():
    again = tree.map(lambda x: x, NESTED)["default"]
    assert again.default_factory is list


def test_map_takes_the_leaves_of_all_trees():
    assert tree.map(lambda x, y: x + y, [1, {"a": 2}], [10, {"a": 20}]) == [11, {"a": 22}]


def test_map_says_where_the_structures_differ():
    message = r"map: tree 3 differs from tree 1 in structure: at \['b'\]: list of 1 against tuple"
    with pytest.raises(ValueError, match=message):
        tree.map(max, {"b": [1]}, {"b": [1]}, {"b": (1,)})


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (1, [1], "at the root: a leaf against list of 1"),
        ([1, None], [1, 2], "at [1]: None against a leaf"),
        ({"a": 1}, {"b": 1}, "at the root: dict with keys ['a'] against dict with keys ['b']"),
        ([[1], 2], [[1, 2], (2,)], "at [0]: list of 1 against list of 2; at [1]: a leaf against t"),
        (Pair(1, 2), (1, 2), "at the root: Pair against tuple of 2"),
        (Layer(1, 2, "x"), Layer(1, 2, "y"), "at the root: Layer with ('x',) against Layer with"),
        ([Pair(1, {"k": 1})], [Pair(1, {"k": ()})], "at [0].b['k']: a leaf against tuple of 0"),
        (Box(1), Box(1, 2), "at the root: Box of 1 against Box of 2"),
        (
            collections.OrderedDict(a=1, b=2),
            collections.OrderedDict(b=1, a=2),
            "OrderedDict with keys ['a', 'b'] against OrderedDict with keys ['b', 'a']",
        ),
    ],
)
def test_differences_are_told(a, b, text):
    assert text in tree.structure_difference(a, b)


def test_treedefs_are_compared_and_hashed_by_structure():
    known = {tree.structure({"a": [1, 2]}): "x"}
    assert known[tree.structure({"a": [3, 4]})] == "x"
    assert tree.structure([1]) != tree.structure((1,))
    assert tree.as_structure(tree.structure([1])) == tree.structure([1])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({1: 1, "a": 2}, r"dict at the root has keys that cannot be sorted, \[1, 'a'\]; use keys"),
        ({"x": [0, {1: 1, "a": 2}]}, r"dict at \['x'\]\[1\] has keys"),
        ([collections.defaultdict(int, {1: 1, "a": 2})], r"dict at \[0\] has keys"),
    ],
)
def test_keys_that_cannot_be_sorted_are_refused(value, message):
    with pytest.raises(ValueError, match=f"flatten: {message}"):
        tree.flatten(value)


def test_a_tree_that_contains_itself_is_refused():
    endless: list = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested too deeply, or contains itself"):
        tree.flatten(endless)


@pytest.mark.parametrize("leaves", [[], [1], [1, 2, 3]])
def test_the_number_of_leaves_must_fit(leaves):
    message = f"unflatten: structure has 2 leaves, got {len(leaves)}"
    with pytest.raises(ValueError, match=message):
        tree.unflatten(tree.structure([0, 0]), iter(leaves))


def test_derived_classes_are_leaves():
    class Mine(dict):
        pass

    assert tree.leaves([Mine(a=1)]) == [{"a": 1}]


@pytest.mark.parametrize(
    ("register", "error", "message"),
    [
        (lambda: tree.register_node(dict, len, len), ValueError, "dict is registered already"),
        (lambda: tree.register_node(Box, len, len), ValueError, "Box is registered already"),
        (lambda: tree.register_node(Pair, len, len), ValueError, "Pair is registered already"),
        (lambda: tree.register_node(3, len, len), TypeError, "expected a class, got 3"),
        (lambda: tree.register_node(complex, 3, len), TypeError, "expected two functions, got 3"),
        (lambda: tree.register_dataclass(complex, []), TypeError, "complex is not a dataclass"),
        (
            lambda: tree.register_dataclass(dataclasses.make_dataclass("D", ["a", "b"]), ["a"]),
            ValueError,
            r"D has the fields \['a', 'b'\], data_fields and meta_fields name \['a'\]",
        ),
    ],
)
def test_wrong_registrations_are_refused(register, error, message):
    with pytest.raises(error, match=message):
        register()


def test_errors_of_registered_classes_come_through():
    class Broken:
        pass

    tree.register_node(Broken, lambda _: 1 / 0, lambda *_: None)
    with pytest.raises(ZeroDivisionError):
        tree.flatten([Broken()])


class Link:
    """A container of one, which may be itself."""

    def __init__(self, inner=None):
        self.inner = inner


def parts_of(link):
    if link.inner is None:
        raise KeyError("inner")
    return (link.inner,), None


tree.register_node(Link, parts_of, lambda _, parts: Link(*parts))


@dataclasses.dataclass
class Field:
    held: object


tree.register_dataclass(Field, ["held"])


def dict_in_itself():
    """Its keys are sorted at each level, where in the end there is none left to do so."""
    made = {"other": [1]}
    made["itself"] = {"b": made, "a": 0}
    return made


def nested(x, container=lambda x: [x], depth=40):
    for _ in range(depth):
        x = container(x)
    return x


def containing_itself(make):
    made = make(None)
    if isinstance(made, list):
        made[0] = made
    else:
        setattr(made, next(iter(vars(made))), [made])
    return made


def twice_in_itself(make):
    """C++ goes on after the first error: of a thousand levels it would walk 2^1000 places."""
    made = make(None)
    if isinstance(made, list):
        made[:] = [made, (made,)]
    elif isinstance(made, dict):
        made.update(a=made, b=[made])
    else:
        setattr(made, next(iter(vars(made))), [made, {"again": made}])
    return made


def without_its_field():
    made = Field(1)
    del made.held
    return made


@pytest.mark.sweep(keep=6)
@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (containing_itself(lambda x: [x]), ValueError, "nested too deeply, or contains itself"),
        (containing_itself(Link), ValueError, "nested too deeply, or contains itself"),
        (containing_itself(Field), ValueError, "nested too deeply, or contains itself"),
        (dict_in_itself(), ValueError, "nested too deeply, or contains itself"),
        (twice_in_itself(lambda x: [x]), ValueError, "nested too deeply, or contains itself"),
        (twice_in_itself(lambda x: {}), ValueError, "nested too deeply, or contains itself"),
        (twice_in_itself(Link), ValueError, "nested too deeply, or contains itself"),
        (twice_in_itself(Field), ValueError, "nested too deeply, or contains itself"),
        (Link(twice_in_itself(lambda x: [x])), ValueError, "nested too deeply, or contains itself"),
        (
            Pair(1, twice_in_itself(lambda x: {})),
            ValueError,
            "nested too deeply, or contains itself",
        ),
        (nested({}, lambda x: {"a": x, "b": [x]}, 11_000), ValueError, "nested too deeply"),
        (nested(dict_in_itself(), Link), ValueError, "nested too deeply, or contains itself"),
        (nested(Link()), KeyError, "inner"),
        (nested(Link(), Link), KeyError, "inner"),
        (nested({1: 2, "a": 3}), ValueError, "has keys that cannot be sorted"),
        (nested({1: 2, "a": 3}, Link), ValueError, "has keys that cannot be sorted"),
        (nested(without_its_field(), Field), ValueError, "'Field' object has no attribute"),
    ],
)
def test_an_error_inside_of_a_tree_does_no_harm_to_later_calls(value, kind, message):
    """Each error left as many levels of recursion as it was deep: 30 of these used all up.

    In threads of their own, since a thread without levels cannot even end.
    """
    found = []

    def calls():
        found.append(levels())
        for _ in range(30):
            with pytest.raises(kind, match=message):
                tree.flatten(value)
            found.append(levels())
        assert tree.leaves(nested(Link(3), Link)) == [3]

    with ThreadPoolExecutor(1) as pool:
        pool.submit(calls).result()
    assert all(abs(n - found[0]) < 10 for n in found), found
