"""Loops that compute a part of others are merged: `test/lit/passes/merge-loops` shows the text."""

import numpy as np
import pytest
from tolerances import FORMULA, assert_close

import anvl
import anvl.numpy as anp
from anvl.dialect import parse
from anvl.passes import MergeLoops
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.lower_to_stablehlo import LowerToStablehlo

X = np.linspace(0.1, 0.9, 6, dtype=np.float32)


def loops_in(f, *args):
    return anvl.jit(f).lower(*args).mlir().count("stablehlo.while")


def scanned(x):
    return anp.sum(anvl.scan(lambda c, v: (anp.sin(c) * v, anp.cos(c)), x, x)[0])


def counted(x):
    return anp.sum(anvl.fori_loop(0, 7, lambda i, c: anp.sin(c) * x + i, x))


def rolled(x):
    for i in range(60):
        x = anp.sin(x) * (0.5 + i / 90)
    return anp.sum(x)


def nested(x):
    def step(c, v):
        inner, _ = anvl.scan(lambda d, _: (anp.sin(d) + v, None), c, None, length=3)
        return inner, anp.sum(inner)

    return anp.sum(anvl.scan(step, x, x)[1])


def of_two_loops(x):
    def step(c, v):
        one, _ = anvl.scan(lambda d, _: (anp.sin(d) + v, None), c, None, length=3)
        two, _ = anvl.scan(lambda d, _: (anp.cos(d) - v, None), c, None, length=4)
        return one * two, anp.sum(one)

    return anp.sum(anvl.scan(step, x, x)[1])


def chosen(x):
    def f(c):
        return anvl.cond(anp.sum(c) > 1, anp.sin, anp.exp, c)

    return anp.sum(f(x) * x)


def of_complex_numbers(x):
    """Of which the bindings have no attribute."""
    return anp.sum(anp.abs(anvl.fori_loop(0, 7, lambda i, c: c * (0.1 + 0.2j) + x, x + 0j)))


def of_other_complex_numbers(x):
    return anp.sum(anp.abs(anvl.fori_loop(0, 7, lambda i, c: c * (0.1 + 0.3j) + x, x + 0j)))


@pytest.mark.parametrize("f", [scanned, counted, rolled, nested, of_complex_numbers])
def test_the_value_is_that_of_the_gradient(f):
    def both(x):
        return (f(x), anvl.grad(f)(x))

    alone = loops_in(lambda x: anvl.value_and_grad(f)(x), X)
    assert loops_in(both, X) == alone < loops_in(f, X) + alone
    for found, wanted in zip(anvl.jit(both)(X), anvl.value_and_grad(f)(X), strict=True):
        assert_close(found, wanted, FORMULA)


def test_loops_inside_of_one_that_is_dropped_are_read_before():
    """Behind another loop of the block they were read when they were gone: a segmentation fault."""

    def f(x):
        y = anvl.fori_loop(0, 5, lambda i, c: anp.tanh(c) + i, x)
        return of_two_loops(x), anvl.grad(of_two_loops)(x), y

    wanted = anvl.value_and_grad(of_two_loops)(X)
    for found, right in zip(anvl.jit(f)(X)[:2], wanted, strict=True):
        assert_close(found, right, FORMULA)


NUMBER, ARRAY = "tensor<i32>", "tensor<6xf32>"
LESS = "comparison_direction = #stablehlo<comparison_direction LT>"


def loop_text(name, *functions):
    """A loop of five rounds that applies a function to each of some numbers, which begin as %x."""
    places = range(len(functions))
    starts = ", ".join([*(f"%c{k} = %x" for k in places), "%i = %zero"])
    types = ", ".join([*(ARRAY for k in places), NUMBER])
    steps = [f'%s{k} = "anvl.{functions[k]}"(%c{k}) : ({ARRAY}) -> {ARRAY}' for k in places]
    return f"""
      %{name}:{len(functions) + 1} = stablehlo.while({starts}) : {types}
      cond {{
        %more = "anvl.compare"(%i, %five) {{{LESS}}} : ({NUMBER}, {NUMBER}) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }} do {{
        {" ".join(steps)}
        %next = "anvl.add"(%i, %one) : ({NUMBER}, {NUMBER}) -> {NUMBER}
        stablehlo.return {", ".join(f"%s{k}" for k in places)}, %next : {types}
      }}"""


