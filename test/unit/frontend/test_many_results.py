"""Many results: those in one dict, which a call makes in one loop."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import anvl


@settings(max_examples=15, deadline=None)
@given(
    keys=st.lists(st.text(), min_size=17, max_size=40, unique=True)
    | st.lists(st.integers(), min_size=17, max_size=40, unique=True)
)
def test_many_results_are_the_values_of_one_dict(keys):
    """Each call makes a dict of its own, in the order of the registry, with arrays of their types.

    Integers beyond 64 bits are made by the registry.
    """
    values = {key: anvl.numpy.arange(i % 5) for i, key in enumerate(keys)}
    f = anvl.jit(lambda t, x: {key: y * x for key, y in t.items()})
    results = [f(values, factor) for factor in range(4)]
    for factor, found in enumerate(results):
        assert type(found) is dict
        assert list(map(repr, found)) == list(map(repr, sorted(keys)))
        for key, x in values.items():
            assert found[key].shape == x.shape
            np.testing.assert_array_equal(found[key], np.arange(len(x)) * factor)
