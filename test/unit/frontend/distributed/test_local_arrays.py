"""`make_array_from_local` in one process; over several it is in `test_processes.py`."""

import numpy as np
import pytest
from eight_devices import over

import anvl
from anvl.distributed import make_array_from_local

X = np.arange(32.0).reshape(8, 4)


@pytest.mark.parametrize("spec", [(), ("x",), (("y", "x"), None), ("x", "y"), (None, "y")])
def test_of_one_process_the_part_is_the_whole(spec):
    found = make_array_from_local(over(*spec), X)
    assert found.sharding == over(*spec) and found.dtype == X.dtype
    np.testing.assert_array_equal(found, X)


@pytest.mark.parametrize(
    ("work", "kind", "message"),
    [
        (lambda: make_array_from_local("x", X), TypeError, "must be a Sharding, got 'x' of type"),
        (
            lambda: make_array_from_local(over("x"), X[:6]), anvl.ShardingError,
            r"dimension 0 of the part has size 6, and by Sharding\(.* cut it into 4; give a size",
        ),
        (
            lambda: make_array_from_local(over(None, "x"), X[0]), anvl.ShardingError,
            r"the part has 1 dimensions, and Sharding\(.* cuts 2; give a part of as many",
        ),
        (lambda: make_array_from_local(over("x"), ["a"] * 4), TypeError, "put"),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit_are_refused(work, kind, message):
    with pytest.raises(kind, match=message):
        work()
