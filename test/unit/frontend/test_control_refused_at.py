"""What is wrong with control flow is said at the person's line, whatever is around it."""

import linecache
import re
import traceback

import numpy as np
import pytest

import anvl
import anvl.numpy as anp

X = np.ones(3)
HALF, ONE, TWO = np.float32(0.5), np.float32(1), np.float64(2)
STATE = {"ball": [ONE, (ONE, ONE)], "n": 0}


def widen(state):
    h, (v, w) = state["ball"]
    return {"ball": [h, (v, w * TWO)], "n": state["n"]}


def small(state):
    return state["ball"][0] < 3


CHANGED = (
    r"carry\['ball'\]\[1\]\[1\] is f32\[\], but widen returns f64\[\] for it; cast it before the "
)
CARRIES = {
    "scan": lambda: anvl.scan(lambda c, x: (c * x, c), HALF, X),
    "while_loop": lambda: anvl.while_loop(small, widen, STATE),
    "while_loop with max_iterations": lambda: anvl.while_loop(
        small, widen, STATE, max_iterations=3
    ),
    "fori_loop": lambda: anvl.fori_loop(0, 3, lambda i, c: widen(c), STATE),
    "fori_loop with checkpoints": lambda: anvl.fori_loop(
        0, 3, lambda i, c: widen(c), STATE, checkpoint=2
    ),
    "fori_loop of traced bounds": lambda: anvl.fori_loop(
        0, anp.asarray(3), lambda i, c: widen(c), STATE
    ),
}
AROUND = {
    "nothing": lambda f: f(),
    "jit": lambda f: anvl.jit(lambda x: (f(), x)[1])(ONE),
    "grad": lambda f: anvl.grad(lambda x: (f(), x)[1])(ONE),
    "vmap": lambda f: anvl.vmap(lambda x: (f(), x)[1])(X),
    "a loop": lambda f: anvl.scan(lambda c, x: ((f(), c)[1], x), ONE, X),
    "a branch": lambda f: anvl.cond(anp.asarray(True), lambda: (f(), 1.0)[1], lambda: 2.0),
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("name", CARRIES)
def test_a_carry_that_changes(name, around):
    with pytest.raises(TypeError) as caught:
        AROUND[around](CARRIES[name])
    role = name.split()[0]
    expected = f"{role}: " + CHANGED.replace("widen", "widen" if "while" in name else "<lambda>")
    if name == "scan":
        expected = (
            r"scan: carry is f32\[\], but <lambda> returns f64\[\] for it; cast it before the "
        )
    assert caught.match(expected + "loop, or in the step$")
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert {frame.filename for frame in frames} == {__file__}
    assert "anvl." + role in frames[-1].line


P = anp.asarray(True)
REFUSED = {
    "a carry of another structure": (
        lambda: anvl.while_loop(small, lambda s: {**s, "ball": [s["ball"][0]]}, STATE),
        TypeError,
        "while_loop: <lambda> returns a carry that differs in structure from its input: "
        r"at \['ball'\]: list of 2 against list of 1",
    ),
    "fori_loop's carry, whose index is nobody's": (
        lambda: anvl.fori_loop(0, 3, lambda i, c: None, 1.0),
        TypeError,
        "fori_loop: <lambda> returns a carry that differs in structure from its input: "
        "at the root: a leaf against None",
    ),
    "a bounded loop's carry": (
        lambda: anvl.while_loop(lambda c: c < 3, lambda c: (c, c), 1.0, max_iterations=3),
        TypeError,
        "differs in structure from its input: at the root: a leaf against tuple of 2",
    ),
    "no carry": (
        lambda: anvl.while_loop(lambda c: c < 3, lambda c: None, 1.0),
        TypeError,
        "at the root: a leaf against None",
    ),
    "no pair": (
        lambda: anvl.scan(lambda c, x: None, 1.0, X),
        TypeError,
        "scan: <lambda> returned .*None.*; return a pair, the next carry and the slice of ys",
    ),
    "a shape that changes": (
        lambda: anvl.scan(lambda c, x: (c + x, None), np.zeros(1), np.ones((2, 3))),
        TypeError,
        r"scan: carry is f64\[1\], but <lambda> returns f64\[3\] for it",
    ),
    "a strong integer that becomes a number": (
        lambda: anvl.scan(lambda c, x: (c + 0.5, None), np.int32(0), X),
        TypeError,
        r"scan: carry is i32\[\], but <lambda> returns f32\[\] for it",
    ),
    "two carries that change places": (
        lambda: anvl.scan(lambda c, x: ((c[1], c[0]), None), (ONE, TWO), X),
        TypeError,
        r"scan: carry\[0\] is f32\[\], but <lambda> returns f64\[\] for it",
    ),
    "a text as a result": (
        lambda: anvl.scan(lambda c, x: (c, "text"), ONE, X),
        TypeError,
        r"<lambda>: result\[1\] is 'text' of type str; a traced function returns arrays",
    ),
    "a predicate of floats": (
        lambda: anvl.cond(ONE, anp.sin, anp.cos, ONE),
        TypeError,
        r"cond: the predicate is f32\[\], not a scalar bool; compare it, or reduce it",
    ),
    "a predicate of numbers": (
        lambda: anvl.cond(1, anp.sin, anp.cos, ONE),
        TypeError,
        r"cond: the predicate is i32\?\[\], not a scalar bool",
    ),
    "a predicate of many": (
        lambda: anvl.cond(X > 0, anp.sin, anp.cos, ONE),
        TypeError,
        r"cond: the predicate is bool\[3\], not a scalar bool",
    ),
    "no predicate": (
        lambda: anvl.cond(None, anp.sin, anp.cos, ONE),
        TypeError,
        "cond: the predicate: takes arrays and numbers, got None",
    ),
    "a condition that returns a number": (
        lambda: anvl.while_loop(lambda c: 1, lambda c: c, 1.0),
        TypeError,
        r"while_loop: the condition <lambda> returns i32\?\[\], not a scalar bool",
    ),
    "a condition that returns two": (
        lambda: anvl.while_loop(lambda c: (c < 3, c < 4), lambda c: c, 1.0),
        TypeError,
        r"the condition <lambda> returns bool\[\], bool\[\], not a scalar bool",
    ),
    "a condition that returns nothing": (
        lambda: anvl.while_loop(lambda c: None, lambda c: c, 1.0),
        TypeError,
        "the condition <lambda> returns nothing, not a scalar bool",
    ),
    "branches of different structures": (
        lambda: anvl.cond(
            P, lambda: {"a": (1, 2), "b": [3]}, lambda: {"a": (1, {"c": 2}), "b": [3, 4]}
        ),
        TypeError,
        "cond: <lambda> and <lambda> return different structures: at .*; at .*; make all",
    ),
    "a branch that returns nothing": (
        lambda: anvl.cond(P, lambda: 1.0, lambda: None),
        TypeError,
        "different structures: at the root: a leaf against None",
    ),
    "branches of different dtypes": (
        lambda: anvl.switch(anp.asarray(0), [lambda: {"a": ONE}, lambda: {"a": TWO}]),
        TypeError,
        r"switch: result\['a'\] is f32\[\] of <lambda>, but f64\[\] of <lambda>; make all",
    ),
    "branches that are one function": (
        lambda: anvl.switch(0, anp.sin, ONE),
        TypeError,
        "switch: takes a list of functions, got <function sin .* of type function",
    ),
    "an index of bools": (
        lambda: anvl.switch(True, [anp.sin], ONE),
        TypeError,
        r"switch: the index is bool\?\[\], not a scalar integer",
    ),
    "inputs of different lengths": (
        lambda: anvl.scan(lambda c, x: (c, None), ONE, {"a": X, "b": (X[:2], X)}),
        ValueError,
        r"scan: the lengths differ: xs\['a'\] is 3, xs\['b'\]\[0\] is 2, xs\['b'\]\[1\] is 3",
    ),
    "a list of numbers as inputs": (
        lambda: anvl.scan(lambda c, x: (c, None), ONE, [1, 2, 3]),
        ValueError,
        r"scan: xs\[0\] is i32\?\[\], which has no leading axis to iterate over",
    ),
    "a range as inputs": (
        lambda: anvl.scan(lambda c, x: (c, None), ONE, range(3)),
        ValueError,
        "scan: xs holds no arrays and no length is given",
    ),
    "a traced length": (
        lambda: anvl.jit(lambda n: anvl.scan(lambda c, _: (c, None), ONE, length=n))(3),
        ValueError,
        "scan: length is Tracer.*; it must be an integer of at least 0",
    ),
    "more steps than are counted": (
        lambda: anvl.while_loop(lambda c: c < 3, lambda c: c, 1.0, max_iterations=2**31),
        ValueError,
        "while_loop: max_iterations is 2147483648, which exceeds the range of i32",
    ),
    "a step of one argument": (
        lambda: anvl.scan(lambda c: c, ONE, X),
        TypeError,
        "takes 1 positional argument but 2 were given",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_ends_at_the_line(name):
    call, error, message = REFUSED[name]
    with pytest.raises(error, match=message) as caught:
        call()
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert {frame.filename for frame in frames} == {__file__}
    assert frames[-1].name == "<lambda>"
    assert frames[-1].lineno >= call.__code__.co_firstlineno


# -- leaks -----------------------------------------------------------------------------------------


def leaky(box, value=lambda c: c * 2):  # which belongs to the step alone
    """A step that appends to a list what belongs to it alone."""

    def step(c, x):
        box.append(value(c))
        return c + x, c

    return step


def in_branch(x, box):
    anvl.cond(x > 0, lambda x: leaky(box)(x, x)[0], anp.sin, x)
    return x + box[0]


def in_grad_in_step(x, box):
    def step(c, _):
        return anvl.grad(lambda z: leaky(box)(z, z)[0])(c), c

    anvl.scan(step, x, X)
    return x + box[0]


def from_body_to_condition(x, box):
    def body(c):
        return leaky(box)(c, 1.0)[0]

    return anvl.while_loop(lambda c: c < box[0], body, x)


LEAKS = {
    "used after the loop": lambda x, box: (anvl.scan(leaky(box), x, X), x + box[0]),
    "compared": lambda x, box: (anvl.scan(leaky(box), x, X), box[0] > x),
    "in another body": lambda x, box: (
        anvl.scan(leaky(box), x, X),
        anvl.scan(lambda c, x: (c + box[0], x), x, X),
    ),
    "returned in its list": lambda x, box: (anvl.scan(leaky(box), x, X), box),
    "a carry": lambda x, box: (
        anvl.scan(leaky(box), x, X),
        anvl.fori_loop(0, 3, lambda i, c: c, box[0]),
    ),
    "an input": lambda x, box: (
        anvl.scan(leaky(box, lambda c: c * X), x, X),
        anvl.scan(lambda c, x: (c, x), x, box[0]),
    ),
    "a bound": lambda x, box: (
        anvl.scan(leaky(box, lambda c: anp.asarray(c, dtype="int32")), x, X),
        anvl.fori_loop(0, box[0], lambda i, c: c, x),
    ),
    "a predicate": lambda x, box: (
        anvl.scan(leaky(box, lambda c: c > 0), x, X),
        anvl.cond(box[0], anp.sin, anp.cos, x),
    ),
    "an operand": lambda x, box: (
        anvl.scan(leaky(box), x, X),
        anvl.cond(x > 0, anp.sin, anp.cos, box[0]),
    ),
    "of a branch": in_branch,
    "of a gradient in a step": in_grad_in_step,
    "of a body, in the condition": from_body_to_condition,
}


@pytest.mark.parametrize("name", LEAKS)
@pytest.mark.parametrize("transform", [anvl.jit, anvl.grad])
def test_a_leaked_value_is_named_where_it_is_used(name, transform):
    f = lambda x: anp.sum(anvl.tree.leaves(LEAKS[name](x, []))[-1])  # noqa: E731
    with pytest.raises(anvl.TraceError, match="is used after its trace has ended") as caught:
        transform(f)(TWO)
    made = re.search(rf"{re.escape(__file__)}:(\d+):", str(caught.value))
    assert "lambda c: " in linecache.getline(__file__, int(made[1]))
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert {frame.filename for frame in frames} == {__file__}
    assert "box[0]" in frames[-1].line or "anp.sum" in frames[-1].line
