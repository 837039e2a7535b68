"""`why_not_differentiable`: all that stands in the way, with lines and paths, and no error."""

from typing import Any

import numpy
import pytest

import anvl
import anvl.numpy as np
from anvl.dialect.core.op import AnvlOp, Operand, Result

X = anvl.aval("f32")


def bits(x: Any) -> Any:
    return anvl.prim.bitcast_convert(x, dtype="f32")


def line_of(marker: str) -> str:
    """`file:line` of the only line here with a comment of this text."""
    with open(__file__) as file:
        (line,) = [n for n, text in enumerate(file, 1) if text.rstrip().endswith(f"# {marker}")]
    return f"{__file__}:{line}"


def test_what_can_be_differentiated_gives_an_empty_list() -> None:
    found = anvl.why_not_differentiable(lambda x: np.sum(np.sin(x)), numpy.ones(3))
    assert not found and len(found) == 0 and list(found) == [] and found.zero == {}
    assert repr(found) == "<lambda> is differentiable with respect to x"


def test_all_ops_are_found_at_once_with_lines_and_ways() -> None:
    def f(x: Any) -> Any:
        y = np.exp(bits(np.sin(x)))  # the first
        return anvl.prim.polygamma(y, x) * bits(y)  # the others

    found = anvl.why_not_differentiable(f, X)
    assert [(x.op, x.path) for x in found] == [
        ("anvl.bitcast_convert", ("anvl.sin", "anvl.bitcast_convert")),
        (
            "anvl.polygamma",
            ("anvl.sin", "anvl.bitcast_convert", "anvl.exp", "anvl.polygamma"),
        ),
        (
            "anvl.bitcast_convert",
            ("anvl.sin", "anvl.bitcast_convert", "anvl.exp", "anvl.bitcast_convert"),
        ),
    ]
    helper = f"{__file__}:{bits.__code__.co_firstlineno + 1}"
    assert [x.place for x in found] == [helper, line_of("the others"), helper]
    assert found[0].reason == "operand 0 has no derivative: bits carry no derivative"
    text = repr(found)
    assert text.startswith("f cannot be differentiated with respect to x:\n  anvl.bitcast_convert")
    assert "reached by anvl.sin -> anvl.bitcast_convert -> anvl.exp -> anvl.polygamma" in text


def test_it_says_what_grad_says() -> None:
    def f(x: Any) -> Any:
        return bits(np.sin(x)) * anvl.prim.polygamma(x, x)

    with pytest.raises(anvl.MissingRule) as raised:
        anvl.grad(f)(numpy.float32(1))
    assert raised.value.findings == tuple(anvl.why_not_differentiable(f, X))
    for finding in raised.value.findings:
        assert str(finding) in str(raised.value)


def test_calls_derivatives_and_bodies_are_seen_through() -> None:
    def one(s: Any) -> Any:
        def body(a: Any) -> Any:
            return bits(np.sin(a))

        return anvl.prim.map(np.exp(s), dimensions=(), dtype="f32", computation=body)

    jitted = anvl.jit(one)
    way = ("anvl.exp", "stablehlo.map", "anvl.sin", "anvl.bitcast_convert")
    assert [x.path for x in anvl.why_not_differentiable(jitted, X)] == [way]
    assert [x.path for x in anvl.why_not_differentiable(anvl.grad(jitted), X)] == [way]
    assert [x.path for x in anvl.why_not_differentiable(anvl.grad(anvl.grad(one)), X)] == [way]

    def batch(x: Any) -> Any:
        return anvl.vmap(anvl.grad(one))(x)

    rows = anvl.aval("f32", (3,))
    assert [x.path for x in anvl.why_not_differentiable(batch, rows)] == [way]

    def pushed(x: Any) -> Any:
        return anvl.jvp(jitted, (x,), (x,))[1]

    assert [x.path for x in anvl.why_not_differentiable(pushed, X)] == [way]


def test_checkpoints_and_custom_rules_are_seen_through() -> None:
    def block(x: Any) -> Any:
        return bits(np.sin(x)) * x

    way = ("anvl.exp", "func.call", "anvl.sin", "anvl.bitcast_convert")
    for options in ({}, {"budget": "1KiB"}, {"policy": "dots"}):
        f = anvl.checkpoint(block, **options)
        found = anvl.why_not_differentiable(lambda x, f=f: np.sum(f(np.exp(x))), X)
        assert [x.path for x in found] == [way]

    g = anvl.custom_vjp(block)
    g.defvjp(lambda primals, y, cotangent: (cotangent * y,))
    assert not anvl.why_not_differentiable(lambda x: np.sum(g(np.exp(x))), X)
    assert not anvl.why_not_differentiable(anvl.grad(lambda x: np.sum(g(np.exp(x)))), X)


def test_control_flow_is_seen_through() -> None:
    def stepped(x: Any) -> Any:
        return anvl.scan(lambda c, _: (bits(np.sin(c)), c), x, None, length=3)[0]

    def chosen(x: Any) -> Any:
        return anvl.cond(x > 0, lambda x: bits(np.sin(x)), np.log, x)

    def looped(x: Any) -> Any:
        return anvl.fori_loop(0, 3, lambda i, c: bits(np.sin(c)) * x, x)

    for f in (stepped, chosen, looped, anvl.grad(stepped)):
        (found,) = anvl.why_not_differentiable(f, X)
        op = "stablehlo.if" if f is chosen else "func.call"
        assert found.path == (op, "anvl.sin", "anvl.bitcast_convert")