def test_what_a_dropped_loop_took_from_another_is_read_there():
    """Where that is part of a third by its other results, it was the third's first: the cosine."""
    loops = [("p", "sin"), ("q", "sin", "tanh"), ("r", "cos", "tanh")]
    text = f"""func.func @main(%x: {ARRAY}) -> ({ARRAY}, {ARRAY}, {ARRAY}) {{
      %zero = "anvl.constant"() {{value = dense<0> : {NUMBER}}} : () -> {NUMBER}
      %one = "anvl.constant"() {{value = dense<1> : {NUMBER}}} : () -> {NUMBER}
      %five = "anvl.constant"() {{value = dense<5> : {NUMBER}}} : () -> {NUMBER}
      {"".join(loop_text(*loop) for loop in loops)}
      return %p#0, %q#1, %r#0 : {ARRAY}, {ARRAY}, {ARRAY}
    }}"""
    module = parse(text)
    Pipeline([MergeLoops(), LowerToStablehlo()]).run(module)
    assert str(module).count("stablehlo.while") == 2
    sines, _, _ = anvl.from_stablehlo(str(module))(X)
    wanted = X
    for _ in range(5):
        wanted = np.sin(wanted)
    assert_close(sines, wanted, FORMULA)


def test_loops_of_other_complex_numbers_stay():
    assert loops_in(lambda x: (of_complex_numbers(x), of_other_complex_numbers(x)), X) == 2


def test_branches_of_the_value_are_those_of_the_gradient():
    text = anvl.jit(lambda x: (chosen(x), anvl.grad(chosen)(x))).lower(X).mlir()
    alone = anvl.jit(anvl.value_and_grad(chosen)).lower(X).mlir()
    names = ("stablehlo.if", "stablehlo.case")
    assert [text.count(n) for n in names] == [alone.count(n) for n in names]


def test_loops_with_effects_stay(capfd):
    def f(x):
        def step(i, c):
            anvl.debug.print("step {}", i)
            return anp.sin(c)

        return anvl.fori_loop(0, 2, step, x)

    assert loops_in(lambda x: (f(x), f(x)), X) == 2
    anvl.block_until_ready(anvl.jit(lambda x: (f(x), f(x)))(X))
    anvl.effects_barrier()
    assert capfd.readouterr().out.count("step 1") == 2


def test_a_checkpointed_loop_is_computed_again():
    def f(x, inner):
        return anp.sum(anp.sin(inner(anp.sin(x))))

    def inner(x):
        return anvl.scan(lambda c, v: (anp.sin(c) * v, None), x, x)[0]

    loops = [
        loops_in(lambda x, g=g: anvl.value_and_grad(f)(x, g), X)
        for g in (inner, anvl.checkpoint(inner))
    ]
    assert loops[0] < loops[1]


@pytest.mark.parametrize("seed", range(12))
def test_drawn_loops_keep_their_values(seed, monkeypatch):
    """Loops over the same numbers, which differ in a step, a start, the length or an order."""
    draw = np.random.default_rng(seed)
    ops = [anp.sin, anp.cos, anp.tanh, lambda v: v * 0.5, lambda v: v + 1]

    def body(n_carries, n_ops, n_changed):
        """Steps of a kind, the last of which is drawn anew for some."""
        made = [(int(draw.integers(n_carries)), int(draw.integers(5))) for _ in range(n_ops)]
        changed = list(made)
        for _ in range(n_changed):
            at = int(draw.integers(n_ops))
            changed[at] = (int(draw.integers(n_carries)), int(draw.integers(5)))
        return made, changed

    first, second = body(3, 3, int(draw.integers(3)))
    starts = [draw.integers(2, size=3) for _ in range(2)]
    starts[1] = starts[int(draw.integers(2))]
    length = 4 if draw.integers(3) else 5
    order = draw.permutation(3)

    def loop(steps, start, length, order, x, y):
        values = [(x, y)[i] for i in start]

        def step(carry, _):
            known = dict(zip(order, carry, strict=True))
            new = {i: ops[op](known[of]) for i, (of, op) in enumerate(steps)}
            return tuple(new[i] for i in order), None

        last, _ = anvl.scan(step, tuple(values[i] for i in order), None, length=length)
        return dict(zip(order, last, strict=True))

    def f(x, y):
        one = loop(first, starts[0], 4, [0, 1, 2], x, y)
        two = loop(second, starts[1], length, list(order), x, y)
        return [one[i] for i in range(3)], anp.sum(two[0] * two[1] + two[2])

    merged = anvl.jit(f)(X, X[::-1])
    monkeypatch.setattr(MergeLoops, "run", lambda self, module: None)
    apart = anvl.jit(lambda x, y: f(x, y))(X, X[::-1])
    for found, wanted in zip(anvl.tree.leaves(merged), anvl.tree.leaves(apart), strict=True):
        assert_close(found, wanted, FORMULA)
