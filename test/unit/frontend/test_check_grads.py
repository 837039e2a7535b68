"""`anvl.testing.check_grads` finds a wrong derivative, says where it is, and passes the rest."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.dialect import AnvlOp, F, Operand, Result, emit, full_like, unary
from anvl.testing import check_grads

X = np.array([0.3, 1.2, -0.4])


def op(name):
    return anvl.prim.primitive(f"check_grads.{name}")


@pytest.fixture
def wrong(own_ops):
    """Ops whose derivatives are wrong, each in its own way."""
    # One percent off, in both modes alike.
    unary("check_grads.off", lambda x: emit.mul(x, full_like(x, 1)), F, lambda g, x, y: _off(g))
    _define_one_way()
    _define_second()
    return op


def _off(g):
    return emit.mul(g, full_like(g, 1.01))


def _define_one_way():
    class OneWayOp(AnvlOp, name="check_grads.one_way"):
        """Only the adjoint has the wrong sign."""

        x: Operand
        y: Result

        @classmethod
        def result_type(cls, x):
            return x

        @classmethod
        def lower(cls, hlo, x):
            return emit.sin(x)

        @classmethod
        def adjoint(cls, g, xs, y):
            return [emit.neg(emit.mul(g, emit.cos(xs[0])))]

        @classmethod
        def tangent(cls, ts, xs, y):
            return emit.mul(ts[0], emit.cos(xs[0]))


def _define_second():
    class SecondOp(AnvlOp, name="check_grads.second"):
        """The derivative is right, but is made of one that is wrong."""

        x: Operand
        y: Result

        @classmethod
        def result_type(cls, x):
            return x

        @classmethod
        def lower(cls, hlo, x):
            return emit.sin(x)

        @classmethod
        def adjoint(cls, g, xs, y):
            return [emit.mul(g, emit.check_grads.off(emit.cos(xs[0])))]

        @classmethod
        def tangent(cls, ts, xs, y):
            return emit.mul(ts[0], emit.check_grads.off(emit.cos(xs[0])))


def problems(f, args, **options):
    with pytest.raises(AssertionError) as caught:
        check_grads(f, args, **options)
    return str(caught.value).split("\n")


def test_pytrees_of_any_kind_with_what_does_not_move():
    def f(params, n, data):
        y = anp.sin(params["w"] * data[0]) + params["b"][0]
        shown = y if data[1] else -y
        return {"y": shown, "n": n, "at": (data[0], anp.argmax(y)), "same": params}

    params = {"w": X, "b": [2.0, X]}
    errors = check_grads(f, (params, np.int32(3), (X, True)))
    assert max(errors.values()) < 1e-8
    assert check_grads(f, [params, 3, (X, True)], wrt=("data",), order=1).keys() == {"fwd", "rev"}


def test_every_nesting_of_the_modes_is_checked():
    assert list(check_grads(anp.sin, (X,), order=1, modes=("rev",))) == ["rev"]
    three = check_grads(lambda x: anp.sin(x) * x, (0.5,), order=3, modes=["fwd"])
    assert list(three) == ["fwd", "fwd of fwd", "fwd of fwd of fwd"]
    both = check_grads(anp.exp, (X,), order=3)
    assert len(both) == 2 + 4 + 8
    assert "rev of fwd of rev" in both


@pytest.mark.parametrize(("dtype", "limit"), [("f8", 1e-8), ("f4", 1e-3), ("c16", 1e-8)])
def test_dtypes_have_limits_of_their_own(dtype, limit):
    errors = check_grads(lambda x: anp.exp(x) * x, (X.astype(dtype),))
    assert max(errors.values()) < limit


def test_a_wrong_rule_is_reported_with_order_modes_path_and_numbers(wrong):
    title, line = problems(
        lambda params: wrong("off")(params["w"]) * params["b"], ({"b": X, "w": X},)
    )
    assert title == "check_grads: <lambda>: problems found"
    assert line.startswith("  order 1, fwd and rev, params['w']: f64[3], adjoint ")
    assert line.endswith(" of 1e-06 allowed, BAD")
    assert len(problems(lambda x: wrong("off")(x), (X.astype("f4"),), rtol=1e-3)) == 2


def test_what_is_allowed_can_be_chosen(wrong):
    check_grads(lambda x: wrong("off")(x), (X,), rtol=0.02)
    check_grads(lambda x: wrong("off")(x), (X,), atol=0.1)
    assert len(problems(lambda x: wrong("off")(x), (X,), eps=1e-3)) == 2


def test_one_wrong_mode_is_wrong_only_where_it_is_looked_at(wrong):
    def f(x):
        return wrong("one_way")(x)

    assert "fwd and rev, x: f64[3]" in problems(f, (X,))[1]
    assert "  order 1, rev, x: f64[3], adjoint " in problems(f, (X,), modes=("rev",))[1]
    check_grads(f, (X,), order=1, modes=("fwd",))


def test_what_is_wrong_in_the_second_order_only(wrong):
    check_grads(wrong("second"), (X,), order=1)
    lines = problems(wrong("second"), (X,), order=3)[1:]
    assert [line.split(", arg0: ")[0] for line in lines] == [
        "  order 2, fwd and rev of fwd",
        "  order 2, fwd and rev of rev",
    ]


def test_a_kink_is_no_wrong_derivative():
    def relu(x):
        return anp.maximum(x, 0.0)

    title, line = problems(relu, (np.array([1e-6, 1.0]),), order=1)
    assert title.endswith("; differences cannot tell: give other args, or another eps or seed")
    assert line.endswith("not smooth here")
    check_grads(relu, (np.array([1e-4, 1.0]),), order=1)
    assert problems(anp.log, (-X,), order=1)[1].endswith("not finite here")


def test_an_op_without_a_rule_says_so(own_ops):
    class BareOp(AnvlOp, name="check_grads.bare"):
        """Has no derivative yet."""

        x: Operand
        y: Result

        @classmethod
        def result_type(cls, x):
            return x

        @classmethod
        def lower(cls, hlo, x):
            return emit.sin(x)

    with pytest.raises(anvl.MissingRule, match=r"check_grads\.bare"):
        check_grads(op("bare"), (X,))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"args": 0.5}, TypeError, "check_grads: args is 0.5 of type float; give a tuple"),
        ({"order": 0}, ValueError, "check_grads: order is 0; give an integer from 1 on"),
        ({"order": True}, ValueError, "check_grads: order is True"),
        ({"modes": "fwd"}, ValueError, "check_grads: modes is 'fwd'; give a tuple"),
        ({"modes": ("back",)}, ValueError, r"check_grads: modes is \('back',\)"),
        ({"modes": ()}, ValueError, r"check_grads: modes is \(\)"),
        ({"eps": 0.0}, ValueError, "check_grads: eps is 0.0; give a positive number"),
        ({"rtol": float("nan")}, ValueError, "check_grads: rtol is nan"),
        ({"atol": -1.0}, ValueError, "check_grads: atol is -1.0"),
        ({"wrt": "y"}, ValueError, "wrt: f has no argument 'y'; it has 0 x, 1 n"),
        ({"wrt": "n"}, TypeError, r"check_grads: n of f is i32\?\[\]; only floats"),
        ({"args": (3, 3)}, ValueError, "check_grads: no argument of f holds floats"),
        ({"f": anp.argmax}, ValueError, "check_grads: no result of argmax is a float"),
        ({"f": 3}, TypeError, "check_grads: takes a function, got 3"),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, message):
    def f(x, n):
        return x * n

    f_given = options.pop("f", f)
    args = options.pop("args", (X, 3) if f_given is f else (X,))
    with pytest.raises(error, match=message):
        check_grads(f_given, args, **options)


def test_an_argument_in_wrt_must_be_passed():
    def f(x, y=1.0):
        return x * y

    with pytest.raises(
        ValueError, match="argument y of f is in wrt but was not passed; args has 1"
    ):
        check_grads(f, (X,), wrt="y")