def test_wrt_may_be_a_part_of_an_argument() -> None:
    def f(p: Any) -> Any:
        return p["w"]["a"] * bits(p["w"]["b"])

    p = {"w": {"a": X, "b": X}}
    assert not anvl.why_not_differentiable(f, p, wrt="p.w.a")
    found = anvl.why_not_differentiable(f, p, wrt="p.w.b")
    assert len(found) == 1
    assert repr(found).startswith("f cannot be differentiated with respect to p['w']['b']:")
    with pytest.raises(ValueError, match=r"'p\.w\.c' names nothing of f"):
        anvl.why_not_differentiable(f, p, wrt="p.w.c")


@pytest.mark.usefixtures("own_ops")
def test_rules_that_refuse_when_asked_are_found_beside_others() -> None:
    class MoodyOp(AnvlOp, name="mine.moody"):
        """x, with a derivative that is not always there."""

        x: Operand
        y: Result

        @classmethod
        def result_type(cls, x: Any) -> Any:
            return x

        @classmethod
        def adjoint(cls, g: Any, xs: Any, y: Any) -> Any:
            raise anvl.MissingRule("moody: not today")

    moody = anvl.prim.primitive(MoodyOp)
    found = anvl.why_not_differentiable(lambda x: bits(moody(moody(np.sin(x)))), X)
    assert [(x.op, x.path[-1]) for x in found] == [
        ("mine.moody", "mine.moody"),
        ("mine.moody", "mine.moody"),
        ("anvl.bitcast_convert", "anvl.bitcast_convert"),
    ]
    assert found[0].reason == "moody: not today"
    assert found[1].path == ("anvl.sin", "mine.moody", "mine.moody")


@pytest.mark.usefixtures("own_ops")
def test_a_batch_that_cannot_be_written_is_a_finding() -> None:
    class AloneOp(AnvlOp, name="mine.alone"):
        """x; nobody has said how to batch it."""

        x: Operand
        y: Result

        @classmethod
        def result_type(cls, x: Any) -> Any:
            return x

    alone = anvl.prim.primitive(AloneOp)
    found = anvl.why_not_differentiable(lambda x: anvl.vmap(alone)(x), anvl.aval("f32", (2,)))
    (only,) = found
    assert "anvl-vectorize" in only.reason and "mine.alone" in only.reason


def test_leaves_that_are_no_floats_are_named_by_their_paths() -> None:
    def f(p: Any, n: Any) -> Any:
        return p["w"][0] * n

    found = anvl.why_not_differentiable(f, {"w": [X, anvl.aval("i32", (2,))]}, True, wrt=("p", "n"))
    assert [x.reason for x in found] == [
        "p['w'][1] is i32[2]; only floats have a derivative",
        "n is True; only floats have a derivative",
    ]
    assert repr(found).startswith("f cannot be differentiated with respect to p, n:\n  p['w'][1]")
    (only,) = anvl.why_not_differentiable(lambda x, mode: x, X, "fast", wrt="mode")
    assert only.reason == "mode is 'fast'; only floats have a derivative"


def test_results_that_are_no_floats_are_said() -> None:
    (found,) = anvl.why_not_differentiable(np.argmax, anvl.aval("f32", (3,)))
    assert found.reason == "argmax returns i32[]; only floats have a derivative"


def test_a_derivative_that_is_zero_by_design_is_no_obstacle() -> None:
    def f(p: Any, unused: Any, y: Any) -> Any:
        steps = np.floor(np.exp(p["x"]))
        return {"y": np.where(p["z"] > 0, steps, y * p["n"].astype("i32")), "i": np.argmax(p["v"])}

    p = {"x": X, "z": X, "n": X, "v": anvl.aval("f32", (2,))}
    found = anvl.why_not_differentiable(f, p, X, X, wrt=(0, 1, 2))
    assert not found
    ops = {path: [end.op for end in ends] for path, ends in found.zero.items()}
    assert ops == {
        "p['n']": ["anvl.convert"],
        "p['v']": [""],
        "p['x']": ["anvl.floor"],
        "p['z']": ["anvl.compare"],
        "unused": [""],
    }
    assert found.zero["p['x']"][0].path == ("anvl.exp", "anvl.floor")
    assert found.zero["unused"][0].reason == "no result depends on it"
    assert "note: the derivative with respect to p['x'] is zero:\n  anvl.floor at " in repr(found)


def test_what_stop_gradient_stops_is_said() -> None:
    found = anvl.why_not_differentiable(lambda x: anvl.stop_gradient(x) * 2, X)
    assert not found
    assert [end.op for end in found.zero["x"]] == ["anvl.stop_gradient"]


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="wrt 'y' names nothing of"):
        anvl.why_not_differentiable(lambda x: x, X, wrt="y")
    with pytest.raises(TypeError, match="why_not_differentiable: takes a function, got 3"):
        anvl.why_not_differentiable(3, X)
    with pytest.raises(ValueError, match="wrt names no argument"):
        anvl.why_not_differentiable(lambda x: x, X, wrt=())
    with pytest.raises(ValueError, match="do not broadcast"):
        anvl.why_not_differentiable(lambda x: x + np.ones(2) + np.ones(3), X)


def test_nothing_is_changed_and_the_same_is_said_again() -> None:
    def f(x: Any) -> Any:
        return anvl.grad(lambda y: bits(np.sin(y)))(x)

    assert repr(anvl.why_not_differentiable(f, X)) == repr(anvl.why_not_differentiable(f, X))
