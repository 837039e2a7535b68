"""Compiled programs are kept, but not so many that the process has no memory maps left."""

import sys

import numpy as np
import pytest

import anvl
from anvl.dispatch import executables

X = np.ones(2)


def power(n):
    return anvl.jit(lambda x: x * float(n))


@pytest.fixture
def empty(monkeypatch):
    monkeypatch.setattr(executables, "_executables", type(executables._executables)())
    return monkeypatch


def test_the_longest_unused_are_dropped_where_maps_are_scarce(empty):
    empty.setattr(executables, "_COUNTED_EVERY", 1)
    for n in range(8):
        power(n)(X)
    assert len(executables._executables) == 8
    empty.setattr(executables, "_MAX_MAPS", 1)
    last = list(executables._executables)[4:]
    np.testing.assert_array_equal(power(8)(X), [8, 8])
    dropped = len(executables._executables) == 5
    assert dropped == (sys.platform == "linux")
    if dropped:
        assert list(executables._executables)[:4] == last


@pytest.mark.sweep(keep=0)
def test_maps_are_counted_once_in_a_while(empty):
    calls = []
    empty.setattr(executables, "_spare_maps", lambda: calls.append(1))
    for n in range(2 * executables._COUNTED_EVERY):
        power(1000 + n)(X)
    assert len(calls) == 2


def test_without_a_list_of_maps_nothing_is_dropped(empty, tmp_path):
    empty.setattr(executables, "_MAPS", tmp_path / "none")
    empty.setattr(executables, "_MAX_MAPS", 0)
    empty.setattr(executables, "_COUNTED_EVERY", 1)
    for n in range(3):
        power(n)(X)
    assert len(executables._executables) == 3


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.skipif(sys.platform != "linux", reason="counts Linux's maps")
def test_what_is_dropped_gives_its_maps_back(empty):
    count = lambda: executables._MAPS.read_bytes().count(b"\n")  # noqa: E731
    loop = lambda n: anvl.grad(  # noqa: E731
        lambda x: anvl.while_loop(lambda c: c < 9.0, lambda c: c * c + float(n), x)
    )
    for n in range(8):
        loop(n)(np.float64(2))
    before = count()
    empty.setattr(executables, "_MAX_MAPS", 1)
    executables._spare_maps()
    assert count() < before - 60
