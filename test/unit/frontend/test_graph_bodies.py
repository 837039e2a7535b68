"""`anvl.trace` shows the bodies of calls, indented, and hands them out."""

import re
import textwrap

import numpy as np

import anvl
import anvl.numpy as anp
from anvl import dialect

F, COUNT, V = anvl.aval("f32"), anvl.aval("i32"), anvl.aval("f32", (4,))


def body_of(graph):
    """The lines of a graph between `Body:` and `Outputs:`."""
    text = str(graph).partition("Body:\n")[2].partition("  Outputs:")[0]
    return textwrap.dedent(text).rstrip()


def form(text):
    return textwrap.dedent(text).strip("\n")


def test_the_branches_of_a_cond_read_what_is_around_them():
    def yes(z, y=None):
        return anp.sin(z) * outer[0]

    def no(z):
        return z

    outer = []

    def f(x, y):
        outer[:] = [y]
        return anvl.cond(x > 0, yes, no, x)

    assert body_of(anvl.trace(f, F, F)) == form(
        """
        %1: bool[] = compare [comparison_direction = GT] (%x1, 0:f32[])
        %2: f32[] = if(%1)
          true:
            %3: f32[] = sin(%x1)
            %4: f32[] = mul(%3, %x2)
            return %4
          false:
            return %x1
        """
    )


def test_bodies_of_bodies_are_indented_further():
    def goes_on(c):
        return c[0] < 3

    def inner(i, y):
        return y * y

    def step(c):
        return c[0] + 1, anvl.fori_loop(np.int32(0), 5, inner, c[1])

    graph = anvl.trace(lambda x: anvl.while_loop(goes_on, step, (0, x), slots=8)[1], F)
    assert body_of(graph) == form(
        """
        %1: i32[], %2: f32[] = while [slots = 8] (0:i32[], %x1)
          cond: (%x2: i32[], %x3: f32[])
            %3: bool[] = compare [comparison_direction = LT] (%x2, 3:i32[])
            return %3
          body: (%x4: i32[], %x5: f32[])
            %4: i32[] = add(%x4, 1:i32[])
            %5: i32[], %6: f32[] = scan [carry = 2, length = 5, reverse = False, xs = 0] (0:i32[], %x5)
              body: @inner(%x6: i32[], %x7: f32[])
                %7: i32[] = add(%x6, 1:i32[])
                %8: f32[] = mul(%x7, %x7)
                return %7, %8
            return %4, %6
        """  # noqa: E501
    )


def test_a_function_that_is_called_twice_is_shown_once():
    @anvl.jit
    def wave(x):
        return anp.cos(x)

    graph = anvl.trace(lambda x: wave(wave(x)), F)
    assert body_of(graph) == form(
        """
        %1: f32[] = call [callee = @wave] (%x1)
          callee: @wave(%x2: f32[])
            %2: f32[] = cos(%x2)
            return %2
        %3: f32[] = call [callee = @wave] (%1)
          callee: @wave as above
        """
    )
    first, second = graph.calls
    assert first.bodies == second.bodies
    assert str(second) == form(
        """
        %3: f32[] = call [callee = @wave] (%1)
          callee: @wave(%x2: f32[])
            %2: f32[] = cos(%x2)
            return %2
        """
    )


def test_a_function_that_was_shown_in_a_body_is_not_shown_behind_it():
    @anvl.jit
    def wave(x):
        return anp.cos(x)

    def step(x):
        return wave(x)

    lines = body_of(anvl.trace(lambda x: wave(anvl.map(step, x)[0]), V)).splitlines()
    assert "    callee: @wave(%x3: f32[])" in [line.removeprefix("  ") for line in lines]
    assert lines[-1] == "  callee: @wave as above"


def test_functions_with_rules_show_them_and_transformations_what_they_are_of():
    @anvl.custom_vjp
    def twice(x):
        return x + x

    twice.defvjp(lambda x: (x + x, ()), lambda kept, g: (g * 2,))
    wave = anvl.checkpoint(anp.sin)
    graph = anvl.trace(lambda x: anvl.grad(lambda x: twice(x) * wave(x))(x), F)
    (vjp,) = graph.calls
    assert (vjp.primitive, [b.label for b in vjp.bodies]) == ("vjp", ["callee"])
    custom, checkpoint, _ = vjp.bodies[0].calls
    assert custom.params == {"callee": "@twice", "wrt": (0,)}
    assert [(b.label, b.function) for b in custom.bodies] == [
        ("callee", "@twice"),
        ("rule", "@twice_rule"),
    ]
    assert (checkpoint.primitive, checkpoint.params) == (
        "checkpoint",
        {"callee": "@sin", "kept": 0},
    )
    assert [call.primitive for call in checkpoint.bodies[0].calls] == ["sin"]


