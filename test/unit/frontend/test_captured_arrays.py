"""The check on a hit of NumPy arrays: whatever changes in place is found, and nothing else is."""

import warnings

import numpy as np
import pytest

import anvl
from anvl.captured.guard import make_guard
from anvl.captured.snapshot import snapshot

NAN, OTHER_NAN = (
    np.array([bits], np.uint32).view(np.float32)[0] for bits in (2143289344, 2143289345)
)


def guard_of(x):
    guard = make_guard(snapshot(lambda y: y + x).checks)
    assert guard is not None and guard()
    return guard


class Loud(np.ndarray):
    """A subclass whose own code must not run in a check."""

    def loud(self, *_):
        raise AssertionError("the check ran code of the person")

    __eq__ = __ne__ = tobytes = copy = loud
    __hash__ = None
    dtype = shape = property(loud)


def table(order="C", of=np.float32):
    return np.asarray(np.arange(12).reshape(3, 4), of, order=order)


FORMS = {
    "a vector": lambda: np.arange(6, dtype=np.float32),
    "a matrix": table,
    "a scalar": lambda: np.array(2.0),
    "an empty one": lambda: np.zeros((0, 3)),
    "4 kB": lambda: np.zeros((32, 32), np.float32),
    "in Fortran's order": lambda: table("F"),
    "a transposed one": lambda: table().T,
    "with steps": lambda: table()[:, ::2],
    "backwards": lambda: table()[::-1],
    "with steps, of a large one": lambda: np.zeros((5000, 2))[:100, 0],
    "broadcast": lambda: np.broadcast_to(np.arange(3.0), (2, 3)),
    "big-endian": lambda: np.arange(3, dtype=">f4"),
    "read-only": lambda: np.frombuffer(b"12345678", np.float32),
    "booleans": lambda: np.array([True, False]),
    "a subclass": lambda: np.arange(3.0).view(Loud),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_element_counts(form):
    x = FORMS[form]()
    guard = guard_of(x)
    if form == "a subclass":
        x = x.view(np.ndarray)
    memory = x
    while isinstance(memory.base, np.ndarray):
        memory = memory.base
    if form in ("an empty one", "read-only"):
        return
    for at in np.ndindex(np.asarray(x).shape):
        memory_before = memory.copy()
        if not x.flags.writeable:  # as of broadcast_to
            memory[at[-1]] += 1
        else:
            x[at] = not x[at] if x.dtype == bool else x[at] + 1
        assert not guard()
        memory[...] = memory_before
        assert guard()


def test_the_rest_of_the_memory_does_not_count():
    base = table()
    x = base[:, ::2]
    guard = guard_of(x)
    base[1, 1] = 70
    assert guard()
    base[1, 2] = 70
    assert not guard()


CHANGES = {
    "another NaN": (lambda: np.array([NAN, 1]), lambda x: x.__setitem__(0, OTHER_NAN)),
    "-0.0": (lambda: np.zeros(3), lambda x: x.__setitem__(1, -0.0)),
    "dtype": (lambda: np.ones(3, np.float32), lambda x: setattr(x, "dtype", np.int32)),
    "byte order": (lambda: np.zeros(3, ">f4"), lambda x: setattr(x, "dtype", "<f4")),
    "dtype of a matrix": (table, lambda x: setattr(x, "dtype", np.int32)),
    "shape": (table, lambda x: setattr(x, "shape", (4, 3))),
    "shape of equal length": (lambda: np.ones((4, 1)), lambda x: setattr(x, "shape", (4,))),
    "a new axis": (lambda: np.ones(4), lambda x: setattr(x, "shape", (4, 1))),
    "no axis": (lambda: np.ones(1), lambda x: setattr(x, "shape", ())),
    "shape of an empty one": (
        lambda: np.ones((0, 3)),
        lambda x: setattr(x, "shape", (3, 0)),
    ),
    "size, longer": (lambda: np.ones(3), lambda x: x.resize(500, refcheck=False)),
    "size, shorter": (lambda: np.zeros(300), lambda x: x.resize(5, refcheck=False)),
    "size, beyond the limit": (lambda: np.zeros(3), lambda x: x.resize(9000, refcheck=False)),
    "strides": (lambda: np.arange(12.0)[::2], lambda x: setattr(x, "strides", (8,))),
    "to steps": (lambda: np.arange(12.0)[:6], lambda x: setattr(x, "strides", (16,))),
    "to no steps": (lambda: table(), lambda x: setattr(x, "strides", (0, 0))),
    "order": (lambda: table().T, lambda x: setattr(x, "strides", (8, 4))),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_in_place_is_found(what):
    make, change = CHANGES[what]
    x = make()
    guard = guard_of(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy advises against setting strides and shapes
        change(x)
        assert not guard()
    assert guard_of(x)()


def test_a_dtype_changed_in_place_is_another_program():
    x = np.zeros(3, np.float32)
    f = anvl.jit(lambda y: y + x)
    f(np.ones(3, np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x.dtype = np.int32
    x[0] = 2
    assert f(np.ones(3, np.float32))[0] == 3 and f.cache_size() == 2
