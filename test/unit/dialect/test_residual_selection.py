"""Residuals: what is saved, and that vjp, scans and checkpoints save the same."""

from collections import Counter

import numpy as np
import pytest
from named_values import Text
from tolerances import assert_close

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.dialect.core.attributes import signature_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.residual_selection import residuals
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.functions.symbol_utils import functions_of, terminator_of
from anvl.passes.gradient import Gradient
from anvl.passes.remat import Remat
from anvl.passes.simplify_control_flow import SimplifyControlFlow

X = anvl.aval("f32", (4, 3))
W = anvl.aval("f32", (3, 5))
S = anvl.aval("f32", ())
STEPS = 7


def after(f, avals, *passes):
    """The functions of a program after some passes; the module keeps them alive."""
    module = parse(anvl.trace(f, *avals).mlir())
    Pipeline(list(passes)).run(module)
    return functions_of(module.operation), module


def counted(types):
    return Counter(shape_of(t) for t in types)


def shape_of(type_, first=0):
    return "x".join([*map(str, type_.shape[first:]), str(type_.element_type)])


def of_vjp(f, avals):
    """Types of the residuals that `anvl.vjp` saves: the caller has the arguments."""
    functions, _module = after(f, avals, Gradient(function="main", split=True))
    block = functions["main_fwd"].regions[0].blocks[0]
    n_results = len(signature_of(functions["main"])[1])
    arguments = list(block.arguments)
    returned = list(terminator_of(block).operands)[n_results:]
    return counted(y.type for y in returned if y not in arguments)


def of_scan(f, avals):
    """Types of the residuals that a scan of f over arrays saves in each step."""
    rows = [anvl.aval(a.dtype, (STEPS, *a.shape)) for a in avals]
    return saved_by_a_scan(lambda *xs: anvl.scan(lambda c, x: (c, f(*x)), None, xs)[1], rows)


def saved_by_a_scan(loop, avals):
    """Types of the residuals of the scan in a function, whose only result it is."""
    gradient = anvl.grad(lambda *xs: anp.sum(anp.exp(loop(*xs))), wrt=tuple(range(len(avals))))
    functions, _module = after(
        gradient, avals, SimplifyControlFlow(for_derivatives=True), Gradient()
    )
    (forward,) = (op for n, op in functions.items() if "forward" in n and _is_scan(op))
    return Counter(shape_of(t, first=1) for t in signature_of(forward)[1][1:])


def _is_scan(function):
    return "anvl.scan" in function.attributes


def of_checkpoint(f, avals):
    """Types of the residuals that a checkpoint saves within an ample budget."""
    functions, _module = after(anvl.checkpoint(f, budget="1GiB"), avals, Remat())
    found: Counter[str] = Counter()
    for function in functions.values():
        if "anvl.checkpoint" in function.attributes:
            kept = ir.IntegerAttr(function.attributes["anvl.checkpoint"]["kept"]).value
            types = signature_of(function)[1]
            found += counted(types[len(types) - kept :])
    return found


def softmax(x):
    e = anp.exp(x - anp.max(x, axis=1, keepdims=True))
    return e / anp.sum(e, axis=1, keepdims=True)


def polynomial(h):
    return (h * h + h) * anp.maximum(h, 0) * h


def turned(x):
    return anp.transpose(anp.reshape(x, (2, 6)))