def test_ops_with_bodies_show_them():
    assert body_of(
        anvl.trace(
            lambda x: anvl.prim.sort(
                x, dimension=0, is_stable=True, comparator=lambda a, b: a * 2 < b
            ),
            V,
        )
    ) == form(
        """
        %1: f32[4] = sort [dimension = 0, is_stable = True] (%x1)
          comparator: (%x2: f32[], %x3: f32[])
            %2: f32[] = mul(%x2, 2:f32[])
            %3: bool[] = compare [comparison_direction = LT] (%2, %x3)
            return %3
        """
    )
    zero = np.float32(0)
    graph = anvl.trace(
        lambda x: anvl.prim.reduce(x, zero, dimensions=(0,), body=lambda a, b: a + b), V
    )
    (reduce,) = graph.calls
    assert reduce.params == {"dimensions": (0,)}
    (body,) = reduce.bodies
    assert (body.label, body.function, len(body.inputs), body.outputs) == ("body", "", 2, ["%2"])


def test_the_parts_of_bodies():
    weights = np.ones(3, "f4")

    def step(c, x):
        return c + x, anp.sum(weights)

    graph = anvl.trace(lambda x: anvl.scan(step, np.float32(0), x, reverse=True), V)
    (scan,) = graph.calls
    assert scan.primitive == "scan"
    assert scan.params == {"carry": 1, "xs": 1, "length": 4, "reverse": True}
    (body,) = scan.bodies
    assert (body.label, body.function) == ("body", "@step")
    assert [of for _, of in body.inputs] == [F, F]
    assert [call.primitive for call in body.calls] == ["add", "sum"]
    assert body.calls[0].inputs == [name for name, _ in body.inputs]
    assert body.calls[1].inputs == [name for name, of in graph.constants if of.shape == (3,)]
    assert body.outputs == [body.calls[0].outputs[0], body.calls[1].outputs[0]]
    assert graph.calls[0].inputs[1] == "%x1"


def test_each_value_has_a_name_of_its_own():
    def twice(x):
        return anvl.cond(x > 0, lambda: anp.sin(x), lambda: anp.cos(x))

    graph = anvl.trace(lambda x: anvl.map(twice, x) + anvl.map(twice, x), V)
    made = re.findall(r"(%x?\d+): ", str(graph).partition("Outputs:")[0])
    assert len(made) == len(set(made)) > 12


def test_one_array_that_bodies_close_over_is_one_constant():
    w = anp.ones(4) * 2

    def f(x):
        return anvl.cond(anp.sum(x) > 0, lambda: x * w, lambda: x + w) - w

    graph = anvl.trace(f, V)
    assert [name for name, of in graph.constants if of.shape] == ["%c1"]
    assert str(graph).count("%c1)") == 3


def test_what_bodies_take_leaves_a_program_that_runs():
    def f(p, x, y):
        return anvl.cond(
            p, lambda a: a * y, lambda a: anvl.cond(p, lambda: x, lambda: a - x * y), x
        )

    for args in ((True, 2.0, 3.0), (False, 2.0, 3.0)):
        wanted = 6.0 if args[0] else -4.0
        assert float(anvl.jit(f)(np.bool_(args[0]), *args[1:])) == wanted
    slope = anvl.grad(f, wrt=(1, 2))
    assert [float(g) for g in slope(np.bool_(True), 2.0, 3.0)] == [3.0, 2.0]
    assert [float(g) for g in slope(np.bool_(False), 2.0, 3.0)] == [-2.0, -2.0]
    assert dialect.parse(anvl.trace(f, anvl.aval("bool"), F, F).mlir()).operation.verify()


def test_a_switch_has_a_branch_for_each():
    def zero(x):
        return x

    graph = anvl.trace(lambda i, x: anvl.switch(i, [zero, anp.sin, anp.cos], x), COUNT, F)
    assert [b.label for b in graph.calls[-1].bodies] == ["branch 0", "branch 1", "branch 2"]
    assert graph.calls[-1].params == {}


def test_a_loop_says_its_slots_only_where_it_has_some():
    def params(**options):
        run = lambda x: anvl.while_loop(lambda x: x < 3, lambda x: x * 2, x, **options)  # noqa: E731
        return anvl.trace(run, F).calls[0].params

    assert params() == {}  # those of the pass
    assert params(slots=4) == {"slots": 4}
