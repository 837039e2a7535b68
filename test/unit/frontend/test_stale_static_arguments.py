"""Changes in a static argument after the trace are found, as in a value that is closed over."""

import dataclasses
import enum
import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest

import anvl


class Scale:
    """Compared by identity, unless in `Equal`."""

    def __init__(self, by: Any) -> None:
        self.by = by

    def __call__(self, x: Any) -> Any:
        return x * self.by


class Equal(Scale):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and self.by == other.by

    def __hash__(self) -> int:
        return 1


@dataclasses.dataclass(frozen=True)
class Frozen:
    of: Any

    def __hash__(self) -> int:
        return 1


class Pair(NamedTuple):
    of: Any


class Kinds(enum.Enum):
    LIST = [2.0]  # noqa: RUF012


CASES: dict[str, tuple[Any, Any, Any]] = {
    "an object in a tuple": ((Scale(2.0),), lambda o: o[0].by, lambda o: set_by(o[0])),
    "an object in a named tuple": (Pair(Scale(2.0)), lambda o: o.of.by, lambda o: set_by(o.of)),
    "an object in a dataclass": (Frozen(Scale(2.0)), lambda o: o.of.by, lambda o: set_by(o.of)),
    "a list in a dataclass": (Frozen([2.0]), lambda o: o.of[0], lambda o: set_first(o.of)),
    "an array in a dataclass": (
        Frozen(np.asarray([2.0])), lambda o: o.of[0], lambda o: set_first(o.of),
    ),
    "an object in a set": (
        frozenset([Scale(2.0)]), lambda o: next(iter(o)).by, lambda o: set_by(next(iter(o))),
    ),
    "an object whose hash stays": (Equal(2.0), lambda o: o.by, lambda o: set_by(o)),
    "one that can be called": (Scale(2.0), lambda o: o(1.0), lambda o: set_by(o)),
    "one that can be called, in a tuple": (
        (Scale(2.0),), lambda o: o[0](1.0), lambda o: set_by(o[0]),
    ),
    "the list of an enumeration": (
        Kinds.LIST, lambda o: o.value[0], lambda o: set_first(o.value),
    ),
}  # fmt: skip


def set_by(scale: Scale) -> None:
    scale.by = 3.0


def set_first(x: Any) -> None:
    x[0] = 3.0


@pytest.mark.parametrize("name", CASES)
def test_a_static_argument_that_changes_in_place_is_read_again(name: str) -> None:
    given, read, change = CASES[name]
    by_position = anvl.jit(lambda x, o: x * read(o), static=1)
    by_name = anvl.jit(lambda x, *, o: x * read(o), static="o")
    assert (by_position(5.0, given), by_name(5.0, o=given)) == (10, 10)
    change(given)
    assert (by_position(5.0, given), by_name(5.0, o=given)) == (15, 15)
    assert by_position(5.0, given) == 15 and by_position.cache_size() == 2


def test_the_message_names_the_argument() -> None:
    f = anvl.jit(lambda x, o: x * o[0].by, static="o", on_stale_closure="error")
    given = (Scale(2.0),)
    f(1.0, given)
    set_by(given[0])
    with pytest.raises(anvl.StaleClosureError, match=r"o\[0\]\.by was 2\.0 and is now 3\.0"):
        f(1.0, given)
    given[0].by = 2.0
    assert f(1.0, given) == 2


def test_an_equal_value_runs_the_same_program_and_says_nothing() -> None:
    f = anvl.jit(lambda x, o: x * o.by, static="o")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(8):
            assert f(1.0, Equal(2.0)) == 2
    assert f.cache_size() == 1


class Net:
    def __init__(self, w: Any, config: Any) -> None:
        self.w, self.config = w, config


anvl.tree.register_node(Net, lambda n: ((n.w,), n.config), lambda c, ws: Net(*ws, c))


@dataclasses.dataclass
class Layer:
    w: Any
    config: Any


anvl.tree.register_dataclass(Layer, ["w"], ["config"])

PARTS: dict[str, tuple[Any, Any, Any]] = {
    "a dict": (lambda: {"k": 2.0}, lambda c: c["k"], lambda c: c.update(k=3.0)),
    "a list": (lambda: [2.0], lambda c: c[0], set_first),
    "an array": (lambda: np.asarray([2.0]), lambda c: c[0], set_first),
    "an object": (lambda: Scale(2.0), lambda c: c.by, set_by),
    "an object in a tuple": (lambda: (Scale(2.0),), lambda c: c[0].by, lambda c: set_by(c[0])),
    "one that can be called": (lambda: Scale(2.0), lambda c: c(1.0), set_by),
}


@pytest.mark.parametrize("made", [Net, Layer])
@pytest.mark.parametrize("name", PARTS)
def test_what_is_static_in_an_argument_is_read_again(name: str, made: Any) -> None:
    config, read, change = PARTS[name]
    f = anvl.jit(lambda net, other: net.w * read(net.config) + 100 * other.w * read(other.config))
    net, other = made(np.float64(5.0), config()), made(np.float64(1.0), config())
    for _ in range(3):
        assert f(net, other) == 210
    change(other.config)
    assert f(net, other) == 310
    change(net.config)
    assert f(net, other) == 315
    assert f(made(np.float64(1.0), config()), other) == 302
