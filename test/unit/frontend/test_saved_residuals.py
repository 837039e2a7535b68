"""`print_saved_values`: what is kept, what it is and where it was made."""

import io

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.transforms.saved_residuals import saved_values

X = anvl.aval("f32", (10, 4))
W = anvl.aval("f32", (4, 4))


def layer(w, x):
    hidden = anp.tanh(x @ w)
    return anp.sum(hidden * anp.exp(hidden))


def printed(f, *args):
    file = io.StringIO()
    anvl.print_saved_values(f, *args, file=file)
    return file.getvalue().splitlines()


def test_each_value_has_its_bytes_its_type_and_its_line():
    *lines, total = printed(layer, W, X)
    assert len(lines) >= 4
    assert "         160 bytes  f32[10,4]  tanh, " in "\n".join(lines)
    assert all("test_saved_residuals.py:" in line for line in lines)
    assert any("64 bytes  f32[4,4]  the argument w, " in line for line in lines)
    sizes = [int(line.partition("bytes")[0].replace(",", "")) for line in [*lines, total]]
    assert sum(sizes[:-1]) == sizes[-1]
    assert sizes[:-1] == sorted(sizes[:-1], reverse=True)
    assert total.endswith(" bytes in all")


def test_a_checkpoint_keeps_its_arguments():
    kept = saved_values(anvl.checkpoint(layer), W, X)
    assert sorted(v.source.partition(", ")[0] for v in kept) == ["the argument w", "the argument x"]


def test_a_policy_keeps_what_it_names():
    f = anvl.checkpoint(layer, policy=("tanh",))
    names = {v.source.partition(", ")[0] for v in saved_values(f, W, X)}
    assert names == {"the argument w", "the argument x", "tanh"}


def test_what_is_linear_keeps_nothing_and_constants_are_no_values():
    assert saved_values(lambda x: anp.sum(2.0 * x), X) == []
    assert printed(lambda x: x + 1, 1.0) == ["           0 bytes in all"]


def test_arguments_may_be_numbers_and_trees():
    kept = saved_values(lambda p, scale: p["w"] * p["w"] * scale, {"w": np.ones(3)}, 2.0)
    assert {v.nbytes for v in kept} >= {24}


def test_it_takes_a_function_that_returns_floats():
    with pytest.raises(TypeError, match="print_saved_values: takes a function, got 3"):
        anvl.print_saved_values(3)
    with pytest.raises(TypeError, match=r"f returns i32\[\]; only floats have a derivative"):
        anvl.print_saved_values(f, np.int32(3))


def f(x):
    return x