#: Functions, their arguments, and their residuals; where a checkpoint has others, since only the
#: derivative computes some of these, then its own.
CASES = {
    "a sine and an exponential": (
        lambda x: anp.sin(x) * anp.exp(x),
        [X],
        {"4x3xf32": 3},  # also the cosine
        {"4x3xf32": 2},
    ),
    "a chain of them": (
        lambda x: anp.sin(anp.exp(anp.sin(x) * anp.exp(x))),
        [X],
        {"4x3xf32": 5},
        {"4x3xf32": 3},
    ),
    # The product, from which the maximum and its mask follow, and the transposed weights.
    "products and a relu": (
        lambda x, w: anp.maximum(x @ w, 0.0) @ anp.transpose(w),
        [X, W],
        {"4x5xf32": 1, "5x3xf32": 1},
        None,
    ),
    # The masks, of which there are two, are less than the product that they follow from.
    "a relu whose value nothing reads": (
        lambda x, w: anp.tanh(anp.maximum(x @ w, 0.0)),
        [X, W],
        {"4x5xf32": 1, "4x5xi1": 2},
        {"4x5xf32": 1},
    ),
    # The mask of the maxima and their number are of the derivative; a checkpoint saves the maxima.
    "softmax": (
        softmax,
        [X],
        {"4x3xf32": 2, "4xf32": 2, "4x3xi1": 1},
        {"4x3xf32": 2, "4xf32": 1},
    ),
    "a broadcast scalar": (
        lambda x, s: anp.exp(x) * anp.exp(s),
        [X, S],
        {"4x3xf32": 1, "f32": 1},
        None,
    ),
    "a mean and a variance": (
        lambda x: (x - anp.mean(x)) / anp.sqrt(anp.var(x) + 1e-3),
        [X],
        {"4x3xf32": 1, "f32": 1, "1x1xf32": 1},
        None,
    ),
    "reshapes and transposes": (
        lambda x: anp.exp(turned(anp.exp(x))) * turned(x),
        [X],
        {"4x3xf32": 1, "6x2xf32": 2},
        None,
    ),
    "values that follow from arguments": (polynomial, [X], {}, None),
    "values that follow from one": (lambda x: polynomial(anp.exp(x)), [X], {"4x3xf32": 1}, None),
    "a value computed twice": (
        lambda x: anp.where(anp.exp(x) > 2, anp.exp(x) * 3, x),
        [X],
        {"4x3xf32": 1},
        None,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_vjp_scans_and_checkpoints_save_the_same(name):
    f, avals, expected, of_function = CASES[name]
    assert of_vjp(f, avals) == expected
    assert of_scan(f, avals) == expected
    assert of_checkpoint(f, avals) == (expected if of_function is None else of_function)


def test_what_two_derivatives_need_is_saved_once():
    def slope(x, w):
        return anvl.grad(lambda w: anp.sum(anp.tanh(x @ w) ** 2))(w)

    assert of_vjp(slope, [X, W]) == of_scan(slope, [X, W]) == {"4x5xf32": 2}


def test_ops_that_differ_in_a_parameter_stay_two_in_a_scan():
    def step(x):
        return anp.exp(anp.flip(x, 0)) * anp.exp(anp.cumsum(x, 1)) * anp.flip(x, 1)

    x = np.arange(9, dtype=np.float32).reshape(3, 3) / 9
    looped = anvl.grad(lambda x: anp.sum(anvl.scan(lambda x, _: (step(x), None), x, length=2)[0]))
    assert_close(looped(x), anvl.grad(lambda x: anp.sum(step(step(x))))(x), length=9)


def test_a_scan_saves_the_carries_that_it_reads():
    def step(c, x):
        return polynomial(c) * x

    assert of_vjp(step, [X, X]) == of_checkpoint(step, [X, X]) == {}
    loop = lambda c, xs: anvl.scan(lambda c, x: (step(c, x), None), c, xs)[0]  # noqa: E731
    rows = anvl.aval("f32", (STEPS, 4, 3))
    assert saved_by_a_scan(loop, [X, rows]) == {"4x3xf32": 1}


def test_a_checkpoint_with_a_smaller_budget_saves_less():
    def f(x):
        return anp.exp(anp.exp(anp.exp(anp.sin(x) * anp.exp(x))))

    def saved(budget):
        functions, _module = after(anvl.checkpoint(f, budget=budget), [X], Remat())
        requests = [op.attributes.get("anvl.checkpoint") for op in functions.values()]
        return sum(ir.IntegerAttr(r["kept"]).value for r in requests if r is not None)

    ample = sum(of_checkpoint(f, [X]).values())
    assert saved(48 * ample) == ample
    assert saved(48 * ample - 1) < ample
    assert saved(0) <= saved(48 * ample - 1)


def chosen(lines, read, available):
    """The names of the values to save, in a function of x with these ops."""
    ops = "".join(f"  {line}\n" for line in lines)
    f = Text(f"\nfunc.func @f(%x: tensor<8xf32>) {{\n{ops}  return\n}}\n")
    return [f.names[x] for x in residuals(f(read), f(available), f.ops)]


def unary(y, op, x, type_="tensor<8xf32>"):
    return f'%{y} = "anvl.{op}"(%{x}) : ({type_}) -> {type_}'


def test_a_chain_of_cheap_ops_is_recomputed_up_to_a_length():
    chain = [unary(f"a{i + 1}", "neg", f"a{i}" if i else "x") for i in range(13)]
    text = chain
    assert chosen(text, "a12", "x") == []
    assert chosen(text, "a13", "x") == ["a13"]
    assert chosen(text, "a13 a1", "x") == []  # as little is saved for both
    assert chosen(text, "a13 a6", "") == ["a6"]


def test_one_value_is_saved_for_those_that_follow_from_it():
    text = [
        unary("e", "exp", "x"),
        unary("n", "neg", "e"),
        '%m = "anvl.mul"(%e, %n) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>',
        unary("s", "sin", "m"),
    ]
    assert chosen(text, "n m", "x") == ["e"]
    assert chosen(text, "n m s", "x") == ["e", "s"]
    assert chosen(text, "m", "x") == ["m"]  # of two that are as large, the one that is read
    assert chosen(text, "m e x", "x") == ["e"]
    assert chosen(text, "", "x") == []


def test_constants_are_computed_again():
    text = [
        '%i = "anvl.iota"() {iota_dimension = 0 : i64} : () -> tensor<8xf32>',
        unary("e", "exp", "i"),
        '%k = "anvl.cumsum"(%e) {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>',
        '%p = "anvl.pow"(%e, %i) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>',
        '%q = "anvl.pow"(%e, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>',
    ]
    assert chosen(text, "i e p", "x") == []
    assert chosen(text, "k q", "x") == ["k", "q"]


def test_many_values():
    """Each is compared with the few that it follows from, not with all: else this takes minutes."""
    lines = []
    for i in range(1500):
        x = f"s{i - 1}" if i else "x"
        lines += [unary(f"s{i}", "sin", x), unary(f"n{i}", "neg", f"s{i}")]
        lines.append(unary(f"m{i}", "neg", f"n{i}"))
    read = " ".join(f"n{i} m{i}" for i in range(1500))
    assert chosen(lines, read, "x") == [f"n{i}" for i in range(1500)]
